"""Workers that are killed while they work; `KILLS` says how often, 4 unless told."""

import os
import random
import signal
from contextlib import suppress
from threading import Thread
from time import sleep

import pytest

import hushrank
from hushrank.engines.cluster import Draws, People, run
from hushrank.engines.tasks import Workers
from hushrank.questions.relative_order import RelativeOrder
from hushrank.surveys.sampled_survey import sampled_survey

KILLS = int(os.environ.get("KILLS", "4"))
N_PIECES, PEOPLE_OF_A_PIECE = 20, 50


def slow_people(piece):
    """Read some people so slowly that workers die meanwhile."""
    sleep(0.05)
    return hushrank.simulate("mallows", people=PEOPLE_OF_A_PIECE, items=4, seed=piece)


def two_rounds():
    survey = sampled_survey("pairs", [RelativeOrder((0, 1)), RelativeOrder((2, 3))], 1.0)
    parts = [sampled_survey(str(part), [RelativeOrder((0, 1))], 60.0, lots=part) for part in LOTS]
    found = []
    for each in (survey, *parts):
        found.append((yield (each,))[0])
    return found


LOTS = ((0.0, 0.5), (0.5, 1.0))


def plain(tallies):
    return [[(each.n_reports, each.support.tolist()) for each in one] for one in tallies]


def pids_of(cluster):
    """Return the workers that are at work; who dies while it starts is not started again."""
    from distributed.core import Status

    known = cluster.scheduler.workers
    at_work = [each for each in cluster.workers.values() if each.worker_address in known]
    running = [each.process for each in at_work if each.process is not None]
    return [each.pid for each in running if each.status == Status.running and each.pid]


def kill_one(cluster, within, chance):
    """Kill a worker at some moment."""
    sleep(chance.uniform(0, within))
    if pids := pids_of(cluster):
        with suppress(ProcessLookupError):
            os.kill(chance.choice(pids), signal.SIGKILL)


@pytest.mark.slow
def test_nobody_counts_twice_however_often_workers_die():
    import dask
    from distributed import LocalCluster

    here = People.of(slow_people, range(N_PIECES))
    stated = plain(run(two_rounds(), here, draws=Draws.of(3)).result)
    own = {"distributed.scheduler.allowed-failures": 1000, "distributed.logging.distributed": 50}
    local = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    chance = random.Random(1)
    for number in range(KILLS):  # a cluster each: one that was hurt too often has no workers left
        with dask.config.set(own), LocalCluster(**local) as cluster:
            workers = Workers(cluster.scheduler_address)
            people = People(slow_people, here.pieces, here.size, workers)
            killer = Thread(target=kill_one, args=(cluster, 2.0, chance))
            killer.start()
            found = run(two_rounds(), people, draws=Draws.of(3 if number % 2 else None)).result
            killer.join()
        assert plain(found) == stated or number % 2 == 0
        n_people = N_PIECES * PEOPLE_OF_A_PIECE
        assert sum(each.n_reports for each in found[0]) == n_people
        assert sum(each.n_reports for part in found[1:] for each in part) == n_people

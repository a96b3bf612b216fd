"""Workers that are killed while they work, and files and workers that fail in other ways.

`make test-crashes` kills 200 times; HUSHRANK_WORKER_KILLS says how often here, 4 unless told.
"""

import json
import os
import random
import signal
from collections import Counter
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from threading import Event, Thread
from time import monotonic, sleep

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import hushrank
from hushrank.activities.shelves import shelf
from hushrank.collector import elsewhere
from hushrank.collector.elsewhere import SurveySoFar, tally_reports
from hushrank.engines.cluster import Draws, People, run
from hushrank.engines.tasks import Workers
from hushrank.errors import HushrankError
from hushrank.questions.relative_order import RelativeOrder
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.workflows.at_scale import count_ballots
from hushrank.workflows.publish.files import publish_files
from tests.collector.drafts import draft

KILLS = int(os.environ.get("HUSHRANK_WORKER_KILLS", "4"))
N_PIECES, PEOPLE_OF_A_PIECE, N_FILES = 20, 50, 16
LOTS = ((0.0, 0.5), (0.5, 1.0))
PAUSE = 0.25
N_WORKERS, MOST_KILLS_OF_A_STEP = 4, 3


class SlowWorkers(Workers):
    """Workers whose tasks take a while, so that they are killed in the midst of them."""

    def add_up(self, task, shared, pieces, tell=lambda *_: None):
        WORKING_ON.append(task.__name__)
        return super().add_up(partial(slowly, task), shared, pieces, tell)


WORKING_ON = ["nothing"]


def slowly(task, shared, piece):
    sleep(PAUSE)
    return task(shared, piece)


def people_of(piece):
    return hushrank.simulate("mallows", people=PEOPLE_OF_A_PIECE, items=4, seed=piece)


def two_rounds():
    survey = sampled_survey("pairs", [RelativeOrder((0, 1)), RelativeOrder((2, 3))], 1.0)
    parts = [sampled_survey(str(part), [RelativeOrder((0, 1))], 60.0, lots=part) for part in LOTS]
    found = []
    for each in (survey, *parts):
        found.append((yield (each,))[0])
    return found


def plain(tallies):
    return [[(each.n_reports, each.support.tolist()) for each in one] for one in tallies]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Reports, ballots and visits in many small files."""
    monkeypatch.setattr(elsewhere, "ROWS_OF_A_SORTED_BUCKET", 60)
    monkeypatch.setattr(shelf, "RECORDS_OF_A_BOOK", 150)
    for name in ("reports", "ballots", "visits", "scratch"):
        (tmp_path / name).mkdir()
    part = SurveySoFar(draft(protocol="pairs", epsilon=4.0)).follows.parts[0]
    rng = np.random.default_rng(1)
    made, _ = hushrank.simulate_activity(users=120, items=20, seed=3)
    rows = np.repeat(np.arange(120), made.records_of_users)
    for n, some in enumerate(np.array_split(rng.permutation(len(rows)), N_FILES)):
        columns = {
            "survey": [part.fingerprint] * 30,
            "question": [0] * 30,
            "report": rng.integers(2, size=30),
            "person": rng.integers(300, size=30),
        }
        parquet.write_table(pa.table(columns), tmp_path / f"reports/{n:02}.parquet")
        ballots = hushrank.simulate("mallows", people=20, items=4, seed=n)
        hushrank.write_rankings(ballots, tmp_path / f"ballots/{n:02}.parquet")
        visits = {"user": rows[some], "item": made.scores.indices[some]}
        parquet.write_table(pa.table(visits), tmp_path / f"visits/{n:02}.parquet")
    return tmp_path


def reports_counted(files, workers, **asked):
    so_far = SurveySoFar(draft(protocol="pairs", epsilon=4.0))
    return tally_reports(files / "reports", so_far, workers=workers, **asked).document()


def ballots_counted(files, workers):
    sums = count_ballots(files / "ballots", workers=workers)
    return sums.counts.tolist(), sums.n_people


def asked(workers, seed):
    """With a seed the tallies; without, that everybody counts once in each round."""
    people = People.of(people_of, range(N_PIECES), workers)
    found = run(two_rounds(), people, draws=Draws.of(seed)).result
    n_people = N_PIECES * PEOPLE_OF_A_PIECE
    assert sum(each.n_reports for each in found[0]) == n_people
    assert sum(each.n_reports for part in found[1:] for each in part) == n_people
    return plain(found) if seed is not None else None


def released(files, workers):
    """A release with a seed, record by record."""
    _, people = hushrank.simulate_activity(users=120, items=20, seed=3)
    numbered = replace(people, users=tuple(map(str, range(120))))
    folders = {"output": files / "released", "scratch": files / "scratch"}
    asked = {"private": ["gender"], "budget": 0.05, "clusters": 5, "seed": 1}
    publish_files(files / "visits", numbered, **folders, workers=workers, **asked)
    table = parquet.read_table(files / "released").to_pydict()
    for each in sorted((files / "released").iterdir()):
        each.unlink()
    (files / "released").rmdir()
    assert not list((files / "scratch").iterdir())
    return table


def jobs_of(files):
    return {
        "reports": partial(reports_counted, files),
        "reports by key": partial(reports_counted, files, key="person"),
        "reports, sorted": partial(reports_counted, files, key="person", scratch=files / "scratch"),
        "ballots": partial(ballots_counted, files),
        "people with a seed": partial(asked, seed=3),
        "people": partial(asked, seed=None),
        "publication": partial(released, files),
    }


@contextmanager
def local_cluster(**options):
    import dask
    from distributed import LocalCluster

    own = {"distributed.scheduler.allowed-failures": 1000, "distributed.logging.distributed": 50}
    local = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with dask.config.set(own), LocalCluster(**(local | options)) as cluster:
        yield cluster


def pids_of(cluster):
    """Return the workers that are at work; who dies while it starts is not started again."""
    from distributed.core import Status

    known = cluster.scheduler.workers
    at_work = [each for each in cluster.workers.values() if each.worker_address in known]
    running = [each.process for each in at_work if each.process is not None]
    return [each.pid for each in running if each.status == Status.running and each.pid]


def kill_on(cluster, ended, chance, killed):
    """Kill a worker at some moment, again and again, a few times in each step of the job."""
    begun, of_step = len(WORKING_ON), Counter()
    while killed.total() < KILLS and not ended.wait(chance.uniform(0, 1.5)):
        pids, step = pids_of(cluster), len(WORKING_ON)
        if len(pids) >= 2 and step > begun and of_step[step] < MOST_KILLS_OF_A_STEP:
            with suppress(ProcessLookupError):
                os.kill(chance.choice(pids), signal.SIGKILL)  # one goes on
                killed[WORKING_ON[-1]] += 1
                of_step[step] += 1


def two_at_work(cluster):
    start = monotonic()
    while len(pids_of(cluster)) < 2 and monotonic() < start + 20:
        sleep(0.1)
    return len(pids_of(cluster)) >= 2


@pytest.mark.slow
def test_nothing_counts_twice_or_is_lost_however_often_workers_die(files):
    """Every job, over and over, until so many workers died: each time the same comes out."""
    jobs, chance, killed, n_jobs = jobs_of(files), random.Random(1), Counter(), 0
    stated = {name: job(workers=Workers()) for name, job in jobs.items()}
    while killed.total() < KILLS:
        with local_cluster(n_workers=N_WORKERS) as cluster:
            while killed.total() < KILLS and two_at_work(cluster):
                name = list(jobs)[-1 - n_jobs % len(jobs)]
                ended = Event()
                killer = Thread(target=kill_on, args=(cluster, ended, chance, killed))
                killer.start()
                try:
                    found = jobs[name](workers=SlowWorkers(cluster.scheduler_address))
                finally:
                    ended.set()
                    killer.join()
                assert found == stated[name], name
                n_jobs += 1
                print(json.dumps({"jobs": n_jobs, "kills": dict(killed)}), flush=True)


@pytest.mark.slow
def test_a_slow_worker_loses_its_work_to_the_other_one(files):
    """One worker of two is ten times as slow: its waiting tasks are stolen, and nothing changes."""
    with local_cluster() as cluster:
        assert two_at_work(cluster)
        pid = pids_of(cluster)[0]
        slowed = partial(at_one, pid)
        pieces = range(60)
        found = Workers(cluster.scheduler_address).add_up(slowed, None, pieces)
    assert sorted(number for _, number in found) == list(pieces)
    by_worker = Counter(worker for worker, _ in found)
    assert 0 < by_worker[pid] < 20  # even shares are 30


def at_one(pid, _, piece):
    """Take ten times as long on one worker; say who did which piece."""
    sleep(0.5 if os.getpid() == pid else 0.05)
    return ((os.getpid(), piece),)


@pytest.mark.slow
def test_files_that_vanish_or_change_end_the_work_and_name_themselves(files):
    """Between the look at all files and the task: nothing partial comes out of any job."""
    victim = {"reports": "reports/07", "ballots": "ballots/07", "publication": "visits/07"}
    jobs = jobs_of(files)
    with local_cluster() as cluster:
        for name, path in victim.items():
            file = files / f"{path}.parquet"
            whole = file.read_bytes()
            for damaged, said in ((None, "there is no such file"), (torn(whole), "damaged")):
                workers = Spoiling(cluster.scheduler_address)
                SPOILED[:] = [file, damaged]
                with pytest.raises(HushrankError, match=said) as raised:
                    jobs[name](workers=workers)
                assert str(file) in str(raised.value)
                file.write_bytes(whole)
    assert not (files / "released").exists()
    assert not list((files / "scratch").iterdir())


SPOILED: list = []


class Spoiling(Workers):
    """Workers that find a file gone, or torn, that was there when it was looked at."""

    def add_up(self, task, shared, pieces, tell=lambda *_: None):
        file, damaged = SPOILED
        file.unlink(missing_ok=True) if damaged is None else file.write_bytes(damaged)
        return super().add_up(task, shared, pieces, tell)


def torn(whole: bytes) -> bytes:
    """Return a file with a row group that its checksum belies, and the same footer."""
    return whole[:4] + bytes(len(whole[4:60])) + whole[60:]

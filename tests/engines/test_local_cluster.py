"""Two workers of Dask on this machine: the same comes out, and nothing raw is left anywhere."""

import logging
import os
import signal
from contextlib import contextmanager
from functools import partial
from time import sleep
from traceback import format_exception

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import hushrank
from hushrank.collector.elsewhere import SurveySoFar, tally_reports
from hushrank.engines import tasks
from hushrank.engines.cluster import Draws, People, run
from hushrank.engines.tasks import Workers
from hushrank.errors import HushrankError
from hushrank.files.pieces import pieces_of
from hushrank.questions.relative_order import RelativeOrder
from hushrank.surveys.report_files import Keyed, tally_bucket
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.workflows.at_scale import aggregate_files
from hushrank.workflows.publish.files import publish_files
from tests.collector.drafts import draft
from tests.processes import is_alive

pytestmark = pytest.mark.end_to_end  # it starts processes
SECRET = "5ecret"
"""Part of every key, name and cell that must not be seen outside the input."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("cluster")


@pytest.fixture(scope="module")
def cluster(folder):
    """Workers that spill what they can, and write all that they log."""
    import dask
    from distributed import LocalCluster

    spill = {f"distributed.worker.memory.{what}": 1e-8 for what in ("target", "spill")}
    never = {f"distributed.worker.memory.{what}": False for what in ("pause", "terminate")}
    own = spill | never | {"distributed.logging.distributed": "debug"}
    local = {
        "n_workers": 2,
        "threads_per_worker": 1,
        "memory_limit": "1GB",
        "dashboard_address": ":0",
    }
    with dask.config.set(own), LocalCluster(local_directory=str(folder), **local) as started:
        yield started


@pytest.fixture(scope="module")
def workers(cluster):
    return Workers(cluster.scheduler_address)


def written_reports(folder):
    """Write reports of which some came twice; whose they are is secret."""
    (folder / "reports").mkdir(exist_ok=True)
    so_far = SurveySoFar(draft(protocol="pairs", epsilon=4.0))
    (part,), rng = so_far.follows.parts, np.random.default_rng(1)
    for n in range(4):
        columns = {
            "survey": [part.fingerprint] * 50,
            "question": [0] * 50,
            "report": rng.integers(2, size=50),
            "person": [f"{SECRET} {number}" for number in rng.integers(120, size=50)],
        }
        parquet.write_table(pa.table(columns), folder / f"reports/{n}.parquet")
    return folder / "reports", so_far


def test_reports_are_counted_as_in_one_process(folder, workers):
    files, so_far = written_reports(folder)
    for asked in ({}, {"key": "person"}, {"key": "person", "scratch": folder}):
        found = tally_reports(files, so_far, workers=workers, **asked)
        assert found.document() == tally_reports(files, so_far, **asked).document()


def test_a_release_of_ballots_is_that_of_one_process(folder, workers):
    (folder / "ballots").mkdir()
    for n in range(3):
        some = hushrank.simulate("mallows", people=30, items=4, seed=n)
        hushrank.write_rankings(some, folder / f"ballots/{n}.parquet")
    release = partial(aggregate_files, folder / "ballots", epsilon=1.0, seed=3)
    assert release(workers=workers).to_dict() == release().to_dict()


def test_paths_are_those_of_the_process_that_calls(tmp_path, monkeypatch, cluster, workers):
    """Its workers are in other folders, as on other machines."""
    from distributed import Client

    files, so_far = written_reports(tmp_path)
    stated = tally_reports(files, so_far, key="person").document()
    made, people = hushrank.simulate_activity(users=60, items=8, tilt=0.8, seed=5)
    hushrank.write_activity(made, tmp_path / "visits.parquet")
    monkeypatch.chdir(tmp_path)
    with Client(cluster) as client:
        client.run(os.chdir, "/")
    for asked in ({}, {"scratch": "."}):
        found = tally_reports("reports/*.parquet", so_far, key="person", workers=workers, **asked)
        assert found.document() == stated
    terms = {"private": ["gender"], "budget": 0.05, "scratch": ".", "workers": workers}
    released, _ = publish_files("visits.parquet", people, "released", **terms)
    assert parquet.read_table("released").num_rows == released.n_records
    there = {path.name for path in tmp_path.iterdir()}
    assert there == {"reports", "visits.parquet", "released"}


def people_of(piece):
    return hushrank.simulate("mallows", people=20, items=4, seed=piece)


@pytest.mark.block_sizes
def test_simulated_people_answer_as_in_one_process(workers):
    survey = sampled_survey("pairs", [RelativeOrder((0, 1)), RelativeOrder((2, 3))], 1.0)

    def protocol():
        return (yield (survey,))[0]

    found = []
    for by in (Workers(), workers):
        tallies = run(protocol(), People.of(people_of, range(5), by), draws=Draws.of(7)).result
        found.append([(each.n_reports, each.support.tolist()) for each in tallies])
    assert found[0] == found[1]


def failing(shared, piece):
    raise ValueError(f"{shared} {piece}")


@contextmanager
def heard():
    """Keep what this process logs, of the scheduler, too."""
    lines = []
    handler = logging.Handler(0)
    handler.emit = lambda record: lines.append(record.getMessage())
    logging.getLogger("distributed").addHandler(handler)
    try:
        yield lines
    finally:
        logging.getLogger("distributed").removeHandler(handler)


def seen_by_scheduler(dask_scheduler):
    """Return the names of all tasks that there ever were, and the scheduler's own logs."""
    told = [str(each) for each in dask_scheduler.transition_log]
    return [*told, *(str(each) for each in dask_scheduler.get_logs())]


def test_names_of_tasks_logs_and_spilled_files_hold_nothing_raw(folder, cluster, workers):
    """Keys and whatever a task dies of, in all that workers and the scheduler say or write."""
    from distributed import Client, wait

    files, so_far = written_reports(folder)
    pieces = tuple(pieces_of(files, most_rows=50))
    keyed = Keyed(so_far.follows.parts, "person", 3, (5, 2**63 + 9), pieces)
    graph = tasks._Graph.of(partial(tasks._guarded, tally_bucket), keyed, range(3))
    with heard() as lines, Client(cluster) as client:
        results = client.compute([*graph.leaves])
        wait(results)  # held, as results that wait for others are
        spilled = [path.read_bytes() for path in folder.glob("**/storage/*") if path.is_file()]
        with pytest.raises(HushrankError, match="ended with ValueError") as raised:
            workers.add_up(failing, f"{SECRET} shared", [f"{SECRET} {n}" for n in range(3)])
        lines += client.run_on_scheduler(seen_by_scheduler)
        lines += [str(each) for each in client.get_worker_logs().values()]
    assert len(spilled) >= 3
    assert len(lines) > 50
    assert any("hushrank-task" in line for line in lines)
    assert SECRET not in str(raised.value)
    assert not [line for line in lines if SECRET in line]
    assert not [each for each in spilled if SECRET.encode() in each]


def test_the_dashboard_and_the_share_that_is_done_are_told(workers):
    told = []
    workers.add_up(sum_of, None, [(1,), (2,), (3,)], lambda *step: told.append(step))
    assert told[0][0].startswith("the dashboard is at http")
    assert told[1:] == [("3 pieces", share) for share in (1 / 3, 2 / 3, 1)]


def sum_of(_, piece):
    return sum(piece)


def test_nothing_that_answers_is_said():
    import dask

    quick = {"distributed.comm.timeouts.connect": "200ms"}
    said = r"tcp://127\.0\.0\.1:9: nothing of Dask answers"
    with dask.config.set(quick), pytest.raises(HushrankError, match=said):
        Workers("tcp://127.0.0.1:9").add_up(sum_of, None, [(1,)])
    with pytest.raises(HushrankError, match=r"^tls://127\.0\.0\.1:9: expected certificates"):
        Workers("tls://127.0.0.1:9").add_up(sum_of, None, [(1,)])


def own_number(_, piece):
    """Return the process that works on a piece."""
    return (os.getpid(),)


def test_kept_processes_start_once_and_end_with_the_block():
    """In the midst of it, and where something fails."""
    workers = Workers("processes", 1)
    with workers.kept() as kept, kept.kept() as again:
        first, second, third = (each.add_up(own_number, None, [0]) for each in (kept, kept, again))
    assert first == second == third
    assert not is_alive(*first)
    assert workers.add_up(own_number, None, [0]) != first
    numbers = []
    with pytest.raises(HushrankError, match="this piece is bad"):
        fail_between(workers, numbers)
    assert not is_alive(*numbers)


def fail_between(workers, numbers):
    with workers.kept() as kept:
        numbers += kept.add_up(own_number, None, [0])
        kept.add_up(bad, None, [0])


def bad(_, piece):
    raise HushrankError("this piece is bad")


def test_what_a_worker_elsewhere_says_is_told_from_what_is_said_here(workers):
    """What is there may be missing here, and the other way round."""
    with pytest.raises(HushrankError, match=r"this piece is bad \(says a worker of tcp://.*\)$"):
        workers.add_up(bad, None, [0])
    with pytest.raises(HushrankError, match=r"this piece is bad$"):
        Workers("threads").add_up(bad, None, [0])


def test_what_a_scheduler_gives_up_with_is_named_and_not_quoted(workers, monkeypatch):
    """It may hold what a task was given."""
    from distributed import Client

    def gives_up(*_, **__):
        raise RuntimeError("secret")

    monkeypatch.setattr(Client, "gather", gives_up)
    with pytest.raises(HushrankError, match="gave up with RuntimeError: see the logs") as ended:
        workers.add_up(sum_of, None, [[1], [2]])
    assert "secret" not in "".join(format_exception(ended.value))


@pytest.mark.parametrize("missing", ["scheduler", "worker"])
def test_nothing_is_sent_where_another_version_is(tmp_path, cluster, workers, monkeypatch, missing):
    """What they cannot read, Dask writes to their logs."""
    from distributed import Client

    asked = Client.get_versions

    def told(client, **given):
        found = asked(client, **given)
        versions = [each["packages"]["hushrank"] for each in found["workers"].values()]
        assert [found["scheduler"]["packages"]["hushrank"], *versions] == [hushrank.__version__] * 3
        someone = found["scheduler"] if missing == "scheduler" else [*found["workers"].values()][1]
        someone["packages"]["hushrank"] = None
        return found

    monkeypatch.setattr(Client, "get_versions", told)
    with pytest.raises(HushrankError, match=rf"^(the|a) {missing} has hushrank none, expected 0"):
        workers.add_up(noted, tmp_path, range(3))
    assert not list(tmp_path.iterdir())


def ended_from_outside(_, piece):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_is_ended_from_outside_is_one_error():
    """As where the system has no memory left."""
    with pytest.raises(HushrankError, match="was ended from outside, perhaps for want of memory"):
        Workers("processes", 2).add_up(ended_from_outside, None, range(3))


def noted(folder, piece):
    """Leave a file behind; fail at the first piece, take a while at the others."""
    (folder / f"{piece}.begun").touch()
    if piece == 0:
        raise HushrankError("this piece is bad")
    sleep(0.2)
    return piece


@pytest.mark.parametrize("here", [Workers(), Workers("threads", 2), Workers("processes", 2), None])
def test_what_waits_is_not_begun_once_a_piece_has_failed(tmp_path, workers, here):
    with pytest.raises(HushrankError, match="this piece is bad"):
        (here or workers).add_up(noted, tmp_path, range(60))
    assert len(list(tmp_path.glob("*.begun"))) < 60


def test_a_scheduler_that_has_no_worker_ends_the_work(monkeypatch):
    """As where all died while they started: it is said while there is hope, and in the end."""
    from distributed import LocalCluster

    monkeypatch.setattr(tasks, "PATIENCE", 0.5)
    told = []
    alone = {"n_workers": 0, "processes": False, "dashboard_address": None}
    with LocalCluster(**alone) as empty:
        workers = Workers(empty.scheduler_address)
        with pytest.raises(HushrankError, match=r"inproc:.*: no worker for 0\.5 seconds"):
            workers.add_up(sum_of, None, [(1,)], lambda *step: told.append(step))
    assert ("waiting for a worker", None) in told

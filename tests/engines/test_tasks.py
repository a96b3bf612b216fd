"""Sums of tasks: where they run, and that no failure is lost in a sum."""

import os
import sys
from types import SimpleNamespace

import pytest

from hushrank.engines.tasks import Failure, Known, Workers, _added, _Graph, _said_by
from hushrank.errors import HushrankError


def where(shared, piece):
    return [(os.getpid(), piece)]


def fails_at(shared, piece):
    if piece == shared:
        raise HushrankError("a piece is missing")
    return piece


def silent(step, share):
    return None


def test_threads_are_of_this_process():
    done = Workers("threads", 2).add_up(where, None, (1, 2, 3))
    assert done == [(os.getpid(), piece) for piece in (1, 2, 3)]


def test_processes_are_as_many_as_were_asked_for():
    done = Workers("processes", 1).add_up(where, None, (1, 2, 3, 4))
    ((worker, _), *_) = done
    assert worker != os.getpid()
    assert done == [(worker, piece) for piece in (1, 2, 3, 4)]


@pytest.mark.parametrize("first", [Failure("one"), 1])
@pytest.mark.parametrize("second", [Failure("other"), 2])
def test_a_sum_with_a_failure_is_that_failure(first, second):
    found = _added(first, second)
    failures = [each for each in (first, second) if isinstance(each, Failure)]
    assert found == (failures[0] if failures else 3)


@pytest.mark.parametrize("n_pieces", [1, 15, 16, 17, 18, 33, 257])
def test_every_piece_is_in_the_sum_once_however_many_there_are(n_pieces):
    """Sixteen are added at a time: one that is left alone is not left out."""
    pieces = tuple(2**n for n in range(n_pieces))
    assert Workers("threads", 1).add_up(fails_at, 0, pieces) == 2**n_pieces - 1


def test_names_of_tasks_are_of_no_input_and_no_hash_of_it():
    """By a hash whoever reads a dashboard could try guesses."""
    graphs = [_Graph.of(fails_at, ("secret", 7), range(40)).total for _ in range(2)]
    first, again = ({str(name) for name in dict(each.__dask_graph__())} for each in graphs)
    assert len(first) == len(again) == 1 + 40 + 3 + 1  # what all share, tasks, sums, their sum
    assert not first & again
    assert all(name.startswith("hushrank-") for name in first)


@pytest.mark.parametrize("wrong", [1, 20, 40])
@pytest.mark.parametrize("workers", [Workers(), Workers("threads", 2)], ids=["here", "threads"])
def test_a_piece_that_fails_leaves_no_sum(workers, wrong):
    with pytest.raises(HushrankError, match="a piece is missing"):
        workers.add_up(fails_at, wrong, tuple(range(1, 41)))


@pytest.mark.parametrize(("kind", "passes_on"), [(int, False), (Failure, False), (int, True)])
def test_results_are_fetched_where_they_are_passed_on_or_failed(kind, passes_on):
    known = Known(silent, 1, silent if passes_on else None)
    future = SimpleNamespace(type=kind, result=lambda: "fetched")
    wanted = passes_on or kind is Failure
    assert known.wanted(future) == ("fetched" if wanted else None)


class Silent:
    """A client of a scheduler that answers nothing."""

    dashboard_link = "http://host:8787"

    def __init__(self, address):
        if "nobody" in address:
            raise OSError

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def get_versions(self, packages):
        raise RuntimeError


@pytest.mark.parametrize("host", ["nobody", "somebody"])
def test_the_password_of_a_scheduler_is_in_no_message(host, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", SimpleNamespace(Client=Silent))
    address = f"tcp://me:secret@{host}:8786"
    with pytest.raises(HushrankError, match=host) as failed:
        Workers(address).add_up(where, None, (1, 2))
    assert "secret" not in str(failed.value)
    assert "secret" not in _said_by(address, Failure("bad")).message

"""The committed table: complete, reproducible, and read between its points."""

from dataclasses import replace
from importlib import import_module
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from msgspec import structs

from hushrank.engines.tasks import Workers
from hushrank.errors import HushrankError
from hushrank.planning import interpolation, table
from hushrank.planning.grid import ITEMS, tasks
from hushrank.planning.interpolation import PredictionTable, between, power_mean
from hushrank.planning.losses import LOSSES
from hushrank.planning.plan import MOST_ITEMS
from hushrank.planning.simulation.simulate_table import simulate_table, simulate_task
from hushrank.planning.simulation.trials import Trial
from hushrank.planning.smoothing import smoothed
from hushrank.planning.table import QUANTITIES, Record, key_of, points_of, read_records
from tests.planning.agreement import table as predictions

SOME = (
    ("uniform", 3),
    ("grr/1.5", 2),
    ("kwiksort/few", 3),
    pytest.param("max-entropy", 2, marks=pytest.mark.slow),
)


@pytest.fixture(scope="module")
def records():
    return {record.key: record for record in read_records()}


def test_it_has_all_tasks_and_no_others(records):
    expected = {key_of(task): points_of(task) for family in ITEMS for task in tasks(family)}
    assert {key: record.points for key, record in records.items()} == expected
    assert len(read_records()) == len(records)


def test_it_has_one_number_for_each_point(records):
    for record in records.values():
        found = [getattr(record, quantity) for quantity in QUANTITIES]
        known = [numbers for numbers in found if numbers is not None]
        assert known
        for numbers in known:
            assert len(numbers) == len(record.points)
            assert min(numbers) >= 0


@pytest.mark.end_to_end
@pytest.mark.parametrize(("track", "n_items"), SOME)
@pytest.mark.block_sizes
def test_simulating_anew_gives_the_same_numbers(records, track, n_items):
    (task,) = (
        task
        for task in tasks(track.split("/")[0])
        if key_of(task) == (track, n_items, "plackett-luce")
    )
    anew, known = simulate_task(task), records[key_of(task)]
    for quantity in QUANTITIES:
        numbers = getattr(known, quantity)
        expected = None if numbers is None else pytest.approx(numbers, rel=0.02, abs=1e-4)
        assert getattr(anew, quantity) == expected


def test_what_is_missing_is_said_with_its_remedy(monkeypatch, records):
    some = tuple(each for each in records.values() if each.track != "safari/1.5")
    monkeypatch.setattr(interpolation, "read_records", lambda: some)
    with pytest.raises(HushrankError, match=r"safari/1.5, mallows.*table.jsonl.*simulate_table"):
        PredictionTable().items("safari/1.5", "mallows")


def test_unknown_families_are_refused():
    for known in (0, 30):
        with pytest.raises(HushrankError, match=r"expected families of uniform, .* got borda"):
            simulate_table([*["uniform"] * known, "borda"])


def test_workers_simulate_the_same_records_of_the_tasks_of_some_items(monkeypatch, tmp_path):
    monkeypatch.setattr(table, "TABLE", tmp_path / "table.jsonl")
    every = [replace(task, repetitions=(1, 1)) for task in tasks("uniform")]
    simulating = import_module("hushrank.planning.simulation.simulate_table")
    monkeypatch.setattr(simulating, "tasks", lambda family: every)
    simulate_table(["uniform"], Workers("threads", 2), n_items=[3])
    stated = {key_of(task): simulate_task(task) for task in every if task.n_items == 3}
    assert {each.key: each for each in read_records()} == stated


def test_between_two_points_it_is_by_cube_roots_over_logarithms():
    assert between(10, (1, 4, 25)) == (4, 25, pytest.approx(0.5))
    assert between(100, (1, 10)) == (1, 10, pytest.approx(2))
    assert power_mean((0.008, 0.064), 0.5) == pytest.approx(0.027)


@pytest.mark.end_to_end
def test_at_a_point_of_the_table_is_what_was_simulated(records):
    record = records["uniform", 5, "mallows"]
    for (_, n_people), distance in zip(record.points, record.distance, strict=True):
        found = PredictionTable().at(
            "uniform", "mallows", 5, "distance", lambda _, n=n_people: float(n)
        )
        assert found == pytest.approx(distance)


@pytest.mark.parametrize(("track", "power"), [("max-entropy", 1.0), ("order", 0.5)])
@pytest.mark.parametrize("n_items", [2, 5, 13, 50])
def test_where_more_is_known_than_was_simulated_intervals_go_on_falling(track, power, n_items):
    """With the square root of the people: a loss in distance falls so, an excess twice as fast."""
    of_track = track, "mallows", n_items
    for known in (1e9, 1e12):
        few, many = (
            predictions().at(*of_track, "half_width", lambda _, n=n: n) for n in (known, 4 * known)
        )
        assert few / many == pytest.approx(4**power)


@pytest.mark.parametrize("track", LOSSES)
@pytest.mark.parametrize("beyond", [1, 5, None])
def test_of_more_items_than_were_simulated_as_much_is_known_as_of_so_many(track, beyond):
    """Not as much as the same reports tell of the most items that were simulated."""
    most = predictions().items(track, "mallows")[-1]
    n_items = MOST_ITEMS if beyond is None else most + beyond
    reach = {n: 1 / LOSSES[track](n, 2.0, 20_000) for n in (most, n_items)}
    found = predictions().at(track, "mallows", n_items, "half_width", reach.__getitem__)
    so_many, fewer = (
        predictions().at(track, "mallows", most, "half_width", lambda _, n=n: reach[n])
        for n in (n_items, most)
    )
    assert found == pytest.approx(so_many, rel=1e-12)
    assert found != pytest.approx(fewer, rel=1e-3)


def test_smoothing_averages_what_rises_and_keeps_what_falls(records):
    rising = [each for each in records.values() if each.key == ("max-entropy", 8, "mixture")]
    (made,) = smoothed(rising)
    for quantity in QUANTITIES:
        was, is_now = getattr(rising[0], quantity), getattr(made, quantity)
        assert all(after <= before for before, after in pairwise(is_now))
        assert sum(is_now) == pytest.approx(sum(was))
        if all(after <= before for before, after in pairwise(was)):
            assert is_now == pytest.approx(was)


@pytest.fixture
def simulating(monkeypatch, tmp_path):
    """The module that simulates, with a table of its own and nothing that takes time."""
    monkeypatch.setattr(table, "TABLE", tmp_path / "table.jsonl")
    return import_module("hushrank.planning.simulation.simulate_table")


@pytest.mark.parametrize("n_trials", [2, 30])
def test_every_one_of_many_trials_counts(monkeypatch, simulating, n_trials):
    """The last is the only one that errs."""
    (task, *_) = tasks("uniform")
    task = replace(task, points=task.points[:1], repetitions=(n_trials, n_trials))
    told = iter([*[Trial(0.0, 0.0, 0.0)] * (n_trials - 1), Trial(1.0, 1.0, 1.0)])
    monkeypatch.setattr(simulating, "trial_of", lambda track: lambda *_: next(told))
    assert simulate_task(task).distance == pytest.approx((1 / n_trials,), rel=0.01)


class Pool:
    """Two processes, all in this one."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def imap_unordered(self, function, each):
        return map(function, each)


@pytest.mark.parametrize("workers", [None, Workers("threads", 1)])
def test_all_of_many_tasks_are_simulated_and_kept(monkeypatch, simulating, workers):
    (task, *_) = tasks("uniform")
    every = [replace(task, n_items=n, repetitions=(1, 1)) for n in range(2, 40)]
    monkeypatch.setattr(simulating, "tasks", lambda family: every)
    monkeypatch.setattr(simulating, "get_context", lambda _: SimpleNamespace(Pool=lambda _: Pool()))
    done = Record.of(task, np.zeros((len(task.points), 3)))
    made = lambda each: structs.replace(done, items=each.n_items)  # noqa: E731
    monkeypatch.setattr(simulating, "simulate_task", made)
    simulate_table(["uniform"], workers, n_items=range(3, 40))
    assert [record.items for record in read_records()] == list(range(3, 40))
    monkeypatch.setattr(simulating, "simulate_task", pytest.fail)
    simulate_table([], workers, n_items=range(3, 40))

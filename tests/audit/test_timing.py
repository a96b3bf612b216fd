"""Times that depend on an answer are found; the clock of these tests is made up."""

import json
import pickle
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from hushrank.audit import timing
from hushrank.audit.shipped.timed import timed_paths
from hushrank.audit.timing import Path, Timing, largest_t, measure, welch
from hushrank.errors import HushrankError
from hushrank.randomness import Randomness
from tests.commands import hushrank
from tests.statistics import random_seed

RUNS = 4_000


@dataclass
class Clock:
    """Nanoseconds that pass only when something says so, but for some noise."""

    noise: np.random.Generator = field(default_factory=lambda: np.random.default_rng(random_seed()))
    now: int = 0

    def __call__(self):
        return self.now

    def spend(self, nanoseconds):
        interrupted = 100_000 * (self.noise.random() < 0.01)
        self.now += int(nanoseconds + self.noise.normal(0, 50) + interrupted)


@pytest.fixture
def clock(monkeypatch):
    found = Clock()
    monkeypatch.setattr(timing, "perf_counter_ns", found)
    return found


def response(clock, *, early):
    """Randomised response of two answers; where `early`, the truth takes less time than a lie."""
    coins = Randomness.spawned(random_seed(), 1)

    def run(answer):
        is_true = int(coins.below(4, 1)[0]) > 0
        clock.spend(1_000 if is_true and early else 1_020)
        return answer if is_true else 1 - answer

    return Path("response", (0, 1), run)


def rng():
    return Randomness.seeded(random_seed())


def test_what_takes_the_same_time_is_not_suspicious(clock):
    found = measure(response(clock, early=False), RUNS, rng=rng())
    assert not found.is_suspicious
    assert found.same_runs > 0


def test_it_does_not_matter_which_of_two_answers_takes_longer(clock):
    path = Path("slow", (0, 1), lambda answer: clock.spend(1_000 - 20 * answer))
    found = measure(path, RUNS, rng=rng())
    assert found.is_suspicious
    assert -30 < found.later_ns < -10


def test_time_that_depends_on_the_answer_is_found_below_interrupts(clock):
    path = Path("slow", (0, 1), lambda answer: clock.spend(1_000 + 10 * answer))
    found = measure(path, 4 * RUNS, rng=rng())  # t is 12.6 in the mean
    assert found.is_suspicious
    assert 5 < found.later_ns < 15


def test_time_that_says_whether_a_report_is_true_is_found_though_answers_take_the_same(clock):
    """All reports of an answer together take as long as those of the other."""
    found = measure(response(clock, early=True), RUNS, rng=rng())
    assert abs(found.t) < timing.SUSPICIOUS
    assert found.same_t > timing.SUSPICIOUS
    assert 10 < found.same_ns < 30


def test_times_that_differ_are_suspicious_whichever_input_takes_longer():
    alike = Timing("x", RUNS, 1_000.0, 4.9, 1.0, RUNS // 2, -4.9, -1.0)
    assert not alike.is_suspicious
    for t in (5.1, -5.1):
        assert replace(alike, t=t).is_suspicious
        assert replace(alike, same_t=t).is_suspicious


def test_t_is_that_of_welch():
    one, other = np.array([1.0, 2.0, 3.0]), np.array([3.0, 5.0, 7.0, 9.0])
    t, later = welch(one, other)
    assert later == 4.0
    assert t == pytest.approx(4 / np.sqrt(1 / 3 + (20 / 3) / 4))
    assert welch(one, other[:1]) == (0.0, 0.0)
    assert largest_t(one, one) == (0.0, 0.0)


def test_few_runs_are_refused():
    with pytest.raises(HushrankError, match="expected at least 100 runs, got 99"):
        measure(Path("x", (0, 1), str), 99, rng=rng())


def test_every_timed_path_runs_on_both_inputs():
    """No collector refuses the reports, and each forged token is refused."""
    for path in timed_paths(1.0, rng=Randomness.seeded(1)):
        outputs = [path.run(each) for each in path.inputs]
        if path.name.startswith("collector"):
            assert outputs == [0, 0]
        else:
            assert all(outputs)


def test_the_command_shows_and_writes_times(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    asked = ["audit", "--time", "mechanism grr", "--draws", "200", "--json", "t.json"]
    assert hushrank(monkeypatch, *asked) == 0
    assert "of 1 differ by more than 5 standard errors" in capsys.readouterr().out
    (found,) = json.loads((tmp_path / "t.json").read_text())["times"]
    assert found["runs"] == 200
    assert found["median_ns"] > 0
    assert hushrank(monkeypatch, "audit", "--time", "nothing") == 1
    assert "mechanism grr" in capsys.readouterr().err


def test_the_usual_time_is_in_nanoseconds():
    times, chosen = np.array([5.0, 7.0, 9.0, 11.0]), np.array([0, 1, 0, 1])
    found = timing._compared("path", times, chosen, [b"a", b"b"] * 2)
    assert (found.median_ns, found.runs, found.later_ns) == (8.0, 4, 2.0)


def test_the_two_inputs_of_each_path_are_two():
    for path in timed_paths(1.0, rng=Randomness.seeded(1)):
        one, other = map(pickle.dumps, path.inputs)
        assert one != other, path.name

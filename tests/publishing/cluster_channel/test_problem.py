from math import log

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.publishing.cluster_channel.problem import ChannelProblem

JOINT = np.array([[0.3, 0.1], [0.1, 0.3], [0.1, 0.1]])
DISTANCES = np.array([[0, 2, 1], [2, 0, 1], [1, 1, 0.0]])


def test_leakage_and_distortion_are_those_of_the_definition():
    problem = ChannelProblem(JOINT, DISTANCES, 1.0)
    channel = np.array([[0.5, 0, 0.5], [0, 1, 0], [0, 0, 1]])
    released = np.array([[0.15, 0.05], [0.1, 0.3], [0.25, 0.15]])
    terms = [p * log(p / (row.sum() * 0.5)) for row in released for p in row]
    assert problem.leakage(channel) == pytest.approx(sum(terms), rel=1e-12)
    assert problem.distortion(channel) == pytest.approx(0.4 * 0.5, rel=1e-12)
    assert problem.worst_ratio(channel) == pytest.approx(3)


def test_a_channel_blind_to_the_group_leaks_nothing():
    problem = ChannelProblem(JOINT, DISTANCES, 1.0)
    blind = np.tile([0.2, 0.5, 0.3], (3, 1))
    assert problem.leakage(blind) == pytest.approx(0, abs=1e-15)
    assert problem.worst_ratio(blind) == pytest.approx(1)


def test_groups_and_values_that_never_meet_have_an_infinite_ratio():
    joint = np.array([[0.5, 0.0], [0.25, 0.25]])
    assert ChannelProblem(joint, np.zeros((2, 2)), 0.0).worst_ratio(np.eye(2)) == np.inf


def with_last(table, *row):
    """Return a table with its last cells, as many as given, of other numbers."""
    changed = table.copy()
    changed.ravel()[-len(row) :] = row
    return changed


MANY = np.full((24, 2), 1 / 48)


@pytest.mark.parametrize(
    ("joint", "distances", "budget", "message"),
    [
        (JOINT[:, :1], DISTANCES, 1.0, "2\\+ values"),
        (JOINT * 1.01, DISTANCES, 1.0, "sum to 1"),
        (JOINT * np.nan, DISTANCES, 1.0, "finite"),
        (np.array([[0.5, 0], [0.5, 0.0]]), np.zeros((2, 2)), 1.0, "1 values without"),
        (JOINT, DISTANCES[:2], 1.0, "distances"),
        (JOINT, -DISTANCES, 1.0, "at least 0"),
        (JOINT, DISTANCES + 1, 1.0, "to itself"),
        (with_last(MANY, 3 / 48, -1 / 48), np.zeros((24, 24)), 1.0, "probabilities of at least 0"),
        (MANY, with_last(np.zeros((24, 24)), -1), 1.0, "distances of at least 0"),
        (MANY, with_last(np.zeros((24, 24)), 1), 1.0, "to itself"),
        (JOINT, DISTANCES, -0.1, "budget"),
        (JOINT, DISTANCES, np.nan, "budget"),
        (JOINT, DISTANCES, np.inf, "budget"),
    ],
)
def test_what_is_no_problem_is_refused(joint, distances, budget, message):
    with pytest.raises(HushrankError, match=message):
        ChannelProblem(joint, distances, budget)


def test_a_problem_shows_nobody():
    assert "0.3" not in repr(ChannelProblem(JOINT, DISTANCES, 1.0))

from collections.abc import Mapping

import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.evaluation import joint_attackers
from hushrank.evaluation.joint_attackers import (
    copies,
    holders,
    joint_scores,
    nearest_users,
    neighbours,
    same_records,
    told_values,
)
from hushrank.publishing.classifiers import area_under_curve
from tests.statistics import random_seed

N_USERS, N_ITEMS = 600, 40
SPREAD = np.sqrt(1 / 12 / (N_USERS / 4))
"""Of an area where there is nothing to see, with half of the users of each value."""


def exchanged() -> tuple[csr_array, np.ndarray]:
    """Two users a record, one of either value, each record as likely whatever the value."""
    rng = np.random.default_rng(random_seed())
    own = csr_array((rng.random((N_USERS // 2, N_ITEMS)) < 0.3).astype(np.float64))
    values = np.tile([0, 1], N_USERS // 2)
    order = rng.permutation(N_USERS)
    return own[np.repeat(np.arange(N_USERS // 2), 2)[order]], values[order]


def areas_of(records: csr_array, values: np.ndarray) -> dict[str, float]:
    """Attack with teachers who know nothing."""
    rng = np.random.default_rng(3)
    teachers = rng.normal(size=(N_USERS, 2))
    found = joint_scores(records, values, 2, teachers, copies(records), rng=rng)
    return {name: area_under_curve(scores, values) for name, scores in found.items()}


@pytest.mark.statistical
def test_who_knows_one_of_two_users_with_a_record_knows_the_other() -> None:
    areas = areas_of(*exchanged())
    assert len(areas) == 4
    assert min(area for name, area in areas.items() if "half" in name) > 0.65
    assert min(area for name, area in areas.items() if "fifths" in name) > 0.8


@pytest.mark.statistical
def test_no_attacker_sees_anything_in_permuted_values() -> None:
    records, values = exchanged()
    permuted = np.random.default_rng(random_seed() + 1).permutation(values)
    areas = np.array(list(areas_of(records, permuted).values()))
    assert (abs(areas - 0.5) < 5 * SPREAD).all()


def test_nobody_is_among_the_holders_of_their_own_record() -> None:
    same = np.array([0, 0, 0, 1])
    told = told_values(np.array([0, 1, 1, 0]), 2, np.array([0, 1, 3]))
    np.testing.assert_array_equal(holders(same, told), [[0, 1], [1, 0], [1, 1], [0, 0]])


class Shown:
    """A learner that learns nothing: its score is how many it sees with the record and value 1."""

    classes_ = (0, 1)

    def fit(self, seen: np.ndarray, values: np.ndarray) -> "Shown":
        return self

    def decision_function(self, seen: np.ndarray) -> np.ndarray:
        return seen[:, 1]  # after those with value 0: teachers and copies are the same of all


def test_of_those_asked_about_nobody_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty have one record, and ten of them each value: half of these leaked, or four fifths."""
    monkeypatch.setattr(joint_attackers, "LEARNERS", {"shown": lambda seed: Shown()})
    records, values = csr_array(np.ones((20, 1))), np.arange(20) % 2
    rng, silent = np.random.default_rng(1), np.zeros((20, 1))
    found = joint_scores(records, values, 2, silent, copies(records), rng=rng)
    assert {name: set(scores[:, 1]) for name, scores in found.items()} == {
        "shown, half leaked": {5},
        "shown, four fifths leaked": {8},
    }


@pytest.mark.usefixtures("hasty_attackers")
def test_what_is_the_same_of_all_users_moves_no_guess() -> None:
    """However often all records were released, and whatever a teacher says of everybody."""
    rng = np.random.default_rng(1)
    values = np.arange(120) % 2
    own = (rng.random((60, 40)) < 0.3).astype(float)
    records = csr_array(own[rng.permutation(np.repeat(np.arange(60), 2))])
    teachers = rng.normal(size=(120, 3)) + 0.5 * values[:, None]

    def found(n_copies: int, *said: float) -> Mapping[str, np.ndarray]:
        told = np.column_stack([teachers, np.tile(said, (120, 1))])
        rng = np.random.default_rng(1)
        return joint_scores(records, values, 2, told, np.full(120, n_copies), rng=rng)

    once = found(1)
    for other in (found(2), found(8), found(3, 0.4, 0.6)):
        for name, scores in once.items():
            np.testing.assert_array_equal(other[name], scores)


def test_squares_of_two_values_are_no_other_columns() -> None:
    """They are one number but for rounding, which would be scaled up to a column of noise."""
    values = np.arange(40) % 2
    seen = np.column_stack([np.arange(40) // 2 % 2 + 0.1, np.arange(40) // 4 % 2])
    taught = joint_attackers._quadratic(1).fit(seen, values)
    assert taught[-1].coef_.shape == (1, 3)  # both, and their product


def test_where_nothing_varies_nobody_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("holders", "neighbours"):
        monkeypatch.setattr(joint_attackers, name, lambda same, told: np.ones_like(told))
    values, records = np.arange(20) % 2, csr_array(np.ones((20, 1)))
    rng, silent = np.random.default_rng(1), np.zeros((20, 1))
    found = joint_scores(records, values, 2, silent, copies(records), rng=rng)
    assert [np.ptp(scores) for scores in found.values()] == [0] * 4


def test_neighbours_count_who_is_known_and_not_oneself() -> None:
    near = np.array([[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]])
    told = told_values(np.array([1, 1, 0, 0]), 2, np.array([0, 1, 2]))
    found = neighbours(near, told)[:, 0]
    prior = 5 * 2 / 3
    np.testing.assert_allclose(
        found, [(1 + prior) / 7, (1 + prior) / 7, (2 + prior) / 7, (2 + prior) / 8]
    )


def test_the_nearest_are_counted_apart_from_those_farther_away() -> None:
    """Of 160 neighbours the ten nearest have value 1, and no other."""
    told = told_values((np.arange(160) < 10).astype(int), 2, np.arange(160))
    prior = 5 * 10 / 160
    expected = [(10 + prior) / (n_near + 5) for n_near in (10, 40, 160)]
    np.testing.assert_allclose(neighbours(np.arange(160)[None], told), [expected])


def test_the_nearest_come_first_and_oneself_never() -> None:
    records = csr_array(np.array([[1.0, 0], [0.8, 0.6], [0, 1], [1, 0]]))
    near = nearest_users(records, 10)
    np.testing.assert_array_equal(near[0], [3, 1, 2])
    np.testing.assert_array_equal(near[2], [1, 0, 3])
    np.testing.assert_array_equal(same_records(records), [0, 1, 2, 0])


@pytest.mark.parametrize("at_once", [1, 3, 4])
def test_of_many_users_too_nobody_is_their_own_neighbour(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    records = csr_array(np.random.default_rng(random_seed()).random((10, 5)))
    together = nearest_users(records, 9)
    monkeypatch.setattr(joint_attackers, "ROWS_AT_ONCE", at_once)
    near = nearest_users(records, 9)
    np.testing.assert_array_equal(near, together)
    for user, others in enumerate(near):
        assert sorted(others) == [each for each in range(10) if each != user]

"""How well releases foretell what was held out, and that they were made without it."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.errors import HushrankError
from hushrank.evaluation.recommendation import foretelling as module
from hushrank.evaluation.recommendation.foretelling import Foretelling, Precision, foretelling

SEEN = csr_array([[1.0, 0, 1.0], [1.0, 0, 0]])
RELEASED = csr_array([[1.0, 0, 1.0], [0, 1.0, 0]])
HELD_OUT = csr_array([[0, 0, 0], [0, 1.0, 0]])
"""Of two users: the other one's second item is held out, and that record was changed."""


class Ranking:
    """What ranks the second item first in the first 29 trainings, and last in the others."""

    trained = 0

    def __init__(self, number):
        self.of_items = np.array([0.0, 1.0, 0.5]) * (1 if number < 29 else -1)

    @classmethod
    def fit(cls, known, *, rng, tell):
        cls.trained += 1
        return cls(cls.trained - 1)

    def scores(self, users):
        return np.tile(self.of_items, (2, 1))


def test_every_one_of_many_trainings_counts(monkeypatch):
    monkeypatch.setattr(Ranking, "trained", 0)
    monkeypatch.setattr(module, "BayesianRanking", Ranking)
    trial = Foretelling(SEEN, RELEASED, HELD_OUT)
    found = trial.by_training(SEEN, repetitions=30, seed=1)
    assert Ranking.trained == 30
    assert found.all_users == found.changed_users == pytest.approx((29 + 1 / 2) / 30)


def test_no_two_trainings_draw_the_same(monkeypatch):
    drawn = []

    def fit(known, *, rng, tell):
        drawn.append(int(rng.integers(2**62)))
        return Ranking(0)

    monkeypatch.setattr(module, "BayesianRanking", SimpleNamespace(fit=fit))
    Foretelling(SEEN, RELEASED, HELD_OUT).by_training(SEEN, repetitions=30, seed=1)
    assert len(set(drawn)) == 30


def test_popular_is_what_most_users_did_whatever_they_were_released_with():
    """The last user's held-out item is what both others did; all are released with another."""
    seen = csr_array([[1.0, 0, 0], [1.0, 0, 0], [0, 0, 1.0]])
    released = csr_array([[0, 1.0, 0]] * 3)
    held_out = csr_array([[0, 0, 0], [0, 0, 0], [1.0, 0, 0]])
    assert Foretelling(seen, released, held_out).by_popularity() == Precision(1.0, 1.0)


def test_who_has_nothing_held_out_has_no_part_in_what_withholding_gains():
    """Two users are judged, and one of them was changed: what it gains counts half."""
    held_out = csr_array([[0, 1.0, 0], [0, 1.0, 0], [0, 0, 0]])
    seen = csr_array([[1.0, 0, 0]] * 3)
    released = csr_array([[1.0, 0, 0], [0, 0, 1.0], [0, 0, 1.0]])
    found = Foretelling(seen, released, held_out).withholding(
        after=Precision(0.5, 0.25), popular=Precision(0.375, 0.75)
    )
    assert found == Precision(0.75, 0.75)


def test_in_a_list_of_small_scores_too_the_least_comes_before_what_is_popular():
    """As in means of pools, which are below 1."""
    released = csr_array([[0.125, 0], [0, 0.5], [0, 0.5]])
    held_out = csr_array([[1.0, 0], [0, 0], [0, 0]])
    assert Foretelling(csr_array((3, 2)), released, held_out).by_list().all_users == 1


WHOLE = np.tril(np.ones((36, 36))) + 3 * np.eye(36)
USERS, ITEMS = (tuple(f"{kind} {n}" for n in range(36)) for kind in ("user", "item"))


def trial(rows, leaked, leaked_to):
    """Hold the first item of some rows out, and release some whole records to some users.

    Everybody else is released with what nobody has.
    """
    activity = Activity(csr_array(WHOLE), USERS, ITEMS)
    held, given = np.zeros((36, 36)), WHOLE * 2
    held[rows, 0] = WHOLE[rows, 0]
    given[leaked_to] = WHOLE[leaked]
    held_out, released = (activity.with_scores(csr_array(each)) for each in (held, given))
    return foretelling(activity, released, held_out)


@pytest.mark.parametrize(
    ("rows", "leaked", "leaked_to"),
    [
        (range(6), range(6), [1, 2, 3, 4, 5, 0]),
        (range(30, 36), range(30, 36), [31, 32, 33, 34, 35, 30]),
        (range(6), [5], [5]),
        (range(30, 36), [35], [35]),
    ],
)
def test_whole_records_that_the_last_of_many_users_are_released_with_are_noticed(
    rows, leaked, leaked_to
):
    with pytest.raises(HushrankError, match="made without the held-out records"):
        trial(rows, leaked, leaked_to)


def test_few_whole_records_may_be_chance_where_many_have_something_held_out():
    assert trial(range(6, 36), [34, 35], [34, 35]).held_out.nnz == 30

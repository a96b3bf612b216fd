"""How well releases foretell what was held out, and that they were made without it."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.errors import HushrankError
from hushrank.evaluation.recommendation import foretelling as module
from hushrank.evaluation.recommendation.foretelling import Foretelling, foretelling

SEEN = csr_array([[1.0, 0, 1.0], [1.0, 0, 0]])
RELEASED = csr_array([[1.0, 0, 1.0], [0, 1.0, 0]])
"""Of two users: the first one's second item is held out, and the other's record was changed."""


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
    held_out = csr_array([[0, 0, 0], [0, 1.0, 0]])
    trial = Foretelling(SEEN, RELEASED, held_out)
    found = trial.by_training(SEEN, repetitions=30, seed=1)
    assert Ranking.trained == 30
    assert found.all_users == found.changed_users == pytest.approx((29 + 1 / 2) / 30)


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

import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.errors import HushrankError
from hushrank.evaluation.recommendation import foretelling as module
from hushrank.evaluation.recommendation.foretelling import Foretelling, foretelling

"""Of two users: the first one's second item is held out, and the other's record was changed."""
SEEN = csr_array([[1.0, 0, 1.0], [1.0, 0, 0]])
RELEASED = csr_array([[1.0, 0, 1.0], [0, 1.0, 0]])


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


@pytest.mark.parametrize("first", [0, 30])
def test_the_last_of_many_users_whose_whole_records_were_released_are_noticed(first):
    """Each user of whom nothing was held out is released with what nobody has."""
    whole = csr_array(np.tril(np.ones((36, 36))) + 3 * np.eye(36))
    users, items = (tuple(f"{kind} {n}" for n in range(36)) for kind in ("user", "item"))
    activity = Activity(whole, users, items)
    rows = slice(first, first + 6)
    held = np.zeros((36, 36))
    held[rows, 0] = whole.toarray()[rows, 0]
    given = whole.toarray() * 2.0
    given[rows] = whole.toarray()[rows]
    held_out, released = (activity.with_scores(csr_array(each)) for each in (held, given))
    with pytest.raises(HushrankError, match="made without the held-out records"):
        foretelling(activity, released, held_out)

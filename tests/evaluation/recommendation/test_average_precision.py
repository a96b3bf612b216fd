import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.errors import HushrankError
from hushrank.evaluation.recommendation import average_precision as module
from hushrank.evaluation.recommendation.average_precision import (
    average_precisions,
    mean_average_precision,
)


def test_average_precision_of_a_small_case_by_hand() -> None:
    scores = np.array([[9.0, 5, 4, 3, 2], [1, 2, 3, 4, 5]])
    seen = csr_array(np.array([[1, 0, 0, 0, 0], [0, 0, 0, 0, 0]]))
    held_out = csr_array(np.array([[0, 1, 0, 1, 0], [1, 0, 0, 0, 0]]))
    found = average_precisions(lambda users: scores[users], seen, held_out)
    np.testing.assert_allclose(found, [(1 / 1 + 2 / 3) / 2, 1 / 5])


def test_users_without_held_out_items_do_not_count() -> None:
    scores = np.ones((2, 3))
    held_out = csr_array(np.array([[1, 0, 0], [0, 0, 0]]))
    nothing = csr_array((2, 3))
    assert np.isnan(average_precisions(lambda users: scores[users], nothing, held_out)[1])
    assert mean_average_precision(lambda users: scores[users], nothing, held_out) == 1.0


def test_a_perfect_recommender_has_precision_one_and_agrees_with_a_plain_definition() -> None:
    rng = np.random.default_rng(5)
    wanted = csr_array((rng.random((1300, 20)) < 0.2).astype(float))
    nothing = csr_array(wanted.shape)
    dense = wanted.toarray()
    assert mean_average_precision(lambda users: dense[users], nothing, wanted) == 1.0
    scores = rng.random(dense.shape)
    found = average_precisions(lambda users: scores[users], nothing, wanted)
    for user in (0, 511, 512, 1299):
        places = np.sort((-scores[user]).argsort().argsort()[dense[user] > 0]) + 1
        expected = np.mean(np.arange(1, len(places) + 1) / places) if len(places) else np.nan
        np.testing.assert_allclose(found[user], expected)


def test_shapes_that_differ_and_nothing_held_out_are_refused() -> None:
    with pytest.raises(HushrankError, match="shapes that agree"):
        average_precisions(lambda users: np.ones((2, 3)), csr_array((2, 3)), csr_array((2, 4)))
    with pytest.raises(HushrankError, match="held-out items"):
        mean_average_precision(lambda users: np.ones((2, 3)), csr_array((2, 3)), csr_array((2, 3)))


def test_the_last_of_many_slices_of_users_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "USERS_AT_ONCE", 1)
    scores = np.tile([[2.0, 1.0]], (30, 1))
    held_out = csr_array(np.where(np.arange(30)[:, None] < 29, [[1, 0]], [[0, 1]]))
    found = average_precisions(lambda users: scores[users], csr_array((30, 2)), held_out)
    assert found.tolist() == [*[1.0] * 29, 0.5]

import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.errors import HushrankError
from hushrank.evaluation.recommendation.average_precision import mean_average_precision
from hushrank.evaluation.recommendation.bayesian_ranking import BayesianRanking, popularity
from hushrank.evaluation.recommendation.linear_items import LinearItems
from hushrank.evaluation.recommendation.tensor_factorisation import (
    TensorFactorisation,
    TensorSettings,
)

N_USERS, N_ITEMS = 300, 40


def two_tastes(rng: np.random.Generator) -> tuple[csr_array, csr_array]:
    """Half of the users like the first half of the items, the others the second half."""
    likes = np.arange(N_USERS)[:, None] % 2 == np.arange(N_ITEMS) // (N_ITEMS // 2)
    did = rng.random((N_USERS, N_ITEMS)) < np.where(likes, 0.5, 0.02)
    held_out = did & (rng.random(did.shape) < 0.3)
    return csr_array((did & ~held_out).astype(float)), csr_array(held_out.astype(float))


def test_bayesian_ranking_learns_tastes_that_popularity_cannot() -> None:
    seen, held_out = two_tastes(np.random.default_rng(1))
    model = BayesianRanking.fit(seen, rng=np.random.default_rng(2))
    everywhere = np.tile(popularity(seen), (N_USERS, 1))
    ours = mean_average_precision(model.scores, seen, held_out)
    plain = mean_average_precision(lambda users: everywhere[users], seen, held_out)
    assert ours > 1.3 * plain
    assert model.users.shape[0] == N_USERS


def test_bayesian_ranking_ignores_scores_and_repeats_from_a_generator() -> None:
    seen, _ = two_tastes(np.random.default_rng(1))
    first = BayesianRanking.fit(seen, rng=np.random.default_rng(3))
    louder = csr_array(seen * 5.0)
    again = BayesianRanking.fit(louder, rng=np.random.default_rng(3))
    np.testing.assert_array_equal(first.items, again.items)
    with pytest.raises(HushrankError, match="some activity"):
        BayesianRanking.fit(csr_array((3, 3)), rng=np.random.default_rng(3))


@pytest.mark.linear_algebra
def test_linear_items_learn_tastes_and_solve_their_program() -> None:
    seen, held_out = two_tastes(np.random.default_rng(1))
    model = LinearItems.fit(csr_array(seen * 3.0), strength=20.0)
    everywhere = np.tile(popularity(seen), (N_USERS, 1))
    plain = mean_average_precision(lambda users: everywhere[users], seen, held_out)
    assert mean_average_precision(model.scores, seen, held_out) > 1.3 * plain
    gram = (seen.T @ seen).toarray()
    slope = gram @ model.weights - gram + 20 * model.weights
    np.testing.assert_array_equal(np.diag(model.weights), 0)
    np.testing.assert_allclose(slope - np.diag(np.diag(slope)), 0, atol=1e-8)


def test_linear_items_are_refused_where_they_are_too_many() -> None:
    with pytest.raises(HushrankError, match=r"ease: expected at most 10,000 items, got 10,001"):
        LinearItems.fit(csr_array((2, 10_001)))


def test_tensor_factorisation_learns_from_the_user_and_from_the_context() -> None:
    rng = np.random.default_rng(4)
    shape = (60, 6, 30)
    users, contexts = (part.ravel() for part in np.meshgrid(np.arange(60), np.arange(6)))
    users, contexts = np.repeat(users, 4), np.repeat(contexts, 4)
    by_user, by_context = (users % 3) * 10 + rng.integers(10, size=len(users)), contexts * 5
    activities = np.where(rng.random(len(users)) < 0.5, by_user, by_context)
    observations = np.column_stack([users, contexts, activities])
    settings = TensorSettings(n_factors=8, n_epochs=60)
    model = TensorFactorisation.fit(observations, shape, rng=rng, settings=settings)
    scores = model.scores(np.arange(60), np.arange(60) % 6)
    own = np.arange(30)[None, :] // 10 == (np.arange(60) % 3)[:, None]
    of_context = np.arange(30)[None, :] == (np.arange(60) % 6 * 5)[:, None]
    neither = ~own & ~of_context
    assert scores[own].mean() > scores[neither].mean() + 1
    assert scores[of_context].mean() > scores[neither].mean() + 1


@pytest.mark.parametrize(
    ("observations", "named"),
    [
        (np.zeros((0, 3), dtype=int), "at least 1 observation"),
        (np.array([[0, 0, 5]]), "within the shape"),
        (np.array([[0, -1, 0]]), "within the shape"),
        (np.array([[0, 1, 4]] * 24 + [[0, 1, 5]]), "within the shape"),
        (np.array([[0, 1]]), "rows of 3"),
    ],
)
def test_observations_that_do_not_fit_are_refused(observations: np.ndarray, named: str) -> None:
    with pytest.raises(HushrankError, match=named):
        TensorFactorisation.fit(observations, (2, 2, 5), rng=np.random.default_rng(1))


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(HushrankError, match="positive"):
        TensorSettings(n_factors=0)

import numpy as np
import pytest

from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.aggregators.uncertainty import posterior as module
from hushrank.aggregators.uncertainty.drawn_ranks import (
    DrawnRanks,
    ranks_by_pairs,
    ranks_by_scores,
)
from hushrank.aggregators.uncertainty.posterior import (
    N_DRAWS,
    Belief,
    Posterior,
    _drawn_margins,
)
from hushrank.rankings.distances import kendall_cost


def antisymmetric(rng, n_draws, n_items):
    upper = np.triu(rng.normal(size=(n_draws, n_items, n_items)), k=1)
    return upper - upper.transpose(0, 2, 1)


def test_orders_by_pairs_nearly_always_cost_least():
    rng = np.random.default_rng(1)
    scores = rng.normal(size=(200, 6))
    margins = scores[:, :, None] - scores[:, None, :] + antisymmetric(rng, 200, 6) / 2
    ranks = ranks_by_pairs(margins)
    costs = [
        kendall_cost(each, tuple(np.argsort(row).tolist()))
        for each, row in zip(margins, ranks, strict=True)
    ]
    least = [kemeny(each).cost for each in margins]
    assert np.isclose(costs, least).mean() > 0.95
    assert (np.array(costs) >= np.array(least) - 1e-9).all()


def test_an_interval_holds_the_place_of_the_order_that_is_shown():
    drawn = DrawnRanks(ranks_by_scores(np.tile([3.0, 2.0, 1.0], (10, 1))))
    assert drawn.intervals() == ((0, 0), (1, 1), (2, 2))
    assert drawn.intervals((2, 0, 1)) == ((0, 1), (1, 2), (0, 2))


def shortest_run(drawn, level, place, n_items):
    """Return the length of the shortest run with enough draws that holds a place, and its mass."""
    runs = [
        (low - high, np.mean((low <= drawn) & (drawn <= high)))
        for low in range(n_items)
        for high in range(low, n_items)
        if place is None or low <= place <= high
    ]
    length, mass = max(run for run in runs if run[1] >= level - 1e-9)
    return 1 - length, mass


@pytest.mark.parametrize("n_draws", [7, 200])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_an_interval_is_the_shortest_that_reaches_its_level(level, n_draws):
    rng = np.random.default_rng(5)
    ranks = ranks_by_scores(rng.normal(size=(n_draws, 7)) + rng.normal(size=7) * 2)
    drawn, order = DrawnRanks(ranks), tuple(rng.permutation(7).tolist())
    for shown in (None, order):
        for item, (low, high) in enumerate(drawn.intervals(shown, level)):
            place = None if shown is None else shown.index(item)
            held = np.mean((low <= ranks[:, item]) & (ranks[:, item] <= high))
            assert (high - low + 1, held) == shortest_run(ranks[:, item], level, place, 7)
            assert place is None or low <= place <= high


def test_nothing_is_certain_that_draws_have_shown():
    drawn = DrawnRanks(ranks_by_scores(np.tile([3.0, 2.0], (99, 1))))
    assert drawn.ahead((0, 1)) == (0.995,)
    assert drawn.ahead((1, 0)) == (0.005,)


def test_pairs_places_and_chances_are_one_belief():
    rng = np.random.default_rng(2)
    drawn = DrawnRanks(ranks_by_pairs(antisymmetric(rng, 400, 4)))
    np.testing.assert_allclose(drawn.chances().sum(axis=0), 1)
    np.testing.assert_allclose(drawn.chances().sum(axis=1), 1)
    assert drawn.ahead((1, 3))[0] + drawn.ahead((3, 1))[0] == pytest.approx(1)


def test_drawn_margins_have_the_scores_and_the_variances_that_are_believed():
    """Four margins with variances of their own; the scores' covariance follows from them."""
    n_items, variance = 4, 0.04
    margins = antisymmetric(np.random.default_rng(3), 1, n_items)[0]
    variances = np.full((n_items, n_items), variance) - variance * np.eye(n_items)
    covariance = variance * (n_items * np.eye(n_items) - np.ones((n_items, n_items)))
    belief = Belief(1.0, margins.sum(axis=1), covariance, margins, variances)
    drawn = _drawn_margins(belief, 20_000, np.random.default_rng(4))
    np.testing.assert_allclose(drawn, -drawn.transpose(0, 2, 1))
    np.testing.assert_allclose(drawn.mean(axis=0), margins, atol=0.01)
    np.testing.assert_allclose(drawn.var(axis=0), variances, atol=0.003)
    np.testing.assert_allclose(np.cov(drawn.sum(axis=2).T), covariance, atol=0.01)
    by_pairs = Posterior((belief,)).drawn_ranks("pairs")
    assert by_pairs.ranks.shape == (4000, 4)


def test_the_last_of_many_items_have_chances_and_places():
    order = (*range(28), 29, 28)
    drawn = DrawnRanks(ranks_by_scores(np.tile(-np.argsort(order), (9, 1))))
    assert np.array_equal(drawn.chances(), np.eye(30)[np.argsort(order)])
    assert [low for low, _ in drawn.intervals()] == np.argsort(order).tolist()
    assert drawn.intervals(range(30))[28:] == ((28, 29), (28, 29))


def test_the_last_of_many_beliefs_counts_and_is_drawn_from():
    """Thirty as likely, of which the last alone puts the second item first."""
    leads = [*[1.0] * 29, -1.0]
    nothing = np.zeros((2, 2))
    beliefs = [
        Belief(1 / 30, np.array([lead, -lead]), nothing, np.array([[0, lead], [-lead, 0]]), nothing)
        for lead in leads
    ]
    posterior = Posterior(tuple(beliefs), cautious=tuple(beliefs))
    assert posterior.margins[0, 1] == pytest.approx(28 / 30)
    assert posterior.variances[0, 1] == pytest.approx(1 - (28 / 30) ** 2)
    assert posterior.pair_probabilities((0, 1)) == pytest.approx((29 / 30,))
    assert posterior.score_probabilities((0, 1)) == pytest.approx((29 / 30,))
    for rule in ("scores", "pairs"):
        drawn = posterior.drawn_ranks(rule)
        assert len(drawn.ranks) == N_DRAWS
        assert 0 < drawn.chances()[1, 0] < 0.1


def test_the_last_of_many_neighbours_is_as_sure_as_its_scores():
    scores = -np.arange(30.0)
    nothing = np.zeros((30, 30))
    belief = Belief(1.0, scores, nothing, np.clip(scores[:, None] - scores, -1, 1), nothing)
    posterior = Posterior((belief,))
    order = (*range(28), 29, 28)
    assert posterior.pair_probabilities(order) == (*[1.0] * 28, 0.0)
    assert posterior.score_probabilities(order) == (*[1.0] * 28, 0.0)


def test_many_parts_of_draws_are_all_drawn(monkeypatch):
    monkeypatch.setattr(module, "MOST_NUMBERS", 4 * N_DRAWS // 30)
    belief = Belief(1.0, np.zeros(2), np.eye(2), np.zeros((2, 2)), np.eye(2)[::-1])
    assert len(Posterior((belief,)).drawn_ranks("pairs").ranks) == N_DRAWS

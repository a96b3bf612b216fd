"""Shares of people, and the intervals that are said to hold them."""

import numpy as np
import pytest
from scipy.stats import norm

import hushrank
from hushrank.rankings.profile import Rankings
from hushrank.workflows.results.shares import Estimates, pair_shares, rank_shares
from tests.statistics import random_seed


def test_an_interval_holds_what_is_normal_in_95_of_100_collections():
    error = 0.03
    found = Estimates.within(np.array([[0.5]]), np.array([[error]]))
    low, high = found.low.item(), found.high.item()
    held = norm.cdf(high, 0.5, error) - norm.cdf(low, 0.5, error)
    assert held == pytest.approx(0.95, abs=1e-4)


def test_shares_and_intervals_are_of_people_and_end_at_none_and_all():
    found = Estimates.within(np.array([[-0.1, 0.99, 1.2]]), np.full((1, 3), 0.1))
    np.testing.assert_array_equal(found.shares, [[0, 0.99, 1]])
    assert found.low.min() == 0
    assert found.high.max() == 1
    assert (found.low <= found.shares).all()
    assert (found.shares <= found.high).all()


def test_a_share_of_pairs_errs_by_half_of_what_its_margin_does():
    """A margin is the share before less the share after, so twice the share but for a constant."""
    people = hushrank.simulate("mallows", people=3000, items=3, seed=1)
    learnt = hushrank.collect(people, epsilon=2, protocol="pairs", seed=2)
    found, believed = pair_shares(learnt), learnt.outcome.result.posterior
    held = believed.margins + 1.96 * np.array([[-1], [1]])[..., None] * np.sqrt(believed.variances)
    np.testing.assert_allclose((found.low, found.high), np.clip((1 + held) / 2, 0, 1))
    assert 0 < found.low[0, 1] < found.high[0, 1] < 1


@pytest.mark.statistical
@pytest.mark.parametrize("protocol", ["pairs", "order"])
def test_95_percent_intervals_hold_95_shares_of_100_where_nobody_prefers_anything(protocol):
    """Shares of just these people, who differ by chance: 120 collections of 6 pairs each.

    .98 and .96 are held, with standard errors of .006 and .008: a false alarm comes once in a
    million runs, and where .8 are held, as before, the standard error is .02.
    """
    rng, held = np.random.default_rng(random_seed()), []
    above = np.triu_indices(4, 1)
    for _ in range(120):
        ranks = rng.permuted(np.tile(np.arange(4.0), (300, 1)), axis=1)
        learnt = hushrank.collect(Rankings.from_keys(ranks, tuple("abcd")), 4, protocol=protocol)
        shares = (ranks[:, :, None] < ranks[:, None]).mean(axis=0)
        found = pair_shares(learnt)
        held.append(((found.low <= shares) & (shares <= found.high))[above].mean())
    assert np.mean(held) >= 0.92


@pytest.mark.parametrize(
    ("protocol", "ranks", "pairs"),
    [
        ("max-entropy", "intervals", "intervals"),
        ("grr", "shares", "shares"),
        ("pairs", "nothing", "intervals"),
        ("order", "nothing", "intervals"),
        ("subset-order", "nothing", "nothing"),
    ],
)
def test_of_what_was_learnt_there_are_shares_and_where_errors_are_known_intervals(
    protocol, ranks, pairs
):
    people = hushrank.simulate("mallows", people=100, items=3, seed=1)
    learnt = hushrank.collect(people, epsilon=2, protocol=protocol, seed=2)
    for found, kind in ((rank_shares(learnt), ranks), (pair_shares(learnt), pairs)):
        assert (found is None) == (kind == "nothing")
        if found is not None:
            assert found.shares.shape == (3, 3)
            assert (found.low is not None) == (found.high is not None) == (kind == "intervals")


@pytest.mark.parametrize("protocol", ["grr", "safari"])
def test_a_share_of_a_model_s_people_is_of_the_row_before_the_column(protocol):
    people = hushrank.simulate("mallows", people=2000, items=3, dispersion=0.3, seed=1)
    learnt = hushrank.collect(people, epsilon=8, protocol=protocol, seed=2)
    shares, ranks = pair_shares(learnt).shares, rank_shares(learnt).shares
    true = people.ranks[:, :, None] < people.ranks[:, None]
    np.testing.assert_allclose(shares, true.mean(axis=0) + np.eye(3) / 2, atol=0.2)
    assert np.abs(shares - shares.T).max() > 0.5
    for rank in range(3):
        np.testing.assert_allclose(ranks[:, rank], (people.ranks == rank).mean(axis=0), atol=0.2)


def test_ranks_of_which_only_pairs_tell_have_no_intervals():
    """Two camps have the pairs of one undecided people, and other ranks."""
    people = hushrank.simulate("mallows", people=500, items=4, seed=1)
    for unranked, has_any in (("last", True), ("unknown", False)):
        learnt = hushrank.collect(people, epsilon=2, unranked=unranked, seed=2)
        ranks, pairs = rank_shares(learnt), pair_shares(learnt)
        assert (ranks.low is not None, ranks.high is not None) == (has_any, has_any)
        assert pairs.low is not None
        np.testing.assert_allclose(ranks.shares.sum(axis=1), 1)

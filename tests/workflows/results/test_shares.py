"""Shares of people, and the intervals that are said to hold them."""

import numpy as np
import pytest
from scipy.stats import norm

import hushrank
from hushrank.workflows.results.shares import Estimates, pair_shares


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

"""Unbiased shares, their error, and the ways to make them possible."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hushrank.errors import HushrankError
from hushrank.estimators.shares import (
    clipped_shares,
    possible_shares,
    share_variance,
    shrunk_shares,
    simplex_shares,
    unbiased_shares,
)
from hushrank.mechanisms.local import Tally
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.randomness import Randomness
from tests.conformance import MECHANISMS
from tests.statistics import assert_standard, deviates_needed, random_seed

estimates = arrays(
    float,
    st.tuples(st.integers(1, 4), st.integers(2, 8)),
    elements=st.floats(-3, 3, allow_subnormal=False),
)


@pytest.mark.parametrize("kind", MECHANISMS)
def test_estimates_have_their_stated_error(kind):
    """A variance that is 1.5 times the stated one, or as much smaller, would fail.

    Each share is that of a population of its own: so the deviates are independent.
    """
    mechanism = kind(20, 1.0)
    categories = np.arange(20).repeat(10 * np.arange(20))
    shares = np.bincount(categories, minlength=20) / categories.size
    errors = np.sqrt(share_variance(mechanism, shares, categories.size))
    rng = Randomness.seeded(random_seed())
    deviates = []
    for place in np.arange(deviates_needed(factor=1.5)) % 20:
        tally = mechanism.tally(mechanism.randomise(categories, rng=rng))
        estimate = unbiased_shares(mechanism, tally)[place]
        deviates.append((estimate - shares[place]) / errors[place])
    assert_standard(np.array(deviates))


def test_shares_of_no_report_are_refused():
    mechanism = GeneralizedRandomizedResponse(2, 1.0)
    with pytest.raises(HushrankError, match="0 reports"):
        unbiased_shares(mechanism, Tally(np.zeros(2, dtype=np.int64), 0))
    with pytest.raises(HushrankError, match="without reports"):
        share_variance(mechanism, np.array([0.5, 0.5]), 0)


@given(estimates)
def test_the_simplex_is_reached_at_its_nearest_point(shares):
    """Kept shares fall by one number, and cut ones are no larger: the optimality conditions."""
    nearest = simplex_shares(shares)
    assert (nearest >= 0).all()
    np.testing.assert_allclose(nearest.sum(axis=-1), 1, atol=1e-12)
    for row, near in zip(shares, nearest, strict=True):
        fall = (row - near)[near > 0]
        np.testing.assert_allclose(fall, fall[0], atol=1e-12)
        assert (row[near == 0] <= fall[0] + 1e-12).all()


@given(estimates)
def test_clipped_shares_are_probabilities_in_proportion(shares):
    clipped = clipped_shares(shares)
    np.testing.assert_allclose(clipped.sum(axis=-1), 1, atol=1e-12)
    positive = np.maximum(shares, 0)
    total = positive.sum(axis=-1, keepdims=True)
    filled = np.broadcast_to(total > 0, shares.shape)
    np.testing.assert_allclose((clipped * total)[filled], positive[filled], atol=1e-12)
    assert np.array_equal(clipped[~filled], np.full((~filled).sum(), 1 / shares.shape[-1]))


def test_possible_shares_stay_what_they_are():
    shares = np.array([[0.2, 0.3, 0.5], [0.0, 1.0, 0.0]])
    for post_process in ("simplex", "clip"):
        np.testing.assert_allclose(possible_shares(shares, post_process), shares, atol=1e-15)


def test_the_two_ways_differ_as_named():
    shares = np.array([0.9, 0.3, -0.2])
    np.testing.assert_allclose(possible_shares(shares, "simplex"), [0.8, 0.2, 0])
    np.testing.assert_allclose(possible_shares(shares, "clip"), [0.75, 0.25, 0])


def test_an_unknown_way_is_refused():
    with pytest.raises(HushrankError, match="simplex or clip"):
        possible_shares(np.array([1.0, 0.0]), "softmax")


def test_shrinking_pulls_by_the_noise():
    shares = np.array([0.7, 0.3])  # squared distance from uniform: 0.08
    np.testing.assert_allclose(shrunk_shares(shares, np.array([0.01, 0.01])), [0.65, 0.35])
    np.testing.assert_allclose(shrunk_shares(shares, np.array([0.5, 0.5])), [0.5, 0.5])
    np.testing.assert_allclose(shrunk_shares(shares, np.zeros(2)), shares)


def test_shrinking_keeps_what_is_uniform():
    np.testing.assert_allclose(shrunk_shares(np.full(4, 0.25), np.full(4, 0.1)), 0.25)

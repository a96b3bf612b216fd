"""What is computed, not sampled: privacy loss, channels, rates, and the estimator's inverse."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from hushrank.estimators.shares import share_variance, unbiased_shares
from hushrank.mechanisms.local import Tally
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding, SymmetricUnaryEncoding
from hushrank.samplers.word_probabilities import exp_below
from tests.conformance import (
    HASHED,
    LISTED,
    MECHANISMS,
    UNARY,
    WORDS,
    channel_of,
    conditional_channel_of,
    exact_rates,
)

CATEGORIES = (2, 3, 20, 1024)
EPSILONS = (0.01, 0.1, 0.5, 1, 2, 4, 10)
every_epsilon = pytest.mark.parametrize("epsilon", EPSILONS)
LISTABLE = [(kind, k) for kind in LISTED for k in CATEGORIES]
LISTABLE += [(kind, k) for kind in UNARY for k in (2, 3)]
QUICK = [(kind, k) for kind, k in LISTABLE if k <= 20]
"""Without a million sums of a thousand Python integers."""
SPLITTING = (2**63 + 1, 12345)
"""A hash function that sends the categories 0 and 1 to different halves."""


@cache
def exponential_bounds(exponent):
    """Return rational bounds below and above e^exponent, by 100 terms of the Taylor series."""
    x, term, total = Fraction(exponent), Fraction(1), Fraction(1)
    for n in range(1, 100):
        term *= x / n
        total += term
    tail = term * x / 100 / (1 - x / 101)  # the terms from the 100th on shrink at least by x / 101
    return total, total + tail


def test_the_bounds_of_the_exponential_are_bounds():
    low, high = exponential_bounds(1)
    e = Fraction("2.718281828459045235360287471352662497757247093699959574966967627724076630353")
    assert e < low < high < e + Fraction(1, 10**75)  # the digits are cut off, not rounded


@every_epsilon
@pytest.mark.parametrize("divisor", [1, 2])
def test_exp_below_is_just_below(epsilon, divisor):
    low, high = exponential_bounds(Fraction(epsilon) / divisor)
    assert high * (1 - Fraction(1, 10**49)) < exp_below(epsilon, divisor) <= low


@every_epsilon
@pytest.mark.parametrize("n_categories", CATEGORIES)
@pytest.mark.parametrize("kind", MECHANISMS)
def test_privacy_loss_is_at_most_epsilon_and_nearly_all_of_it(kind, n_categories, epsilon):
    ratio = kind(n_categories, epsilon).rates.worst_ratio
    assert ratio <= exponential_bounds(epsilon)[0]
    assert ratio >= exponential_bounds(Fraction(epsilon) * (1 - Fraction(1, 10**6)))[1]


def worst_ratio_of(channel):
    """Return the largest P(report | a) / P(report | b), where all rows sum to 1."""
    assert set(channel.words.sum(axis=1)) == {channel.total}
    lowest = channel.words.min(axis=0)
    assert min(lowest) > 0
    ratios = set(zip(channel.words.max(axis=0), lowest, strict=True))
    return max(Fraction(*ratio) for ratio in ratios)


@every_epsilon
@pytest.mark.parametrize(("kind", "n_categories"), LISTABLE)
def test_worst_ratio_is_that_of_the_channel(kind, n_categories, epsilon):
    mechanism = kind(n_categories, epsilon)
    assert worst_ratio_of(channel_of(mechanism)) == mechanism.rates.worst_ratio


@every_epsilon
@pytest.mark.parametrize("n_categories", [2, 3, 20])
@pytest.mark.parametrize("kind", HASHED)
def test_worst_ratio_is_that_of_the_channel_of_a_hash_function(kind, n_categories, epsilon):
    mechanism = kind(n_categories, epsilon)
    channel = conditional_channel_of(mechanism, *SPLITTING)
    assert worst_ratio_of(channel) == mechanism.rates.worst_ratio


@every_epsilon
@pytest.mark.parametrize(("kind", "n_categories"), QUICK)
def test_rates_are_those_of_the_channel(kind, n_categories, epsilon):
    mechanism = kind(n_categories, epsilon)
    channel = channel_of(mechanism)
    supported = channel.words @ channel.supports.astype(object)
    p, q = exact_rates(mechanism)
    expected = np.full((n_categories, n_categories), q * channel.total, dtype=object)
    np.fill_diagonal(expected, p * channel.total)
    assert (supported == expected).all()


@every_epsilon
@pytest.mark.parametrize("n_categories", [2, 1024])
@pytest.mark.parametrize("kind", MECHANISMS)
def test_rates_are_the_nearest_floats(kind, n_categories, epsilon):
    mechanism = kind(n_categories, epsilon)
    assert (mechanism.rates.hit_rate, mechanism.rates.false_hit_rate) == tuple(
        float(rate) for rate in exact_rates(mechanism)
    )
    assert mechanism.rates.hit_rate > mechanism.rates.false_hit_rate


@every_epsilon
@pytest.mark.parametrize("n_categories", [2, 3, 20])
@pytest.mark.parametrize("kind", HASHED)
def test_a_hashed_report_supports_the_bucket_with_the_hit_rate(kind, n_categories, epsilon):
    mechanism = kind(n_categories, epsilon)
    channel = conditional_channel_of(mechanism, *SPLITTING)
    supported = channel.words @ channel.supports.astype(object)
    assert set(supported.diagonal()) == {mechanism.rates.hit_words}


@every_epsilon
def test_symmetric_hits_and_misses_are_equally_sure(epsilon):
    mechanism = SymmetricUnaryEncoding(5, epsilon)
    assert mechanism.rates.hit_words + mechanism.rates.false_hit_words == WORDS


@every_epsilon
def test_optimised_hits_are_fair_coins(epsilon):
    assert OptimisedUnaryEncoding(5, epsilon).rates.hit_rate == 0.5


@every_epsilon
@pytest.mark.parametrize(("kind", "n_categories"), QUICK)
def test_the_estimator_inverts_the_channel(kind, n_categories, epsilon):
    mechanism = kind(n_categories, epsilon)
    channel = channel_of(mechanism)
    shares = np.arange(1, n_categories + 1) / (n_categories * (n_categories + 1) / 2)
    expected = shares @ channel.probabilities @ channel.supports
    estimate = unbiased_shares(mechanism, Tally(expected, 1))
    noise = 1e-15 / (mechanism.rates.reach)
    np.testing.assert_allclose(estimate, shares, rtol=0, atol=100 * noise)


@every_epsilon
@pytest.mark.parametrize(("kind", "n_categories"), QUICK)
def test_the_variance_is_that_of_the_channel(kind, n_categories, epsilon):
    mechanism = kind(n_categories, epsilon)
    channel = channel_of(mechanism)
    hidden = np.arange(n_categories).repeat(np.arange(n_categories) + 1)  # 0 once, 1 twice, ...
    supported = (channel.words @ channel.supports.astype(object))[hidden]
    per_person = [[Fraction(w, channel.total) for w in row] for row in supported]
    variance = sum(np.array([[p * (1 - p) for p in row] for row in per_person], dtype=object))
    p, q = exact_rates(mechanism)
    stated = share_variance(mechanism, np.bincount(hidden) / hidden.size, hidden.size)
    exact = (variance / (p - q) ** 2 / hidden.size**2).astype(float)
    np.testing.assert_allclose(stated, exact, rtol=1e-9)


@every_epsilon
def test_harmony_has_the_variance_of_its_docstring(epsilon):
    harmony = LISTED[1](20, epsilon)
    e = np.exp(epsilon)
    worst = share_variance(harmony, np.zeros(20), 100)
    np.testing.assert_allclose(worst, (e + 1) ** 2 / (100 * (e - 1) ** 2), rtol=1e-9)

"""No mechanism costs more than it states: exact arithmetic, at parameters that nobody chose."""

from fractions import Fraction
from math import log, log1p, nextafter, sqrt

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from hushrank.aggregators.private.exponential.p_sample import cost_rate
from hushrank.errors import HushrankError
from hushrank.mechanisms.curator.gaussian import MARGIN, DiscreteGaussian
from hushrank.mechanisms.curator.geometric import geometric_weights, neighbour_ratios
from hushrank.mechanisms.curator.k_norm import PermutohedronMechanism
from hushrank.mechanisms.curator.laplace import DiscreteLaplace
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.mechanisms.thresholded_laplace import ThresholdedLaplace
from tests.bounds import exponential_below, logarithm_above
from tests.conformance import HASHED, MECHANISMS

losses = st.floats(1e-6, 40.0)
"""Of local mechanisms: beyond, 64-bit words cannot tell the difference."""
prices = st.floats(1e-6, 100.0)


@settings(max_examples=40)
@pytest.mark.parametrize("kind", MECHANISMS)
@given(n_categories=st.integers(2, 2**20), epsilon=losses)
def test_a_report_costs_at_most_epsilon(kind, n_categories, epsilon):
    assert kind(n_categories, epsilon).rates.worst_ratio <= exponential_below(epsilon)


@settings(max_examples=40)
@pytest.mark.parametrize("kind", MECHANISMS)
@given(n_categories=st.integers(2**20, 2**31), epsilon=st.floats(0.01, 40.0))
def test_a_report_of_however_many_categories_costs_at_most_epsilon(kind, n_categories, epsilon):
    try:
        made = kind(n_categories, epsilon)
    except HushrankError:  # 64-bit words cannot hide one of so many
        reject()
    assert made.rates.worst_ratio <= exponential_below(epsilon)


@settings(max_examples=20)
@pytest.mark.parametrize("kind", MECHANISMS)
@given(n_categories=st.integers(2, 5), epsilon=losses)
def test_the_ratio_that_is_stated_is_that_of_the_channel(kind, n_categories, epsilon):
    """Else what is stated could be at most e^epsilon, and the reports tell more."""
    mechanism = kind(n_categories, epsilon)
    function = (2**63, 0) if kind in HASHED else ()  # which tells even from odd
    words = mechanism.channel_words(*function)
    assert max(Fraction(max(each), min(each)) for each in words.T) == mechanism.rates.worst_ratio


@given(losses)
def test_a_coin_of_laplace_noise_costs_what_it_says_and_less_than_its_source_does(epsilon):
    mechanism = ThresholdedLaplace(epsilon)
    assert mechanism.rates.worst_ratio <= exponential_below(mechanism.epsilon)
    assert mechanism.epsilon < epsilon


@settings(max_examples=40)
@given(n_items=st.integers(2, 9), epsilon=st.floats(1e-6, 3.0))
def test_an_order_costs_at_most_epsilon(n_items, epsilon):
    assert SubsetOrder(n_items, epsilon).worst_ratio <= exponential_below(epsilon)


@settings(max_examples=40)
@given(n_items=st.integers(2, 6), epsilon=losses)
def test_an_order_of_few_items_costs_at_most_any_epsilon(n_items, epsilon):
    assert SubsetOrder(n_items, epsilon).worst_ratio <= exponential_below(epsilon)


@given(sensitivity=st.integers(1, 2**30), epsilon=prices)
def test_laplace_noise_costs_at_most_epsilon_and_no_smaller_float_would_do(sensitivity, epsilon):
    scale = DiscreteLaplace(sensitivity, epsilon).scale
    assert Fraction(sensitivity) / Fraction(scale) <= Fraction(epsilon)
    assert Fraction(sensitivity) / Fraction(nextafter(scale, 0)) > Fraction(epsilon)


def price_of(squared_sensitivity, sigma, delta, order):
    """Return at least what Gaussian noise of this sigma costs, by the divergence of order 1 + x."""
    x, sure = Fraction(order), Fraction(delta)
    rho = Fraction(squared_sensitivity) / (2 * Fraction(sigma) ** 2)
    unlikely = logarithm_above(1 / ((1 + x) * sure)) / x
    return (1 + x) * rho + unlikely + logarithm_above(x / (1 + x))


def best_order(rho, delta):
    """Return about the x of rho x^2 + ln(1 + x) = ln(1 / delta), by floats: any x is a proof."""
    low, high = 0.0, sqrt(-log(delta) / rho)
    while low < (x := (low + high) / 2) < high:
        low, high = (x, high) if rho * x * x + log1p(x) < -log(delta) else (low, x)
    return high


@settings(max_examples=40)
@given(
    squared_sensitivity=st.integers(1, 2**40),
    epsilon=st.floats(1e-3, 100.0),
    delta=st.floats(1e-15, 0.5),
)
def test_gaussian_noise_costs_at_most_epsilon_but_for_delta(squared_sensitivity, epsilon, delta):
    """By the formula of the theory page, for one order: any order proves it."""
    mechanism = DiscreteGaussian(squared_sensitivity, epsilon, delta)
    order = best_order(mechanism.rho, delta)
    assert price_of(squared_sensitivity, mechanism.sigma, delta, order) <= Fraction(epsilon)
    less = mechanism.sigma * (1 - 2**10 * MARGIN)
    assert price_of(squared_sensitivity, less, delta, order) > Fraction(epsilon)


@settings(max_examples=40)
@given(prices)
def test_a_count_of_a_table_costs_at_most_epsilon(epsilon):
    lowest, highest = neighbour_ratios(geometric_weights(epsilon))
    most = exponential_below(epsilon)
    assert 1 / most <= lowest <= highest <= most


@given(n_items=st.integers(2, 200), epsilon=prices)
def test_a_ballot_in_the_permutohedron_costs_epsilon(n_items, epsilon):
    mechanism = PermutohedronMechanism(n_items, epsilon)
    assert mechanism.rate * mechanism.resolution == Fraction(epsilon)


@given(n_items=st.integers(2, 200), epsilon=st.floats(1e-6, 1000.0))
def test_a_ballot_that_turns_every_pair_round_costs_at_most_epsilon(n_items, epsilon):
    n_pairs = n_items * (n_items - 1) // 2
    assert 0 < cost_rate(n_items, epsilon) * n_pairs <= Fraction(epsilon)

"""Discrete Gaussian noise: its conversion against OpenDP's, its exact loss, and both samplers."""

from fractions import Fraction
from io import BytesIO
from math import exp, floor, inf, log, nan, nextafter, sqrt

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import log_ndtr

from hushrank.errors import HushrankError
from hushrank.mechanisms.curator.gaussian import (
    LEAST_SMOOTH_SIGMA,
    DiscreteGaussian,
    epsilon_of_zcdp,
)
from hushrank.mechanisms.curator.noise import CentralMechanism
from hushrank.randomness import Randomness
from hushrank.samplers.integer_noise import gaussian_noise, misfit
from tests.statistics import assert_follows, draws_needed, random_seed

EPSILONS = [0.001, 0.01, 0.1, 1, 4, 10]
PRIVACY = [(epsilon, delta) for epsilon in EPSILONS for delta in (1e-12, 1e-6, 0.01, 0.5)]
SOURCES = {"private": Randomness.secure, "simulated": lambda: Randomness.seeded(random_seed())}
every_source = pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)


def opendp_epsilon(sigma, squared_sensitivity, delta):
    """Return the epsilon that OpenDP states for integer noise of this scale."""
    import opendp.prelude as opendp  # takes a second

    opendp.enable_features("contrib")
    space = opendp.vector_domain(opendp.atom_domain(T="i64")), opendp.l2_distance(T="f64")
    measurement = opendp.c.make_zCDP_to_approxDP(opendp.m.make_gaussian(*space, scale=sigma))
    distance = nextafter(sqrt(squared_sensitivity), inf)
    return opendp.c.make_fix_delta(measurement, delta).map(distance)[0]


def law_of(sigma, reach):
    """Return P(z), z = -reach..reach, which is all but nothing."""
    law = np.exp(-((np.arange(-reach, reach + 1) / sigma) ** 2) / 2)
    return law / law.sum()


def cells_of(sigma, edges):
    """Return P of the cells of z up to each of the edges, and above."""
    reach = int(40 * sigma)
    places = np.searchsorted(edges, np.arange(-reach, reach + 1))
    return np.bincount(places, weights=law_of(sigma, reach), minlength=len(edges) + 1)


@pytest.mark.parametrize("rho", [1e-6, 0.001, 0.1, 1, 10, 100])
@pytest.mark.parametrize("delta", [1e-307, 1e-200, 1e-60, 1e-27, 1e-12, 1e-6, 0.01, 0.5])
def test_the_conversion_is_that_of_opendp(rho, delta):
    stated = opendp_epsilon(sqrt(0.5 / rho), 1, delta)
    assert epsilon_of_zcdp(rho, delta) == pytest.approx(stated, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("rho", [1e-6, 0.001, 0.1, 1, 10, 100])
@pytest.mark.parametrize("delta", [1e-300, 1e-200, 1e-100, 1e-60, 1e-30, 1e-12])
def test_however_small_delta_is_epsilon_is_what_normal_noise_costs(rho, delta):
    """Which loses (eps, delta) itself, by a law of its own: no more, and hardly less."""
    mean = sqrt(2 * rho)

    def log_delta(epsilon):
        above, below = log_ndtr(mean / 2 - epsilon / mean), log_ndtr(-mean / 2 - epsilon / mean)
        return above + np.log1p(-np.exp(epsilon + below - above))

    stated = epsilon_of_zcdp(rho, delta)
    assert log_delta(stated) <= log(delta) < log_delta(0.9 * stated)


@pytest.mark.parametrize("rho", [5e-324, 1e-300, 1e-40, 1e40, 1e300])
@pytest.mark.parametrize("delta", [5e-324, 0.5, 1 - 2**-53])
def test_the_conversion_takes_extremes(rho, delta):
    assert 0 <= epsilon_of_zcdp(rho, delta) < inf


@pytest.mark.parametrize("delta", [1e-12, 0.01, 0.5])
def test_more_rho_costs_more_and_more_delta_less(delta):
    costs = [epsilon_of_zcdp(rho, delta) for rho in np.logspace(-3, 3, 50)]
    assert costs == sorted(costs)
    assert epsilon_of_zcdp(1, delta) > epsilon_of_zcdp(1, delta * 1.01)


@pytest.mark.parametrize("squared_sensitivity", [1, 50, 10**6])
@pytest.mark.parametrize(("epsilon", "delta"), PRIVACY)
def test_sigma_is_the_smallest_that_opendp_confirms(squared_sensitivity, epsilon, delta):
    sigma = DiscreteGaussian(squared_sensitivity, epsilon, delta).sigma
    assert opendp_epsilon(sigma, squared_sensitivity, delta) <= epsilon
    assert opendp_epsilon(sigma * (1 - 1e-9), squared_sensitivity, delta) > epsilon


@pytest.mark.parametrize(("epsilon", "delta"), PRIVACY)
def test_the_law_itself_loses_at_most_epsilon_but_for_delta(epsilon, delta):
    """The divergence of the listed law from itself moved by one, which no conversion enters."""
    sigma = DiscreteGaussian(1, epsilon, delta).sigma
    law = law_of(sigma, int(40 * sigma) + 1)
    spent = np.sum(np.maximum(law[:-1] - exp(epsilon) * law[1:], 0))
    assert 0 <= spent <= delta


@pytest.mark.parametrize(("epsilon", "delta"), PRIVACY)
def test_rho_converts_to_epsilon(epsilon, delta):
    mechanism = DiscreteGaussian(50, epsilon, delta)
    assert mechanism.rho == pytest.approx(50 / (2 * mechanism.sigma**2), rel=1e-15)
    assert epsilon_of_zcdp(mechanism.rho, delta) <= epsilon
    assert epsilon_of_zcdp(mechanism.rho * (1 + 1e-9), delta) > epsilon


@given(st.integers(1, 10**4), st.floats(0.01, 200), st.floats(1e-12, 0.5))
@example(1, 3.486365227678084, 1e-06)  # a float computed from sigma, raised by a digit, is below
@example(2, 166.08827826277167, 0.01)
def test_rho_is_the_least_float_that_is_not_below_what_sigma_costs(sensitivity, epsilon, delta):
    mechanism = DiscreteGaussian(sensitivity, epsilon, delta)
    exact = Fraction(sensitivity) / (2 * Fraction(mechanism.sigma) ** 2)
    assert Fraction(mechanism.rho) >= exact > Fraction(nextafter(mechanism.rho, 0))


def read_nothing(n_bytes):
    raise AssertionError("read a word")


def test_noise_that_costs_more_than_epsilon_is_refused_before_anything_is_drawn():
    mechanism = DiscreteGaussian(45, 1.0, 1e-6)
    vars(mechanism)["sigma"] = mechanism.sigma * (1 - 1e-9)
    for is_private in (True, False):
        with pytest.raises(HushrankError, match="costs more than an epsilon of 1"):
            mechanism.release(np.zeros(3, int), rng=Randomness(read_nothing, is_private=is_private))


@pytest.mark.parametrize("sigma", [0.1, 0.7, 1, 3, 15.9, 2.0**40 + 1])
def test_what_is_proposed_and_kept_has_exactly_the_law(sigma):
    """Logarithms of proposal and coin add up to that of the law, but for one constant."""
    exact = Fraction(sigma)
    noises = (0, 1, -1, 2, 5, -17, 10**6, 2**50)
    proposed = (Fraction(abs(z), floor(sigma) + 1) + misfit(z, exact) for z in noises)
    constants = {logged - z**2 / (2 * exact**2) for z, logged in zip(noises, proposed, strict=True)}
    assert len(constants) == 1


@pytest.mark.parametrize(("squared_sensitivity", "epsilon"), [(1, 10), (3, 1), (500, 0.5)])
@every_source
def test_noise_follows_its_law(source, squared_sensitivity, epsilon):
    """A sigma 5 % too small is caught: that the sampler is exact is shown without draws."""
    mechanism = DiscreteGaussian(squared_sensitivity, epsilon, 1e-6)
    assert_noise_follows(mechanism, source(), caught=0.95)


def assert_noise_follows(mechanism, rng, *, caught):
    edges = np.unique(np.floor(np.array([-1.5, -0.8, 0, 0.8, 1.5]) * mechanism.sigma))
    stated, wrong = (cells_of(factor * mechanism.sigma, edges) for factor in (1, caught))
    noise = mechanism.release(np.full(draws_needed(stated, wrong), 1000), rng=rng) - 1000
    assert_follows(np.searchsorted(edges, noise), stated)


@every_source
@pytest.mark.parametrize("shape", [(), (0,), (5,), (2, 3)])
def test_whole_numbers_of_any_shape_are_released_in_place(source, shape):
    values = np.arange(np.prod(shape, dtype=int), dtype=np.uint8).reshape(shape)
    released = DiscreteGaussian(1, 1000, 0.5).release(values, rng=source())  # no noise to speak of
    assert released.dtype == np.int64
    np.testing.assert_array_equal(released, values)


def test_a_seed_repeats():
    mechanism, values = DiscreteGaussian(45, 0.1, 1e-6), np.zeros(9, dtype=np.int64)
    first, again, other = (
        mechanism.release(values, rng=Randomness.seeded(seed)).tolist() for seed in (3, 3, 4)
    )
    assert first == again != other


def test_no_source_has_coins_of_its_own():
    mechanism, values = DiscreteGaussian(45, 0.1, 1e-6), np.zeros(9, dtype=np.int64)
    tape = np.random.default_rng(1).bytes(40_000)
    exact = gaussian_noise(mechanism.sigma, 9, rng=Randomness.replayed(tape))
    for is_private in (True, False):
        rng = Randomness(BytesIO(tape).read, is_private=is_private)
        assert mechanism.release(values, rng=rng).tolist() == exact.tolist()


@pytest.mark.parametrize("shape", [(257,), (2**20,), (3, 4), (2, 3, 4)])
def test_each_secret_noise_is_exact_however_many_there_are(monkeypatch, shape):
    """A short cut for many counts would be one by floats; rows of one noise would tell the rest."""
    monkeypatch.setattr(
        "hushrank.mechanisms.curator.gaussian.gaussian_noise",
        lambda sigma, size, *, rng: np.arange(size),
    )
    rng = Randomness(read_nothing, is_private=True)
    released = DiscreteGaussian(45, 0.1, 1e-6).release(np.zeros(shape, dtype=int), rng=rng)
    assert (released == np.arange(released.size).reshape(shape)).all()


@pytest.mark.parametrize("epsilon", [0.3, 1 / 3, 3.0, 30.0, 1e-5])
@pytest.mark.parametrize("squared_sensitivity", [1, 45, 2**30 + 1])
def test_secret_noise_has_the_very_sigma_that_was_paid_for(
    monkeypatch, squared_sensitivity, epsilon
):
    """One with fewer digits is as often below, and costs more than epsilon."""
    sigmas = []
    monkeypatch.setattr(
        "hushrank.mechanisms.curator.gaussian.gaussian_noise",
        lambda sigma, size, *, rng: [sigmas.append(sigma)] and np.zeros(size, dtype=np.int64),
    )
    mechanism = DiscreteGaussian(squared_sensitivity, epsilon, 1e-6)
    mechanism.release(np.zeros(3, dtype=int), rng=Randomness(read_nothing, is_private=True))
    assert sigmas == [mechanism.sigma]


@pytest.mark.parametrize("sigma", [0.1, 0.7, 3, 15.9, 16.1, 40])
def test_the_difference_of_two_noises_has_the_stated_law(sigma):
    mechanism = DiscreteGaussian(1, 1, 1e-6)
    vars(mechanism)["sigma"] = sigma
    reach = int(40 * sigma) + 5
    law = law_of(sigma, reach)
    difference = np.convolve(law, law)
    gaps = np.arange(-reach, 0)
    places = gaps + 2 * reach
    below = np.cumsum(difference)[places - 1]
    expected, error = below + difference[places] / 2, 1e-8 if sigma > 16 else 1e-14
    for moved, probabilities in ((gaps, expected), (gaps - 0.5, below)):
        stated = mechanism.probability_below(moved)
        np.testing.assert_allclose(stated, probabilities, rtol=0, atol=error)
        opposite = mechanism.probability_below(-moved)
        np.testing.assert_allclose(opposite, 1 - probabilities, rtol=0, atol=error)
    assert mechanism.probability_below(0) == pytest.approx(0.5, rel=1e-12)
    assert mechanism.probability_below(-1e9) == 0


def test_the_law_of_the_difference_takes_any_shape():
    gaps = np.arange(6).reshape(2, 3)
    assert DiscreteGaussian(1, 1, 1e-6).probability_below(gaps).shape == (2, 3)


def test_next_to_no_noise_leaves_counts_as_they_are():
    mechanism = DiscreteGaussian(1, 1000, 0.01)
    assert mechanism.sigma < 1 / 40
    gaps = np.array([-1, -0.5, 0, 0.5, 1])
    assert mechanism.probability_below(gaps) == pytest.approx([0, 0, 0.5, 1, 1], abs=1e-12)


@pytest.mark.parametrize(("sensitivity", "is_smooth"), [(1, False), (99, True)])
@pytest.mark.parametrize("gap", [nan, inf])
def test_gaps_are_finite(gap, sensitivity, is_smooth):
    mechanism = DiscreteGaussian(sensitivity, 1, 1e-6)
    assert (mechanism.sigma >= LEAST_SMOOTH_SIGMA) == is_smooth
    with pytest.raises(HushrankError, match="finite gaps"):
        mechanism.probability_below([1, gap])


@pytest.mark.parametrize(
    ("squared_sensitivity", "epsilon", "delta", "message"),
    [
        *[(1, epsilon, 1e-6, "epsilon") for epsilon in (0, -1, nan, inf, 1001, "1")],
        *[(squared, 1, 1e-6, "sensitivity") for squared in (0, -1, 1.0, nan, 2**62 + 1)],
        *[(1, 1, delta, "delta") for delta in (0, 0.0, 1, 1.0, -0.5, nan, inf, "0.1")],
        (1, 1e-16, 1e-300, "too small"),
        (2**62, 1e-7, 1e-6, "too small"),
    ],
)
def test_other_parameters_are_refused(squared_sensitivity, epsilon, delta, message):
    with pytest.raises(HushrankError, match=message):
        DiscreteGaussian(squared_sensitivity, epsilon, delta)


@pytest.mark.parametrize("rho", [0, -1, nan, inf])
def test_other_rhos_are_refused(rho):
    with pytest.raises(HushrankError, match="finite rho"):
        epsilon_of_zcdp(rho, 0.1)


@pytest.mark.parametrize("values", [np.zeros(2), np.array([True]), [1, 2], np.array([2**62 + 1])])
def test_other_values_are_refused_before_anything_is_drawn(values):
    with pytest.raises(HushrankError, match=r"whole numbers|at most 2"):
        DiscreteGaussian(1, 1, 1e-6).release(values, rng=Randomness.replayed(b""))


def test_it_is_a_central_mechanism():
    mechanism: CentralMechanism = DiscreteGaussian(3, 0.5, 1e-9)
    assert (mechanism.epsilon, mechanism.delta) == (0.5, 1e-9)


def test_a_guarantee_that_fails_oftener_than_it_holds_is_refused():
    assert DiscreteGaussian(1, 1.0, 0.5).sigma > 0
    with pytest.raises(HushrankError, match=r"a delta of at most 0\.5, got 0\.51"):
        DiscreteGaussian(1, 1.0, 0.51)


@pytest.mark.parametrize("delta", [0.0, 1.0, 1.5, -0.5, nan, 1])
def test_nothing_converts_at_a_delta_that_is_no_probability(delta):
    with pytest.raises(HushrankError, match="delta"):
        epsilon_of_zcdp(1.0, delta)


def test_noise_may_cost_epsilon_to_the_last_digit_and_no_more():
    mechanism = DiscreteGaussian(1, 1.0, 1e-6)
    cost = epsilon_of_zcdp(mechanism.rho, 1e-6)
    vars(mechanism)["epsilon"] = cost
    assert mechanism.release(np.zeros(1, int), rng=Randomness.seeded(1)).size == 1
    vars(mechanism)["epsilon"] = nextafter(cost, 0)
    with pytest.raises(HushrankError, match="costs more"):
        mechanism.release(np.zeros(1, int), rng=Randomness.replayed(b""))


def test_the_widest_noise_is_taken_and_no_wider(monkeypatch):
    sigma = DiscreteGaussian(1, 1.0, 1e-6).sigma
    monkeypatch.setattr("hushrank.mechanisms.curator.gaussian.MOST_SCALE", sigma)
    assert DiscreteGaussian(1, 1.0, 1e-6).sigma == sigma
    monkeypatch.setattr("hushrank.mechanisms.curator.gaussian.MOST_SCALE", nextafter(sigma, 0))
    with pytest.raises(HushrankError, match="too small"):
        DiscreteGaussian(1, 1.0, 1e-6)

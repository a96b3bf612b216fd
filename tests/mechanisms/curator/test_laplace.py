"""Discrete Laplace noise: its exact loss, both of its samplers, and its law for confidence."""

import subprocess
import sys
from fractions import Fraction
from io import BytesIO
from math import nextafter

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.mechanisms.curator.laplace import DiscreteLaplace
from hushrank.mechanisms.curator.noise import MOST_SCALE, CentralMechanism
from hushrank.randomness import Randomness
from hushrank.samplers.geometric_numbers import geometric
from tests.statistics import assert_follows, draws_needed, random_seed

EPSILONS = [0.001, 0.01, 0.1, 1, 4, 10]
SENSITIVITIES = [1, 3, 25, 45, 4950, 2**30 + 1]
SOURCES = {"private": Randomness.secure, "simulated": lambda: Randomness.seeded(random_seed())}
every_source = pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)


def read_nothing(n_bytes):
    raise AssertionError("read a word")


def law_of(scale, reach):
    """Return P(z), z = -reach..reach."""
    return np.tanh(0.5 / scale) * np.exp(-np.abs(np.arange(-reach, reach + 1)) / scale)


def cells_of(scale, edges):
    """Return P of the cells of z up to each of the edges, and above."""
    reach = int(60 * scale)
    places = np.searchsorted(edges, np.arange(-reach, reach + 1))
    return np.bincount(places, weights=law_of(scale, reach), minlength=len(edges) + 1)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
def test_the_loss_is_at_most_epsilon_and_the_scale_the_smallest_float(sensitivity, epsilon):
    scale = DiscreteLaplace(sensitivity, epsilon).scale
    assert Fraction(sensitivity) / Fraction(scale) <= Fraction(epsilon)
    assert Fraction(sensitivity) / Fraction(nextafter(scale, 0)) > Fraction(epsilon)


@pytest.mark.parametrize("epsilon", [*EPSILONS, 1000])
@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
def test_opendp_confirms_epsilon(sensitivity, epsilon):
    import opendp.prelude as opendp  # takes a second

    opendp.enable_features("contrib")
    space = opendp.vector_domain(opendp.atom_domain(T="i64")), opendp.l1_distance(T="i64")
    scale = DiscreteLaplace(sensitivity, epsilon).scale
    assert opendp.m.make_laplace(*space, scale=scale).check(sensitivity, float(epsilon))


@pytest.mark.parametrize(("sensitivity", "epsilon"), [(45, 1.0), (2, 0.35)])
def test_noise_that_costs_more_than_epsilon_is_refused_before_anything_is_drawn(
    sensitivity, epsilon
):
    """Of the second price the nearest float is epsilon itself."""
    mechanism = DiscreteLaplace(sensitivity, epsilon)
    vars(mechanism)["scale"] = nextafter(mechanism.scale, 0)
    for is_private in (True, False):
        with pytest.raises(HushrankError, match=f"costs more than an epsilon of {epsilon}"):
            mechanism.release(np.zeros(3, int), rng=Randomness(read_nothing, is_private=is_private))


@every_source
@pytest.mark.parametrize(("sensitivity", "epsilon"), [(2, 1), (45, 0.5)])
def test_noise_follows_its_law(source, sensitivity, epsilon):
    """A scale 5 % too small is caught."""
    mechanism = DiscreteLaplace(sensitivity, epsilon)
    edges = np.unique(np.floor(np.array([-1.5, -0.6, 0, 0.6, 1.5]) * mechanism.scale))
    stated, wrong = (cells_of(factor * mechanism.scale, edges) for factor in (1, 0.95))
    values = np.full(draws_needed(stated, wrong), 1000)
    noise = mechanism.release(values, rng=source()) - 1000
    assert_follows(np.searchsorted(edges, noise), stated)


@every_source
@pytest.mark.parametrize("dtype", ["i1", "u1", "u4", "i8", "u8", ">i4"])
@pytest.mark.parametrize("shape", [(), (0,), (5,), (2, 3), (2, 0, 4)])
def test_whole_numbers_of_any_type_and_shape_are_released_in_place(source, dtype, shape):
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    released = DiscreteLaplace(1, 1000).release(values, rng=source())  # no noise to speak of
    assert released.dtype == np.int64
    np.testing.assert_array_equal(released, values)


@every_source
def test_the_values_are_left_as_they_are_and_the_largest_have_room(source):
    values = np.array([-(2**62), 2**62])
    released = DiscreteLaplace(2**50, 1).release(values, rng=source())
    assert values.tolist() == [-(2**62), 2**62]
    assert (np.sign(released) == [-1, 1]).all()


def test_a_seed_repeats_and_a_private_source_does_not():
    mechanism, values = DiscreteLaplace(45, 0.01), np.zeros(4, dtype=np.int64)
    first, again, other = (
        mechanism.release(values, rng=Randomness.seeded(seed)).tolist() for seed in (3, 3, 4)
    )
    assert first == again != other
    drawn = [mechanism.release(values, rng=Randomness.secure()).tolist() for _ in range(2)]
    assert drawn[0] != drawn[1]


def test_a_private_source_pays_for_the_exact_sampler():
    """It draws the numbers that `geometric` draws, and no table rounds them."""
    tape = np.random.default_rng(1).bytes(10_000)
    private = Randomness(BytesIO(tape).read, is_private=True)
    noise = DiscreteLaplace(45, 0.01).release(np.zeros(4, dtype=np.int64), rng=private)
    again = Randomness.replayed(tape)
    drawn = [geometric(1, 4500, rng=again) for _ in range(8)]
    assert noise.tolist() == [drawn[i] - drawn[i + 1] for i in range(0, 8, 2)]


@pytest.mark.parametrize("shape", [(257,), (2**20,), (3, 4), (2, 3, 4)])
def test_each_secret_noise_is_exact_however_many_there_are(monkeypatch, shape):
    """A short cut for many counts has a rounded rate; rows of one noise would tell the rest."""
    monkeypatch.setattr(
        "hushrank.mechanisms.curator.laplace.laplace_noise",
        lambda scale, size, *, rng: np.arange(size),
    )
    rng = Randomness(read_nothing, is_private=True)
    released = DiscreteLaplace(45, 0.01).release(np.zeros(shape, dtype=int), rng=rng)
    assert (released == np.arange(released.size).reshape(shape)).all()


@pytest.mark.parametrize("epsilon", [0.3, 0.7, 1 / 3, 3.0, 1e-5])
@pytest.mark.parametrize("sensitivity", [1, 45, 2**30 + 1])
def test_secret_noise_has_the_very_scale_that_was_paid_for(monkeypatch, sensitivity, epsilon):
    """One with fewer digits is as often below, and costs more than epsilon."""
    scales = []
    monkeypatch.setattr(
        "hushrank.mechanisms.curator.laplace.laplace_noise",
        lambda scale, size, *, rng: [scales.append(scale)] and np.zeros(size, dtype=np.int64),
    )
    mechanism = DiscreteLaplace(sensitivity, epsilon)
    mechanism.release(np.zeros(3, dtype=int), rng=Randomness(read_nothing, is_private=True))
    assert scales == [mechanism.scale]


@pytest.mark.parametrize("scale", [0.1, 0.5, 1, 7.5, 30])
def test_the_variance_is_that_of_the_law(scale):
    mechanism = DiscreteLaplace(60, 60 / scale)
    reach = int(100 * scale)
    variance = np.sum(law_of(mechanism.scale, reach) * np.arange(-reach, reach + 1.0) ** 2)
    assert mechanism.variance == pytest.approx(variance, rel=1e-12)


@pytest.mark.parametrize("scale", [0.1, 0.5, 1, 7.5, 30])
def test_the_difference_of_two_noises_has_the_stated_law(scale):
    mechanism = DiscreteLaplace(60, 60 / scale)
    reach = int(60 * scale) + 5
    law = law_of(mechanism.scale, reach)
    difference = np.convolve(law, law)
    gaps = np.arange(-(reach // 3), 0)
    places = gaps + 2 * reach
    below = np.cumsum(difference)[places - 1]
    expected = below + difference[places] / 2
    np.testing.assert_allclose(mechanism.probability_below(gaps), expected, rtol=1e-9)
    np.testing.assert_allclose(mechanism.probability_below(-gaps), 1 - expected, rtol=1e-12)
    np.testing.assert_allclose(mechanism.probability_below(gaps - 0.5), below, rtol=1e-9)
    np.testing.assert_allclose(mechanism.probability_below(0.5 - gaps), 1 - below, rtol=1e-12)


@pytest.mark.parametrize("epsilon", [0.001, 1, 1000])
def test_equal_counts_are_a_toss_up(epsilon):
    assert DiscreteLaplace(10, epsilon).probability_below(0) == pytest.approx(0.5, rel=1e-12)


def test_the_law_of_the_difference_takes_any_shape():
    gaps = np.arange(6).reshape(2, 3)
    assert DiscreteLaplace(1, 1).probability_below(gaps).shape == (2, 3)
    assert DiscreteLaplace(1, 1).probability_below(3.0).shape == ()


@pytest.mark.parametrize("gap", [float("nan"), float("inf")])
def test_gaps_are_finite(gap):
    with pytest.raises(HushrankError, match="finite gaps"):
        DiscreteLaplace(1, 1).probability_below([1, gap])


@pytest.mark.parametrize(
    ("sensitivity", "epsilon", "message"),
    [
        *[(1, epsilon, "epsilon") for epsilon in (0, -1, float("nan"), float("inf"), 1001, "1")],
        *[(sensitivity, 1, "sensitivity") for sensitivity in (0, -1, 1.0, float("nan"), 2**62 + 1)],
        (1, 1e-16, "too small"),
        (2**50 + 1, 1.0, "too small"),
    ],
)
def test_other_parameters_are_refused(sensitivity, epsilon, message):
    with pytest.raises(HushrankError, match=message):
        DiscreteLaplace(sensitivity, epsilon)


def test_the_widest_noise_is_taken():
    assert DiscreteLaplace(2**50, 1.0).scale == MOST_SCALE


@pytest.mark.parametrize(
    "values",
    [
        *(np.zeros(2), np.array([True]), [1, 2]),
        *(np.array([2**62 + 1]), np.array([-(2**63)])),
        *(np.array([0, 2**62 + 1]), np.array([0, -(2**62) - 1])),
        np.array([[1, 2], [3, -(2**63)]]),
    ],
)
def test_other_values_are_refused_before_anything_is_drawn(values):
    with pytest.raises(HushrankError, match=r"whole numbers$|at most 2\^62, some are larger$"):
        DiscreteLaplace(1, 1).release(values, rng=Randomness.replayed(b""))


def test_it_is_a_central_mechanism():
    mechanism: CentralMechanism = DiscreteLaplace(3, 0.5)
    assert (mechanism.epsilon, mechanism.delta) == (0.5, 0)


def test_the_compiler_is_not_loaded_before_it_is_needed():
    code = "import sys, hushrank.mechanisms.curator.laplace; print({'numba'} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert shown.stdout == b"set()\n"


@pytest.mark.parametrize("scale", [0.5, 7.5])
def test_gaps_between_two_counts_are_those_of_the_sign(scale):
    """At half a unit above 0 all is below but what is above 0, at half a unit below nothing is."""
    mechanism = DiscreteLaplace(60, 60 / scale)
    below, above = mechanism.probability_below([-0.5, 0.5])
    assert below < 0.5 < above
    assert below + above == pytest.approx(1, rel=1e-12)

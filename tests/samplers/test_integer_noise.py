"""Whole-numbered noise has the law that is stated, noise by noise."""

from fractions import Fraction
from itertools import count, islice
from types import SimpleNamespace

import numpy as np
import pytest

from hushrank.randomness import Randomness
from hushrank.samplers.integer_noise import gaussian_noise, laplace_noise, misfit
from tests.statistics import assert_follows, random_seed


def grouped(noise):
    """Return 0 for noises up to -2, 1 for -1, 0 and 1, and 2 for noises from 2 on."""
    return np.digitize(noise, [-1, 2])


def law_of(weight):
    places = np.arange(-400, 401)
    shares = np.array([weight(abs(place)) for place in places.tolist()])
    return np.bincount(grouped(places), shares / shares.sum())


@pytest.mark.parametrize(
    ("draw", "weight"),
    [
        (lambda n, rng: gaussian_noise(2.5, n, rng=rng), lambda z: np.exp(-(z**2) / 12.5)),
        (lambda n, rng: laplace_noise(2.5, n, rng=rng), lambda z: np.exp(-z / 2.5)),
    ],
)
def test_noise_follows_its_law(draw, weight):
    """A scale that is a quarter too small would be told in nearly all runs."""
    noise = draw(4_000, Randomness.seeded(random_seed()))
    assert noise.dtype == np.int64
    assert_follows(grouped(noise), law_of(weight))


@pytest.mark.parametrize(
    ("draw", "most"),
    [(laplace_noise, 1000), (gaussian_noise, 499_500)],
    ids=["laplace", "gaussian"],
)
def test_no_noise_is_drawn_for_two(draw, most):
    """However many: of the most, one for each pair of 1,000 items, 3 twins come in 10^-13 of runs.

    So wide is the law.
    """
    for size in (*range(2, 70), 100, 300, 1000, most):
        noise = draw(2.0**49, size, rng=Randomness.seeded(random_seed()))
        n_twins = size - np.unique(np.abs(noise)).size
        assert noise.size == size
        assert n_twins == 0 or n_twins < 3 < size // 1000


@pytest.mark.parametrize("scale", [1 / 3, 10 / 3, 0.1, 7.0, 123456.789])
def test_laplace_noise_is_drawn_at_the_very_rate_of_its_scale(scale, monkeypatch):
    """A fraction that is only near it, and shorter, would be as often below as above."""
    rates = []

    def geometric(numerator, denominator, *, rng):
        rates.append(Fraction(numerator, denominator))
        return len(rates)

    monkeypatch.setattr("hushrank.samplers.integer_noise.geometric", geometric)
    assert laplace_noise(scale, 2, rng=Randomness.seeded(0)).tolist() == [-1, -1]
    assert rates == [1 / Fraction(scale)] * 4


@pytest.mark.parametrize("size", [0, 1, 2048, 2049, 2**16 + 1, 499_500])
def test_of_however_many_each_laplace_noise_is_the_difference_of_two_numbers_of_its_own(
    size, monkeypatch
):
    squares = (n * n for n in count())
    geometric = "hushrank.samplers.integer_noise.geometric"
    monkeypatch.setattr(geometric, lambda *_, rng: next(squares))
    noise = laplace_noise(2.5, size, rng=Randomness.replayed(b""))
    assert np.array_equal(noise, -1 - 4 * np.arange(size))


@pytest.mark.parametrize("size", [1, 2, 3, 9])
def test_each_gaussian_proposal_is_the_difference_of_two_numbers_of_its_own(size, monkeypatch):
    """As many powers of 2 as fit into 64 bits: a difference tells of which two it is."""
    powers = (2**n for n in range(62))

    def numbers(scale, size, *, rng):
        return np.array(list(islice(powers, size)), dtype=np.int64)

    monkeypatch.setattr("hushrank.samplers.integer_noise.geometric_many", numbers)
    heads = "hushrank.samplers.integer_noise.coins_of_each"
    monkeypatch.setattr(heads, lambda exponents, *_, rng: np.ones(exponents.size, dtype=bool))
    noise = np.abs(gaussian_noise(2.5, size, rng=Randomness.replayed(b"")))
    smaller = noise & -noise
    assert np.unique([smaller, noise + smaller]).size == 2 * size
    assert noise.all()


@pytest.fixture
def gaussian_tries(monkeypatch):
    """Propose the noises of a list again and again, and toss its sides; remember what was asked."""
    tries = SimpleNamespace(noises=[], sides=[], scales=[], near=[], exact=[])

    def proposed(scale, size, *, rng):
        tries.scales.append(scale)
        return np.resize(tries.noises, size)

    def tossed(exponents, exact, *, rng):
        tries.near.extend(exponents.tolist())
        tries.exact.extend(exact(place) for place in range(exponents.size))
        return np.resize(tries.sides, exponents.size)

    monkeypatch.setattr("hushrank.samplers.integer_noise._two_sided_many", proposed)
    monkeypatch.setattr("hushrank.samplers.integer_noise.coins_of_each", tossed)
    return tries


@pytest.mark.parametrize("sigma", [0.1, 1 / 3, 1.0, 2.5, np.pi, 123456.789, 2.0**50])
def test_gaussian_noise_is_proposed_and_kept_for_the_very_sigma(sigma, gaussian_tries):
    """The coin makes up for a proposal of scale floor(sigma) + 1, whole sigmas included."""
    noises = gaussian_tries.noises = [0, -1, 1, 5, -60, int(7 * sigma)]
    gaussian_tries.sides = [True]
    assert gaussian_noise(sigma, 6, rng=Randomness.seeded(0)).tolist() == noises
    assert gaussian_tries.scales == [int(sigma) + 1]
    assert gaussian_tries.exact[:6] == [misfit(noise, Fraction(sigma)) for noise in noises]
    assert gaussian_tries.near == pytest.approx(gaussian_tries.exact, rel=1e-13, abs=1e-15)


def test_no_noise_is_spared_its_coin(gaussian_tries):
    """Nor is 0, which is proposed most often: those whose coins are heads are taken in order."""
    gaussian_tries.noises = [7, 0, -3, 4, 1]
    gaussian_tries.sides = [False, False, True, False, True]
    assert gaussian_noise(2.5, 50, rng=Randomness.seeded(0)).tolist() == [-3, 1] * 25


@pytest.mark.parametrize("sigma", [0.1, 1.0, 2.5, 1234.5, 2.0**50])
def test_floats_decide_nothing_otherwise_than_exact_coins(sigma, monkeypatch):
    """By the same words, with each coin settled by bounds that enclose its probability."""
    seed = random_seed()
    by_floats = gaussian_noise(sigma, 1000, rng=Randomness.seeded(seed))
    monkeypatch.setattr("hushrank.samplers.certified_coin.DOUBT", 1.0)
    exact = gaussian_noise(sigma, 1000, rng=Randomness.seeded(seed))
    assert exact.tolist() == by_floats.tolist()


def test_the_misfit_makes_a_gaussian_of_the_proposal():
    """What is added to |z| / t is z^2 / (2 sigma^2), but for what is the same for every z."""
    for sigma in (Fraction(1, 3), Fraction(5, 2), Fraction(7)):
        scale = int(sigma) + 1
        exponents = {z: misfit(z, sigma) + Fraction(abs(z), scale) for z in range(-9, 10)}
        rests = {each - Fraction(z * z) / (2 * sigma**2) for z, each in exponents.items()}
        assert len(rests) == 1

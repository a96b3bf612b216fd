"""Whole-numbered noise has the law that is stated, noise by noise."""

from fractions import Fraction

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


@pytest.mark.parametrize("draw", [laplace_noise, gaussian_noise])
def test_no_noise_is_drawn_for_two(draw):
    """However many are drawn at once: so wide a law that two agree in 10^-7 of all runs."""
    for size in (*range(2, 70), 100, 300, 1000):
        noise = draw(2.0**45, size, rng=Randomness.seeded(random_seed()))
        assert np.unique(np.abs(noise)).size == size


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


@pytest.mark.parametrize("sigma", [0.1, 1 / 3, 1.0, 2.5, 7.0, 123456.789])
def test_gaussian_noise_is_proposed_and_kept_for_the_very_sigma(sigma, monkeypatch):
    """The coin makes up for a proposal of scale floor(sigma) + 1, whole sigmas included."""
    proposed, kept = [], []

    def two_sided(numerator, denominator, *, rng):
        proposed.append(Fraction(numerator, denominator))
        return 5

    def remembered(noise, sigma):
        kept.append((noise, sigma))
        return Fraction(0)

    monkeypatch.setattr("hushrank.samplers.integer_noise._two_sided", two_sided)
    monkeypatch.setattr("hushrank.samplers.integer_noise.misfit", remembered)
    assert gaussian_noise(sigma, 2, rng=Randomness.seeded(0)).tolist() == [5, 5]
    assert proposed == [Fraction(1, int(sigma) + 1)] * 2
    assert kept == [(5, Fraction(sigma))] * 2


@pytest.mark.parametrize("noise", range(-3, 4))
def test_no_noise_is_spared_its_coin(noise, monkeypatch):
    """Nor is 0, which is proposed most often: a tail draws anew, whatever was proposed."""
    proposed, coins = iter([noise, noise, 9]), iter([False, False, True])
    place = "hushrank.samplers.integer_noise."
    monkeypatch.setattr(place + "_two_sided", lambda *rate, rng: next(proposed))
    monkeypatch.setattr(place + "certified_coins", lambda *law, rng: [next(coins)])
    assert gaussian_noise(2.5, 1, rng=Randomness.seeded(0)).tolist() == [9]


def test_the_misfit_makes_a_gaussian_of_the_proposal():
    """What is added to |z| / t is z^2 / (2 sigma^2), but for what is the same for every z."""
    for sigma in (Fraction(1, 3), Fraction(5, 2), Fraction(7)):
        scale = int(sigma) + 1
        exponents = {z: misfit(z, sigma) + Fraction(abs(z), scale) for z in range(-9, 10)}
        rests = {each - Fraction(z * z) / (2 * sigma**2) for z, each in exponents.items()}
        assert len(rests) == 1

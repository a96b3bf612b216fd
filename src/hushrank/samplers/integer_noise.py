"""Discrete Laplace and Gaussian noise, exactly: whole numbers and fractions only.

Theory: docs/theory/exact-sampling.md.
"""

from fractions import Fraction
from math import floor

import numpy as np

from hushrank.arrays import Counts
from hushrank.randomness import Randomness
from hushrank.samplers.certified_coin import certified_coins
from hushrank.samplers.geometric_numbers import geometric


def laplace_noise(scale: float, size: int, *, rng: Randomness) -> Counts:
    """Draw `size` noises z (size,) with P(z) ~ exp(-|z| / scale), exactly; the scale above 0.

    Cost: 50 us a noise.   Source: Ghosh, Roughgarden, Sundararajan (STOC 2009): a difference of
    two geometric numbers.
    """
    numerator, denominator = scale.as_integer_ratio()
    return np.array([_two_sided(denominator, numerator, rng=rng) for _ in range(size)], np.int64)


def gaussian_noise(sigma: float, size: int, *, rng: Randomness) -> Counts:
    """Draw `size` noises z (size,) with P(z) ~ exp(-z^2 / (2 sigma^2)), exactly; sigma above 0.

    z of discrete Laplace noise of scale t = floor(sigma) + 1 is kept with probability
    exp(-`misfit`).   Cost: 150 us a noise.
    Source: Canonne, Kamath, Steinke (NeurIPS 2020), Algorithm 3.
    """
    return np.array([_one_gaussian(Fraction(sigma), rng=rng) for _ in range(size)], np.int64)


def misfit(noise: int, sigma: Fraction) -> Fraction:
    """Return (|z| - sigma^2 / t)^2 / (2 sigma^2), t = floor(sigma) + 1.

    With the proposal's |z| / t it makes z^2 / (2 sigma^2) and what is the same for every z.
    """
    return (abs(noise) - sigma**2 / (floor(sigma) + 1)) ** 2 / (2 * sigma**2)


def _one_gaussian(sigma: Fraction, *, rng: Randomness) -> int:
    while True:
        noise = _two_sided(1, floor(sigma) + 1, rng=rng)
        if certified_coins(Fraction(1), misfit(noise, sigma), 1, rng=rng)[0]:
            return noise


def _two_sided(numerator: int, denominator: int, *, rng: Randomness) -> int:
    above = geometric(numerator, denominator, rng=rng)
    return above - geometric(numerator, denominator, rng=rng)

"""Discrete Laplace and Gaussian noise, exactly: whole numbers and fractions only.

Theory: docs/theory/exact-sampling.md.
"""

from fractions import Fraction
from math import floor

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts
from hushrank.randomness import Randomness
from hushrank.samplers.certified_coin import coins_of_each
from hushrank.samplers.geometric_numbers import first_kept, geometric, geometric_many


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
    exp(-`misfit`).   Cost: 1 us a noise, .1 ms in all.
    Source: Canonne, Kamath, Steinke (NeurIPS 2020), Algorithm 3.
    """

    def noises(n: int) -> Counts:
        proposed = _two_sided_many(floor(sigma) + 1, n, rng=rng)
        return proposed[_is_kept(proposed, sigma, rng=rng)]

    return first_kept(noises, size)


def misfit(noise: int, sigma: Fraction) -> Fraction:
    """Return (|z| - sigma^2 / t)^2 / (2 sigma^2), t = floor(sigma) + 1.

    With the proposal's |z| / t it makes z^2 / (2 sigma^2) and what is the same for every z.
    """
    return (abs(noise) - sigma**2 / (floor(sigma) + 1)) ** 2 / (2 * sigma**2)


def _is_kept(proposed: Counts, sigma: float, *, rng: Randomness) -> NDArray[np.bool_]:
    """Toss a coin of exp(-`misfit`) for each proposal (n,)."""
    exact = Fraction(sigma)
    far = (np.abs(proposed) - float(exact**2 / (floor(exact) + 1))) / sigma

    def misfit_at(place: int) -> Fraction:
        return misfit(int(proposed[place]), exact)

    return coins_of_each(far**2 / 2, misfit_at, rng=rng)


def _two_sided_many(scale: int, size: int, *, rng: Randomness) -> Counts:
    above = geometric_many(scale, size, rng=rng)
    return above - geometric_many(scale, size, rng=rng)


def _two_sided(numerator: int, denominator: int, *, rng: Randomness) -> int:
    above = geometric(numerator, denominator, rng=rng)
    return above - geometric(numerator, denominator, rng=rng)

"""Discrete Gaussian noise on the counts of a curator.

Theory: docs/theory/curators-noise.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import floor, inf, log, log1p, pi, sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from hushrank.accounting.rounding import float_above
from hushrank.arrays import Counts, Shares
from hushrank.errors import require
from hushrank.mechanisms.curator.noise import (
    MOST_SCALE,
    checked_values,
    require_epsilon,
    require_sensitivity,
)
from hushrank.randomness import Randomness
from hushrank.samplers.integer_noise import gaussian_noise

MARGIN = 2**-40
"""Sigma is larger by this part, so that no rounding of floats exceeds epsilon."""
LEAST_SMOOTH_SIGMA = 16.0
REACH = 40  # standard deviations: what lies beyond is less than any float

MOST_DELTA = 0.5
"""Beyond, the guarantee fails more often than it holds."""


@dataclass(frozen=True)
class DiscreteGaussian:
    """Add noise z to each of the counts, of which one person changes few, or each by little.

        P(z) ~ exp(-z^2 / (2 sigma^2))      rho = squared_sensitivity / (2 sigma^2)

    Privacy: (ε, δ)-DP, for counts whose changes between neighbours have squares that sum to
    `squared_sensitivity` at most: sigma is the smallest whose rho-zCDP converts to it. Exactly
    this law is drawn.
    Source: Canonne, Kamath, Steinke (NeurIPS 2020), theorem 4 and corollary 13.
    """

    squared_sensitivity: int
    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        """Check the parameters, and that the noise leaves room in 64 bits."""
        require_sensitivity(self.squared_sensitivity)
        require_epsilon(self.epsilon)
        require_delta(self.delta)
        most = f"expected a delta of at most {MOST_DELTA}, got {self.delta}"
        require(self.delta <= MOST_DELTA, most)
        sensitivity = f"a squared sensitivity of {self.squared_sensitivity}"
        too_small = f"epsilon {self.epsilon} is too small for {sensitivity}"
        require(self.sigma <= MOST_SCALE, too_small)

    @cached_property
    def sigma(self) -> float:
        """The scale of the noise: its standard deviation, where it is above 1."""
        rho = _largest_rho(self.epsilon, self.delta)
        return sqrt(self.squared_sensitivity / (2 * rho)) * (1 + MARGIN)

    @property
    def rho(self) -> float:
        """The zero-concentrated loss of a release, which adds up over releases: rounded up."""
        return float_above(Fraction(self.squared_sensitivity) / (2 * Fraction(self.sigma) ** 2))

    def release(self, values: Counts, *, rng: Randomness) -> Counts:
        """Draw noise for each of `values`, whole numbers of any shape, 2^62 at most: int64.

        Cost: 1 us a count.
        Raises HushrankError, before anything is drawn, when sigma would cost more than epsilon.
        """
        exact = checked_values(values)
        confirmed = epsilon_of_zcdp(self.rho, self.delta) <= self.epsilon
        require(confirmed, f"this noise costs more than an epsilon of {self.epsilon}")
        return exact + gaussian_noise(self.sigma, exact.size, rng=rng).reshape(exact.shape)

    def probability_below(self, gaps: ArrayLike) -> Shares:
        """Return P(d < gap) + P(d = gap) / 2, d = the difference of the noises on two counts.

        Any shape, finite. Error: 1e-14 for sigma below 16, by convolution; 1e-8 above, by the
        normal law on whole numbers with the first term of Euler and Maclaurin.
        """
        signed = np.asarray(gaps, dtype=np.float64)
        require(np.isfinite(signed).all(), "expected finite gaps")
        distances = np.abs(signed)
        whole = np.floor(distances)
        tails = _smooth_tails if self.sigma >= LEAST_SMOOTH_SIGMA else _exact_tails
        at, above = tails(self.sigma, whole)
        beyond = above + np.where(distances == whole, at / 2, 0)
        below: Shares = np.where(signed > 0, 1 - beyond, beyond)
        return below


def require_delta(delta: float) -> None:
    """Raise HushrankError unless delta is a number in (0, 1)."""
    require(isinstance(delta, float), "expected delta as a float")
    require(0 < delta < 1, f"expected a delta above 0 and below 1, got {delta}")


def epsilon_of_zcdp(rho: float, delta: float) -> float:
    """Return the smallest epsilon, in nats, such that rho-zCDP implies (epsilon, delta)-DP.

        min over x > 0 of  (1 + x) rho + ln(1 / (δ + x δ)) / x + ln(x / (1 + x)), at least 0

    1 + x is the order of a Rényi divergence. The minimum is where rho x^2 + ln(1 + x) = ln(1 / δ);
    the formula holds for any x, so that a float's error in x costs no privacy.
    Raises HushrankError unless rho is positive and finite and delta in (0, 1).
    Source: Canonne, Kamath, Steinke (NeurIPS 2020), corollary 13.
    """
    require(0 < rho < inf, f"expected a positive finite rho, got {rho}")
    require_delta(delta)
    low, high = 0.0, sqrt(-log(delta) / rho)
    while low < (x := (low + high) / 2) < high:
        low, high = (x, high) if rho * x * x + log1p(x) + log(delta) < 0 else (low, x)
    x = high
    return max(0.0, (1 + x) * rho - (log1p(x) + log(delta)) / x - log1p(1 / x))


@lru_cache(maxsize=64)
def _largest_rho(epsilon: float, delta: float) -> float:
    """Return the largest rho whose zCDP implies (epsilon, delta)-DP, or 1e-40 if it is less."""
    low, high = 1e-40, 1e6  # more than 1000 nats at any delta
    while low < (rho := sqrt(low * high)) < high:
        low, high = (rho, high) if epsilon_of_zcdp(rho, delta) <= epsilon else (low, rho)
    return low


def _smooth_tails(sigma: float, distances: Shares) -> tuple[Shares, Shares]:
    """Return P(d = distance) and P(d > distance), where d is normal on the whole numbers."""
    variance = 2 * sigma**2
    at = np.exp(-(distances**2) / (2 * variance)) / sqrt(2 * pi * variance)
    mid = ndtr(-distances / sqrt(variance)) + at * distances / variance / 12
    return at, mid - at / 2


def _exact_tails(sigma: float, distances: Shares) -> tuple[Shares, Shares]:
    """Return P(d = distance) and P(d > distance) by convolution."""
    reach = floor(REACH * sigma) + 1
    noise = np.exp(-((np.arange(-reach, reach + 1) / sigma) ** 2) / 2)
    law = np.convolve(noise, noise)[2 * reach :] / noise.sum() ** 2  # from d = 0 on
    tails = np.append(np.cumsum(law[:0:-1])[::-1], 0)  # summed from the smallest
    places = np.minimum(distances, law.size - 1).astype(np.int64)
    return law[places], tails[places]

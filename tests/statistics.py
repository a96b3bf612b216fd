"""Statistical tests whose false alarms and misses are computed, never guessed."""

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import chi2, norm

from hushrank.testing.statistics import (
    FALSE_ALARM,
    MIN_EXPECTED,
    MISS,
    assert_counts_follow,
    assert_follows,
    draws_needed,
)

__all__ = [
    "FALSE_ALARM",
    "MIN_EXPECTED",
    "MISS",
    "assert_counts_follow",
    "assert_follows",
    "assert_standard",
    "correlated",
    "critical_deviate",
    "deviates_needed",
    "draws_needed",
    "random_seed",
]


def random_seed() -> int:
    """Return the suite's fixed seed, or the printed one that `make test-fresh-seed` sets."""
    seed = int(os.environ.get("HUSHRANK_TEST_SEED", "2026"))
    print(f"HUSHRANK_TEST_SEED={seed}")
    return seed


def correlated(law: ArrayLike, correlation: float) -> NDArray[np.float64]:
    """Return the law (neither, second, first, both) of two events made to correlate so much more.

    It is the wrong law of tests of independence; each event keeps its probability.
    """
    cells = np.asarray(law, dtype=float)
    first, second = cells[2] + cells[3], cells[1] + cells[3]
    spread = np.sqrt(first * (1 - first) * second * (1 - second))
    return cells + correlation * spread * np.array([1, -1, -1, 1])


def critical_deviate(n_tests: int) -> float:
    """Return what the largest of `n_tests` normal deviates exceeds with FALSE_ALARM at most."""
    return float(norm.isf(FALSE_ALARM / 2 / n_tests))


def deviates_needed(factor: float) -> int:
    """Return how many independent deviates `assert_standard` needs to miss with MISS.

    What it must catch are deviates whose variance is `factor` or 1 / `factor`, not 1.
    """

    def tells(n: int) -> bool:
        low, high = _bounds_of_squares(n)
        too_wide, too_narrow = chi2.cdf(high / factor, n), chi2.sf(low * factor, n)
        return max(too_wide, too_narrow) <= MISS

    return next(n for n in range(10, 100_000, 10) if tells(n))


def assert_standard(deviates: NDArray[Any]) -> None:
    """Assert, by both sums, that independent normal deviates have mean 0 and mean square 1."""
    low, high = _bounds_of_squares(deviates.size)
    assert low < np.sum(deviates**2) < high
    assert abs(np.sum(deviates)) < critical_deviate(2) * np.sqrt(deviates.size)


def _bounds_of_squares(n: int) -> tuple[float, float]:
    return float(chi2.ppf(FALSE_ALARM / 4, n)), float(chi2.isf(FALSE_ALARM / 4, n))

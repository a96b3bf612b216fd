"""Statistical tests whose false alarms and misses are computed, never guessed."""

import os
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import brentq
from scipy.stats import chi2, ncx2, norm

FALSE_ALARM = 1e-6
"""How often a test fails right code; all assertions of the suite together stay below 1e-3."""
MISS = 1e-3
"""How often a test passes the wrong code that it names."""
MIN_EXPECTED = 1000
"""Draws expected in each outcome: with 5, as in textbooks, false alarms are up to 31 times 1e-6."""


def random_seed() -> int:
    """Return the suite's fixed seed, or the printed one that `make test-fresh-seed` sets."""
    seed = int(os.environ.get("HUSHRANK_TEST_SEED", "2026"))
    print(f"HUSHRANK_TEST_SEED={seed}")
    return seed


def draws_needed(stated: ArrayLike, wrong: ArrayLike, n_tests: int = 1) -> int:
    """Return the smallest sample in which `assert_follows` tells `wrong` from `stated`.

    Both are probabilities (outcomes,); the false alarms are shared among `n_tests` tests.
    """
    expected, other = np.asarray(stated, dtype=float), np.asarray(wrong, dtype=float)
    freedom = len(expected) - 1
    effect = np.sum((other - expected) ** 2 / expected)
    critical = chi2.isf(FALSE_ALARM / n_tests, freedom)
    draws = brentq(lambda n: ncx2.cdf(critical, freedom, n * effect) - MISS, 1, 1e9)
    return ceil(max(draws, MIN_EXPECTED / expected.min()))


def assert_follows(outcomes: NDArray[Any], stated: ArrayLike) -> None:
    """Assert by chi-square that `outcomes` (draws,) have the probabilities `stated` (outcomes,)."""
    probabilities = np.asarray(stated, dtype=float)
    counts = np.bincount(outcomes, minlength=len(probabilities))
    assert_counts_follow(counts[None], probabilities[None])


def assert_counts_follow(counts: NDArray[Any], stated: ArrayLike) -> None:
    """Assert `assert_follows` for each row of counts and probabilities (tests, outcomes).

    The rows share one FALSE_ALARM, so they may depend on one another.
    """
    probabilities = np.asarray(stated, dtype=float)
    assert counts.shape == probabilities.shape
    assert np.allclose(probabilities.sum(axis=1), 1, rtol=0, atol=1e-12)
    expected = probabilities * counts.sum(axis=1, keepdims=True)
    assert expected.min() >= 0.999 * MIN_EXPECTED
    statistics = ((counts - expected) ** 2 / expected).sum(axis=1)
    worst = chi2.sf(statistics.max(), counts.shape[1] - 1)
    assert worst > FALSE_ALARM / len(counts), f"p = {worst:.2g} in row {statistics.argmax()}"


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

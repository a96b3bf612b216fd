"""Statistical checks whose false alarms and misses are computed, never guessed."""

from math import ceil
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chndtrinc
from scipy.stats import binom, chi2

FALSE_ALARM = 1e-6
"""How often a check fails right code."""
MISS = 1e-3
"""How often a check passes the wrong code that it names."""
MIN_EXPECTED = 1000
"""Draws expected in each outcome: with 5, as in textbooks, false alarms are up to 31 times 1e-6."""


def promise(condition: object, message: str) -> None:
    """Raise AssertionError, whatever Python's options, unless a promise is kept."""
    if not condition:
        raise AssertionError(message)


def draws_needed(stated: ArrayLike, wrong: ArrayLike, n_tests: int = 1) -> int:
    """Return the smallest sample in which `assert_follows` tells `wrong` from `stated`.

    Both are probabilities (outcomes,); the false alarms are shared among `n_tests` tests.
    """
    expected, other = np.asarray(stated, dtype=float), np.asarray(wrong, dtype=float)
    freedom = len(expected) - 1
    effect = np.sum((other - expected) ** 2 / expected)
    critical = chi2.isf(FALSE_ALARM / n_tests, freedom)
    draws = chndtrinc(critical, freedom, MISS) / effect  # the noncentrality that is missed so often
    return ceil(max(float(draws), MIN_EXPECTED / float(expected.min())))


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
    promise(counts.shape == probabilities.shape, "expected a count for each probability")
    sums_to_1 = np.allclose(probabilities.sum(axis=1), 1, rtol=0, atol=1e-12)
    promise(sums_to_1, "expected probabilities that sum to 1")
    expected = probabilities * counts.sum(axis=1, keepdims=True)
    promise(expected.min() >= 0.999 * MIN_EXPECTED, "too few draws to judge every outcome")
    statistics = ((counts - expected) ** 2 / expected).sum(axis=1)
    worst = chi2.sf(statistics.max(), counts.shape[1] - 1)
    follows = worst > FALSE_ALARM / len(counts)
    promise(follows, f"draws do not follow the law: p = {worst:.2g} in row {statistics.argmax()}")


def assert_tables_follow(counts: NDArray[Any], stated: ArrayLike, what: str) -> None:
    """Assert that `counts` (tables, laws, outcomes) follow the laws `stated` (laws, outcomes).

    Each cell by the exact tails of its binomial, however few the draws; all share one FALSE_ALARM.
    """
    n_draws = counts.sum(axis=-1, keepdims=True)
    chances = np.clip(np.asarray(stated, dtype=float), 0, 1)
    below = binom.cdf(counts, n_draws, chances)
    above = binom.sf(counts - 1, n_draws, chances)
    worst = 2 * min(below.min(), above.min())
    promise(worst > FALSE_ALARM / counts.size, f"{what} do not follow the law: p = {worst:.2g}")

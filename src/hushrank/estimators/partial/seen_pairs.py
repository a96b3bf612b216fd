"""How many people rank both items of a pair, judged by noisy reports of what is not stated."""

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from hushrank.arrays import Floats

SPREADS = tuple(np.geomspace(0.01, 0.5, 8))
"""What is tried as the spread of shares from item to item, and from pair to pair besides."""
MIDDLE, SPREAD_OF_MEAN = 0.5, 1.0


@dataclass(frozen=True, eq=False, repr=False)
class SeenPairs:
    """Shares (pairs,) of people who rank both items, and how sure that was before the reports.

    Before the reports: share = mean + effects of both items + what is the pair's own, all normal,
    with two spreads that are learnt from the same reports. prior_precision (pairs, pairs).
    """

    shares: Floats
    prior_precision: Floats

    @classmethod
    def of(
        cls,
        n_items: int,
        pairs: NDArray[np.intp],
        counts: Floats,
        n_reports: Floats,
        gaps: Floats,
        floors: Floats,
    ) -> "SeenPairs":
        """Take how many of n_reports say that they do not know a pair: all (cells,).

        P(report so) = floor + gap (1 - share). Pairs are numbered in lexicographic order.
        """
        seen, precisions = _seen(counts, n_reports, gaps, floors)
        n_pairs = n_items * (n_items - 1) // 2
        weights = np.bincount(pairs, precisions, n_pairs).astype(np.float64)
        sums = np.bincount(pairs, precisions * seen, n_pairs)
        estimates = sums / np.where(weights > 0, weights, 1.0)
        tried = [_posterior(n_items, estimates, weights, *two) for two in product(SPREADS, SPREADS)]
        _, mean, prior = max(tried, key=lambda each: each[0])
        return cls(np.clip(mean, 0.0, 1.0), np.asarray(np.linalg.inv(prior)))


def _seen(counts: Floats, n_reports: Floats, gaps: Floats, floors: Floats) -> tuple[Floats, Floats]:
    """Return unbiased estimates of the shares, and 1 / variance at their mean, 0 if not asked."""
    seen = 1 - (counts / np.maximum(n_reports, 1) - floors) / gaps
    mean = 0.5
    for _ in range(2):
        chances = floors + gaps * (1 - mean)
        precisions = n_reports * gaps**2 / (chances * (1 - chances))
        mean = float(np.clip(seen @ precisions / precisions.sum(), 0.0, 1.0))
    return seen, precisions


def _posterior(
    n_items: int, estimates: Floats, precisions: Floats, of_items: float, of_pairs: float
) -> tuple[float, Floats, Floats]:
    """Return the log-evidence of two spreads, the mean (pairs,), and the prior covariance."""
    prior = _prior(n_items, of_items, of_pairs)
    asked = precisions > 0
    root = cho_factor(prior[np.ix_(asked, asked)] + np.diag(1 / precisions[asked]), lower=True)
    off = estimates[asked] - MIDDLE
    pull = cho_solve(root, off)
    evidence = -off @ pull / 2 - np.log(np.diag(root[0])).sum()
    return float(evidence), MIDDLE + prior[:, asked] @ pull, prior


def _prior(n_items: int, of_items: float, of_pairs: float) -> Floats:
    pairs = list(combinations(range(n_items), 2))
    members = np.zeros((len(pairs), n_items))
    for number, pair in enumerate(pairs):
        members[number, list(pair)] = 1.0
    prior: Floats = SPREAD_OF_MEAN**2 + of_items**2 * members @ members.T
    return prior + of_pairs**2 * np.eye(len(pairs))

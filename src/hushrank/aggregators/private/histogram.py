"""P-BORDA-HIST: Borda of a noisy count of every possible ballot.

Theory: docs/theory/curators-noise.md.
"""

from functools import lru_cache
from math import exp, expm1, factorial, pi, sqrt

import numpy as np

from hushrank.aggregators.private.order import (
    ItemScores,
    NoisyScores,
    PrivateOrder,
    central_spend,
    confidence_in,
    order_by_scores,
)
from hushrank.arrays import Counts, Shares
from hushrank.errors import require
from hushrank.kernels import kernel
from hushrank.mechanisms.curator.geometric import two_sided_geometric
from hushrank.randomness import Randomness
from hushrank.rankings.coding import lexicographic_index
from hushrank.rankings.profile import Rankings

MOST_ITEMS_OF_A_HISTOGRAM = 10  # 3.6 million counts
CELLS_AT_ONCE = 2**18
FREQUENCIES = 2**14


def p_borda_hist(rankings: Rankings, *, epsilon: float, rng: Randomness) -> PrivateOrder:
    """Order the items by the scores of a noisy histogram of whole rankings: P-BORDA-HIST.

    Complete strict rankings of at most 10 items; each of the m! counts gets Laplace(1 / ε).
    Privacy: ε-DP, one complete strict ballot added or removed: it changes one count by 1. That
    others are refused tells that there is one.
    Cost: O(m m!), and 8 m! bytes.   Raises HushrankError before anything is drawn.
    Source: Shang, Wang, Cuff, Kulkarni (FUSION 2014).   Differs from the source: discrete noise.
    """
    n_items = rankings.n_items
    require(n_items >= 2, f"expected at least 2 items, got {n_items}")
    few = n_items <= MOST_ITEMS_OF_A_HISTOGRAM
    require(few, f"P-BORDA-HIST: expected at most 10 items, got {n_items}")
    spend = central_spend("p-borda-hist", "two_sided_geometric", epsilon)
    histogram = np.zeros(factorial(n_items), dtype=np.int64)
    np.add.at(histogram, lexicographic_index(rankings.orders()), rankings.people_of_rows)
    scores, order = np.zeros(n_items, dtype=np.int64), np.arange(n_items)
    for start in range(0, len(histogram), CELLS_AT_ONCE):
        block = histogram[start : start + CELLS_AT_ONCE]
        _add_scores(block + two_sided_geometric(epsilon, len(block), rng=rng), order, scores)
    best = order_by_scores(scores, rng=rng)
    confidence = confidence_in(best, scores, lambda gaps: _below_of_cells(gaps, n_items, epsilon))
    noisy = scores.astype(np.float64)
    noise = sqrt(2 * _half_gap_variance(n_items, epsilon))
    seen = NoisyScores(noisy, noise, confidence)
    return PrivateOrder(best, "p-borda-hist", spend, rng.is_private, seen)


@kernel
def _add_scores(counts: Counts, order: Counts, scores: Counts) -> None:
    """Add the scores of the next orders, in lexicographic order from `order` on, which moves on."""
    last = order.size - 1
    for count in counts:
        for place in range(order.size):
            scores[order[place]] += count * (last - 2 * place)
        falling = last
        while falling > 0 and order[falling - 1] > order[falling]:
            falling -= 1
        low, high = falling, last
        while low < high:  # what falls at the end is turned round, to rise
            order[low], order[high] = order[high], order[low]
            low, high = low + 1, high - 1
        if falling > 0:
            larger = falling
            while order[larger] < order[falling - 1]:
                larger += 1
            order[falling - 1], order[larger] = order[larger], order[falling - 1]


def _below_of_cells(gaps: ItemScores, n_items: int, epsilon: float) -> Shares:
    """Return P(D < gap) + P(D = gap) / 2 of the noise D between two scores of a histogram.

        E e^(itD / 2) = prod_d φ(t d)^(2 (m - d) (m - 2)!)      φ of one count, d = ranks between

    Source: Gil-Pelaez (Biometrika 1951), Fourier inversion, on whole numbers.
    """
    times, weights = _transform(n_items, epsilon)
    reach = pi / (2 * times[0])  # 50 standard deviations, or more: waves repeat from twice of it on
    waves = [np.sin(half * times) @ weights for half in np.clip(gaps / 2, -reach, reach)]
    return np.clip(0.5 + np.array(waves), 0, 1)


@lru_cache(maxsize=4)
def _transform(n_items: int, epsilon: float) -> tuple[ItemScores, ItemScores]:
    """Return frequencies t, and what the transform of the noise weighs the sine of each by."""
    apart, n_cells = _cells_apart(n_items)
    spread = _count_variance(epsilon)
    end = min(pi, 1000 / max(1.0, sqrt(_half_gap_variance(n_items, epsilon))))
    times = (np.arange(FREQUENCIES) + 0.5) * end / FREQUENCIES
    logarithms = np.log1p(spread * (1 - np.cos(np.multiply.outer(apart, times))))
    weights = np.exp(-n_cells @ logarithms) / np.tan(times / 2) * end / FREQUENCIES / (2 * pi)
    return times, weights


def _half_gap_variance(n_items: int, epsilon: float) -> float:
    """Return the variance of half the difference between two scores of a histogram."""
    apart, n_cells = _cells_apart(n_items)
    return float(_count_variance(epsilon) * (n_cells * apart**2).sum())


def _cells_apart(n_items: int) -> tuple[ItemScores, ItemScores]:
    """Return the ranks that two items can be apart, and how many orders have them so, twice."""
    apart = np.arange(1.0, n_items)
    return apart, 2.0 * (n_items - apart) * factorial(n_items - 2)


def _count_variance(epsilon: float) -> float:
    """Return the variance of the noise on one count."""
    return 2 * exp(-epsilon) / expm1(-epsilon) ** 2

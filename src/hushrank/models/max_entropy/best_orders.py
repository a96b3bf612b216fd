"""The orders of most weight, by a dynamic program over the sets of items placed so far.

Theory: docs/theory/max-entropy.md.
"""

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Floats, Integers, Orders
from hushrank.errors import require
from hushrank.kernels import kernel
from hushrank.models.max_entropy.subset_passes import log_weights, open_items


def best_orders(own: Floats, before: Floats, n_best: int) -> Orders:
    """Return the orders (orders, items) of most weight, exactly, the heaviest first.

    The weight of an order is the sum of own[a, rank a] and of before[a, b, rank a] over all b
    before a, as in `RankPotentials`; own (items, ranks), before (items, items, ranks), finite.
    All orders, where there are fewer than `n_best`.   Cost: O(n_best items 2^items), in memory
    O(n_best 2^items).   Raises HushrankError unless at least one order is asked for.
    """
    require(n_best >= 1, f"expected at least 1 order, got {n_best}")
    return _followed(*_best_ways(log_weights(own, before), n_best))


@kernel
def _best_ways(
    logs: Floats, n_best: int
) -> tuple[NDArray[np.int64], NDArray[np.int8], NDArray[np.int32]]:
    """Return how many of the best ways from each set on are known, and how each begins.

    counts (sets,), and nexts and followers (sets, ways): the item that comes next, and which of the
    ways from there on follows it. The ways from a set are merged from those of its successors,
    which are sorted already.
    """
    n_sets, n_items = logs.shape
    counts = np.zeros(n_sets, dtype=np.int64)
    weights = np.full((n_sets, n_best), -np.inf)
    nexts = np.zeros((n_sets, n_best), dtype=np.int8)
    followers = np.zeros((n_sets, n_best), dtype=np.int32)
    counts[n_sets - 1], weights[n_sets - 1, 0] = 1, 0.0
    items, used = np.zeros(n_items + 1, dtype=np.int64), np.zeros(n_items, dtype=np.int64)
    for placed in range(n_sets - 2, -1, -1):
        n_open = open_items(placed, n_items, items)
        used[:] = 0
        for way in range(n_best):
            best, heaviest = _heaviest(placed, items[:n_open], used, counts, logs, weights)
            if best < 0:
                break
            weights[placed, way], nexts[placed, way] = heaviest, best
            followers[placed, way] = used[best]
            used[best] += 1
            counts[placed] += 1
    return counts, nexts, followers


@kernel
def _heaviest(
    placed: int, items: Integers, used: Integers, counts: Integers, logs: Floats, weights: Floats
) -> tuple[int, float]:
    """Return the item that begins the best way not yet used, -1 without one, and its weight."""
    best, heaviest = -1, -np.inf
    for item in items:
        after = placed | 1 << item
        if used[item] < counts[after]:
            weight = logs[placed, item] + weights[after, used[item]]
            if best < 0 or weight > heaviest:
                best, heaviest = item, weight
    return best, heaviest


@kernel
def _followed(
    counts: NDArray[np.int64], nexts: NDArray[np.int8], followers: NDArray[np.int32]
) -> Orders:
    """Return the orders (orders, items) that the ways from the empty set stand for."""
    n_items = int(np.round(np.log2(len(counts))))
    orders = np.zeros((counts[0], n_items), dtype=np.int64)
    for row in range(counts[0]):
        placed, way = 0, row
        for place in range(n_items):
            item = nexts[placed, way]
            orders[row, place] = item
            placed, way = placed | 1 << int(item), followers[placed, way]
    return orders

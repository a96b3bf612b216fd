"""Kendall tau: how many pairs two rankings order differently."""

from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts, Order, Ranks
from hushrank.errors import require

PairCounts = NDArray[np.integer[Any]] | NDArray[np.floating[Any]]
"""majority[a, b]: how many people put a before b, counted or estimated."""


def kendall_distances(ranks: Ranks, order: Order) -> Counts:
    """Return the Kendall tau distance (people,) of complete strict ranks to `order`, in pairs."""
    require(len(order) == ranks.shape[1], f"expected an order of {ranks.shape[1]} items")
    distances = np.zeros(len(ranks), dtype=np.int64)
    for place, better in enumerate(order):
        turned = np.zeros(len(ranks), dtype=ranks.dtype)
        for worse in order[place + 1 :]:
            turned += ranks[:, worse] < ranks[:, better]
        distances += turned
    return distances


def kendall_cost(majority: PairCounts, order: Order) -> float:
    """Return how many people, summed over all pairs, put the pair the other way round than `order`.

    For complete strict rankings, the sum of their Kendall tau distances to it; exact for counts.
    """
    in_order = majority[np.ix_(order, order)]
    cost: float = np.tril(in_order, k=-1).sum().item()
    return cost


def is_over(end: float | None) -> bool:
    """Return whether the monotonic clock is past a time; it never is where there is none."""
    return end is not None and monotonic() > end


def improved_order(majority: PairCounts, order: Order, *, end: float | None = None) -> Order:
    """Move single items to their best places until no move lowers the Kendall cost.

    Never dearer than `order`; often a Kemeny order, but not always. Deterministic, unless the time
    `end` of the monotonic clock comes first: then the best order so far.
    """
    ahead = majority - majority.T
    best = np.array(order, dtype=np.intp)
    is_better = True
    while is_better:
        is_better = False
        for item in best.copy():
            if is_over(end):
                return tuple(best.tolist())
            rest = best[best != item]
            gains = np.append(ahead[item, rest][::-1].cumsum()[::-1], 0)  # just before rest[p]
            here = int(np.flatnonzero(best == item)[0])
            if gains.max() > gains[here]:
                best = np.insert(rest, int(gains.argmax()), item)
                is_better = True
    return tuple(best.tolist())

"""The optimal order by a dynamic program over the sets of items placed so far."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Order
from hushrank.kernels import kernel

MOST_ITEMS_OF_SETS = 22
"""2^22 sets take a tenth of a second and 34 megabytes; every item more doubles both."""


def best_by_sets(majority: NDArray[np.float64]) -> Order:
    """Return the order of least Kendall cost; of several, the lexicographically smallest.

        rest(S) = min over i not in S of  sum_{j in S} majority[i, j] + rest(S + i)

    Cost: O(items 2^items).   Source: Held, Karp (SIAM J. 1962), on linear orders.
    """
    rest = cheapest_rests(majority)
    return next(_orders(majority, rest))


def all_best_by_sets(majority: NDArray[np.float64]) -> Iterator[Order]:
    """Yield every order of least Kendall cost, in lexicographic order; counts are compared exactly.

    Cost: as best_by_sets, and O(items^2) for each order yielded; there may be items! of them.
    """
    yield from _orders(majority, cheapest_rests(majority))


def _orders(majority: NDArray[np.float64], rest: NDArray[np.float64]) -> Iterator[Order]:
    n_items = len(majority)
    waiting: list[tuple[int, Order]] = [(0, ())]
    while waiting:
        placed, order = waiting.pop()
        if len(order) == n_items:
            yield order
            continue
        open_items = [item for item in range(n_items) if not placed >> item & 1]
        costs = [
            majority[item, list(order)].sum() + rest[placed | 1 << item] for item in open_items
        ]
        least = min(costs)
        best = [item for item, cost in zip(open_items, costs, strict=True) if cost == least]
        waiting += [(placed | 1 << item, (*order, item)) for item in reversed(best)]


def cheapest_rests(majority: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least cost (2^items,) of the pairs that are still open when a set is placed."""
    return _cheapest_rests(*_halves(majority))


def _halves(majority: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return sum_{j in S} majority[i, j] for all sets S of the lower and of the upper items."""
    half = (len(majority) + 1) // 2
    return _set_sums(majority[:, :half]), _set_sums(majority[:, half:])


def _set_sums(columns: NDArray[np.float64]) -> NDArray[np.float64]:
    sums = np.zeros((len(columns), 1))
    for column in columns.T:
        sums = np.hstack([sums, sums + column[:, None]])
    return sums


@kernel
def _cheapest_rests(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least cost (2^items,) of the pairs that are still open when S is placed.

    In descending order the sets from `first`, of the length of its lowest item, are complete;
    they are the sets just below it and that item. The innermost loop is one over whole arrays.
    """
    n_items = lower.shape[0]
    half = (n_items + 1) // 2
    mask = (1 << half) - 1
    rest = np.full(1 << n_items, np.inf)
    rest[-1] = 0.0
    for first in range((1 << n_items) - 1, 0, -1):
        size = first & -first
        item = 0
        while size >> (item + 1):
            item += 1
        width = min(size, mask + 1)
        for start in range(first - size, first, width):
            costs = lower[item, start & mask : (start & mask) + width]
            constant = upper[item, start >> half]
            here, after = rest[start : start + width], rest[start + size : start + size + width]
            for offset in range(width):
                here[offset] = min(here[offset], costs[offset] + constant + after[offset])
    return rest

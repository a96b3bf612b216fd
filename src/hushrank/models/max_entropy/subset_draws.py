"""Independent orders, drawn item by item, each given the set of the items before it."""

import numpy as np

from hushrank.arrays import Floats, Orders, Ranks, Shares
from hushrank.kernels import kernel
from hushrank.models.max_entropy.subset_passes import Passes
from hushrank.rankings.coding import rank_type

PEOPLE_AT_ONCE = 2**13  # their uniform numbers stay in the cache


def draw_ranks(passes: Passes, n_people: int, *, rng: np.random.Generator) -> Ranks:
    """Draw independent ranks (people, items). Cost: O(items^2) a person."""
    n_items = passes.nexts.shape[1]
    ends = _cumulative(passes.nexts)
    ranks = np.empty((n_people, n_items), dtype=rank_type(n_items), order="F")
    for start in range(0, n_people, PEOPLE_AT_ONCE):
        block = ranks[start : start + PEOPLE_AT_ONCE]
        _fill_ranks(ends, rng.random((len(block), n_items)), block)
    return ranks


@kernel
def log_weights_of(logs: Floats, orders: Orders) -> Shares:
    """Return the sums (people,) of the log-weights (sets, items) along orders (people, items)."""
    sums = np.zeros(len(orders))
    for row in range(len(orders)):
        placed = 0
        for item in orders[row]:
            sums[row] += logs[placed, item]
            placed |= 1 << int(item)
    return sums


@kernel
def _cumulative(nexts: Floats) -> Floats:
    """Add up each set's chances (sets, items); the last possible item takes what rounding leaves.

    An item that cannot come next ends where it begins, and is never drawn.
    """
    ends = np.full(nexts.shape, np.inf)
    for placed in range(len(nexts)):
        last = 0
        for item in range(nexts.shape[1]):
            last = item if nexts[placed, item] > 0 else last
        total = 0.0
        for item in range(last):
            total += nexts[placed, item]
            ends[placed, item] = total
    return ends


@kernel
def _fill_ranks(ends: Floats, uniform: Floats, ranks: Ranks) -> None:
    n_items = ends.shape[1]
    for row in range(len(ranks)):
        placed = 0
        for place in range(n_items):
            item = 0
            for other in range(n_items):  # without a branch, which would be mispredicted
                item += ends[placed, other] <= uniform[row, place]
            ranks[row, item] = place
            placed |= 1 << item

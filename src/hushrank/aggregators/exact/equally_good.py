"""Which other orders are as good: items that are tied, and how many orders there are."""

from dataclasses import dataclass
from math import factorial, prod

import numpy as np
from scipy.sparse.csgraph import connected_components

from hushrank.aggregators.exact.subset_program import cheapest_rests
from hushrank.aggregators.pairwise import pair_margins
from hushrank.arrays import Counts, Floats, Order
from hushrank.kernels import kernel

MOST_TIED_TOGETHER = 16
"""Of a larger group that ties or circles hold together, only neighbours are compared."""


@dataclass(frozen=True, repr=False)
class EquallyGood:
    """The orders that are as good as one: how many in all, itself included; None = not counted.

    `tied`: groups of items, best first, that stand otherwise in some of them.
    """

    n_orders: int | None
    tied: tuple[tuple[int, ...], ...]


def equally_good_scores(scores: Floats | Counts) -> EquallyGood:
    """Say which items have equal scores (items,): each order of them is as good."""
    _, group_of = np.unique(-scores, return_inverse=True)
    groups = [np.flatnonzero(group_of == group).tolist() for group in range(group_of.max() + 1)]
    n_orders = prod(factorial(len(group)) for group in groups)
    return EquallyGood(n_orders, tuple(tuple(group) for group in groups if len(group) > 1))


def equally_good_kemeny(majority: Counts, order: Order) -> EquallyGood:
    """Say which orders have the least Kendall cost that `order` has, of whole pair counts.

    In each of them groups stand apart between which one side wins every pair; within a group the
    orders are counted over sets of items. Of more than 16 items in a group only neighbours in
    `order` whose pair is tied are told, and the orders are not counted.
    Cost: O(items^2 2^items) of the largest group.
    """
    margins = pair_margins(majority)
    n_groups, group_of = connected_components(margins >= 0, connection="strong")
    n_orders: int | None = 1
    tied: list[tuple[int, ...]] = []
    groups = [[item for item in order if group_of[item] == group] for group in range(n_groups)]
    for group in sorted(groups, key=lambda items: order.index(items[0])):
        if len(group) > MOST_TIED_TOGETHER:
            n_orders = None
            tied += _tied_neighbours(margins, group)
        elif len(group) > 1:
            counted, at = _orders_of_group(majority[np.ix_(group, group)].astype(np.float64))
            n_orders = None if n_orders is None else n_orders * counted
            tied += [tuple(group[place] for place in each) for each in _moving(at)]
    return EquallyGood(n_orders, tuple(tied))


def _orders_of_group(majority: Floats) -> tuple[int, Counts]:
    """Return how many orders cost least, and whether an item has a place in one (items, places)."""
    n_items = len(majority)
    at = np.zeros((n_items, n_items), dtype=np.int64)
    paths = np.zeros(1 << n_items)
    _follow(majority, cheapest_rests(majority), paths, at)
    return int(paths[-1]), at


@kernel
def _follow(majority: Floats, rest: Floats, paths: Floats, at: Counts) -> None:
    """Count the ways (2^items,) in which each set can be the first items of a best order."""
    n_items = len(majority)
    paths[0] = 1.0
    for placed in range(len(paths) - 1):
        if paths[placed] == 0.0:
            continue
        place = 0
        for item in range(n_items):
            place += placed >> item & 1
        for item in range(n_items):
            if placed >> item & 1:
                continue
            cost = rest[placed | 1 << item]
            for before in range(n_items):
                if placed >> before & 1:
                    cost += majority[item, before]
            if cost == rest[placed]:
                paths[placed | 1 << item] += paths[placed]
                at[item, place] = 1


def _moving(at: Counts) -> list[list[int]]:
    """Return the items that have several places, together where their places overlap."""
    spans = sorted((int(np.argmax(row)), len(row) - int(np.argmax(row[::-1])), item)
                   for item, row in enumerate(at))  # fmt: skip
    found: list[list[int]] = []
    end = 0
    for first, after, item in spans:
        if first >= end:
            found.append([])
        found[-1].append(item)
        end = max(end, after)
    return [items for items in found if len(items) > 1]


def _tied_neighbours(margins: Floats, group: list[int]) -> list[tuple[int, ...]]:
    """Return runs of neighbours of which each pair is tied: any order of them costs the same."""
    runs: list[list[int]] = []
    for item in group:
        if runs and all(margins[item, other] == 0 for other in runs[-1]):
            runs[-1].append(item)
        else:
            runs.append([item])
    return [tuple(run) for run in runs if len(run) > 1]

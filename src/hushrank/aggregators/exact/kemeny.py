"""Exact Kemeny: the order that disagrees least with the people, or a proven gap to it."""

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from hushrank.aggregators.borda import borda
from hushrank.aggregators.exact.linear_ordering import best_by_integer_program
from hushrank.aggregators.exact.subset_program import (
    MOST_ITEMS_OF_SETS,
    all_best_by_sets,
    best_by_sets,
)
from hushrank.aggregators.pairwise import Margins, pair_margins
from hushrank.arrays import Order
from hushrank.errors import require
from hushrank.rankings.distances import PairCounts, kendall_cost

MOST_ITEMS_OF_ALL_ORDERS = 16


@dataclass(frozen=True, repr=False)
class KemenyOrder:
    """An order, best first, its Kendall cost, and a proven lower bound of every order's cost."""

    order: Order
    cost: float
    lower_bound: float

    @property
    def gap(self) -> float:
        """By how much another order could at most be cheaper."""
        return max(0.0, self.cost - self.lower_bound)

    @property
    def is_optimal(self) -> bool:
        """Whether the order is proven to be a Kemeny order."""
        return self.gap == 0.0


def kemeny(majority: PairCounts, *, time_limit: float | None = None) -> KemenyOrder:
    """Return an order of least Kendall cost to pair counts (items, items), exact or estimated.

    With a `time_limit`, in seconds, the best order found by then, with its proven gap.
    Optimal is exact for whole counts, and up to a millionth of the largest margin for others.
    Deterministic unless time runs out. Groups that beat each other in no circle are solved apart.
    Cost: exponential in the items of the largest group, at worst.
    Raises HushrankError when the counts are not finite and square, or the limit is not positive.
    Source: Kemeny (Daedalus 1959).
    """
    margins = pair_margins(majority)
    in_time = time_limit is None or time_limit > 0
    require(in_time, f"expected a positive time limit, got {time_limit}")
    end = None if time_limit is None else monotonic() + time_limit
    counts = majority.astype(np.float64)
    order: list[int] = []
    gap = 0.0
    for group in condorcet_groups(margins):
        if len(group) == 1:
            order += group
            continue
        within = counts[np.ix_(group, group)]
        best, bound = _best_of_group(within, end)
        order += [group[place] for place in best]
        gap += kendall_cost(within, best) - bound
    cost = kendall_cost(majority, tuple(order))
    return KemenyOrder(tuple(order), cost, cost - gap)


def all_kemeny_orders(majority: PairCounts) -> Iterator[Order]:
    """Yield every order of least Kendall cost, in lexicographic order; for at most 16 items.

    There may be very many: equal counts make all items! orders optimal.
    """
    pair_margins(majority)
    n_items = len(majority)
    few = n_items <= MOST_ITEMS_OF_ALL_ORDERS
    require(few, f"expected at most {MOST_ITEMS_OF_ALL_ORDERS} items, got {n_items}")
    return all_best_by_sets(majority.astype(np.float64))


def condorcet_groups(margins: Margins) -> list[list[int]]:
    """Split the items into groups, best first, such that no item beats one of an earlier group.

    Some optimal Kemeny order then puts the groups in this order. The groups are the strongly
    connected components of the graph of won pairs; they are few and small where people agree.
    Source: Truchon (Université Laval 1998), extended Condorcet criterion.
    """
    from scipy.sparse import csr_matrix  # slow to load
    from scipy.sparse.csgraph import connected_components

    wins = margins > 0
    n_groups, group_of = connected_components(csr_matrix(wins.astype(np.int8)), connection="strong")
    if n_groups == 1:
        return [list(range(len(margins)))]
    between = np.zeros((n_groups, n_groups), dtype=np.bool_)
    for item, group in enumerate(group_of):
        between[group, group_of[wins[item]]] = True
    np.fill_diagonal(between, False)
    return [np.flatnonzero(group_of == group).tolist() for group in _topological(between)]


def _best_of_group(majority: NDArray[np.float64], end: float | None) -> tuple[Order, float]:
    """Return the best order of a group of two or more and a lower bound of the cost."""
    if len(majority) <= MOST_ITEMS_OF_SETS:
        best = best_by_sets(majority)
        return best, kendall_cost(majority, best)
    if (majority == np.round(majority)).all():
        return best_by_integer_program(majority, borda(majority), end=end)
    scale = float(np.abs(majority - majority.T).max())  # the solver's tolerances are absolute
    best, bound = best_by_integer_program(majority / scale, borda(majority), end=end)
    cost = kendall_cost(majority, best)
    is_met = kendall_cost(majority / scale, best) <= bound
    return best, cost if is_met else min(cost, bound * scale)


def _topological(precedes: NDArray[np.bool_]) -> list[int]:
    """Order the groups so that every arrow points forward; of several first ones, the lowest."""
    waiting_for = precedes.sum(axis=0)
    order: list[int] = []
    is_placed = np.zeros(len(precedes), dtype=np.bool_)
    while len(order) < len(precedes):
        free = int(np.flatnonzero((waiting_for == 0) & ~is_placed)[0])
        order.append(free)
        is_placed[free] = True
        waiting_for = waiting_for - precedes[free]
    return order

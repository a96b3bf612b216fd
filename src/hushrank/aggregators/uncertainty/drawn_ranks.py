"""How sure an order is, from many orders that are as likely: one belief for all that is said."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import Literal, TypeAlias

import numpy as np

from hushrank.arrays import Floats, Integers, Shares
from hushrank.errors import require
from hushrank.kernels import kernel

Rule: TypeAlias = Literal["scores", "pairs"]
"""How margins become an order: by their sums, as Borda, or by least Kendall cost, as Kemeny."""

MOST_ITEMS_BY_PAIRS = 150
"""Orders of more items are drawn by scores."""


@dataclass(frozen=True, eq=False, repr=False)
class DrawnRanks:
    """Ranks (draws, items), 0 = best, in orders drawn from what is known: each as likely.

    Whatever is said of pairs, of single items and of chances is counted in the same draws, so that
    nothing of it contradicts the rest.
    """

    ranks: Integers

    def ahead(self, order: Sequence[int]) -> tuple[float, ...]:
        """Return how likely each two neighbours of `order` are the right way round.

        Never 0 nor 1, which no number of draws shows: half a draw is left to the other way.
        """
        first, second = list(order[:-1]), list(order[1:])
        right = (self.ranks[:, first] < self.ranks[:, second]).sum(axis=0)
        return tuple(((right + 0.5) / (len(self.ranks) + 1)).tolist())

    def chances(self) -> Shares:
        """Return how likely each item has each rank: (items, ranks)."""
        n_draws, n_items = self.ranks.shape
        counts = [np.bincount(column, minlength=n_items) for column in self.ranks.T]
        chances: Shares = np.array(counts) / n_draws
        return chances

    def intervals(
        self, order: Sequence[int] | None = None, level: float = 0.95
    ) -> tuple[tuple[int, int], ...]:
        """Return for each item the best and the worst rank (0 = best).

        The shortest run of ranks whose probability is at least `level`, the likeliest of several.
        Where an `order` is given, the shortest that holds each item's place, too.
        Cost: O(draws log draws) for each item.
        """
        require(0 < level < 1, f"expected a level between 0 and 1, got {level}")
        place_of = {} if order is None else {item: place for place, item in enumerate(order)}
        return tuple(
            _run_of_ranks(np.sort(each), level, place_of.get(item))
            for item, each in enumerate(self.ranks.T)
        )


def ranks_by_scores(scores: Floats) -> Integers:
    """Return the ranks (draws, items) of drawn scores (draws, items), more = better."""
    ranks: Integers = np.argsort(np.argsort(-scores, axis=1), axis=1)
    return ranks


def ranks_by_pairs(margins: Floats) -> Integers:
    """Return the ranks (draws, items) in orders of least Kendall cost to drawn margins.

    margins (draws, items, items), antisymmetric. From the order of scores single items are moved
    until no move helps: nearly always a Kemeny order, where people agree on something.
    """
    orders = np.argsort(-margins.sum(axis=2), axis=1)
    _move_items(np.ascontiguousarray(margins), orders)
    ranks: Integers = np.argsort(orders, axis=1)
    return ranks


@kernel
def _move_items(margins: Floats, orders: Integers) -> None:
    """Move the item at each place of each order to where it costs least, until none moves."""
    n_draws, n_items = orders.shape
    for draw in range(n_draws):
        ahead, order = margins[draw], orders[draw]
        is_better = True
        while is_better:
            is_better = False
            for place in range(n_items):
                item, target = order[place], _best_place(ahead, order, place)
                step = 1 if target > place else -1
                for at in range(place, target, step):
                    order[at] = order[at + step]
                order[target] = item
                is_better |= target != place


@kernel
def _best_place(ahead: Floats, order: Integers, place: int) -> int:
    """Return where the item at a place costs least."""
    item, most, target, gain = order[place], 1e-12, place, 0.0
    for other in range(place - 1, -1, -1):
        gain += ahead[item, order[other]]
        if gain > most:
            most, target = gain, other
    gain = 0.0
    for other in range(place + 1, len(order)):
        gain -= ahead[item, order[other]]
        if gain > most:
            most, target = gain, other
    return target


def _run_of_ranks(drawn: Integers, level: float, place: int | None) -> tuple[int, int]:
    """Return the shortest run of ranks that holds at least `level` of the sorted ranks (draws,).

    It also holds `place`, where there is one. Each candidate begins at a drawn rank; of several as
    short, the one that holds most, and of those the first.
    """
    n_within = max(1, ceil(level * len(drawn) - 1e-9))
    first, last = drawn[: len(drawn) - n_within + 1], drawn[n_within - 1 :]
    if place is not None:
        first, last = np.minimum(first, place), np.maximum(last, place)
    is_shortest = last - first == (last - first).min()
    first, last = first[is_shortest], last[is_shortest]
    held = np.searchsorted(drawn, last, side="right") - np.searchsorted(drawn, first)
    best = int(held.argmax())
    return int(first[best]), int(last[best])

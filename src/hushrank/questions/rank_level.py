"""How high did a person rank one item, in a few levels?"""

from dataclasses import dataclass

import numpy as np

from hushrank.arrays import Categories, Ranks
from hushrank.errors import require
from hushrank.questions.question import require_distinct_items

Levels = tuple[int, ...]
"""The level of each rank, from the best: numbers 0..K-1, each of them at least once."""


@dataclass(frozen=True)
class RankLevel:
    """Category = levels[rank of the item]: one category for each of the K levels.

    As many levels are given as rankings have items, so it fits rankings of that many only.
    """

    item: int
    levels: Levels
    takes_incomplete = False
    items_at_once = ()

    def __post_init__(self) -> None:
        """Check the item and the levels."""
        require_distinct_items(self.items, at_least=1)
        require_levels(self.levels)
        require(self.item < len(self.levels), f"expected an item below {len(self.levels)}")

    @property
    def items(self) -> tuple[int, ...]:
        """The one item."""
        return (self.item,)

    @property
    def n_categories(self) -> int:
        """How many levels there are."""
        return max(self.levels) + 1

    def fits(self, n_items: int) -> bool:
        """Whether every ranking of n_items items has an answer: only of as many as have levels."""
        return n_items == len(self.levels)

    def answer(self, ranks: Ranks) -> Categories:
        """Map ranks (people, items), 0 = best, to categories (people,)."""
        return np.array(self.levels, dtype=np.intp)[ranks[:, self.item]]


def even_levels(n_items: int, n_levels: int) -> Levels:
    """Return K levels of about equally many ranks.

        level = min(floor((rank + 1/2) K / n_items), K - 1)

    Raises HushrankError unless there are 2 to n_items levels.
    """
    fits = 2 <= n_levels <= n_items
    require(fits, f"expected 2 to {n_items} levels of {n_items} ranks, got {n_levels}")
    return tuple((2 * rank + 1) * n_levels // (2 * n_items) for rank in range(n_items))


def extreme_levels(n_items: int) -> Levels:
    """Return level 1 for the ranks near either end, about half of all, and 0 for the middle.

        level = [|rank - (n_items - 1) / 2| >= n_items / 4]

    Raises HushrankError for fewer than 3 items, which have no middle.
    """
    require(n_items >= 3, f"expected at least 3 items, got {n_items}")
    return tuple(int(2 * abs(2 * rank - n_items + 1) >= n_items) for rank in range(n_items))


def require_levels(levels: Levels) -> None:
    """Raise HushrankError unless the levels are 0..K-1, K >= 2, each of some rank."""
    n_levels = len(set(levels))
    is_complete = n_levels >= 2 and set(levels) == set(range(n_levels))
    require(is_complete, "expected levels 0..K-1 with K of at least 2, each of some rank")

"""How high did a person rank one item, and did another one come before it?"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushrank.arrays import Categories, Ranks
from hushrank.errors import require
from hushrank.questions.question import require_distinct_items
from hushrank.questions.rank_level import Levels, require_levels


@dataclass(frozen=True)
class LevelAndPrecedence:
    """Category = number of the cell (levels[rank of the item], other before item), if possible.

    Cells by level, within it the other one after the item first: 2 K of them, less those that no
    ranking has, as nothing is before the best. One level for each rank: 2 (n_items - 1) cells.
    As many levels are given as rankings have items, so it fits rankings of that many only.
    """

    item: int
    other: int
    levels: Levels
    takes_incomplete = False
    items_at_once = ()

    def __post_init__(self) -> None:
        """Check the items and the levels."""
        require_distinct_items(self.items, at_least=2)
        require_levels(self.levels)
        require(max(self.items) < len(self.levels), f"expected items below {len(self.levels)}")

    @property
    def items(self) -> tuple[int, ...]:
        """The item whose level is asked, and the other one."""
        return (self.item, self.other)

    @property
    def n_categories(self) -> int:
        """How many cells are possible."""
        return len({cell for row in self.cells for cell in row if cell >= 0})

    @cached_property
    def cells(self) -> tuple[tuple[int, int], ...]:
        """The categories of each rank: with the other item after it and before it; -1 = never."""
        last = len(self.levels) - 1
        possible = [(level, [rank < last, rank > 0]) for rank, level in enumerate(self.levels)]
        known = {(level, side) for level, sides in possible for side in (0, 1) if sides[side]}
        number = {cell: nth for nth, cell in enumerate(sorted(known))}
        return tuple(
            (
                number[level, 0] if after else -1,
                number[level, 1] if before else -1,
            )
            for level, (after, before) in possible
        )

    def fits(self, n_items: int) -> bool:
        """Whether every ranking of n_items items has an answer: only of as many as have levels."""
        return n_items == len(self.levels)

    def answer(self, ranks: Ranks) -> Categories:
        """Map ranks (people, items), 0 = best, to categories (people,)."""
        own = ranks[:, self.item]
        other_first = ranks[:, self.other] < own
        return np.array(self.cells, dtype=np.intp)[own, other_first.astype(np.intp)]

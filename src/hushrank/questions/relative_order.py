"""In which order did a person put a chosen set of items?"""

from dataclasses import dataclass
from math import factorial

from hushrank.arrays import Categories, Ranks
from hushrank.errors import require
from hushrank.questions.question import require_distinct_items
from hushrank.rankings.coding import (
    MOST_ITEMS_OF_AN_INDEX,
    inverse,
    lexicographic_index,
    ranks_within,
)


@dataclass(frozen=True)
class RelativeOrder:
    """Category = lexicographic index of the items' order; 0 = in the order given.

    Two items ask a pairwise precedence, all items ask the whole ranking.
    """

    items: tuple[int, ...]
    takes_incomplete = False

    def __post_init__(self) -> None:
        """Check the items."""
        require_distinct_items(self.items, at_least=2)
        few = len(self.items) <= MOST_ITEMS_OF_AN_INDEX
        require(few, f"expected at most 20 items in one question, got {len(self.items)}")

    @property
    def items_at_once(self) -> tuple[int, ...]:
        """All of the items: their order is the answer."""
        return self.items

    @property
    def n_categories(self) -> int:
        """How many orders the items have."""
        return factorial(len(self.items))

    def fits(self, n_items: int) -> bool:
        """Whether every ranking of n_items items has an answer."""
        return max(self.items) < n_items

    def answer(self, ranks: Ranks) -> Categories:
        """Map ranks (people, items), 0 = best, to categories (people,)."""
        return lexicographic_index(inverse(ranks_within(ranks, self.items, among=self.items)))

"""How did a person merge two groups of items into one order?"""

from dataclasses import dataclass
from math import comb

from hushrank.arrays import Categories, Ranks
from hushrank.errors import require
from hushrank.questions.question import require_distinct_items
from hushrank.rankings.coding import interleaving_index, ranks_within


@dataclass(frozen=True)
class Interleaving:
    """Category = colexicographic index of the places that `left` takes among `left` and `right`.

    One left item: its place among the others, 0 = best. The orders inside the two groups do not
    matter.   Source: Huang, Guestrin (NIPS 2009); Yang et al. (ICDE 2019), Rule II.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    takes_incomplete = False
    items_at_once = ()

    def __post_init__(self) -> None:
        """Check the items."""
        require_distinct_items(self.items, at_least=2)
        require(self.left and self.right, "expected items on both sides of an interleaving")
        require(
            self.n_categories < 2**62, "expected an interleaving with fewer than 2^62 categories"
        )

    @property
    def items(self) -> tuple[int, ...]:
        """All items of both groups."""
        return (*self.left, *self.right)

    @property
    def n_categories(self) -> int:
        """How many interleavings the groups have."""
        return comb(len(self.items), len(self.left))

    def fits(self, n_items: int) -> bool:
        """Whether every ranking of n_items items has an answer."""
        return max(self.items) < n_items

    def answer(self, ranks: Ranks) -> Categories:
        """Map ranks (people, items), 0 = best, to categories (people,)."""
        places = ranks_within(ranks, self.left, among=self.items)
        return interleaving_index(places, len(self.items))

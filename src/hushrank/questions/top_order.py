"""Which items stand on the first places, in which order?"""

from dataclasses import dataclass
from math import factorial, perm

from hushrank.arrays import Categories, Ranks
from hushrank.errors import require
from hushrank.rankings.coding import MOST_ITEMS_OF_AN_INDEX, inverse, lexicographic_index


@dataclass(frozen=True)
class TopOrder:
    """Category = lexicographic index of the first n_places items, in order, of all n_items.

    The category of k places is that of the whole order, divided by (n_items - k)!, rounded down:
    the orders that begin with it are numbered in one run.
    """

    n_items: int
    n_places: int
    takes_incomplete = False
    items_at_once = ()

    def __post_init__(self) -> None:
        """Check the sizes."""
        few = 2 <= self.n_items <= MOST_ITEMS_OF_AN_INDEX
        require(few, f"expected 2 to {MOST_ITEMS_OF_AN_INDEX} items, got {self.n_items}")
        fits = 1 <= self.n_places <= self.n_items
        require(fits, f"expected 1 to {self.n_items} places, got {self.n_places}")

    @property
    def items(self) -> tuple[int, ...]:
        """All items: each may stand on the first places."""
        return tuple(range(self.n_items))

    @property
    def n_categories(self) -> int:
        """How many orders n_places of the items have."""
        return perm(self.n_items, self.n_places)

    def fits(self, n_items: int) -> bool:
        """Whether every ranking of n_items items has an answer: only of exactly as many."""
        return n_items == self.n_items

    def answer(self, ranks: Ranks) -> Categories:
        """Map ranks (people, items), 0 = best, to categories (people,)."""
        whole = lexicographic_index(inverse(ranks))
        return whole // factorial(self.n_items - self.n_places)

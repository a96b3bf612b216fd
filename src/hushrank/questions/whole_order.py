"""How did a person rank a chosen set of items?"""

from dataclasses import dataclass

from hushrank.arrays import Answers, Ranks
from hushrank.questions.question import require_distinct_items
from hushrank.rankings.coding import ranks_within


@dataclass(frozen=True)
class WholeOrder:
    """Category = the row of the items' ranks among themselves, in the order given; 0 = best.

    A row of numbers instead of one: for mechanisms that hide a whole order. `n_categories` is the
    length of the row, and of the tally.
    """

    items: tuple[int, ...]
    takes_incomplete = False
    items_at_once = ()

    def __post_init__(self) -> None:
        """Check the items."""
        require_distinct_items(self.items, at_least=2)

    @property
    def n_categories(self) -> int:
        """How many numbers the row has, one for each item."""
        return len(self.items)

    def fits(self, n_items: int) -> bool:
        """Whether every ranking of n_items items has an answer."""
        return max(self.items) < n_items

    def answer(self, ranks: Ranks) -> Answers:
        """Map ranks (people, all items), 0 = best, to rows of ranks (people, items)."""
        return ranks_within(ranks, self.items, among=self.items)

"""Where did a person rank one item, and which of two others came first?"""

from dataclasses import dataclass

import numpy as np

from hushrank.arrays import Categories, Ranks
from hushrank.errors import require
from hushrank.questions.question import require_distinct_items
from hushrank.rankings.coding import triplets


@dataclass(frozen=True)
class RankAndPrecedence:
    """Category = 2 rank(item) + [second before first]: the triplet of Rule I, 2 n_items cells.

    Source: Yang et al. (ICDE 2019), Rule I. Ranks count from 0 here, from 1 there.
    """

    item: int
    first: int
    second: int
    n_items: int
    takes_incomplete = False
    items_at_once = ()

    def __post_init__(self) -> None:
        """Check the items."""
        require_distinct_items(self.items, at_least=3)
        require(max(self.items) < self.n_items, f"expected items below {self.n_items}")

    @property
    def items(self) -> tuple[int, ...]:
        """The three items."""
        return (self.item, self.first, self.second)

    @property
    def n_categories(self) -> int:
        """Two for each rank."""
        return 2 * self.n_items

    def fits(self, n_items: int) -> bool:
        """Whether every ranking of n_items items has an answer: only of as many as it says."""
        return n_items == self.n_items

    def answer(self, ranks: Ranks) -> Categories:
        """Map ranks (people, items), 0 = best, to categories (people,)."""
        second_first = ranks[:, self.second] < ranks[:, self.first]
        categories: Categories = 2 * ranks[:, self.item].astype(np.intp) + second_first
        return categories


def rank_and_precedence_questions(n_items: int) -> tuple[RankAndPrecedence, ...]:
    """Return Rule I's questions: one for each triplet, in the order of `coding.triplets`."""
    return tuple(RankAndPrecedence(*triplet, n_items) for triplet in triplets(n_items))

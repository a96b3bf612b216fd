"""Which items, or which pairs of items, stand where the question asks?

Theory: docs/theory/local-mechanisms.md.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Answers, Ranks
from hushrank.errors import require
from hushrank.rankings.coding import inverse

Side: TypeAlias = Literal["before", "after"]
"""On which side of the item the other one stands."""

MOST_ITEMS = 64
"""Of a question about pairs: an answer has up to 2,016 cells."""


@dataclass(frozen=True)
class NamedSet:
    """Answer = the row of all M cells, ascending, that hold for the ranking, of n_categories.

    A cell is an item, and holds if the item stands on one of `places` (0 = best); or, with a side,
    an ordered pair (item, other), numbered item (n_items - 1) + other - [other > item], and holds
    if the item stands on one of `places` and the other one is before it, or after it. Of every
    ranking equally many cells hold: so a mechanism may name one of them.
    """

    places: tuple[int, ...]
    n_items: int
    side: Side | None = None
    takes_incomplete = False
    items_at_once = ()

    def __post_init__(self) -> None:
        """Check the places and the side, and that some cells hold and some do not."""
        known = (None, *get_args(Side))
        require(self.side in known, f"expected before, after or no side, got {self.side}")
        few = 2 <= self.n_items <= MOST_ITEMS
        require(few, f"expected 2 to {MOST_ITEMS} items, got {self.n_items}")
        ascending = self.places == tuple(sorted(set(self.places)))
        within = all(0 <= place < self.n_items for place in self.places)
        require(ascending and within, f"expected ascending places of {self.n_items} items")
        fits = 0 < self.n_members < self.n_categories
        require(fits, "expected places on which some cells hold and some do not")

    @property
    def n_categories(self) -> int:
        """How many cells there are: items, or ordered pairs of them."""
        return self.n_items if self.side is None else self.n_items * (self.n_items - 1)

    @property
    def n_members(self) -> int:
        """How many cells M hold for every ranking."""
        return len(self._seats)

    @property
    def items(self) -> tuple[int, ...]:
        """All items: each may stand there."""
        return tuple(range(self.n_items))

    def fits(self, n_items: int) -> bool:
        """Whether every ranking of n_items items has an answer: only of as many as it says."""
        return n_items == self.n_items

    def answer(self, ranks: Ranks) -> Answers:
        """Map ranks (people, items), 0 = best, to rows of cells (people, M), ascending."""
        orders = inverse(ranks).astype(np.intp)
        cells = orders[:, self._seats[:, 0]]
        if self.side is not None:
            others = orders[:, self._seats[:, 1]]
            cells = cells * (self.n_items - 1) + others - (others > cells)
        return np.sort(cells, axis=1)

    def cell(self, number: int) -> tuple[int, int | None]:
        """Return the item of a cell, and the other one if cells are pairs."""
        if self.side is None:
            return number, None
        item, other = divmod(number, self.n_items - 1)
        return item, other + (other >= item)

    @cached_property
    def _seats(self) -> NDArray[np.intp]:
        """The places (M, 2) of the item, and of the other one, of each cell that holds."""
        seats = [(place, other) for place in self.places for other in self._beside(place)]
        return np.array(seats, dtype=np.intp).reshape(-1, 2)

    def _beside(self, place: int) -> range:
        if self.side is None:
            return range(place, place + 1)
        return range(place) if self.side == "before" else range(place + 1, self.n_items)

"""What people ranked: the one type that holds rankings."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import index
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushrank.arrays import Counts, Orders, Ranks, is_masked
from hushrank.errors import expect, require
from hushrank.files.data_frames import to_frame
from hushrank.rankings.coding import inverse, rank_type
from hushrank.rankings.competition import competition_ranks, row_words, unranked
from hushrank.rankings.people import (
    Places,
    complete_places,
    each_person,
    people_of_slice,
    places_of,
    row_of_person,
)
from hushrank.rankings.reading import Reading, Unranked

MOST_PEOPLE = 2**62  # their sums stay below 2^63, however they are rounded
FROM_KEYS = "Rankings.from_keys takes ranks from 1, of any type of number"


@dataclass(frozen=True, eq=False, repr=False)
class Rankings:
    """What people said of m items, best first, one row a distinct or a single person.

    ranks[row, item] = how many ranked items the row puts strictly before this one: 0 = best, tied
    items share a rank, an item that is not ranked holds the largest value of the type. Row r stands
    for multiplicities[r] people (1 where None). `unranked` says what leaving an item out means,
    `reading` how a file was read, and `by_share` whether ballots chose the items, by how many
    people rank them: also of what is made of these. A sequence of each person's item names, best
    first; a slice is some of the people. Immutable; neither `repr` nor an error shows a row.
    Raises HushrankError when a row is not of that form, or when names are missing or repeated.
    """

    ranks: Ranks
    names: tuple[str, ...]
    multiplicities: Counts | None = field(default=None)
    unranked: Unranked = "last"
    reading: Reading | None = None
    by_share: bool = False

    def __post_init__(self) -> None:
        """Check the form and freeze the arrays, column-major."""
        expect(self.ranks, np.ndarray, "ranks", "hushrank.read_rankings")
        require(not is_masked(self.ranks), f"expected ranks without a mask; {FROM_KEYS}")
        require(self.ranks.ndim == 2, "expected ranks of shape (people, items)")
        n_rows, n_items = self.ranks.shape
        require(n_rows >= 1, "expected at least 1 person, got 0")
        require(n_items >= 1, "expected at least 1 item, got 0")
        require(len(self.names) == n_items, f"expected {n_items} names, got {len(self.names)}")
        require(len(set(self.names)) == n_items, "expected distinct item names, some are repeated")
        ranks = np.array(self.ranks, dtype=self.ranks.dtype, order="F")
        other = f"expected ranks of type {rank_type(n_items)}, got {ranks.dtype}; {FROM_KEYS}"
        require(ranks.dtype == rank_type(n_items), other)
        is_ranked = ranks != unranked(ranks)
        canonical = np.array_equal(competition_ranks(ranks, is_ranked), ranks)
        begin = " (they begin at 1)" if ranks.min() == 1 else ""
        better = "expected each rank to be the number of items ranked strictly better, 0 = best"
        require(canonical, f"{better}{begin}; {FROM_KEYS}")
        ranks.setflags(write=False)
        object.__setattr__(self, "ranks", ranks)
        if self.multiplicities is not None:
            self._freeze_multiplicities(self.multiplicities)

    def _freeze_multiplicities(self, given: Counts) -> None:
        is_whole = not is_masked(given) and np.asarray(given).dtype.kind in "iu"
        require(is_whole, "expected whole multiplicities, without a mask")
        multiplicities = np.array(given, dtype=np.int64)
        require(multiplicities.shape == (self.n_rows,), "expected one multiplicity for each row")
        require((multiplicities >= 1).all(), "expected multiplicities of at least 1")
        few = multiplicities.sum(dtype=np.float64) <= MOST_PEOPLE
        require(few, "expected at most 2^62 people in all")
        multiplicities.setflags(write=False)
        object.__setattr__(self, "multiplicities", multiplicities)

    @classmethod
    def from_orders(
        cls,
        orders: Orders,
        names: Sequence[str] | None = None,
        multiplicities: Counts | None = None,
    ) -> "Rankings":
        """Take complete strict orders (people, items) of the items 0..m-1, best first."""
        expect(orders, np.ndarray, "orders", "hushrank.read_rankings")
        require(not is_masked(orders), f"expected orders without a mask; {FROM_KEYS}")
        require(orders.dtype.kind in "iu", "expected orders of item numbers")
        require(orders.ndim == 2, "expected orders of shape (people, items)")
        n_items = orders.shape[1]
        in_range = orders.size == 0 or (orders.min() >= 0 and orders.max() < n_items)
        require(in_range, f"expected items 0..{n_items - 1} in the orders")
        numbered = [str(item + 1) for item in range(n_items)]
        ranks = inverse(orders.astype(rank_type(n_items)))
        repeated = (np.sort(orders, axis=1) != np.arange(n_items)).any()
        require(not repeated, "expected each item exactly once in every order")
        return cls(ranks, tuple(numbered if names is None else names), multiplicities)

    @classmethod
    def from_keys(
        cls,
        keys: ArrayLike,
        names: Sequence[str],
        multiplicities: Counts | None = None,
        *,
        unranked: Unranked = "last",
    ) -> "Rankings":
        """Rank the items (people, items) by ascending key; equal keys tie.

        nan, and what a masked array hides, = not ranked.
        """
        numbers = np.ma.filled(numbers_of(keys), np.nan)
        require(numbers.ndim == 2, "expected keys of shape (people, items)")
        ranks = competition_ranks(numbers, ~np.isnan(numbers))
        return cls(ranks, tuple(names), multiplicities, unranked)

    def __repr__(self) -> str:
        """Say the size and the form, nothing of the content."""
        ties = "strict" if self.is_strict else "with ties"
        extent = "complete" if self.is_complete else "incomplete"
        return f"Rankings({self.n_people} people, {self.n_items} items, {ties}, {extent})"

    def __len__(self) -> int:
        """Count the people."""
        return self.n_people

    def __iter__(self) -> Iterator[Places]:
        """Go through the people: each one's item names, best first; ties are sets of names."""
        if self.is_complete and self.is_strict:
            return each_person(complete_places(self.ranks, self.names), self.people_of_rows)
        rows = (self._places(row) for row in range(self.n_rows))
        return each_person(rows, self.people_of_rows)

    @overload
    def __getitem__(self, wanted: int) -> Places: ...
    @overload
    def __getitem__(self, wanted: slice) -> "Rankings": ...
    def __getitem__(self, wanted: int | slice) -> "Places | Rankings":
        """Return one person's item names, best first, or the people of a slice."""
        if not isinstance(wanted, slice):
            return self._places(row_of_person(index(wanted), self.n_rows, self.multiplicities))
        rows, people = people_of_slice(wanted, self.n_rows, self.multiplicities)
        require(rows.size, "expected a slice with at least 1 person")
        kept = None if self.multiplicities is None else people
        return self._of(self.ranks[rows], self.names, kept)

    def head(self, people: int = 5) -> "Rankings":
        """Return the first people; `head().to_frame()` shows them."""
        require(index(people) >= 1, f"people: expected at least 1, got {people}")
        return self[:people]

    def to_frame(self) -> Any:
        """Return ranks, 1 = best, empty = unranked: a column an item, weights where rows have them.

        A pandas DataFrame where pandas is installed, else a `pyarrow.Table`, else polars';
        `polars.DataFrame(rankings)` works too. Privacy: these are raw rankings.
        """
        from hushrank.rankings.rank_columns import rank_columns

        return to_frame(rank_columns(self))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Hand `to_frame`'s columns to any library of data frames."""
        from hushrank.rankings.rank_columns import arrow_ranks

        return arrow_ranks(self).__arrow_c_stream__(requested_schema)

    def _places(self, row: int) -> Places:
        return places_of(self.ranks[row], self.is_ranked[row], self.names)

    def __eq__(self, other: object) -> bool:
        """Compare content, row by row."""
        return (
            isinstance(other, Rankings)
            and self.names == other.names
            and np.array_equal(self.ranks, other.ranks)
            and np.array_equal(self.people_of_rows, other.people_of_rows)
        )

    __hash__ = None  # type: ignore[assignment]  # equal by content, too large to hash

    @property
    def n_rows(self) -> int:
        """How many rows are held; a row may stand for several people."""
        return len(self.ranks)

    @property
    def n_items(self) -> int:
        """How many items there are, ranked or not."""
        return len(self.names)

    @property
    def n_people(self) -> int:
        """How many people the rows stand for."""
        return int(self.people_of_rows.sum())

    @property
    def people_of_rows(self) -> Counts:
        """How many people each row (rows,) stands for."""
        if self.multiplicities is None:
            return np.ones(self.n_rows, dtype=np.int64)
        return self.multiplicities

    @cached_property
    def is_ranked(self) -> NDArray[np.bool_]:
        """Which items (rows, items) a row ranks."""
        is_ranked: NDArray[np.bool_] = self.ranks != unranked(self.ranks)
        return is_ranked

    @cached_property
    def is_complete(self) -> bool:
        """Whether every row ranks every item."""
        return bool(self.is_ranked.all())

    @cached_property
    def is_tied(self) -> NDArray[np.bool_]:
        """Which rows (rows,) tie two items.

        Without ties a row that ranks r items holds the ranks 0..r-1, whose sum no tie reaches.
        """
        ranked_items = self.is_ranked.sum(axis=1, dtype=np.int64)
        rank_sums = np.where(self.is_ranked, self.ranks, 0).sum(axis=1, dtype=np.int64)
        is_tied: NDArray[np.bool_] = rank_sums != ranked_items * (ranked_items - 1) // 2
        return is_tied

    @cached_property
    def is_strict(self) -> bool:
        """Whether no row ties two items."""
        return not self.is_tied.any()

    def orders(self) -> Orders:
        """Return the item at each place (rows, items), best first; complete strict rows only."""
        self.require_complete_strict("orders")
        return inverse(self.ranks)

    def require_complete_strict(self, purpose: str) -> None:
        """Raise HushrankError unless every row ranks every item without ties."""
        require(self.is_complete, f"{purpose}: expected complete rankings, some items are unranked")
        require(self.is_strict, f"{purpose}: expected strict rankings, some items are tied")

    def restrict(self, items: Sequence[int]) -> "Rankings":
        """Keep these items, in this order of columns; they keep their relative order."""
        in_range = all(0 <= item < self.n_items for item in items)
        require(in_range, f"expected items 0..{self.n_items - 1} to keep")
        columns = np.array(items, dtype=np.intp)
        kept = competition_ranks(self.ranks[:, columns], self.is_ranked[:, columns])
        return self._of(kept, tuple(self.names[item] for item in items), self.multiplicities)

    def of_items(self, names: Sequence[str]) -> "Rankings":
        """Return how these items are ranked, in this order of columns: new ones by nobody."""
        place = {name: item for item, name in enumerate(self.names)}
        columns = np.array([place.get(name, 0) for name in names], dtype=np.intp)
        is_known = np.array([name in place for name in names])
        kept = competition_ranks(self.ranks[:, columns], self.is_ranked[:, columns] & is_known)
        return self._of(kept, tuple(names), self.multiplicities)

    def select(self, rows: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> "Rankings":
        """Keep these rows, by number or by mask."""
        multiplicities = None if self.multiplicities is None else self.multiplicities[rows]
        return self._of(self.ranks[rows], self.names, multiplicities)

    def expanded(self) -> "Rankings":
        """Return the same people with one row each."""
        if self.multiplicities is None:
            return self
        return self._of(np.repeat(self.ranks, self.multiplicities, axis=0), self.names)

    def counted(self) -> "Rankings":
        """Return the same people with one row for each distinct ranking, in sorted order."""
        words = row_words(self.ranks)
        order = np.lexsort(words.T[::-1])
        differs = (words[order[1:]] != words[order[:-1]]).any(axis=1)
        firsts = np.flatnonzero(np.concatenate([[True], differs]))
        people = np.add.reduceat(self.people_of_rows[order], firsts)
        return self._of(self.ranks[order[firsts]], self.names, people)

    def read_as(self, reading: Reading) -> "Rankings":
        """Return the same ballots with how they were read."""
        found = copy(self)  # of arrays that are checked and frozen already
        object.__setattr__(found, "unranked", reading.unranked)
        object.__setattr__(found, "reading", reading)
        object.__setattr__(found, "by_share", reading.by_share)
        return found

    def _of(
        self, ranks: Ranks, names: tuple[str, ...], multiplicities: Counts | None = None
    ) -> "Rankings":
        """Return ballots that mean the same by what they leave out; they were not read so."""
        return replace(self, ranks=ranks, names=names, multiplicities=multiplicities, reading=None)


def numbers_of(keys: ArrayLike) -> Any:
    """Return a masked array of floats; raise HushrankError, which shows none, for other things.

    numpy's own error would show the first text that is no number; it is not even the context.
    """
    numbers: Any = None
    with suppress(TypeError, ValueError, OverflowError):
        kind = np.asarray(keys).dtype.kind
        numbers = np.ma.asarray(keys, dtype=np.float64) if kind not in "mMc" else None
    require(numbers is not None, "expected numbers of shape (people, items), some are not")
    are_floats = kind == "f" and hasattr(keys, "__array__")  # in a list whole numbers become some
    is_large = np.isfinite(numbers) & (np.abs(numbers) >= 2**53)
    are_exact = are_floats or not np.ma.filled(is_large, fill_value=False).any()
    require(are_exact, "expected whole numbers below 2^53: larger ones would be rounded, and tie")
    return numbers

"""What users did with items: the one type that holds scores of users and items."""

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.activities.identifiers import require_identifiers, require_users
from hushrank.activities.reading import ActivityReading
from hushrank.errors import require

Scores: TypeAlias = "csr_array[np.float64, tuple[int, int]]"
"""(users, items): what each user did with each item; absent = nothing."""


@dataclass(frozen=True, eq=False, repr=False)
class Activity:
    """Ratings, counts or 0/1: scores[user, item] (users, items) > 0, absent where nothing was done.

    Takes any matrix of finite scores >= 0 and holds it in one form: rows sorted by item, no pair
    twice, no zero, float64, immutable. Users and items without any score are allowed. `reading`
    says how a file was read.
    Privacy: raw data of people; neither `repr` nor an error shows an identifier or a score.
    Raises HushrankError for other scores, and for identifiers that are missing or repeated.
    """

    scores: Scores
    users: tuple[str, ...]
    items: tuple[str, ...]
    reading: ActivityReading | None = None

    def __post_init__(self) -> None:
        """Check the form, bring the scores into the one form and freeze them."""
        require(isinstance(self.scores, csr_array), "expected scores as a scipy csr_array")
        users, items = tuple(self.users), tuple(self.items)
        require(users, "expected at least 1 user, got 0")
        require(items, "expected at least 1 item, got 0")
        require_users(users)
        require_identifiers(items, "items")
        shape = (len(users), len(items))
        require(self.scores.shape == shape, f"expected scores {shape}, got {self.scores.shape}")
        object.__setattr__(self, "users", users)
        object.__setattr__(self, "items", items)
        object.__setattr__(self, "scores", _canonical(self.scores))

    def __repr__(self) -> str:
        """Say the size, nothing of the content."""
        return f"Activity({self.n_users} users, {self.n_items} items, {self.n_records} records)"

    def __eq__(self, other: object) -> bool:
        """Compare content: users and items in this order, and their scores."""
        return (
            isinstance(other, Activity)
            and self.users == other.users
            and self.items == other.items
            and np.array_equal(self.scores.indptr, other.scores.indptr)
            and np.array_equal(self.scores.indices, other.scores.indices)
            and np.array_equal(self.scores.data, other.scores.data)
        )

    __hash__ = None  # type: ignore[assignment]  # equal by content, too large to hash

    @property
    def n_users(self) -> int:
        """How many users there are, active or not."""
        return len(self.users)

    @property
    def n_items(self) -> int:
        """How many items there are, used or not."""
        return len(self.items)

    @property
    def n_records(self) -> int:
        """How many pairs of a user and an item have a score."""
        return int(self.scores.nnz)

    @cached_property
    def binary(self) -> bool:
        """Whether every score is 1."""
        return bool((self.scores.data == 1).all())

    @cached_property
    def records_of_users(self) -> NDArray[np.int64]:
        """How many items each user (users,) has a score of."""
        return np.diff(self.scores.indptr).astype(np.int64)

    @cached_property
    def records_of_items(self) -> NDArray[np.int64]:
        """How many users each item (items,) has a score of."""
        return np.bincount(self.scores.indices, minlength=self.n_items).astype(np.int64)

    def select(self, users: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> "Activity":
        """Keep these users, by number or by mask; all items stay."""
        rows = row_numbers(users, self.n_users)
        return Activity(self.scores[rows], tuple(self.users[row] for row in rows), self.items)

    def with_scores(self, scores: Scores) -> "Activity":
        """Return other scores (users, items) of the same users and items."""
        return Activity(scores, self.users, self.items)

    def read_as(self, reading: ActivityReading) -> "Activity":
        """Return the same scores with how they were read."""
        found = copy(self)  # of a matrix that is checked and frozen already
        object.__setattr__(found, "reading", reading)
        return found

    def aligned(self, users: Sequence[str], items: Sequence[str]) -> "Activity":
        """Return the scores of these users and items, in this order.

        Users and items that are not here have no scores; those that are not asked for are left out.
        """
        records = self.scores.tocoo()
        rows = _positions(self.users, users)[records.row]
        columns = _positions(self.items, items)[records.col]
        kept = (rows >= 0) & (columns >= 0)
        cells = records.data[kept], (rows[kept], columns[kept])
        scores = csr_array(cells, shape=(len(users), len(items)))
        return Activity(scores, tuple(users), tuple(items))

    def require_active(self) -> None:
        """Raise HushrankError unless every user and every item has a score."""
        idle = int((self.records_of_users == 0).sum())
        require(idle == 0, f"expected activity of every user, got none of {idle} users")
        unused = int((self.records_of_items == 0).sum())
        require(unused == 0, f"expected activity on every item, got none on {unused} items")


def row_numbers(
    rows: NDArray[np.integer[Any]] | NDArray[np.bool_], n_rows: int
) -> NDArray[np.intp]:
    """Return rows given by number or by mask as numbers; raise HushrankError when out of range."""
    chosen = np.asarray(rows)
    if chosen.dtype == np.bool_:
        require(chosen.shape == (n_rows,), f"expected a mask of {n_rows} rows")
        return np.flatnonzero(chosen)
    is_list = chosen.ndim == 1 and (chosen.size == 0 or np.issubdtype(chosen.dtype, np.integer))
    require(is_list, "expected rows by number or by mask")
    in_range = chosen.size == 0 or (chosen.min() >= 0 and chosen.max() < n_rows)
    require(in_range, f"expected rows 0..{n_rows - 1}")
    return chosen.astype(np.intp)


def record_keys(records: Scores) -> list[bytes]:
    """Return what tells records (users, items) apart, one a user: the same for equal ones."""
    indices = records.indices.astype(np.int64)  # as wide, however many there are
    bounds = pairwise(records.indptr.tolist())
    return [indices[a:b].tobytes() + records.data[a:b].tobytes() for a, b in bounds]


def _positions(names: Sequence[str], among: Sequence[str]) -> NDArray[np.intp]:
    """Return where each of `names` stands in `among` (names,), -1 where it does not."""
    position = {name: number for number, name in enumerate(among)}
    return np.array([position.get(name, -1) for name in names], dtype=np.intp)


def _canonical(given: Any) -> Scores:
    """Return a frozen copy: sorted, no repetitions, no zeros, 32-bit indices where they suffice."""
    is_real = given.dtype.kind in "biuf"
    require(is_real, f"expected scores that are numbers, got type {given.dtype}")
    copy = csr_array(given, dtype=np.float64, copy=True)
    in_range = copy.nnz == 0 or (copy.indices.min() >= 0 and copy.indices.max() < copy.shape[1])
    require(in_range, f"expected items 0..{copy.shape[1] - 1} in the scores")
    require((copy.data >= 0).all(), "expected scores of at least 0, some are negative or nan")
    copy.sum_duplicates()
    copy.eliminate_zeros()
    require(np.isfinite(copy.data).all(), "expected finite scores")
    kind = np.int32 if max(copy.nnz, *copy.shape) < 2**31 else np.int64
    places: Any = copy.indices.astype(kind), copy.indptr.astype(kind)
    scores: Scores = csr_array((copy.data, *places), shape=copy.shape)
    for part in (scores.data, scores.indices, scores.indptr):
        part.setflags(write=False)
    return scores

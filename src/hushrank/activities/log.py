"""What users did, one record an activity: the form in which order and repetition still count."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity, row_numbers
from hushrank.activities.identifiers import require_identifiers, require_users
from hushrank.arrays import is_masked
from hushrank.errors import require

Duplicates: TypeAlias = Literal["sum", "last", "max", "refused"]


@dataclass(frozen=True, eq=False, repr=False)
class ActivityLog:
    """Records (records,): the numbers of a user and an item, a score, and perhaps a time.

    Scores are finite and at least 0, times finite numbers on any scale; the order of the records is
    kept, and a pair may occur again. Immutable.
    Privacy: raw data of people; neither `repr` nor an error shows an identifier or a record.
    Raises HushrankError when lengths differ, a number is out of range, or an identifier repeats.
    """

    user_codes: NDArray[np.int32]
    item_codes: NDArray[np.int32]
    scores: NDArray[np.float64]
    users: tuple[str, ...]
    items: tuple[str, ...]
    times: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        """Check the records and freeze them."""
        require(self.users and self.items, "expected at least 1 user and 1 item")
        require_users(self.users)
        require_identifiers(self.items, "items")
        self._freeze("user_codes", self.user_codes, np.int32)
        self._freeze("item_codes", self.item_codes, np.int32)
        self._freeze("scores", self.scores, np.float64)
        if self.times is not None:
            self._freeze("times", self.times, np.float64)
            require(np.isfinite(self.times).all(), "expected finite times")
        require((self.scores >= 0).all(), "expected scores of at least 0, some are negative or nan")
        require(np.isfinite(self.scores).all(), "expected finite scores")
        require(_is_below(self.user_codes, self.n_users), f"expected users 0..{self.n_users - 1}")
        require(_is_below(self.item_codes, self.n_items), f"expected items 0..{self.n_items - 1}")

    def _freeze(self, name: str, given: NDArray[Any], kind: type[np.number[Any]]) -> None:
        require(not is_masked(given), f"expected {name} without a mask")
        values = np.asarray(given)
        require(np.can_cast(values.dtype, kind, "same_kind"), f"expected {name} that are numbers")
        require(values.shape == (len(self.user_codes),), f"expected one entry of {name} a record")
        is_small = values.size == 0 or (values.min() >= -(2**31) and values.max() < 2**31)
        require(is_small or kind is not np.int32, f"expected {name} below 2^31")
        frozen = values.astype(kind)
        frozen.setflags(write=False)
        object.__setattr__(self, name, frozen)

    def __repr__(self) -> str:
        """Say the size, nothing of the content."""
        times = "without times" if self.times is None else "with times"
        size = f"{self.n_users} users, {self.n_items} items, {self.n_records} records"
        return f"ActivityLog({size}, {times})"

    def __eq__(self, other: object) -> bool:
        """Compare content, record by record."""
        return (
            isinstance(other, ActivityLog)
            and (self.users, self.items) == (other.users, other.items)
            and np.array_equal(self.user_codes, other.user_codes)
            and np.array_equal(self.item_codes, other.item_codes)
            and np.array_equal(self.scores, other.scores)
            and _same_times(self.times, other.times)
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
        """How many activities were recorded."""
        return len(self.user_codes)

    def select(self, records: NDArray[np.integer[Any]] | NDArray[np.bool_]) -> "ActivityLog":
        """Keep these records, by number or by mask, in this order; all users and items stay."""
        rows = row_numbers(records, self.n_records)
        times = None if self.times is None else self.times[rows]
        columns = self.user_codes[rows], self.item_codes[rows], self.scores[rows]
        return ActivityLog(*columns, self.users, self.items, times)

    def in_time_order(self) -> "ActivityLog":
        """Sort by time, records of one time in the order they have; unchanged without times."""
        if self.times is None:
            return self
        return self.select(np.argsort(self.times, kind="stable"))

    def repeats(self) -> NDArray[np.bool_]:
        """Tell which records (records,) are of a user and an item that an earlier record has."""
        repeats = np.ones(self.n_records, dtype=np.bool_)
        repeats[np.unique(self._cells(), return_index=True)[1]] = False
        return repeats

    def activity(self, duplicates: Duplicates = "sum") -> Activity:
        """Return one score for each pair, whose records are merged by this rule.

        `sum` adds them up, `max` takes the largest, `last` that of the latest time, of the last
        record where there are no times or equal ones. A score of 0 then counts as no activity.
        Raises HushrankError where the rule is `refused` and a pair has several records.
        """
        known = get_args(Duplicates)
        require(duplicates in known, f"expected duplicates to be one of {', '.join(known)}")
        log = self.in_time_order() if duplicates == "last" else self
        cells = log._cells()
        order = np.argsort(cells, kind="stable")
        firsts = np.flatnonzero(np.diff(cells[order], prepend=-1))
        refused = duplicates == "refused" and len(firsts) < self.n_records
        require(not refused, "expected one record at most of each user and item")
        scores = _merged(log.scores[order], firsts, duplicates)
        rows, columns = np.divmod(cells[order[firsts]], self.n_items)
        shape = (self.n_users, self.n_items)
        return Activity(csr_array((scores, (rows, columns)), shape=shape), self.users, self.items)

    def _cells(self) -> NDArray[np.int64]:
        return self.user_codes * np.int64(self.n_items) + self.item_codes


def _same_times(times: NDArray[np.float64] | None, others: NDArray[np.float64] | None) -> bool:
    if times is None or others is None:
        return times is others
    return np.array_equal(times, others)


def _is_below(codes: NDArray[np.int32], bound: int) -> bool:
    return codes.size == 0 or bool(codes.min() >= 0 and codes.max() < bound)


def _merged(
    scores: NDArray[np.float64], firsts: NDArray[np.intp], duplicates: Duplicates
) -> NDArray[np.float64]:
    """Merge the sorted scores (records,) of each pair, which begins at one of `firsts` (pairs,)."""
    merged = scores
    if duplicates == "max" and firsts.size:
        merged = np.maximum.reduceat(scores, firsts)
    elif duplicates == "sum" and firsts.size:
        with np.errstate(over="ignore"):  # an infinite sum is refused by `Activity`
            merged = np.add.reduceat(scores, firsts)
    elif firsts.size:
        merged = scores[np.append(firsts[1:], len(scores)) - 1]
    return merged

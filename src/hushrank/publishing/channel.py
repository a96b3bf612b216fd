"""A channel between groups whose draws have exactly the probabilities that it states."""

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushrank.arrays import Categories, Counts, Shares, Words
from hushrank.errors import require
from hushrank.randomness import Randomness

WORDS = 2**64
ROUNDING = 1e-12
"""How far the sum of a row may be from 1."""


@dataclass(frozen=True, eq=False, repr=False)
class Channel:
    """P(released group | true group): rows (groups, groups) that sum to 1.

    Each probability is rounded down to a whole number of 2^64 words; the largest of its row takes
    what remains. So a draw differs from `probabilities` by 2^-64 a group, and by what the row's
    sum is off, never releases a group of probability 0, and `words` states its law exactly.
    Privacy: as much as the probabilities give; the channel is not differential privacy by itself.
    Raises HushrankError when the rows are not probabilities.
    """

    probabilities: Shares

    def __post_init__(self) -> None:
        """Check the rows."""
        rows = self.probabilities
        square = rows.ndim == 2 and rows.shape[0] == rows.shape[1] >= 1
        require(square, f"expected a square channel, got shape {rows.shape}")
        require((rows >= 0).all(), "expected probabilities of at least 0")
        sums = np.abs(rows.sum(axis=1) - 1).max()
        require(sums <= ROUNDING, f"expected rows that sum to 1, got one off by {sums:.2g}")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Shares:
        """Return the probabilities, so that a channel serves where an array is wanted."""
        return np.array(self.probabilities, dtype=dtype, copy=copy)

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return len(self.probabilities)

    def words(self) -> Counts:
        """Return 2^64 P(released | true), exactly: (groups, groups) Python integers."""
        words = np.zeros(self.probabilities.shape, dtype=object)
        for group, (released, ends) in enumerate(self._tables):
            words[group, released] = np.diff([0, *map(int, ends), WORDS])
        return words

    def draw(self, groups: ArrayLike, *, rng: Randomness) -> Categories:
        """Draw the group to release for each of `groups` (users,), 0-based.

        One word a user, whatever the group.
        Raises HushrankError, before anything is drawn, when a group is unknown.
        """
        true = _checked_groups(groups, self.n_groups)
        words = rng.words(true.size)
        released = np.empty(true.size, dtype=np.intp)
        order = np.argsort(true, kind="stable")
        for members in np.split(order, np.flatnonzero(np.diff(true[order])) + 1):
            if members.size:
                names, ends = self._tables[int(true[members[0]])]
                released[members] = names[np.searchsorted(ends, words[members], side="right")]
        return released

    @cached_property
    def _tables(self) -> list[tuple[Categories, Words]]:
        return [_table(row) for row in self.probabilities]


def _table(row: Shares) -> tuple[Categories, Words]:
    """Return the groups that may be released and where the words of all but the last end."""
    names = np.flatnonzero(row > 0)
    counts = [int(share * WORDS) for share in row[names].tolist()]
    largest = int(np.argmax(row[names]))
    counts[largest] = 0
    counts[largest] = WORDS - sum(counts)
    names, kept = _without_zeros(names, counts)
    ends = np.array(list(accumulate(kept[:-1])), dtype=np.uint64)
    return names, ends


def _without_zeros(names: Categories, counts: list[int]) -> tuple[Categories, list[int]]:
    """Drop the groups whose probability is below 2^-64."""
    held = np.array([count > 0 for count in counts])
    return names[held], [count for count in counts if count > 0]


def _checked_groups(groups: ArrayLike, n_groups: int) -> NDArray[np.int64]:
    numbers = np.asarray(groups)
    whole = numbers.ndim == 1 and (numbers.size == 0 or np.issubdtype(numbers.dtype, np.integer))
    require(whole, f"expected groups (users,) as whole numbers, got shape {numbers.shape}")
    known = numbers.size == 0 or (int(numbers.min()) >= 0 and int(numbers.max()) < n_groups)
    require(known, f"expected groups of 0 to {n_groups - 1}")
    return numbers.astype(np.int64)

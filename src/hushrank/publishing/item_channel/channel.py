"""A channel between items: stay, or move through one of a few columns; exact in words.

Theory: docs/theory/item-channel.md
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from scipy.sparse import csr_array

from hushrank.arrays import Indices, Integers32, Shares, WholeNumbers, Words
from hushrank.kernels import kernel

WORDS_AN_ACTIVITY = 2
"""How many random words each activity takes, whatever it is."""
LAST_WORD = np.uint64(2**64 - 1)


@dataclass(frozen=True, eq=False, repr=False)
class CompactChannel:
    """P(released | item) = stay [same item] + sum_c P(column c | item) P(released | column c).

    An activity takes two words. Item i moves to the first columns[a], a of
    starts[i]..starts[i + 1] - 1, whose bound is above the first word, and stays when none is. A
    column c releases the first of its goods, from good_starts[c] on, whose bound is above the
    second word, or else the last of them. So the law is these whole numbers of 2^64 words, exactly.
    Size: linear in the items.
    """

    starts: Integers32
    columns: Integers32
    bounds: Words
    good_starts: Integers32
    goods: Integers32
    good_bounds: Words

    def __repr__(self) -> str:
        """Say the size only."""
        return f"CompactChannel({self.n_items} items, {self.n_columns} columns)"

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return len(self.starts) - 1

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.good_starts) - 1

    @property
    def n_bytes(self) -> int:
        """How many bytes the arrays take."""
        return sum(getattr(self, field.name).nbytes for field in fields(self))

    def move_shares(self) -> Shares:
        """Return P(column | item) of each entry of `columns`, from the words."""
        return widths(self.bounds, self.starts, False) * 2.0**-64

    def good_shares(self) -> Shares:
        """Return P(released | column) of each entry of `goods`, from the words."""
        return widths(self.good_bounds, self.good_starts, True) * 2.0**-64

    def moves(self) -> Shares:
        """Return P(the item moves) (items,); it may move to itself."""
        rows = rows_of(self.starts)
        moves = np.bincount(rows, weights=self.move_shares(), minlength=self.n_items)
        return moves.astype(np.float64)

    def matrix(self) -> Shares:
        """Return P(released | item) (items, items); rows sum to 1 up to rounding."""
        moves = np.zeros((self.n_items, self.n_columns))
        spreads = np.zeros((self.n_columns, self.n_items))
        np.add.at(moves, (rows_of(self.starts), self.columns), self.move_shares())
        np.add.at(spreads, (rows_of(self.good_starts), self.goods), self.good_shares())
        together: Shares = moves @ spreads + np.diag(1 - self.moves())
        return together

    def pushforward(self, table: Shares) -> Shares:
        """Return P(released, column) (items, columns) of a table P(item, column)."""
        shape = (self.n_items, self.n_columns)
        moves = csr_array((self.move_shares(), self.columns, self.starts), shape=shape)
        spreads = csr_array((self.good_shares(), self.goods, self.good_starts), shape=shape[::-1])
        arrived = np.asarray(spreads.T @ (moves.T @ table))
        return arrived + table * (1 - self.moves())[:, None]

    def release(self, items: Indices, words: Words) -> Indices:
        """Return one item for each of `items` (n,), by `words` (n, 2); items are not checked."""
        released = np.empty(len(items), dtype=np.intp)
        moves = (self.starts, self.columns, self.bounds)
        spreads = (self.good_starts, self.goods, self.good_bounds)
        release_into(items, words, moves, spreads, released)
        return released


def compact_channel(
    starts: WholeNumbers,
    columns: WholeNumbers,
    shares: Shares,
    spreads: Sequence[tuple[Indices, Shares]],
) -> CompactChannel:
    """Return the channel that moves with P(columns[a] | item) = shares[a], rounded down to words.

    Entries of item i are starts[i]..starts[i + 1] - 1; spreads[c]: what column c releases, and the
    positive shares of that, which sum to 1.
    """
    good_starts = np.cumsum([0, *(len(goods) for goods, _ in spreads)]).astype(np.int32)
    no_goods, no_shares = np.empty(0, dtype=np.intp), np.empty(0)
    goods = np.concatenate([no_goods, *(goods for goods, _ in spreads)]).astype(np.int32)
    good_shares = np.concatenate([no_shares, *(part for _, part in spreads)])
    narrow = starts.astype(np.int32)
    bounds, good_bounds = thresholds(shares, narrow), thresholds(good_shares, good_starts)
    return CompactChannel(narrow, columns.astype(np.int32), bounds, good_starts, goods, good_bounds)


def rows_of(starts: Integers32) -> Indices:
    """Return the row of each entry of a list whose row r begins at starts[r]."""
    return np.repeat(np.arange(len(starts) - 1), np.diff(starts))


@kernel
def thresholds(shares: Shares, starts: Integers32) -> Words:
    """Return 2^64 times the sums of the shares of each row up to each entry, rounded down."""
    bounds = np.empty(len(shares), np.uint64)
    for row in range(len(starts) - 1):
        total = 0.0
        for entry in range(starts[row], starts[row + 1]):
            total += shares[entry]
            bounds[entry] = LAST_WORD if total >= 1.0 else np.uint64(total * 2.0**64)
    return bounds


@kernel
def widths(bounds: Words, starts: Integers32, closed: bool) -> Shares:
    """Return how many words lead to each entry; when `closed`, the last of a row takes the rest."""
    counts = np.empty(len(bounds))
    for row in range(len(starts) - 1):
        below = np.uint64(0)
        for entry in range(starts[row], starts[row + 1]):
            if closed and entry == starts[row + 1] - 1:
                counts[entry] = float(LAST_WORD - below) + 1.0
            else:
                counts[entry] = float(bounds[entry] - below)
            below = bounds[entry]
    return counts


@kernel
def release_into(
    items: Indices,
    words: Words,
    moves: tuple[Integers32, Integers32, Words],
    spreads: tuple[Integers32, Integers32, Words],
    released: Indices,
) -> None:
    """Fill in what each activity releases."""
    starts, columns, bounds = moves
    good_starts, goods, good_bounds = spreads
    for nth in range(len(items)):
        item = items[nth]
        released[nth] = item
        for entry in range(starts[item], starts[item + 1]):
            if words[nth, 0] < bounds[entry]:
                column = columns[entry]
                first, last = good_starts[column], good_starts[column + 1] - 1
                place = np.searchsorted(good_bounds[first:last], words[nth, 1], side="right")
                released[nth] = goods[first + place]
                break

"""Rows of scores as levels, the form in which orders with many ties are compared."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, issparse

from hushrank.arrays import Counts, Floats
from hushrank.errors import require

ScoreRows: TypeAlias = NDArray[np.number[Any]] | csr_array
"""Scores (rows, items) of users or groups, dense or sparse: the higher, the better."""


@dataclass(frozen=True, eq=False, repr=False)
class RankedRows:
    """Of each row, which items have more than the least score, and in which order.

    Row r has items[starts[r] : starts[r + 1]] with levels 1, 2, .. by distinct score, ascending;
    all its other items have level 0. ties (rows,): how many pairs of items the row ties.
    Made once, it serves for any number of comparisons. Privacy: as raw as the scores.
    """

    starts: NDArray[np.int64]
    items: NDArray[np.int32]
    levels: NDArray[np.int32]
    ties: Counts
    n_items: int

    def __repr__(self) -> str:
        """Say the size, nothing of the content."""
        return f"RankedRows({self.n_rows} rows, {self.n_items} items)"

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.starts) - 1

    @property
    def n_pairs(self) -> float:
        """How many pairs of items there are."""
        return self.n_items * (self.n_items - 1) / 2

    @cached_property
    def is_binary(self) -> bool:
        """Whether every row has two levels at most."""
        return bool((self.levels <= 1).all())

    @classmethod
    def of(cls, scores: ScoreRows) -> "RankedRows":
        """Rank scores (rows, items), dense, or sparse with scores >= 0 where absent means 0.

        Cost: one sort of all cells above level 0.
        Raises HushrankError unless scores are finite numbers of 2 or more items.
        """
        shape = _checked_shape(scores)
        cells = _cells_of_sparse(scores) if issparse(scores) else _cells_of_dense(scores)
        rows, items, values = cells
        order = np.lexsort((values, rows))
        rows, items, values = rows[order], items[order], values[order]
        starts = np.searchsorted(rows, np.arange(shape[0] + 1)).astype(np.int64)
        levels, ties = _levels(rows, values, starts, shape[1])
        return cls(starts, items.astype(np.int32), levels.astype(np.int32), ties, shape[1])


def _checked_shape(scores: ScoreRows) -> tuple[int, int]:
    is_table = scores.ndim == 2 and scores.dtype.kind in "biuf"
    require(is_table, "expected scores (rows, items) that are numbers")
    n_rows, n_items = (int(length) for length in scores.shape)
    require(n_rows >= 1, "expected scores of 1 or more rows, got 0")
    require(2 <= n_items < 2**31, f"expected scores of 2 or more items, got {n_items}")
    return n_rows, n_items


def _cells_of_sparse(scores: Any) -> tuple[Counts, Counts, Floats]:
    """Return rows, items and scores of the cells that are not 0."""
    cells = csr_array(scores, copy=True)
    cells.sum_duplicates()
    cells.eliminate_zeros()
    fine = bool(np.isfinite(cells.data).all() and (cells.data >= 0).all())
    require(fine, "expected finite scores of at least 0 in a sparse array")
    rows = np.repeat(np.arange(cells.shape[0]), np.diff(cells.indptr))
    return rows.astype(np.int64), cells.indices.astype(np.int64), cells.data.astype(np.float64)


def _cells_of_dense(scores: Any) -> tuple[Counts, Counts, Floats]:
    """Return rows, items and scores of the cells that are above the least of their row."""
    table = np.asarray(scores, dtype=np.float64)
    require(bool(np.isfinite(table).all()), "expected finite scores")
    rows, items = np.nonzero(table > table.min(axis=1, keepdims=True))
    return rows.astype(np.int64), items.astype(np.int64), table[rows, items]


def _levels(rows: Counts, values: Floats, starts: Counts, n_items: int) -> tuple[Counts, Counts]:
    """Return the level of each cell and the pairs that each row ties, given cells in order."""
    is_new = np.ones(len(rows), dtype=bool)
    is_new[1:] = (rows[1:] != rows[:-1]) | (values[1:] != values[:-1])
    runs = np.cumsum(is_new) - 1
    runs_before = np.append(runs, 0)[starts[:-1]]  # a row without cells has no level to number
    sizes = np.bincount(runs)
    ties = np.bincount(rows[is_new], sizes * (sizes - 1) / 2, minlength=len(starts) - 1)
    n_least = n_items - np.diff(starts)
    whole: Counts = ties.astype(np.int64) + n_least * (n_least - 1) // 2
    return runs - runs_before[rows] + 1, whole

"""Kendall's tau distance between rows of scores with ties: exact, and sampled as printed."""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.arrays import Counts, Floats, WholeNumbers
from hushrank.errors import require
from hushrank.publishing.distances.pair_counts import count_pairs
from hushrank.publishing.distances.ranked_rows import RankedRows, ScoreRows

Ties: TypeAlias = Literal["half", "ignored"]
"""Whether a pair that is tied in one of two vectors costs 1/2, or nothing, as printed."""

PAIRS_AT_ONCE, ROWS_AT_ONCE = 2**14, 256


def kendall_distances(scores: ScoreRows | RankedRows, *, ties: Ties = "half") -> Floats:
    """Return the normalised Kendall tau distances between all rows, (rows, rows) in [0, 1].

        (pairs of items ordered oppositely + cost of ties) / (n (n - 1) / 2)

    With "half" a pair that one row ties and the other does not costs 1/2: a metric of orders with
    ties. With "ignored", as printed, it costs nothing, so that a row without order is near to all.
    Exact up to one rounding.   Cost: per pair of rows, O(non-zeros), times a root of the levels.
    Source: Yang, Qu, Cudré-Mauroux (TKDE 2019), eq. 13; Fagin et al. (SIAM J. Disc. Math. 2006).
    """
    ranked = _ranked(scores, ties)
    if ranked.is_binary:
        starts = range(0, ranked.n_rows, ROWS_AT_ONCE)
        rows = (np.arange(start, min(start + ROWS_AT_ONCE, ranked.n_rows)) for start in starts)
        return np.concatenate([_of_sets(ranked, block, ties) for block in rows])
    distances = np.zeros((ranked.n_rows, ranked.n_rows))
    for row in range(ranked.n_rows - 1):
        others = np.arange(row + 1, ranked.n_rows)
        distances[row, others] = _of_pairs(ranked, np.full_like(others, row), others, ties)
    distances += distances.T
    return distances


def kendall_distances_from(
    scores: ScoreRows | RankedRows, rows: WholeNumbers, *, ties: Ties = "half"
) -> Floats:
    """Return the `kendall_distances` (chosen rows, rows) of some rows, by number, to all rows."""
    ranked = _ranked(scores, ties)
    chosen = _row_numbers(rows, ranked.n_rows)
    if ranked.is_binary:
        return _of_sets(ranked, chosen, ties)
    first, second = np.repeat(chosen, ranked.n_rows), np.tile(np.arange(ranked.n_rows), len(chosen))
    return _of_pairs(ranked, first, second, ties).reshape(len(chosen), ranked.n_rows)


def kendall_distances_of_pairs(
    scores: ScoreRows | RankedRows,
    first: WholeNumbers,
    second: WholeNumbers,
    *,
    ties: Ties = "half",
) -> Floats:
    """Return the `kendall_distances` (pairs,) of pairs of rows, given by number.

    Fastest where equal numbers of `first` stand together.
    Raises HushrankError when a row is unknown.
    """
    ranked = _ranked(scores, ties)
    rows = [_row_numbers(numbers, ranked.n_rows) for numbers in (first, second)]
    require(rows[0].shape == rows[1].shape, "expected as many first rows as second ones")
    return _of_pairs(ranked, rows[0], rows[1], ties)


def sampled_kendall_distances(
    scores: NDArray[np.number[Any]], item_pairs: WholeNumbers, *, ties: Ties = "half"
) -> Floats:
    """Return `kendall_distances` (rows, rows) over given pairs of items only, (pairs, 2).

    Standard error: sqrt(distance (1 - distance) / pairs); distances are often no larger.
    Source: Yang, Qu, Cudré-Mauroux (TKDE 2019), eq. 14. Differs from the source: a pair counts
    whichever of the two items comes first in the first row, so that the mean is eq. 13's.
    """
    _require_ties(ties)
    pairs = np.asarray(item_pairs)
    table = np.asarray(scores)
    require(table.ndim == 2 and bool(np.isfinite(table).all()), "expected finite scores")
    shaped = pairs.ndim == 2 and pairs.shape[1] == 2 and len(pairs) >= 1
    require(shaped, f"expected 1 or more pairs of items, got shape {pairs.shape}")
    known = pairs.dtype.kind in "iu" and pairs.min() >= 0 and pairs.max() < table.shape[1]
    require(known, f"expected pairs of items 0..{table.shape[1] - 1}")
    starts = range(0, len(pairs), PAIRS_AT_ONCE)
    parts = (_costs(table, pairs[start : start + PAIRS_AT_ONCE], ties) for start in starts)
    distances: Floats = sum(parts, np.zeros((len(table), len(table)))) / len(pairs)
    return distances


def draw_item_pairs(n_items: int, n_pairs: int, *, rng: np.random.Generator) -> Counts:
    """Draw pairs of two different items (pairs, 2), uniformly, with replacement."""
    require(n_items >= 2, f"expected 2 or more items, got {n_items}")
    require(n_pairs >= 1, f"expected 1 or more pairs, got {n_pairs}")
    one = rng.integers(n_items, size=n_pairs)
    other = rng.integers(n_items - 1, size=n_pairs)
    return np.column_stack([one, other + (other >= one)])


def _ranked(scores: ScoreRows | RankedRows, ties: Ties) -> RankedRows:
    _require_ties(ties)
    return scores if isinstance(scores, RankedRows) else RankedRows.of(scores)


def _require_ties(ties: Ties) -> None:
    require(ties in ("half", "ignored"), f"expected ties half or ignored, got {ties}")


def _row_numbers(numbers: WholeNumbers, n_rows: int) -> Counts:
    rows = np.asarray(numbers)
    whole = rows.ndim == 1 and (rows.size == 0 or rows.dtype.kind in "iu")
    require(whole, "expected numbers of rows, (pairs,)")
    known = rows.size == 0 or (rows.min() >= 0 and rows.max() < n_rows)
    require(known, f"expected rows 0..{n_rows - 1}")
    return rows.astype(np.int64)


def _of_pairs(ranked: RankedRows, first: Counts, second: Counts, ties: Ties) -> Floats:
    opposite, tied = count_pairs(
        first, second, ranked.starts, ranked.items, ranked.levels, ranked.n_items
    )
    return _distances(ranked, opposite, ranked.ties[first] + ranked.ties[second] - 2 * tied, ties)


def _of_sets(ranked: RankedRows, chosen: Counts, ties: Ties) -> Floats:
    """Return the distances (chosen, rows) of rows with two levels: sizes of intersections do."""
    ones = np.ones(len(ranked.items))
    sets = csr_array((ones, ranked.items, ranked.starts), shape=(ranked.n_rows, ranked.n_items))
    sizes = np.diff(ranked.starts)
    both = (sets[chosen] @ sets.T).toarray().astype(np.int64)
    here, there = sizes[chosen][:, None] - both, sizes - both
    apart = here + there
    return _distances(ranked, here * there, apart * (ranked.n_items - apart), ties)


def _distances(ranked: RankedRows, opposite: Counts, tied_in_one: Counts, ties: Ties) -> Floats:
    costs = opposite + tied_in_one / 2 if ties == "half" else opposite
    distances: Floats = costs / ranked.n_pairs
    return distances


def _costs(scores: NDArray[np.number[Any]], item_pairs: WholeNumbers, ties: Ties) -> Floats:
    """Return the costs (rows, rows) of few enough pairs of items for sums of floats to be exact."""
    one, other = scores[:, item_pairs[:, 0]], scores[:, item_pairs[:, 1]]
    higher, lower = (one > other).astype(np.float32), (one < other).astype(np.float32)
    ahead = higher @ lower.T
    costs = (ahead + ahead.T).astype(np.float64)
    if ties == "half":
        tied = 1 - higher - lower
        in_one = tied @ (1 - tied).T
        costs += (in_one + in_one.T) / 2
    return costs

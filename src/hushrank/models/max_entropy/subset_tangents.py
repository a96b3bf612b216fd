"""How the expectations under a model of orders move when its potentials do: covariances.

Theory: docs/theory/max-entropy.md.
"""

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Floats
from hushrank.kernels import kernel
from hushrank.models.max_entropy.subset_passes import (
    Passes,
    add_members,
    half_sums,
    open_items,
    set_sizes,
)

DIRECTIONS_AT_ONCE = 8
"""They share what is found about a set, and fill a vector register."""


def covariances(passes: Passes, own: Floats, before: Floats) -> tuple[Floats, Floats]:
    """Return the derivatives of `collect`'s at and preceded when the potentials move by these.

    own (directions, items, ranks), before (directions, items, items, ranks), as are the results:
    the covariances of every indicator with sum_a own[a, rank a] + sum_{b before a} before[a, b,
    rank a]. Cost: O(items 2^items) a direction.
    """
    at, preceded = np.empty(own.shape), np.empty(before.shape)
    for start in range(0, len(own), DIRECTIONS_AT_ONCE):
        some = slice(start, start + DIRECTIONS_AT_ONCE)
        at[some], preceded[some] = _some_covariances(passes, own[some], before[some])
    return at, preceded


def _some_covariances(passes: Passes, own: Floats, before: Floats) -> tuple[Floats, Floats]:
    """Lay the directions beside each other, so that a step takes all of them at once."""
    n_directions, n_items = own.shape[:2]
    n_low = n_items // 2
    columns = np.moveaxis(before, 0, 1).reshape(-1, n_items, n_items)
    by_rank = np.ascontiguousarray(own.transpose(2, 1, 0).reshape(n_items, -1))
    low, high = half_sums(columns, 0, n_low), half_sums(columns, n_low, n_items)
    low += by_rank[:, None]
    low_moved, high_moved = _moved_sums(passes.nexts, passes.reached, low, high, n_directions)
    at, preceded = np.zeros((n_items * n_directions, n_items)), np.zeros(columns.shape)
    add_members(low_moved, 0, at, preceded)
    add_members(high_moved, n_low, np.zeros_like(at), preceded)
    shaped = at.reshape(n_items, -1, n_items), preceded.reshape(n_items, -1, n_items, n_items)
    return np.moveaxis(shaped[0], 1, 0), np.moveaxis(shaped[1], 1, 0)


@kernel
def _moved_sums(
    nexts: Floats, reached: Floats, low: Floats, high: Floats, n_directions: int
) -> tuple[Floats, Floats]:
    """Return the changes of the chances, added up as `low` and `high` are spread."""
    n_sets, n_items = nexts.shape
    sizes, items = set_sizes(n_items), np.zeros(n_items + 1, dtype=np.int64)
    log_after_moved = _moved_log_after(nexts, sizes, low, high, n_directions)
    reached_moved = np.zeros((n_sets, n_directions))
    low_moved, high_moved = np.zeros_like(low), np.zeros_like(high)
    for placed in range(n_sets - 1):
        size, half, other = sizes[placed], placed & (low.shape[1] - 1), placed // low.shape[1]
        here, here_after = reached_moved[placed], log_after_moved[placed]
        for nth in range(open_items(placed, n_items, items)):
            item = items[nth]
            chance, share = nexts[placed, item] * reached[placed], nexts[placed, item]
            then, then_after = placed | 1 << item, log_after_moved[placed | 1 << item]
            for n in range(n_directions):
                column = item * n_directions + n
                change = low[size, half, column] + high[size, other, column]
                moved = share * here[n] + chance * (change + then_after[n] - here_after[n])
                reached_moved[then, n] += moved
                low_moved[size, half, column] += moved
                high_moved[size, other, column] += moved
    return low_moved, high_moved


@kernel
def _moved_log_after(
    nexts: Floats, sizes: NDArray[np.int64], low: Floats, high: Floats, n_directions: int
) -> Floats:
    """Return how the logs of the sums over the ways from each set on change: (sets, directions)."""
    n_sets, n_items = nexts.shape
    log_after_moved = np.zeros((n_sets, n_directions))
    items = np.zeros(n_items + 1, dtype=np.int64)
    for placed in range(n_sets - 2, -1, -1):
        from_low = low[sizes[placed], placed & (low.shape[1] - 1)]
        from_high = high[sizes[placed], placed // low.shape[1]]
        for nth in range(open_items(placed, n_items, items)):
            item = items[nth]
            share, then = nexts[placed, item], placed | 1 << item
            for n in range(n_directions):
                column = item * n_directions + n
                change = from_low[column] + from_high[column] + log_after_moved[then, n]
                log_after_moved[placed, n] += share * change
    return log_after_moved

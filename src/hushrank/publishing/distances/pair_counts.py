"""Count the pairs of items that two rows of scores order differently, over non-zeros only."""

import numpy as np

from hushrank.arrays import Counts, Integers, Integers32
from hushrank.kernels import kernel
from hushrank.publishing.distances.bit_set import clear, no_bits
from hushrank.publishing.distances.pair_count_steps import (
    Row,
    Seen,
    add_by_item,
    add_by_level,
    add_rest,
    catch_up,
    group_start,
    is_large,
)


@kernel
def count_pairs(
    first: Integers,
    second: Integers,
    starts: Integers,
    items: Integers32,
    levels: Integers32,
    n_items: int,
) -> tuple[Counts, Counts]:
    """Return how many pairs of items rows `first` and `second` (pairs,) order oppositely, and tie.

    Row r has the items[starts[r] : starts[r + 1]] and their levels, which never fall; all other
    items have level 0. Cost of a pair: O(non-zeros of the second row) where levels are few;
    elsewhere each of them costs a 64th of the first row's non-zeros, several at once.
    """
    opposite, tied = np.zeros(len(first), dtype=np.int64), np.zeros(len(first), dtype=np.int64)
    n_levels = 1 + int(np.max(levels)) if len(levels) else 1
    row = Row(_zeros(n_items), _zeros(n_items), _zeros(n_levels), _zeros(n_levels))
    places = no_bits(np.max(starts[1:] - starts[:-1]))
    seen = Seen(_zeros(n_levels), _zeros(n_levels), places)
    here = -1
    for pair in range(len(first)):
        if first[pair] != here:
            if here >= 0:
                _spread(row, items, levels, starts[here], starts[here + 1], False)
            here = first[pair]
            _spread(row, items, levels, starts[here], starts[here + 1], True)
        last = starts[here + 1] - 1
        n_levels = 1 + int(levels[last]) if last >= starts[here] else 1
        start, end = starts[second[pair]], starts[second[pair] + 1]
        opposite[pair], tied[pair] = _compare(row, n_levels, items, levels, start, end, seen)
    return opposite, tied


@kernel
def _zeros(size: int) -> Integers32:
    return np.zeros(size, dtype=np.int32)


@kernel
def _spread(
    row: Row, items: Integers32, levels: Integers32, start: int, end: int, is_in: bool
) -> None:
    """Enter a row's items, or take them out again."""
    for cell in range(start, end):
        item, level = items[cell], levels[cell]
        row.level_of[item] = level if is_in else 0
        row.place_of[item] = cell - start if is_in else 0
        row.totals[level] += 1 if is_in else -1
        if cell == start or levels[cell - 1] != level:
            row.begins[level] = cell - start


@kernel
def _compare(
    row: Row, n_levels: int, items: Integers32, levels: Integers32, start: int, end: int, seen: Seen
) -> tuple[np.int64, np.int64]:
    """Compare the row with another's cells, in groups of equal level there, the highest first.

    An item is ordered oppositely to those seen before it that have a lower level in the row.
    """
    seen.levels[:n_levels] = 0
    clear(seen.places)
    opposite = tied = np.int64(0)
    high = entered = end
    while high > start:
        low = group_start(levels, start, high)
        if is_large(high - low, n_levels):
            more, equal = add_by_level(row, n_levels, items, low, high, seen)
        else:
            catch_up(row, items, high, entered, seen)
            more, equal, low = add_by_item(row, n_levels, items, levels, start, high, seen)
            entered = low
        opposite, tied, high = opposite + more, tied + equal, low
    n_rest = len(row.level_of) - (end - start)
    more, equal = add_rest(row, n_levels, n_rest, seen)
    return opposite + more, tied + equal

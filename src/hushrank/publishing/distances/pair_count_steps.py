"""Compare a group of items with those seen before it: the steps of counting opposite pairs."""

from typing import NamedTuple

import numpy as np

from hushrank.arrays import Integers32
from hushrank.kernels import kernel
from hushrank.publishing.distances.bit_set import (
    BitSet,
    bits_below,
    enter,
    enter_later,
    sum_blocks,
)

FEW = 4
"""A group is compared by level if it has an item for every so many levels, and else by item."""


class Row(NamedTuple):
    """The row that others are compared with, spread out over all items.

    level_of and place_of (items,) say of each item its level, and its place 0, 1, .. in order of
    the levels; both are 0 where the row has nothing. begins and totals (levels,) say of each level
    where its places begin, and how many items have it.
    """

    level_of: Integers32
    place_of: Integers32
    begins: Integers32
    totals: Integers32


class Seen(NamedTuple):
    """What was met so far of the other row, as levels and places of the row compared with.

    levels counts the items of each level, places is the set of their places; group (levels,) is
    scratch.
    """

    levels: Integers32
    group: Integers32
    places: BitSet


@kernel
def is_large(size: int, n_levels: int) -> bool:
    """Say whether a group of `size` items is compared by level, not item by item."""
    return FEW * size >= n_levels


@kernel
def group_start(levels: Integers32, start: int, high: int) -> int:
    """Return the first cell, from `start` on, of those just before `high` with one level."""
    low = high - 1
    while low > start and levels[low - 1] == levels[low]:
        low -= 1
    return low


@kernel
def add_by_level(
    row: Row, n_levels: int, items: Integers32, low: int, high: int, seen: Seen
) -> tuple[np.int64, np.int64]:
    """Compare a group with what was seen by its histogram, and count it as seen."""
    seen.group[:n_levels] = 0
    for cell in range(low, high):
        seen.group[row.level_of[items[cell]]] += 1
    opposite = tied = lower = np.int64(0)
    for level in range(n_levels):
        count = np.int64(seen.group[level])
        opposite += count * lower
        tied += count * (count - 1) // 2
        lower += seen.levels[level]
        seen.levels[level] += count
    return opposite, tied


@kernel
def catch_up(row: Row, items: Integers32, low: int, high: int, seen: Seen) -> None:
    """Enter the places of cells that were seen by level."""
    for cell in range(low, high):
        if row.level_of[items[cell]]:
            enter_later(seen.places, row.place_of[items[cell]])
    sum_blocks(seen.places)


@kernel
def add_by_item(
    row: Row,
    n_levels: int,
    items: Integers32,
    levels: Integers32,
    start: int,
    high: int,
    seen: Seen,
) -> tuple[np.int64, np.int64, int]:
    """Compare small groups with what was seen item by item, and count them as seen.

    Returns where the first of them starts: at a large group, or at the first cell.
    """
    level_of, place_of, begins = row.level_of, row.place_of, row.begins  # once, not for each cell
    counts, places = seen.levels, seen.places
    opposite = tied = np.int64(0)
    while high > start:
        low = group_start(levels, start, high)
        if is_large(high - low, n_levels):
            break
        for cell in range(low, high):
            level = level_of[items[cell]]
            opposite += counts[0] + bits_below(places, begins[level]) if level else 0
        if high - low > 1:
            tied += _count_tied(level_of, items, low, high, counts)
        for cell in range(low, high):
            level = level_of[items[cell]]
            counts[level] += 1
            if level:
                enter(places, place_of[items[cell]])
        high = low
    return opposite, tied, high


@kernel
def _count_tied(
    level_of: Integers32, items: Integers32, low: int, high: int, counts: Integers32
) -> int:
    """Return how many pairs of a group have one level here too; `counts` ends as it began."""
    tied = 0
    for cell in range(low, high):
        tied -= counts[level_of[items[cell]]]
    for cell in range(low, high):
        tied += counts[level_of[items[cell]]]  # with those of the group that came before
        counts[level_of[items[cell]]] += 1
    for cell in range(low, high):
        counts[level_of[items[cell]]] -= 1
    return tied


@kernel
def add_rest(row: Row, n_levels: int, n_rest: int, seen: Seen) -> tuple[np.int64, np.int64]:
    """Compare the items of level 0 in the other row with those seen, and with one another."""
    opposite, tied, lower = np.int64(0), np.int64(0), np.int64(seen.levels[0])
    for level in range(1, n_levels):
        count = np.int64(row.totals[level] - seen.levels[level])
        opposite += count * lower
        tied += count * (count - 1) // 2
        lower += seen.levels[level]
        n_rest -= int(count)
    return opposite, tied + n_rest * (n_rest - 1) // 2

"""The people of some rankings as a sequence: each one's places, and slices, however many rows."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts, Ranks
from hushrank.rankings.coding import inverse

Places: TypeAlias = tuple[str | frozenset[str], ...]
"""One person's items, best first; tied ones share a place as a set, unranked ones have none."""

ROWS_AT_ONCE = 4096


def places_of(ranks: Ranks, is_ranked: NDArray[np.bool_], names: Sequence[str]) -> Places:
    """Return the places of one row (items,)."""
    found: dict[int, list[str]] = {}
    for item in np.flatnonzero(is_ranked).tolist():
        found.setdefault(int(ranks[item]), []).append(names[item])
    tied = (found[rank] for rank in sorted(found))
    return tuple(each[0] if len(each) == 1 else frozenset(each) for each in tied)


def complete_places(ranks: Ranks, names: Sequence[str]) -> Iterator[Places]:
    """Yield the places of each of many complete strict rows (rows, items)."""
    named = np.array(names, dtype=object)
    for begin in range(0, len(ranks), ROWS_AT_ONCE):
        yield from map(tuple, named[inverse(ranks[begin : begin + ROWS_AT_ONCE])].tolist())


def row_of_person(person: int, n_rows: int, multiplicities: Counts | None) -> int:
    """Return the row that stands for a person, who may be counted from the end.

    Raises IndexError when there are not so many.
    """
    ends = None if multiplicities is None else np.cumsum(multiplicities)
    n_people = n_rows if ends is None else int(ends[-1])
    if not -n_people <= person < n_people:
        raise IndexError(f"expected a person 0..{n_people - 1}")
    nth = person % n_people
    return nth if ends is None else int(np.searchsorted(ends, nth, side="right"))


def people_of_slice(
    wanted: slice, n_rows: int, multiplicities: Counts | None
) -> tuple[NDArray[np.intp], Counts]:
    """Return which rows stand for the people of a slice, in its order, and for how many each."""
    if multiplicities is None:
        alone = np.arange(*wanted.indices(n_rows))
        return alone, np.ones(alone.size, dtype=np.int64)
    ends = np.cumsum(multiplicities)
    chosen = range(int(ends[-1]))[wanted]
    upwards = chosen if chosen.step > 0 else chosen[::-1]
    before = np.clip(-((upwards.start - np.append(0, ends)) // upwards.step), 0, len(upwards))
    people = np.diff(before).astype(np.int64)
    rows = np.flatnonzero(people)
    rows = rows if chosen.step > 0 else rows[::-1]
    return rows, people[rows]


def each_person(ranking: Iterator[Places], people_of_rows: Counts) -> Iterator[Places]:
    """Repeat each row's places for everybody whom it stands for."""
    for places, people in zip(ranking, people_of_rows.tolist(), strict=True):
        for _ in range(people):
            yield places

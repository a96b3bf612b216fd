"""Ballots with one column a place: names in cells, as forms and voting machines write them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Ranks
from hushrank.errors import require
from hushrank.files.columns import Column, n_letters, require_held
from hushrank.files.names import is_rounded, natural_order
from hushrank.rankings.coding import rank_type

Mask: TypeAlias = NDArray[np.bool_]

NONE, SEVERAL = -1, -2
"""Codes of a place that is empty, and of one that names several items."""

_NO_VOTE = re.compile(
    r"under[ -]?vote|skipped|blank|exhausted|no[ -]?(?:answer|vote|opinion)|n/a|-+"
    r"|do(?:n['\u2019]t| not) know|prefer not to (?:say|answer)",
    re.IGNORECASE,
)
CROSSED = "XXX"
"""A place that nobody filled, as clerks of some cities type it."""
_OVERVOTE = re.compile(r"over[ -]?vote", re.IGNORECASE)


@dataclass(frozen=True, repr=False)
class Placed:
    """Ranks (people, items), and in which rows (people,) something was not as it should be."""

    ranks: Ranks
    names: tuple[str, ...]
    skipped: Mask
    repeated: Mask
    overvoted: Mask


def ballots_of_places(columns: Sequence[Column]) -> Placed:
    """Read columns, the first place first. Items are the names that occur, sorted.

    Raises HushrankError when there is none, or one that is a rounded number.
    """
    texts = dict.fromkeys(text for column in columns for text in column.texts if text)
    kinds = {text: _code(text) for text in texts}
    names = natural_order(text for text, code in kinds.items() if code == 0)
    require(names, "expected at least 1 ranked item")
    are_whole = not any(map(is_rounded, names))
    require(are_whole, "expected names of items, got large numbers that are rounded: write text")
    require_held(len(columns[0].codes), len(names), n_letters(columns))
    index = {name: item for item, name in enumerate(names)}
    codes = {text: kinds[text] or index[text] for text in texts} | {"": NONE}
    cells = np.empty((len(columns[0].codes), len(columns)), dtype=np.int32, order="F")
    for place, column in enumerate(columns):
        of_texts = np.array([*(codes[text] for text in column.texts), NONE], dtype=np.int32)
        cells[:, place] = of_texts[column.codes]
    return placed(cells, names)


def placed(cells: NDArray[np.int32], names: Sequence[str]) -> Placed:
    """Rank items by the places (people, places) that name them.

    A place that is empty is closed up, an item counts at its first place, and a place that names
    several ends the ballot before it.
    """
    n_people = len(cells)
    kind = rank_type(len(names))
    sentinel = np.iinfo(kind).max
    ranks = np.full((n_people, len(names)), sentinel, dtype=kind, order="F")
    if _fill_regular(ranks, cells):
        regular = np.zeros(n_people, dtype=np.bool_)
        return Placed(ranks, tuple(names), regular, regular, regular)
    ranks[:] = sentinel
    return Placed(ranks, tuple(names), *_fill_irregular(ranks, cells))


def _fill_irregular(ranks: Ranks, cells: NDArray[np.int32]) -> tuple[Mask, Mask, Mask]:
    """Rank place by place; tell of whom places are skipped, items repeated, or one overvoted."""
    n_people, n_places = cells.shape
    sentinel = np.iinfo(ranks.dtype).max
    next_rank = np.zeros(n_people, dtype=ranks.dtype)
    overvoted, repeated, skipped, is_gap = (np.zeros(n_people, dtype=np.bool_) for _ in range(4))
    for place in range(n_places):
        items = cells[:, place]
        overvoted |= items == SEVERAL
        rows = np.flatnonzero((items >= 0) & ~overvoted)
        is_new = ranks[rows, items[rows]] == sentinel
        repeated[rows[~is_new]] = True
        skipped[rows] |= is_gap[rows]
        is_gap |= items == NONE
        rows = rows[is_new]
        ranks[rows, items[rows]] = next_rank[rows]
        next_rank[rows] += 1
    return skipped, repeated, overvoted


def _fill_regular(ranks: Ranks, cells: NDArray[np.int32]) -> bool:
    """Rank at once where nothing is skipped, repeated or overvoted; tell whether that was so."""
    filled = cells >= 0
    gaps = filled[:, 1:] & ~filled[:, :-1]
    if gaps.any() or (cells == SEVERAL).any():
        return False
    n_items = ranks.shape[1]
    if filled[:, n_items:].any():  # more places than items: some item is repeated
        return False
    n_filled = np.zeros(len(cells), dtype=np.int64)
    for place in range(min(cells.shape[1], n_items)):
        rows = np.flatnonzero(filled[:, place])
        ranks[rows, cells[rows, place]] = place
        n_filled[rows] += 1
    n_ranked = np.count_nonzero(ranks != np.iinfo(ranks.dtype).max, axis=1)
    return bool((n_ranked == n_filled).all())


def is_no_vote(text: str) -> bool:
    """Tell a cell that says that nothing stands there."""
    return _NO_VOTE.fullmatch(text) is not None


def names_an_item(text: str) -> bool:
    """Tell a cell that names an item from one that says why none stands there."""
    return _code(text) == 0


def _code(text: str) -> int:
    """Return 0 for an item, else what the cell says."""
    if _OVERVOTE.fullmatch(text):
        return SEVERAL
    return NONE if is_no_vote(text) or text == CROSSED else 0

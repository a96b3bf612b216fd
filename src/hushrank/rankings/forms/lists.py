"""Whole ballots in one cell: "A;B;C;", "A > B = C", "A, B, C", or a JSON list."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from hushrank.errors import require
from hushrank.files.columns import Column, Table, require_held
from hushrank.files.names import natural_order
from hushrank.rankings.profile import Rankings

Tiers = tuple[tuple[str, ...], ...]
"""Names, best first; those that share a place together."""

SEPARATORS = (">", ";", "\n", "|", ",")
"""What parts the items of a cell; the first that fits."""

_LIKE_A_BALLOT = 0.8
MOST_KEPT = 2**17
"""Distinct cells, taken apart."""
SOME = 1000
"""Distinct cells that tell what a column is, where there are very many."""
_NUMBERED = re.compile(r"(?P<number>\d{1,3})\s*[.:)]\s*(?P<name>\S.*)", re.DOTALL)
_NUMBERED_BEHIND = re.compile(r"(?P<name>\S(?:.*\S)?)\s*\((?P<number>\d{1,3})\)", re.DOTALL)


def separator_of(column: Column) -> str | None:
    """Return what parts the cells of a column into ballots; `[` for JSON lists; None for nothing.

    A column is of ballots if nearly all its cells are lists, no name twice, of a few names.
    """
    texts = [text for text in column.texts if text]
    if not texts or not column.is_read:
        return None
    n_of_json = sum(_from_json(text) is not None for text in texts)
    if n_of_json >= _LIKE_A_BALLOT * len(texts):
        return "["
    signs = SEPARATORS[:-1] if n_of_json else SEPARATORS  # commas part lists in JSON, too
    return next((each for each in signs if _are_ballots(texts, each)), None)


def any_separator_of(column: Column) -> str | None:
    """Return what parts the cells of a column of which it is known that it holds ballots.

    No one cell decides: where two signs are in almost as many, it cannot be told.
    """
    texts = [text for text in column.texts if text]
    if found := separator_of(column):
        return found
    if any(_from_json(text) is not None for text in texts):
        return "["
    counts = [sum(each in text for text in texts) for each in SEPARATORS]
    n_next, n_most = sorted(counts)[-2:]
    enough = n_next + 3 if n_next else min(2, len(texts))
    is_told = n_most >= enough > 0
    return SEPARATORS[counts.index(n_most)] if is_told else None


def is_of_orders(column: Column, separator: str) -> bool:
    """Tell whether a column must be of orders: by its sign, or because all rank the same names.

    Boxes that people tick are exported as lists, too, but of different lengths. Commas may part
    any prose: they have to be asked for.
    """
    ballots = [tiers_of(text, separator) for text in column.texts if text]
    several = len({frozenset(name for tied in each for name in tied) for each in ballots})
    return separator in ">[" or (several == 1 and len(ballots) > 1 and separator != ",")


def names_a_ballot(table: Table) -> bool:
    """Tell a first line that ranks what the lines below it rank: it is a ballot, no header."""
    try:
        return n_rows_ranking_a_title(table) > 0
    finally:
        forget()


def n_rows_ranking_a_title(table: Table) -> int:
    """Return how many rows rank each name of the first line, at least, in a column of ballots."""
    most = 0
    for title, column in zip(table.header, table.columns, strict=True):
        some = Column(column.codes[:0], column.texts[:SOME], column.is_read)
        separator = separator_of(some) if title else None
        if separator and is_of_orders(column, separator):
            most = max(most, n_rows_ranking(title, column, separator))
    return most


def n_rows_ranking(title: str, column: Column, separator: str) -> int:
    """Return how many rows rank each name that a title ranks, at least.

    A title with > above ballots with > is one of them, whatever it ranks: all rows count.
    """
    named = set() if separator == "[" else set(_names_in(title, separator))
    if not named:
        return 0
    if separator == ">" and ">" in title:
        return len(column.codes)
    n_rows = np.bincount(column.codes[column.codes >= 0], minlength=len(column.texts)).tolist()
    ranked: Counter[str] = Counter()
    for text, n in zip(column.texts, n_rows, strict=True):
        ranked.update(dict.fromkeys(named.intersection(_names_in(text, separator)), n))
    return min(ranked[name] for name in named)


def _names_in(text: str, separator: str) -> list[str]:
    return [name for tied in tiers_of(text, separator) for name in tied]


def ballots_of_lists(table: Table, column: Column, separator: str) -> Rankings:
    """Read a column of ballots; each distinct cell is taken apart once.

    Raises HushrankError, with the line, when a cell has an item twice or is no list.
    """
    read = [tiers_of(text, separator) for text in column.texts] + [()]
    good = np.array([_are_distinct(tiers) for tiers in read])[column.codes]
    table.require_rows(good, "each item at most once in a ballot")
    if separator == "[":
        are_lists = [not text or _from_json(text) is not None for text in column.texts]
        is_list = np.array([*are_lists, True])[column.codes]
        table.require_rows(is_list, "a list of names in JSON, as in other rows")
    names = natural_order(name for tiers in read for tied in tiers for name in tied)
    require(names, "expected at least 1 ranked item")
    _require_no_points(names)
    require_held(len(column.texts), len(names), sum(map(len, column.texts)))
    index = {name: item for item, name in enumerate(names)}
    keys = np.full((len(read), len(names)), np.nan)
    for row, tiers in enumerate(read):
        for place, tied in enumerate(tiers):
            keys[row, [index[name] for name in tied]] = place
    distinct = Rankings.from_keys(keys, names)
    return Rankings(distinct.ranks[column.codes], names)


@lru_cache(maxsize=MOST_KEPT)
def tiers_of(text: str, separator: str) -> Tiers:
    """Take a cell apart: items that = joins share a place where > parts the others.

    Kept, until `forget`: to see that no part of a table is read otherwise, each cell is taken
    apart ten times.
    """
    if separator == "[":
        return _from_json(text) or ()
    places = _unnumbered([place.strip() for place in text.split(separator)])
    tied = [[place] if separator != ">" else place.split("=") for place in places if place]
    stripped = [tuple(name.strip() for name in names if name.strip()) for names in tied]
    return tuple(names for names in stripped if names)


def forget() -> None:
    """Keep nothing of the cells that were taken apart."""
    tiers_of.cache_clear()


def _unnumbered(places: list[str]) -> list[str]:
    """Return places without their numbers where all have them in order: `1: A`, or `A (1)`."""
    filled = [place for place in places if place]
    for numbered in (_NUMBERED, _NUMBERED_BEHIND):
        found = [numbered.fullmatch(place) for place in filled]
        numbers = [int(each["number"]) if each else 0 for each in found]
        if len(filled) > 1 and numbers == list(range(1, len(filled) + 1)):
            return [each["name"] for each in found if each]
    return places


def _require_no_points(names: Sequence[str]) -> None:
    """Refuse names that differ by numbers behind them alone: points, or places out of order."""
    found = [_NUMBERED_BEHIND.fullmatch(name) for name in names]
    plain = {each["name"] for each in found if each}
    are_numbered = all(found) and len(plain) < len(names)
    require(not are_numbered, "expected items best first, got items with numbers behind them")


def _from_json(text: str) -> Tiers | None:
    """Return the tiers of a JSON list of names, or of lists of names that share a place."""
    if not text.startswith("["):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    tiers = [_names(each) for each in found if each is not None]
    return tuple(tiers) if all(tiers) else None


def _names(place: Any) -> tuple[str, ...]:
    names = place if isinstance(place, list) else [place]
    plain = all(isinstance(name, str | int) and not isinstance(name, bool) for name in names)
    return tuple(str(name).strip() for name in names) if plain and all(map(str, names)) else ()


def _are_ballots(texts: Sequence[str], separator: str) -> bool:
    parted = [tiers_of(text, separator) for text in texts if separator in text]
    lists = [each for each in parted if each and _are_distinct(each)]
    names = {name for each in lists for tied in each for name in tied}
    n_told = sum(len(tied) for each in lists for tied in each)
    is_told_again = len(texts) == 1 or n_told > len(names)
    n_short = sum(text in names for text in texts)  # of one item: the sign stands in no such
    is_like = len(lists) >= _LIKE_A_BALLOT * (len(texts) - n_short)
    return is_like and bool(lists) and is_told_again


def _are_distinct(tiers: Tiers) -> bool:
    names = [name for tied in tiers for name in tied]
    return len(set(names)) == len(names)

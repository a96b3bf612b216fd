"""The ballots of a PrefLib file: strict orders all at once, others line by line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts, Ranks
from hushrank.errors import HushrankError, require
from hushrank.files.columns import require_held
from hushrank.rankings.coding import rank_type
from hushrank.rankings.formats.preflib_header import PreflibHeader

MOST_PEOPLE_OF_A_ROW = 10**12  # millions of such rows still add up in 64 bits
BYTES_OF_A_BLOCK = 2**14  # arrays so short cost no page faults, and memory does not multiply

_TIER = r"(?:\d{1,18}|\{[ \t]*\d{1,18}(?:[ \t]*,[ \t]*\d{1,18})*[ \t]*\})"
_ORDER = rf"({_TIER}(?:[ \t]*,[ \t]*{_TIER})*)\s*"
_BALLOT = {
    separator: re.compile(rf"[ \t]*(\d{{1,18}})[ \t]*{separator}[ \t]*{_ORDER}", re.ASCII)
    for separator in ":,"
}
_FIRST = np.zeros(1, dtype=np.intp)
_COLON, _BLANK, _COMMA, _NEWLINE = np.frombuffer(b": ,\n", dtype=np.uint8) - np.uint8(ord("0"))
_NUMBER = re.compile(r"\d+", re.ASCII)
_TIERS = re.compile(r"\{[^}]*\}|\d+", re.ASCII)


@dataclass(frozen=True, repr=False)
class PreflibBody:
    """Ranks (rows, items), people (rows,) and line number (rows,) of the ballots."""

    ranks: Ranks
    people: Counts
    lines: NDArray[np.int64]


def parse_body(text: bytes, header: PreflibHeader) -> PreflibBody:
    """Read the ballots below a header, one row each.

    Raises HushrankError, with the line, when a line, an item or a count does not fit.
    """
    n_lines = text.strip().count(b"\n") + 1
    require_held(n_lines, len(header.names), len(text))
    is_modern = header.separator == ":"
    return (is_modern and strict_body(text, header)) or any_body(text, header)


def strict_body(text: bytes, header: PreflibHeader) -> PreflibBody | None:
    """Read plain lines `count: item,item,...` at once; None when a line is anything else."""
    unix = text.replace(b"\r\n", b"\n") if b"\r" in text else text
    read = []
    for digits in _blocks(unix.rstrip() + b"\n"):
        block = _strict_block(digits, len(header.names))
        if block is None:
            return None
        read.append(block)
    ranks, people = (np.concatenate(parts) for parts in zip(*read, strict=True))
    return PreflibBody(ranks, people, header.first_line + np.arange(len(people)))


def any_body(text: bytes, header: PreflibHeader) -> PreflibBody:
    """Read line by line, ties and blanks allowed, and say which line is wrong."""
    numbered = enumerate(text.decode().split("\n"), start=header.first_line)
    ballots = [(line, content) for line, content in numbered if content.strip()]
    require(ballots, f"line {header.first_line}: expected at least 1 ballot")
    n_items = len(header.names)
    ranks = np.empty((len(ballots), n_items), dtype=rank_type(n_items), order="F")
    people = np.empty(len(ballots), dtype=np.int64)
    for row, (line, content) in enumerate(ballots):
        ballot = _BALLOT[header.separator].fullmatch(content)
        if not ballot:
            form = f"'count{header.separator} order', ties in braces"
            raise HushrankError(f"line {line}: expected {form}")
        people[row] = min(int(ballot[1]), MOST_PEOPLE_OF_A_ROW + 1)
        fits = 1 <= people[row] <= MOST_PEOPLE_OF_A_ROW
        require(fits, f"line {line}: expected a count of 1..{MOST_PEOPLE_OF_A_ROW}")
        ranks[row] = _row_ranks(ballot[2], n_items, line)
    return PreflibBody(ranks, people, np.array([line for line, _ in ballots]))


def _blocks(text: bytes) -> Iterator[NDArray[np.uint8]]:
    """Yield blocks of whole lines, each character as its distance from zero."""
    begin = 0
    while begin < len(text):
        end = text.rfind(b"\n", begin, begin + BYTES_OF_A_BLOCK) + 1
        end = end or text.index(b"\n", begin) + 1  # a longer line is a block of its own
        yield np.frombuffer(text[begin:end], dtype=np.uint8) - np.uint8(ord("0"))
        begin = end


def _strict_block(digits: NDArray[np.uint8], n_items: int) -> tuple[Ranks, Counts] | None:
    """Return the ranks (rows, items) and the people (rows,) of plain lines, None for others."""
    at = np.flatnonzero(digits > 9)  # unsigned: everything but digits is above 9
    separators = digits[at]
    ends = np.flatnonzero(separators == _NEWLINE)
    begins = np.concatenate((_FIRST, ends[:-1] + 1))
    if not _is_plain(separators, begins, ends) or (at[begins + 1] - at[begins] > 1).any():
        return None
    lengths = at.copy()
    lengths[1:] -= at[:-1] + 1
    is_item = (separators == _COMMA) | (separators == _NEWLINE)
    people = _decimals(digits, at[begins], lengths[begins], MOST_PEOPLE_OF_A_ROW)
    items = _decimals(digits, at[is_item], lengths[is_item], n_items)
    if people is None or items is None:
        return None
    ranks = _placed(items - 1, ends - begins - 1, n_items)
    return None if ranks is None else (ranks, people)


def _is_plain(
    separators: NDArray[np.uint8], begins: NDArray[np.intp], ends: NDArray[np.intp]
) -> bool:
    """Tell whether every row has the separators colon, blank, comma, .., comma, newline."""
    if (ends - begins < 2).any():
        return False
    starts_well = (separators[begins] == _COLON) & (separators[begins + 1] == _BLANK)
    n_commas = np.count_nonzero(separators == _COMMA)
    return bool(starts_well.all()) and n_commas == len(separators) - 3 * len(ends)


def _decimals(
    digits: NDArray[np.uint8], ends: NDArray[np.intp], lengths: NDArray[np.intp], most: int
) -> NDArray[np.int64] | None:
    """Return the numbers that end before `ends`; None unless all are of 1..most."""
    if lengths.min() < 1 or lengths.max() > len(str(most)):
        return None
    numbers = digits[ends - 1].astype(np.int64)
    for digit in range(1, lengths.max()):
        longer = np.flatnonzero(lengths > digit)
        numbers[longer] += digits[ends[longer] - 1 - digit] * np.int64(10**digit)
    return numbers if numbers.min() >= 1 and numbers.max() <= most else None


def _placed(items: NDArray[np.int64], lengths: NDArray[np.intp], n_items: int) -> Ranks | None:
    """Rank `items`, given row by row, by their places; None when a row repeats an item."""
    n_rows, kind = len(lengths), rank_type(n_items)
    sentinel = np.iinfo(kind).max
    ranks = np.full(n_rows * n_items, sentinel, dtype=kind)
    firsts = np.cumsum(lengths) - lengths
    cells = items + np.repeat(np.arange(n_rows) * n_items, lengths)
    ranks[cells] = (np.arange(len(items)) - np.repeat(firsts, lengths)).astype(kind)
    repeats = np.count_nonzero(ranks != sentinel) != len(items)
    return None if repeats else ranks.reshape(n_rows, n_items)


def _row_ranks(order: str, n_items: int, line: int) -> list[int]:
    items = [int(number) - 1 for number in _NUMBER.findall(order)]
    in_range = min(items) >= 0 and max(items) < n_items
    require(in_range, f"line {line}: expected items of 1..{n_items}")
    require(len(set(items)) == len(items), f"line {line}: expected each item at most once")
    row = [np.iinfo(rank_type(n_items)).max] * n_items
    n_better = 0
    for tier in _TIERS.findall(order):
        n_tied = tier.count(",") + 1
        for item in items[n_better : n_better + n_tied]:
            row[item] = n_better
        n_better += n_tied
    return row

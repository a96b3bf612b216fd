"""Whether the first lines of a table name its columns or are ballots, where nobody says so.

It is refused where one ballot alone would tell: all others would be counted with one more or less.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from hushrank.errors import HushrankError, require
from hushrank.files.columns import Column, Table, text_column_of
from hushrank.files.names import is_number
from hushrank.rankings.forms.asked import Asked
from hushrank.rankings.forms.layouts.layout import NO_HEADER, Layout
from hushrank.rankings.forms.lines.headings import (
    Cells,
    Headed,
    headed,
    headed_by,
    is_of_qualtrics,
    lines_of,
    nameless,
)
from hushrank.rankings.forms.lists import SEPARATORS, n_rows_ranking, n_rows_ranking_a_title
from hushrank.rankings.forms.ordinals import place_within
from hushrank.rankings.forms.places import is_no_vote
from hushrank.rankings.forms.ranks import are_no_names

SAY_HOW_MANY = "say header=1 if it does, or header=0 if all lines are ballots"
HALF_A_HEADER = (
    "line 1: expected a header, it names what lines below name: it seems to be a ballot; write a"
    " line of names above it, or say header=0 if all lines are ballots"
)
TITLE_OR_LIST = (
    "line 1: cannot tell whether it names columns or is a ballot, as few lines below rank what it"
    f" would rank; {SAY_HOW_MANY}"
)
TITLES_AND_BALLOTS = (
    "line 1: expected a line of names below the titles, got ballots; say with header= how many"
    " lines stand above the ballots"
)
NAME_OR_BALLOT = (
    "the first ballot is one name that no other ballot ranks, and may be of the header; say with"
    " header= how many lines stand above the ballots"
)
NUMBER_OR_NAME = (
    "line 1: cannot tell whether it names columns or is a ballot, as it holds a place or a score;"
    " say header=1 if it does, or write a line of names above it"
)

NAMES_AGAIN = (
    "cannot tell how many lines are the header, as the last of them names what rows name; say with"
    " header= how many lines stand above the ballots"
)


class Fewer(NamedTuple):
    """How rows are headed if fewer lines are of a header than there are.

    n_lines: how many are. may_be_alike: rows may be read so, too, as below all lines.
    """

    head: Headed
    n_lines: int
    may_be_alike: bool


@dataclass(frozen=True, repr=False)
class Header:
    """A header, how the lines below it would be headed by fewer lines, and what was told."""

    head: Headed
    fewer: tuple[Fewer, ...] = ()
    remarks: tuple[str, ...] = ()


def told_header(table: Table, titles: Sequence[Cells], asked: Asked) -> Header:
    """Tell how many lines name the columns of a table, below its `titles`.

    Raises HushrankError where one ballot alone might tell.
    """
    head = headed(table)
    n_below = table.n_rows - head.table.n_rows  # lines of the header, none of which is a ballot
    if not n_below and (is_ballot(table, asked) or is_list(table, asked)):
        require(not titles, TITLES_AND_BALLOTS)
        return Header(nameless(table), remarks=("no header: line 1 is a ballot",))
    if is_of_qualtrics(table):
        return Header(head)
    return Header(head, tuple(_fewer([*titles, *lines_of(table, n_below + 1)], head.table)))


def _fewer(lines: Sequence[Cells], rows: Table) -> Iterator[Fewer]:
    """Yield how rows are headed by some of the lines above them, where that is a header.

    Columns that only the other lines fill are left out: a ballot among these may be longer than a
    sheet is without it.
    """
    if rows.may_lack_header:
        _, narrow = _as_wide_as((), rows)
        none = ("",) * len(narrow.header)
        says_places = all(map(place_within, filter(None, lines[-1])))
        alike = says_places or len(lines) == 1  # else two ballots might be lines of a header
        yield Fewer(Headed(replace(narrow, header=none), none, none), 0, alike)
    for n_lines in range(1, len(lines)):
        with suppress(HushrankError):
            head = headed_by(*_as_wide_as(lines[:n_lines], rows))
            yield Fewer(head, n_lines, may_be_alike=n_lines == len(lines) - 1)


def _as_wide_as(lines: Sequence[Cells], rows: Table) -> tuple[list[Cells], Table]:
    """Return lines and rows without the last columns which neither fill."""
    named = [any(cells[n] for cells in lines) for n in range(len(rows.header))]
    filled = [
        name or bool(each.is_filled.any()) for name, each in zip(named, rows.columns, strict=True)
    ]
    width = len(filled) - filled[::-1].index(True) if any(filled) else 1
    narrow = replace(rows, header=rows.header[:width], columns=rows.columns[:width])
    return [cells[:width] for cells in lines], narrow


def require_titles(header: Header, layout: Layout | None) -> None:
    """Refuse a header, told and not said, whose last line may be one of the ballots below it.

    So is one that ranks what a row of lists does, and one with a place or a score above such. A
    second line may name no items, either, that rows name.
    """
    if layout is None or not header.fewer:
        return
    table = header.head.table
    titles = [table.header[n] for n in layout.columns]
    if layout.kind == "lists":
        lists = table.columns[layout.columns[0]]
        require(n_rows_ranking(titles[0], lists, layout.separator) == 0, TITLE_OR_LIST)
        _require_no_name_first(lists, layout.separator)
    elif layout.kind == "places":
        say_places = all(map(place_within, titles))
        require(say_places or not any(map(is_number, titles)), NUMBER_OR_NAME)
        names = {title for title in titles if title and not place_within(title)}
        is_of_one_line = [fewer.n_lines for fewer in header.fewer] == [0]
        require(is_of_one_line or not table.rows_naming(names).any(), NAMES_AGAIN)
    else:
        require(not are_no_names([text_column_of(titles)]), NUMBER_OR_NAME)


def _require_no_name_first(lists: Column, separator: str) -> None:
    """Refuse a first list that is one name which no other ranks: it may be a line of the header."""
    first = lists.texts[lists.codes[lists.is_filled][0]]
    is_name = not any(sign in first for sign in SEPARATORS)
    is_alone = is_name and n_rows_ranking(first, lists, separator) == 1
    require(not is_alone or len(lists.codes) == 1, NAME_OR_BALLOT)


def is_list(table: Table, asked: Asked) -> bool:
    """Tell a first line that ranks what several lines below it do; one alone is refused."""
    if asked.form not in (None, "lists"):
        return False
    n_rows = n_rows_ranking_a_title(table)
    require(n_rows != 1 or table.n_rows == 1, TITLE_OR_LIST)
    return n_rows > 0


def is_ballot(table: Table, asked: Asked) -> bool:
    """Tell a first line that names what the lines below name: it is a ballot, no header.

    Where places were asked for, one row alone could make it either: that is refused.
    """
    names = set(table.header)
    is_title = any(place_within(name) for name in names if name) or len(names) < 2
    if asked.form not in (None, "places") or _is_of_numbers(table.header) or is_title:
        return False
    again = {name for column in table.columns for name in names.intersection(column.texts)}
    n_again, of_places = len(again - {""}), asked.form == "places"
    if n_again:
        _require_no_second_header(table)
    is_half = n_again >= (1 if of_places else 2)
    require(not is_half or names == again, HALF_A_HEADER)
    are_names = not are_no_names(table.columns)
    if of_places and names == again and table.n_rows > 1:
        require(table.rows_naming(names).sum() > 1 and are_names, HALF_A_HEADER)
    named = names == again and are_names
    if named and not of_places and table.n_rows > 1:
        require(_n_named_without_one(table, names - {""}) > 1, HALF_A_HEADER)
    return named


def _is_of_numbers(header: Sequence[str]) -> bool:
    """Tell a line of numbers, or of votes for nobody, which is refused unless it counts from 1."""
    numbers = [name for name in header if name.isdecimal()]
    is_of_numbers = all(n.isdecimal() or not n or is_no_vote(n) for n in header)
    counted = [str(n) for n in range(1, len(numbers) + 1)]
    in_order = list(header) in (counted, ["", *counted])  # the first may number the rows
    require(not numbers or not is_of_numbers or in_order, NO_HEADER)
    return bool(numbers) and is_of_numbers


def _n_named_without_one(table: Table, names: set[str]) -> int:
    """Count the names that lines below hold, without the one line that alone holds the most."""
    holders = [np.flatnonzero(table.rows_naming({name})) for name in names]
    alone = [int(rows[0]) for rows in holders if len(rows) == 1]
    return len(names) - max(map(alone.count, alone), default=0)


def _require_no_second_header(table: Table) -> None:
    """Refuse rows that repeat the first line where no other row names what it names."""
    same = [
        np.array([*(bool(text) and text == name for text in column.texts), False])[column.codes]
        for name, column in zip(table.header, table.columns, strict=True)
    ]
    named = [
        np.array([*(text in table.header for text in column.texts if text), False])[column.codes]
        for column in table.columns
        if "" not in column.texts
    ]
    repeats = np.logical_and.reduce(same)
    is_joined = repeats.any() and len(named) == len(same)
    if is_joined and not (np.logical_or.reduce(named) & ~repeats).any():
        table.require_rows(
            ~repeats,
            "another line than line 1 once more, as in files that were joined: delete it; if both"
            " are ballots, say header=0",
        )

"""Ballots in tables of any look: found, read, cleaned of what is no ballot, and said how."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from hushrank.arrays import Counts
from hushrank.errors import HushrankError, require
from hushrank.files.columns import MOST_COLUMNS, Column, Table
from hushrank.files.dealing import dealt, dealt_by_text
from hushrank.files.names import ROUNDED, is_rounded
from hushrank.files.tables import column_named, held_texts, require_persons
from hushrank.rankings.agreement import (
    FEWEST_TELLING,
    N_PARTS,
    require_alike,
    require_not_otherwise,
    require_told_without,
)
from hushrank.rankings.formats.preflib_body import MOST_PEOPLE_OF_A_ROW
from hushrank.rankings.forms.asked import Asked
from hushrank.rankings.forms.columns import (
    WEIGHT,
    chosen,
    listed,
    lone_columns,
    may_be_a_weight,
    require_steady,
    the_one,
)
from hushrank.rankings.forms.found import Flags, Found
from hushrank.rankings.forms.layouts.layout import Layout
from hushrank.rankings.forms.layouts.telling import (
    layout_of,
    layout_without_names,
    may_be_ballots,
)
from hushrank.rankings.forms.lines.counted import with_weights
from hushrank.rankings.forms.lines.first_line import Header, require_titles, told_header
from hushrank.rankings.forms.lines.headings import (
    Headed,
    headed_as_said,
    of_one_row,
    titles_in_words,
    without_titles,
)
from hushrank.rankings.forms.lines.sums import is_blank, without_nameless_sum, without_sums
from hushrank.rankings.forms.lists import forget
from hushrank.rankings.forms.long import (
    Long,
    ballots_of_rows,
    long_form,
    require_asked_of_rows,
    require_one_of_each,
)
from hushrank.rankings.forms.places import is_no_vote
from hushrank.rankings.forms.readers import ballots_of_layout, in_words, remarks_on
from hushrank.rankings.profile import Rankings


def ballots_of_table(table: Table, asked: Asked) -> Found:
    """Find the ballots of a table and read them.

    Raises HushrankError, with line or column, when a cell is not what the form holds, or when it
    cannot be told which form it is.
    """
    is_table_form = asked.form not in ("preflib", "order", "blt")
    require(is_table_form, f"expected a file of the form {asked.form}, got a table")
    few = f"expected a table of at most {MOST_COLUMNS:,} columns, got {len(table.header):,}"
    require(len(table.header) <= MOST_COLUMNS, f"{few}: write an answer a row")
    try:
        found = _found(table, asked)
        ballots = table if asked.id is None or found.head is None else found.head.table
        lone = lone_columns(table, asked, ballots)
        if lone:
            _require_told_without(found, table, lone, asked, int(_are_filled(ballots, lone).sum()))
    finally:
        forget()
    return found


def _are_filled(table: Table, columns: Sequence[int]) -> Flags:
    """Tell in which rows (rows,) one of these columns says something."""
    filled: Flags = np.logical_or.reduce([table.columns[n].is_filled for n in columns])
    return filled


def _require_told_without(
    found: Found, table: Table, lone: Sequence[int], asked: Asked, n_own: int
) -> None:
    """Compare with a table without these columns; of few rows, if need be, without theirs, too.

    n_own: how many ballots say something there.
    """
    own = _are_filled(table, lone)
    other = _found_without(table, lone, asked)
    if other is None and table.n_rows < FEWEST_TELLING:
        table = table.of_rows(~own)
        other, n_own = _found_without(table, lone, asked), 0
        if other is None:  # a file without these ballots is not read
            return
        found = _found(table, asked)
    require_told_without(found, other, n_own)


def _found_without(table: Table, lone: Sequence[int], asked: Asked) -> Found | None:
    """Read a table without some of its columns; None where it does not tell how."""
    kept = [n for n in range(len(table.header)) if n not in lone]
    header, columns = tuple(table.header[n] for n in kept), tuple(table.columns[n] for n in kept)
    if not kept:
        return None
    try:
        return _found(replace(table, header=header, columns=columns), asked)
    except HushrankError:
        return None


def _found(table: Table, asked: Asked) -> Found:
    table, header_of, remarks = _header(table, asked)
    is_headed = asked.header is not None
    if asked.form in (None, "lists") and (counted := with_weights(table, is_headed=is_headed)):
        table, asked, header_of = counted, replace(asked, form="lists"), _of_one_row
    table, sums = without_sums(table, has_ids=asked.id is not None)
    require_one_of_each(table.header, asked)
    long = long_form(table.header, asked)
    if long is not None:
        require_asked_of_rows(table, long, asked)
    found = _below(header_of(table), asked) if long is None else _of_rows(table, long)
    return replace(found, remarks=(*found.remarks, *sums, *remarks))


def _header(table: Table, asked: Asked) -> tuple[Table, Callable[[Table], Header], tuple[str, ...]]:
    """Return a table without what stands above its header, how to read that, and what to say."""
    if asked.header is not None:
        head = headed_as_said(table, asked.header)
        return head.table, lambda rows: Header(replace(head, table=rows)), ()
    table, titles = without_titles(table)
    remarks = (titles_in_words(len(titles)),) if titles else ()
    return table, partial(told_header, titles=titles, asked=asked), remarks


def _of_one_row(table: Table) -> Header:
    return Header(of_one_row(table))


def _below(header: Header, asked: Asked) -> Found:
    """Read one ballot a row, or a row that counts equal ballots, below a header."""
    head, said = header.head, header.remarks
    beside = _Beside.of(head, asked)
    if beside.weight is not None:
        ballots = _columns_of_ballots(head, asked, beside)
        table, sums = without_nameless_sum(head.table, ballots, beside.weight)
        head, said = replace(head, table=table), (*said, *sums)
    head, n_superseded = _last_rows(head, beside)
    others = filter(None, (asked.weight, asked.id))
    require_steady(head, (*asked.columns, *asked.ignore, *others))
    table, read = head.table, _reader(head, asked)
    found, parts = read(table), dealt(table.columns, N_PARTS)
    require_alike(found, read, table, np.arange(table.n_rows), parts)
    require_titles(header, found.layout)
    for fewer in header.fewer:
        otherwise = _reader_below(fewer.head, table, asked)
        if otherwise is not None:
            alike = fewer.may_be_alike
            require_not_otherwise(found, otherwise, table, parts, may_be_alike=alike)
    found = replace(found, remarks=(*said, *found.remarks), n_superseded=n_superseded)
    return _told(found, table, beside, asked)


def _reader_below(head: Headed, rows: Table, asked: Asked) -> Callable[[Table], Found] | None:
    """Return how to read these rows, or some of them, below a header; None where none can be.

    Of rows that are wider than the header the first columns are read.
    """
    titles = head.table.header

    def below(table: Table) -> Table:
        return replace(table, header=titles, columns=table.columns[: len(titles)])

    try:
        read = _reader(replace(head, table=below(rows)), asked)
    except HushrankError:
        return None
    return lambda table: read(below(table))


def _reader(head: Headed, asked: Asked) -> Callable[[Table], Found]:
    """Return how to read rows of a table, of which all are below this header."""
    beside = _Beside.of(head, asked)
    ballots = _columns_of_ballots(head, asked, beside)
    columns = may_be_ballots(head, ballots, asked)
    is_named = any(head.table.header)

    def read(table: Table) -> Found:
        of_these = replace(head, table=table)
        if is_named:
            layout = layout_of(of_these, columns, asked, len(ballots))
        else:
            layout = layout_without_names(of_these, ballots, columns, asked)
        if layout.kind == "places" and asked.form is None:
            _require_no_counts(of_these, layout.columns)
        return _read(of_these, layout, beside)

    return read


def _last_rows(head: Headed, beside: "_Beside") -> tuple[Headed, int | None]:
    """Keep the last row of each person, before any tells how ballots are read: one each."""
    if beside.person is None:
        return head, None
    people = head.table.columns[beside.person]
    require(people.is_read, f"id: expected text or numbers in {listed([beside.person])}")
    people = held_texts(people.codes, people.texts)
    are_whole = not any(map(is_rounded, people.texts))
    require(are_whole, f"id: {listed([beside.person])} has {ROUNDED}")
    require_persons(head.table, people, f"id: {listed([beside.person])}")
    is_last = _last_of_person(people)
    weights = np.ones(len(is_last), dtype=np.int64)
    if beside.weight is not None:
        weights = _weights(head.table, head.table.columns[beside.weight])
    kept = head if is_last.all() else replace(head, table=head.table.of_rows(is_last))
    return kept, int(weights[~is_last].sum())


def _told(found: Found, table: Table, beside: "_Beside", asked: Asked) -> Found:
    """Tell which rows have an empty id, and that best is not used where there are no numbers."""
    flags, remarks = found.flags, found.remarks
    if beside.person is not None:
        flags = {**flags, "nameless": ~table.columns[beside.person].is_filled}
    if asked.best is not None and found.kind in ("places", "lists", "marks"):
        remarks = (*remarks, "best not used: cells hold no ranks or scores")
    return replace(found, flags=flags, remarks=remarks)


def _last_of_person(people: Column) -> Flags:
    """Tell which rows (rows,) are the last of their person; nobody is told by an empty cell."""
    nobody = np.array([*(not text for text in people.texts), True])[people.codes]
    codes = np.where(nobody, len(people.texts) + np.arange(len(people.codes)), people.codes)
    is_last = np.zeros(len(codes), dtype=np.bool_)
    is_last[len(codes) - 1 - np.unique(codes[::-1], return_index=True)[1]] = True
    return is_last


def _require_no_counts(head: Headed, columns: Sequence[int]) -> None:
    """Refuse places in which numbers stand that hardly recur, beside names of rows: counts."""
    cells = [text for n in columns for text in head.table.columns[n].texts]
    names = {text for text in cells if text and not is_no_vote(text)}
    n_filled = sum(int(head.table.columns[n].is_filled.sum()) for n in columns)
    others = [each for n, each in enumerate(head.table.columns) if n not in columns]
    is_named = any(len(each.texts) == head.table.n_rows > 1 for each in others)
    are_numbers = is_named and bool(names) and all(name.isdecimal() for name in names)
    require(
        not (are_numbers and ("0" in names or 2 * len(names) > n_filled)),
        f"{listed(columns)}: expected names of items, got numbers that hardly recur, as in tables"
        " of how many people put an item where, which are no ballots; say"
        ' form="places" if items are called by numbers',
    )


def _columns_of_ballots(head: Headed, asked: Asked, beside: "_Beside") -> list[int]:
    """Return the columns that were chosen, or all, but for those beside the ballots."""
    every = range(len(head.parts))
    candidates = chosen(head, asked.columns, "columns") if asked.columns else every
    ballots = [number for number in candidates if number not in beside.columns]
    require(ballots, "line 1: expected a column beside the weight")
    return ballots


@dataclass(frozen=True)
class _Beside:
    """The columns that stand beside ballots because the caller, or the word weight, says so."""

    weight: int | None
    person: int | None
    columns: frozenset[int]

    @classmethod
    def of(cls, head: Headed, asked: Asked) -> "_Beside":
        titles = [title.lower() for title in head.table.header]
        weight = titles.index(WEIGHT) if WEIGHT in titles else None
        require(titles.count(WEIGHT) <= 1, "line 1: expected at most one weight column")
        if asked.weight is not None:
            weight = the_one(head, asked.weight, "weight")
        person = None if asked.id is None else the_one(head, asked.id, "id")
        ignored = chosen(head, asked.ignore, "ignore")
        named = {n for n in (weight, person) if n is not None}
        return cls(weight, person, frozenset({*named, *ignored}))


def _of_rows(table: Table, long: Long) -> Found:
    """Read one number a row, of a person for an item."""
    found, people = _of_numbers(table, long), column_named(table, long.person)
    _, firsts, codes = np.unique(people.codes, return_index=True, return_inverse=True)
    in_order = np.argsort(firsts)  # as people are in the rankings
    parts = dealt_by_text(people, N_PARTS)[firsts[in_order]]
    require_alike(found, partial(_of_numbers, long=long), table, np.argsort(in_order)[codes], parts)
    return found


def _of_numbers(table: Table, long: Long) -> Found:
    rankings = ballots_of_rows(table, long)
    used = {long.person, long.item, long.value}
    end = "highest" if long.best == "high" else "lowest"
    form = f"one {long.value} a row, the {end} is best"
    return Found(rankings, form, tuple(name for name in table.header if name not in used))


def _read(head: Headed, layout: Layout, beside: _Beside) -> Found:
    rankings, flags = ballots_of_layout(head, layout)
    if beside.weight is not None:
        weights = _weights(head.table, head.table.columns[beside.weight])
        rankings = Rankings(rankings.ranks, rankings.names, weights, rankings.unranked)
    known = {*layout.columns, beside.weight, beside.person}
    ignored = tuple(
        name or f"no. {n + 1}" for n, name in enumerate(head.table.header) if n not in known
    )
    if beside.weight is None:
        _require_no_weight(head, [n for n in range(len(head.parts)) if n not in known], beside)
    remarks = remarks_on(head, layout)
    return Found(
        rankings, in_words(layout), ignored, flags, remarks=remarks, head=head, layout=layout
    )


def _require_no_weight(head: Headed, columns: Sequence[int], beside: "_Beside") -> None:
    """Ask about a column that may say how many people a row stands for."""
    is_named = any(head.table.header)
    for n in columns:
        title, column = head.table.header[n], head.table.columns[n]
        may_count = may_be_a_weight(title) or not is_named
        if n in beside.columns or not may_count or not column.is_read:
            continue
        numbers = column.numbers()
        numbers = numbers[~np.isnan(numbers)]
        are_counts = np.isfinite(numbers) & (numbers >= 1)
        may_be = bool((numbers[are_counts] > 1).any()) and bool(are_counts.mean() >= 0.5)
        called = f"column {n + 1} ({title})" if title else f"column {n + 1}"
        require(
            not may_be,
            f"{called} may say how many people a row stands for: say"
            f' weight="{n + 1}" if it does, or ignore=["{n + 1}"] if each row is one person',
        )


def _weights(table: Table, column: Column) -> Counts:
    weights = np.where(is_blank(table), 1.0, column.numbers())
    is_whole = (weights >= 1) & (weights <= MOST_PEOPLE_OF_A_ROW) & (np.floor(weights) == weights)
    table.require_rows(is_whole, f"a weight that is a whole number of 1..{MOST_PEOPLE_OF_A_ROW}")
    return weights.astype(np.int64)

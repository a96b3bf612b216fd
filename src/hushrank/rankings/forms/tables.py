"""Ballots in tables of any look: found, read, cleaned of what is no ballot, and said how."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts
from hushrank.errors import HushrankError, require
from hushrank.files.columns import Column, Table
from hushrank.files.dealing import dealt, dealt_by_text
from hushrank.files.names import distinct_names
from hushrank.files.tables import column_named
from hushrank.rankings.agreement import N_PARTS, require_alike
from hushrank.rankings.formats.preflib_body import MOST_PEOPLE_OF_A_ROW
from hushrank.rankings.forms.asked import Asked
from hushrank.rankings.forms.columns import (
    WEIGHT,
    chosen,
    listed,
    may_be_a_weight,
    require_steady,
    the_one,
)
from hushrank.rankings.forms.counted import with_weights
from hushrank.rankings.forms.headings import (
    Headed,
    headed,
    is_of_qualtrics,
    of_one_row,
    titles_in_words,
    without_titles,
)
from hushrank.rankings.forms.layout import NO_HEADER, Layout, layout_of, mark_of, may_be_ballots
from hushrank.rankings.forms.lists import (
    ballots_of_lists,
    n_rows_ranking,
    n_rows_ranking_a_title,
)
from hushrank.rankings.forms.long import Long, ballots_of_rows, long_form
from hushrank.rankings.forms.ordinals import place_within
from hushrank.rankings.forms.places import (
    CROSSED,
    NONE,
    SEVERAL,
    Placed,
    ballots_of_places,
    is_no_vote,
    placed,
)
from hushrank.rankings.forms.ranks import kind_of, place_keys, score_keys
from hushrank.rankings.forms.sums import is_blank, without_nameless_sum, without_sums
from hushrank.rankings.profile import Rankings

Flags = NDArray[np.bool_]

MOST_TRIED = 5
"""Lines of which one at least will name what others do, where they are ballots."""

HALF_A_HEADER = (
    "line 1: expected a header, it names what lines below name: it seems to be a ballot; write a"
    " line of names above it"
)

HEADER_OR_BALLOT = (
    "line 1: cannot tell whether it names columns or is a ballot, as lines below it are in all"
    " columns; if it does, say columns= which hold ballots"
)
TITLE_OR_LIST = (
    "line 1: cannot tell whether it names columns or is a ballot, as few lines below rank what it"
    " would rank; write a line of names above it that no ballot ranks"
)
OTHER_HEADER = (
    "line 2: cannot tell whether it is a ballot or of the header: without it all others are ballots"
    " of other items, or of another form; write one line of names above the ballots"
)


@dataclass(frozen=True, repr=False)
class Found:
    """Rankings with how they were found, before they are cleaned.

    `form` in words, `layout` of columns; `ignored`: columns by name; `flags`: which rows are
    irregular, by kind; `n_superseded`: how many people were left out because their person has a
    later row, None where no id says whose a row is; `head`: the table below its header.
    """

    rankings: Rankings
    form: str
    ignored: tuple[str, ...] = ()
    flags: Mapping[str, Flags] = field(default_factory=dict)
    n_superseded: int | None = None
    remarks: tuple[str, ...] = ()
    head: Headed | None = None
    layout: Layout | None = None

    @property
    def kind(self) -> str:
        """The form in one word, empty where no columns have it."""
        return "" if self.layout is None else self.layout.kind


def ballots_of_table(table: Table, asked: Asked) -> Found:
    """Find the ballots of a table and read them.

    Raises HushrankError, with line or column, when a cell is not what the form holds, or when it
    cannot be told which form it is.
    """
    is_table_form = asked.form not in ("preflib", "order", "blt")
    require(is_table_form, f"expected a file of the form {asked.form}, got a table")
    whole = table
    table, n_titles = without_titles(whole)
    if n_titles:
        found = ballots_of_table(table, asked)
        _require_no_ballots_without(whole, n_titles, found, asked)
        return replace(found, remarks=(*found.remarks, titles_in_words(n_titles)))
    if counted := with_weights(table):
        table, asked = counted, replace(asked, form="lists")
    table, sums = without_sums(table)
    if sums:
        found = ballots_of_table(table, asked)
        return replace(found, remarks=(*found.remarks, *sums))
    long = long_form(table, asked)
    return _of_columns(table, asked) if long is None else _of_rows(table, long)


def _of_columns(table: Table, asked: Asked) -> Found:
    """Read one ballot a row, or a row that counts equal ballots."""
    head = headed(table)
    n_lines = table.n_rows - head.table.n_rows  # of the header below its first: none is a ballot
    is_ballot = not n_lines and asked.form in (None, "places") and _is_ballot(table, asked)
    is_list = not n_lines and asked.form in (None, "lists") and _is_list(table)
    if is_ballot or is_list:
        found = _below(_nameless(table), asked, is_ballot=is_ballot)
        return replace(found, remarks=("no header: line 1 is a ballot", *found.remarks))
    found = _below(head, asked)
    if n_lines and not is_of_qualtrics(table):
        _require_no_ballots_without(table, n_lines, found, asked)
    elif table.may_lack_header and found.kind == "places":
        _require_no_ballot_above(table, found, asked)
    elif found.layout is not None and found.kind == "lists":
        (n,), separator = found.layout.columns, found.layout.separator
        n_ranking = n_rows_ranking(table.header[n], table.columns[n], separator)
        require(n_lines > 0 or n_ranking == 0, TITLE_OR_LIST)
    return found


def _is_list(table: Table) -> bool:
    """Tell a first line that ranks what several lines below it do; one alone is refused."""
    n_rows = n_rows_ranking_a_title(table)
    require(n_rows != 1 or table.n_rows == 1, TITLE_OR_LIST)
    return n_rows > 0


def _below(head: Headed, asked: Asked, *, is_ballot: bool = False) -> Found:
    """Read the ballots below a header; is_ballot: as it has no names, all cells name items."""
    beside = _Beside.of(head, asked)
    ballots = _columns_of_ballots(head, asked, beside)
    said: tuple[str, ...] = ()
    if beside.weight is not None:
        table, said = without_nameless_sum(head.table, ballots, beside.weight)
        head = replace(head, table=table)
    if is_ballot:
        _require_names_of_all(head.table, ballots)
    head, n_superseded = _last_rows(head, beside)
    others = filter(None, (asked.weight, asked.id))
    require_steady(head, (*asked.columns, *asked.ignore, *others))
    columns = ballots if is_ballot else may_be_ballots(head, ballots, asked)

    def read(table: Table) -> Found:
        of_these = replace(head, table=table)
        layout = Layout("places", tuple(ballots))
        if not is_ballot:
            layout = layout_of(of_these, columns, asked, len(ballots))
        if layout.kind == "places" and asked.form is None:
            _require_no_counts(of_these, layout.columns)
        return _read(of_these, layout, beside)

    found = read(head.table)
    rows, parts = np.arange(head.table.n_rows), dealt(head.table.columns, N_PARTS)
    require_alike(found, read, head.table, rows, parts)
    return replace(found, remarks=(*said, *found.remarks), n_superseded=n_superseded)


def _require_names_of_all(table: Table, columns: Sequence[int]) -> None:
    """Refuse ballots without a header in columns that name nothing that others do, such as a city.

    Told without the first line: with a header in its place such a file is read.
    """
    below = table.below(min(1, table.n_rows // 3), table.header)
    names = {n: {*below.columns[n].texts} - {""} for n in columns}
    for n in columns:
        others = set[str]().union(*(names[other] for other in columns if other != n))
        require(
            len(columns) == 1 or names[n] & others or not names[n],
            f"{listed([n])}: expected names of items that stand in other columns, too, as line 1"
            " is no header; write a line of names above it, or say columns= which hold ballots",
        )


def _require_no_ballots_without(table: Table, n_lines: int, found: Found, asked: Asked) -> None:
    """Refuse lines taken for a header without which all others are ballots, read otherwise.

    Any of these may be a ballot, too: several are refused however others are read.
    """
    try:
        without = _below(of_one_row(table.below(n_lines, table.header)), asked)
    except HushrankError:
        return
    same = without.form == found.form and without.rankings.names == found.rankings.names
    require(same and n_lines == 1, OTHER_HEADER)


def _require_no_ballot_above(table: Table, found: Found, asked: Asked) -> None:
    """Refuse a line taken for a header where all lines below it are ballots without one.

    It may be a ballot, too, unless these are read alike below it. Where nothing but the caller says
    that there are places, each of some lines is tried: one may name what no other does.
    """
    n_tried = MOST_TRIED if asked.form == "places" else 1
    for row in range(min(n_tried, table.n_rows if table.n_rows > 1 else 0)):
        others = table.of_rows(np.arange(table.n_rows) != row)
        below = replace(others, header=table.cells(row))
        try:
            if not _is_ballot(below, asked):
                continue
            without = _below(_nameless(below), asked, is_ballot=True)
        except HushrankError:
            continue
        require(without.form == found.form, HEADER_OR_BALLOT)


def _last_rows(head: Headed, beside: "_Beside") -> tuple[Headed, int | None]:
    """Keep the last row of each person, before any tells how ballots are read: one each."""
    if beside.person is None:
        return head, None
    is_last = _last_of_person(head.table.columns[beside.person])
    weights = np.ones(len(is_last), dtype=np.int64)
    if beside.weight is not None:
        weights = _weights(head.table, head.table.columns[beside.weight])
    kept = head if is_last.all() else replace(head, table=head.table.of_rows(is_last))
    return kept, int(weights[~is_last].sum())


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


def _is_ballot(table: Table, asked: Asked) -> bool:
    """Tell a first line that names what the lines below name: it is a ballot, no header.

    Where places were asked for, one row alone could make it either: that is refused.
    """
    names = set(table.header)
    again = {name for column in table.columns for name in names.intersection(column.texts)}
    no_title = not any(place_within(name) for name in table.header if name)
    numbers = [name for name in table.header if name.isdecimal()]
    is_numbers = bool(numbers) and all(n.isdecimal() or not n or is_no_vote(n) for n in names)
    counted = [str(n) for n in range(1, len(numbers) + 1)]
    in_order = list(table.header) in (counted, ["", *counted])  # the first may number the rows
    require(not is_numbers or in_order, NO_HEADER)
    if is_numbers or len(names) < 2 or not no_title:
        return False
    n_again = len(again - {""})
    if n_again:
        _require_no_second_header(table)
    is_half = n_again >= (1 if asked.form == "places" else 2)
    require(not is_half or names == again, HALF_A_HEADER)
    holds_numbers = _holds_numbers(table)
    if asked.form == "places" and names == again and table.n_rows > 1:
        require(table.rows_naming(names).sum() > 1 and not holds_numbers, HALF_A_HEADER)
    is_ballot = names == again and not holds_numbers
    if is_ballot and asked.form is None and table.n_rows > 1:
        require(_n_named_without_one(table, names - {""}) > 1, HALF_A_HEADER)
    return is_ballot


def _n_named_without_one(table: Table, names: set[str]) -> int:
    """Count the names that lines below hold, without the one line that alone holds the most."""
    holders = [np.flatnonzero(table.rows_naming({name})) for name in names]
    alone = [int(rows[0]) for rows in holders if len(rows) == 1]
    return len(names) - max(map(alone.count, alone), default=0)


def _holds_numbers(table: Table) -> bool:
    """Tell places or scores: a row of names among them is no reason to turn them round.

    It is refused, where it stands.
    """
    return any(kind.places or kind.numbers for kind in map(kind_of, table.columns))


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
            " are ballots, write a line of names above them",
        )


def _nameless(table: Table) -> Headed:
    rows = table.with_header_as_row()
    return Headed(rows, rows.header, rows.header)


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
    rankings, flags = _READERS[layout.kind](head, layout)
    if beside.weight is not None:
        weights = _weights(head.table, head.table.columns[beside.weight])
        rankings = Rankings(rankings.ranks, rankings.names, weights, rankings.unranked)
    known = {*layout.columns, beside.weight, beside.person}
    ignored = tuple(
        name or f"no. {n + 1}" for n, name in enumerate(head.table.header) if n not in known
    )
    if beside.weight is None:
        _require_no_weight(head, [n for n in range(len(head.parts)) if n not in known], beside)
    crosses = _of_crosses(head, layout)
    remarks = (*layout.remarks, *crosses, *_of_names(layout), *_of_previews(head))
    return Found(
        rankings, _words(layout), ignored, flags, remarks=remarks, head=head, layout=layout
    )


def _require_no_weight(head: Headed, columns: Sequence[int], beside: "_Beside") -> None:
    """Ask about a column that may say how many people a row stands for."""
    for n in columns:
        title, column = head.table.header[n], head.table.columns[n]
        if n in beside.columns or not may_be_a_weight(title) or not column.is_read:
            continue
        numbers = column.numbers()
        numbers = numbers[~np.isnan(numbers)]
        are_counts = np.isfinite(numbers) & (numbers >= 1)
        may_be = bool((numbers[are_counts] > 1).any()) and bool(are_counts.mean() >= 0.5)
        require(
            not may_be,
            f"column {n + 1} ({title}) may say how many people a row stands for: say"
            f' weight="{n + 1}" if it does, or ignore=["{n + 1}"] if each row is one person',
        )


def _of_previews(head: Headed) -> tuple[str, ...]:
    """Say how many rows are of whoever made a form, and tried it, as Qualtrics marks them."""
    for title, column in zip(head.table.header, head.table.columns, strict=True):
        if title.lower() in ("status", "response type"):
            marked = [text.lower() in ("survey preview", "spam") for text in column.texts]
            n_rows = int(np.array([*marked, False])[column.codes].sum())
            rows = "1 row is a preview" if n_rows == 1 else f"{n_rows:,} rows are previews"
            return (f"{rows} or spam, as {title} says, and counted",) if n_rows else ()
    return ()


def _of_crosses(head: Headed, layout: Layout) -> tuple[str, ...]:
    """Say how many places hold XXX, which is no item."""
    if layout.kind != "places":
        return ()
    columns = [head.table.columns[n] for n in layout.columns]
    n_cells = sum(
        int((each.codes == each.texts.index(CROSSED)).sum())
        for each in columns
        if CROSSED in each.texts
    )
    return (f"{CROSSED} is no item: {n_cells:,} times an empty place",) if n_cells else ()


def _of_names(layout: Layout) -> tuple[str, ...]:
    """Say which items have a number behind their name, because columns are called alike."""
    again = (
        [
            n
            for n, name in zip(layout.columns, layout.names, strict=True)
            if layout.names.count(name) > 1
        ]
        if layout.names
        else []
    )
    return (f"{listed(again)} are called alike: numbered",) if again else ()


def _words(layout: Layout) -> str:
    where, size = listed(layout.columns), len(layout.columns)
    signs = {
        ">": "parted by >",
        ";": "parted by semicolons",
        "\n": "one item a line",
        "|": "parted by bars",
        ",": "parted by commas",
        "[": "as lists",
    }
    words = {
        "places": f"places 1 to {size} in {where}",
        "ranks": f"places of the items in {where}",
        "scores": f"scores of the items in {where}, the {layout.best}est is best",
        "marks": f"marks of candidates and places in {where}",
        "lists": f"whole ballots in {where}, {signs.get(layout.separator, '')}",
    }
    return words[layout.kind]


def _of_places(head: Headed, layout: Layout) -> tuple[Rankings, dict[str, Flags]]:
    return _of_placed(ballots_of_places([head.table.columns[n] for n in layout.columns]))


def _of_marks(head: Headed, layout: Layout) -> tuple[Rankings, dict[str, Flags]]:
    """Turn marks (people, candidates and places) into the item at each place, where it is one."""
    marks = {n: mark_of(head.parts[n]) for n in layout.columns}
    names = list(dict.fromkeys(name for name, _ in marks.values()))
    n_places = max(place for _, place in marks.values())
    cells = np.full((head.table.n_rows, n_places), NONE, dtype=np.int32)
    for n, (name, place) in marks.items():
        is_marked = head.table.columns[n].numbers() == 1
        at = cells[:, place - 1]
        at[is_marked] = np.where(at[is_marked] == NONE, names.index(name), SEVERAL)
    return _of_placed(placed(cells, names))


def _of_placed(found: Placed) -> tuple[Rankings, dict[str, Flags]]:
    flags = {"skipped": found.skipped, "repeated": found.repeated, "overvoted": found.overvoted}
    return Rankings(found.ranks, found.names), flags


def _of_ranks(head: Headed, layout: Layout) -> tuple[Rankings, dict[str, Flags]]:
    keys = place_keys(head.table, layout.columns)
    rankings = Rankings.from_keys(keys, distinct_names(layout.names))
    is_even = (rankings.ranks + 1.0 == keys) | ~rankings.is_ranked
    return rankings, {"uneven": np.asarray(~is_even.all(axis=1))}


def _of_scores(head: Headed, layout: Layout) -> tuple[Rankings, dict[str, Flags]]:
    keys = score_keys(head.table, layout.columns) * (-1 if layout.best == "high" else 1)
    return Rankings.from_keys(keys, distinct_names(layout.names), unranked="unknown"), {}


def _of_lists(head: Headed, layout: Layout) -> tuple[Rankings, dict[str, Flags]]:
    (column,) = layout.columns
    return ballots_of_lists(head.table, head.table.columns[column], layout.separator), {}


_READERS = {
    "places": _of_places,
    "marks": _of_marks,
    "ranks": _of_ranks,
    "scores": _of_scores,
    "lists": _of_lists,
}


def _weights(table: Table, column: Column) -> Counts:
    weights = np.where(is_blank(table), 1.0, column.numbers())
    is_whole = (weights >= 1) & (weights <= MOST_PEOPLE_OF_A_ROW) & (np.floor(weights) == weights)
    table.require_rows(is_whole, f"a weight that is a whole number of 1..{MOST_PEOPLE_OF_A_ROW}")
    return weights.astype(np.int64)

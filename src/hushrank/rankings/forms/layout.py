"""Which form a table of ballots has: told by its header and cells, or asked, never guessed."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hushrank.errors import HushrankError, require
from hushrank.files.columns import Column, Table
from hushrank.files.delimiters import DELIMITERS, TWO_SIGNS
from hushrank.files.names import is_number
from hushrank.rankings.forms.asked import Asked, Best
from hushrank.rankings.forms.columns import listed, may_stand_beside, stands_beside
from hushrank.rankings.forms.lines.headings import Headed
from hushrank.rankings.forms.lists import SEPARATORS, any_separator_of, is_of_orders, separator_of
from hushrank.rankings.forms.ordinals import is_in_words, ordinal, place_within
from hushrank.rankings.forms.ranks import (
    Kind,
    are_no_names,
    kind_of,
    look_like_places,
    place_keys,
    place_of_rows,
)

_MARK = re.compile(r"(.+?)\s*\((\d{1,3})\)")
_PREFIX = "rank of "
MARKS = {"", "0", "1"}
"""What cells of marks hold."""


@dataclass(frozen=True)
class Layout:
    """A form of ballots: its kind, its columns, and for columns of items their names.

    places: columns in the order of places. marks: cells of candidates and places, 0 or 1. lists:
    one column, parted by `separator`. `best`: which end of scores.
    """

    kind: str
    columns: tuple[int, ...]
    names: tuple[str, ...] = ()
    separator: str = ""
    best: Best = "low"
    remarks: tuple[str, ...] = field(default=())


def may_be_ballots(headed: Headed, candidates: Sequence[int], asked: Asked) -> list[int]:
    """Return the columns that may be of ballots: all but numbers of rows, and what stands beside.

    Raises HushrankError where it cannot be told whether numbers are of rows, and for columns that
    are not read: one cell of another kind would take them from all ballots.
    """
    unread = [n for n in candidates if not headed.table.columns[n].is_read]
    unread = [n for n in unread if asked.columns or not _stands_beside(headed, n)]
    if unread:
        kinds = "expected text or numbers, got another kind, such as days or lists, in some cells"
        raise HushrankError(f"{listed(unread)}: {kinds}; leave out what is no ballot with ignore=")
    read = [n for n in candidates if _is_read(headed, n)]
    return read if asked.columns else [n for n in read if not _stands_beside(headed, n)]


def layout_of(headed: Headed, columns: Sequence[int], asked: Asked, n_candidates: int) -> Layout:
    """Tell the form of the ballots in these columns, which may be of ballots.

    n_candidates: how many with those that are not. In which order rows stand does not matter.
    Raises HushrankError, which says what to say, when the table does not tell.
    """
    if asked.form is not None:
        return _told(headed, columns, asked)
    return (
        _marks(headed, columns)
        or _places(headed, columns, is_said=asked.header is not None)
        or _items(headed, columns, asked, n_candidates)
        or _lists(headed, columns, is_open=not asked.columns)
        or _nothing(headed, columns)
    )


def layout_without_names(
    headed: Headed, ballots: Sequence[int], columns: Sequence[int], asked: Asked
) -> Layout:
    """Tell the form of ballots in columns without names: lists in one, or names best first.

    ballots: all columns that may be, columns: those that do not number the rows. Raises
    HushrankError for numbers, which need names of items above them.
    """
    if asked.form == "places" and asked.header is not None:
        return layout_of(headed, ballots, asked, len(ballots))
    if asked.form not in (None, "places") or len(ballots) == 1:
        return layout_of(headed, columns, asked, len(ballots))
    lists = _sure_lists(headed, columns) if asked.form is None else {}
    if lists:
        return _the_list(headed, lists)
    are_names = asked.form == "places" or not are_no_names(headed.table.columns[n] for n in ballots)
    require(are_names, NO_HEADER)
    _require_names_of_all(headed.table, ballots)
    return Layout("places", tuple(ballots))


def _require_names_of_all(table: Table, columns: Sequence[int]) -> None:
    """Refuse ballots without a header in columns that name nothing that others do, such as a city.

    Told without the first line: with a header in its place such a file is read.
    """
    below = table.below(min(1, table.n_rows // 3), table.header)
    names = {n: {*below.columns[n].texts} - {""} for n in columns}
    for n in columns:
        others = set[str]().union(*(names[other] for other in columns if other != n))
        require(
            names[n] & others or not names[n],
            f"{listed([n])}: expected names of items that stand in other columns, too, as line 1"
            " is no header; write a line of names above it, or say columns= which hold ballots",
        )


def _stands_beside(headed: Headed, column: int) -> bool:
    title = headed.table.header[column]
    return stands_beside(title) and not title.startswith(_PREFIX)


def _is_read(headed: Headed, column: int) -> bool:
    """Tell columns that may be ballots from those without a name that number the rows."""
    cells = headed.table.columns[column]
    if not cells.is_read or headed.table.header[column]:
        return cells.is_read
    numbers = cells.numbers()
    is_number = np.isfinite(numbers)
    steps = np.diff(np.where(is_number, numbers, np.nan))
    n_others = int((steps != 1).sum())
    may_be = n_others <= 3 and (len(steps) > 5 or is_number.sum() >= max(len(steps), 1))
    is_unsure = may_be and (n_others > 0 or len(steps) == 0) and any(headed.table.header)
    require(not is_unsure, f"{listed([column])}: expected a name, or numbers of rows one by one")
    return n_others > 0 or len(steps) == 0


def _told(headed: Headed, columns: Sequence[int], asked: Asked) -> Layout:
    """Take the form that the caller says, and all columns that may be of it."""
    require(columns, f"expected columns that hold {asked.form}")
    if asked.form == "lists":
        return _lists(headed, columns, is_open=False) or _no_lists(headed, columns)
    if asked.form == "places":
        _require_not_turned(headed, columns)
        _require_no_header_below(headed, columns)
        _require_parted(headed, columns, is_said=asked.header is not None)
        return Layout("places", tuple(columns))
    names = _item_names(headed, columns)
    if asked.form == "scores":
        _require_names(names, asked)
        are_stars = _are_stars([kind_of(headed.table.columns[n]) for n in columns])
        best = asked.best or ("high" if are_stars else _ask_best(headed, columns, "scores"))
        return Layout("scores", tuple(columns), names, best=best)
    return Layout("ranks", tuple(columns), names)


def _require_parted(headed: Headed, columns: Sequence[int], *, is_said: bool) -> None:
    """Refuse a lone place whose cells hold what parts cells, as after an odd line.

    But for one whose title is known, is_said, and says a place without such a sign.
    """
    title = headed.table.header[columns[0]]
    texts = [text for text in headed.table.columns[columns[0]].texts if text]
    is_titled = is_said and place_within(title) is not None
    parting = (TWO_SIGNS, *DELIMITERS)
    signs = [sign for sign in parting if sign != "," and not (is_titled and sign not in title)]
    n_parted = max((sum(sign in text for text in texts) for sign in signs), default=0)
    require(
        len(columns) > 1 or n_parted == 0 or 2 * n_parted < len(texts),
        f"{listed(columns)}: expected one item a cell, got several, as of lines that differ in"
        " length",
    )


def _require_no_header_below(headed: Headed, columns: Sequence[int]) -> None:
    """Refuse a first row that says places: it is of the header, but for a ballot that says one."""
    if not headed.table.n_rows:
        return
    first = [cell for n in columns if (cell := headed.table.cells(0)[n])]
    are_places = bool(first) and [*map(ordinal, first)] == [*range(1, len(first) + 1)]
    headed.table.require_rows(
        np.arange(headed.table.n_rows) >= (are_places and all(map(is_in_words, first))),
        "a ballot, got places: delete the lines above it, which name no columns",
    )


def _marks(headed: Headed, columns: Sequence[int]) -> Layout | None:
    """Find contests whose columns are candidates and places, `NAME(1)`, marked by 0 and 1.

    Raises HushrankError where other columns of such a contest hold anything else: left out, one
    cell would take a candidate's place from all ballots.
    """
    named = [n for n in columns if _MARK.fullmatch(headed.parts[n])]
    contests = {
        name: group
        for name, group in _by(lambda n: headed.questions[n], named).items()
        if _n_rows_of_others(headed, group) <= (headed.table.n_rows > 2)
        or any(set(headed.table.columns[n].texts) <= MARKS for n in _later(headed, group))
    }
    ranked = {name for name, group in contests.items() if _later(headed, group)}
    if not ranked:
        return None
    contest = _the_only(
        {name: group for name, group in contests.items() if name in ranked}, "contests"
    )
    for n in contest:
        is_mark = _is_mark(headed.table.columns[n])
        headed.table.require_rows(is_mark, f"marks of 0 and 1 in {listed([n])}")
    return Layout("marks", tuple(contest))


def _later(headed: Headed, columns: Sequence[int]) -> list[int]:
    """Return the columns of places behind the first."""
    return [n for n in columns if not headed.parts[n].endswith("(1)")]


def _n_rows_of_others(headed: Headed, columns: Sequence[int]) -> int:
    """Count the rows that hold anything but marks in these columns."""
    are_marks = [_is_mark(headed.table.columns[n]) for n in columns]
    return int((~np.logical_and.reduce(are_marks)).sum())


def _is_mark(column: Column) -> NDArray[np.bool_]:
    """Tell in which rows (rows,) a mark stands, or nothing."""
    is_mark: NDArray[np.bool_] = np.array([*(text in MARKS for text in column.texts), True])[
        column.codes
    ]
    return is_mark


def mark_of(part: str) -> tuple[str, int]:
    """Return the candidate and the place of a column of marks."""
    found = _MARK.fullmatch(part)
    return (found[1], int(found[2])) if found else (part, 1)


def _places(headed: Headed, columns: Sequence[int], *, is_said: bool) -> Layout | None:
    """Find columns whose headers say places, 1 to k, and whose cells do not.

    is_said: whether it is known that these are headers.
    """
    within = {n: place_within(headed.parts[n]) for n in columns}
    placed = {n: found for n, found in within.items() if found}
    groups = _by(lambda n: f"{headed.questions[n]} {placed[n][0]}".strip(), list(placed))
    whole = {}
    for name, group in groups.items():
        in_order = sorted(group, key=lambda n: placed[n][1])
        if [placed[n][1] for n in in_order] == list(range(1, len(group) + 1)):
            whole[name] = in_order
    of_names = {name: group for name, group in whole.items() if not _are_of_places(headed, group)}
    is_of_items = all(headed.table.header[n].startswith(_PREFIX) for n in columns)
    all_placed = all(not headed.parts[n] or n in placed for n in columns)
    is_unsure = all_placed or any(len(group) > 1 for group in whole.values())
    if whole and not of_names and is_unsure and not is_of_items:
        is_plain = all(headed.parts[n].isdecimal() for group in whole.values() for n in group)
        raise HushrankError(BOTH_PLACES if is_said or not is_plain else NO_HEADER)
    more = {name: group for name, group in of_names.items() if len(group) > 1}
    if not more and len(of_names) == 1 and len(columns) == 1:
        is_list = separator_of(headed.table.columns[columns[0]]) is not None
        more = {} if is_list else of_names
    return Layout("places", tuple(_the_only(more, "questions"))) if more else None


NO_HEADER = (
    'line 1: expected a header, got numbers: say header=0 and form="places" if rows name items by'
    " number, best first, or write the names of the items above it if rows hold their ranks"
)

NAMELESS = "header: expected at least 1 line, of the names of the items that the columns stand for"

BOTH_PLACES = (
    'line 1 and the cells below it say places: say form="places" if the cells name items by number,'
    ' or form="ranks" if the columns are items that are called so'
)


def _are_of_places(headed: Headed, columns: Sequence[int]) -> bool:
    kinds = [kind_of(headed.table.columns[n]) for n in columns]
    return any(kind.filled for kind in kinds) and all(
        kind.within(len(columns)) == 1 for kind in kinds if kind.filled
    )


def _items(
    headed: Headed, columns: Sequence[int], asked: Asked, n_candidates: int
) -> Layout | None:
    """Find columns of items, whose cells are places or scores."""
    titles = headed.table.header
    if columns and all(titles[n].startswith(_PREFIX) for n in columns):
        return Layout("ranks", tuple(columns), _item_names(headed, columns))
    kinds = {n: kind_of(headed.table.columns[n]) for n in columns}
    numeric = [n for n in columns if kinds[n].is_of_numbers]
    questions = _by(lambda n: headed.questions[n], numeric)
    several = {name: group for name, group in questions.items() if name and len(group) > 1}
    if several and not asked.columns:
        numeric = list(_the_only(several, "questions"))
    if not asked.columns:
        numeric = _without_people(headed, numeric, kinds)
    empty = [n for n in columns if not kinds[n].filled and titles[n]]
    if not numeric or (len(numeric) == 1 and n_candidates > 1):
        return None
    n_named = n_candidates - sum(not titles[n] for n in columns)  # one row may widen a sheet
    is_whole = bool(asked.columns) or len(numeric) + len(empty) == n_named
    kept = sorted([*numeric, *(n for n in empty if is_whole or _is_among(headed, n, numeric))])
    n_all = len(columns) if asked.columns else n_candidates
    _require_no_lone_cells(headed, columns, kept, kinds, n_all)
    names = _item_names(headed, kept)
    _require_names(names, asked)
    if _are_stars([kinds[n] for n in numeric]):
        said = ("stars are counted",)
        return Layout("scores", tuple(kept), names, best=asked.best or "high", remarks=said)
    if asked.best == "high":
        return Layout("scores", tuple(kept), names, best="high")
    return _ranks(headed, kept, names, kinds, asked)


def _is_among(headed: Headed, column: int, items: Sequence[int]) -> bool:
    """Tell an item that nobody ranked from a column of a form that nobody filled."""
    same = headed.questions[items[0]]
    among = items[0] < column < items[-1] if not same else True
    return headed.questions[column] == same and among


def _require_no_lone_cells(
    headed: Headed,
    columns: Sequence[int],
    kept: Sequence[int],
    kinds: Mapping[int, Kind],
    n_candidates: int,
) -> None:
    """Refuse columns whose only cell makes them items, or none: of all ballots, by one of them."""
    lone = [n for n in columns if kinds[n].filled == 1 and headed.table.header[n]]
    others = [n for n in kept if kinds[n].filled > 1]
    if not others:
        return
    n_of_people = sum(kinds[n].filled > 1 for n in columns) - len(others)
    is_whole = n_of_people == 0 and len(columns) == n_candidates
    moved = [n for n in lone if (n in kept) != (is_whole or _is_among(headed, n, others))]
    if moved:
        raise HushrankError(
            f"{listed(moved)}: one row alone says something there, which would make it an item or"
            " none for all others: say columns= which are ballots, and leave it out with ignore="
        )


def _are_stars(kinds: Sequence[Kind]) -> bool:
    """Tell scores in stars; a single one may be a footnote, or a tick."""
    filled = [kind for kind in kinds if kind.filled]
    return all(kind.of_stars for kind in filled) and any(kind.largest > 1 for kind in filled)


def _ranks(
    headed: Headed,
    columns: Sequence[int],
    names: tuple[str, ...],
    kinds: Mapping[int, Kind],
    asked: Asked,
) -> Layout:
    """Make sure that numbers are places, or ask which end of them is best."""
    of_places = [n for n in columns if not kinds[n].filled or kinds[n].places >= 0.5]
    if asked.best == "low":
        whole = of_places == list(columns) or _has_one_other_row(headed, columns)
        return Layout("ranks" if whole else "scores", tuple(columns), names, best="low")
    size = len(columns)
    others = [n for n in columns if kinds[n].filled and kinds[n].within(size) < 0.5]
    if others:
        _ask_best(headed, columns, "places", others)
    if any(kinds[n].filled and kinds[n].within(size) < 1 for n in columns):
        place_keys(headed.table, columns, size)  # which says where
    keys = place_keys(headed.table, columns)
    in_words = any(kinds[n].in_words for n in columns)
    if not in_words and not look_like_places(keys):
        _require_not_turned(headed, columns)
        _ask_best(headed, columns, "places")
    return Layout("ranks", tuple(columns), names)


def _has_one_other_row(headed: Headed, columns: Sequence[int]) -> bool:
    """Tell places that all rows but one hold: it is refused, and makes no scores of the others."""
    keys = [place_of_rows(headed.table.columns[n]) for n in columns]
    return int(np.isinf(keys).any(axis=0).sum()) <= 1


def _ask_best(
    headed: Headed, columns: Sequence[int], expected: str, others: Sequence[int] = ()
) -> Best:
    """Raise HushrankError: which columns, and which end of their numbers, cannot be told."""
    found = f"{listed(others or columns)}: expected {expected}, 1 to {len(columns)}"
    if not others:
        these = "these numbers are places or scores"
        found = f"{listed(columns)}: cannot tell whether {these}"
        said = 'say best="low" if 1 is best, or best="high" if the largest number is'
        beside = "; leave out columns that are no ballots with ignore=" if len(columns) > 1 else ""
        raise HushrankError(f"{found}; {said}{beside}")
    leave = "leave out columns that are no ballots with ignore="
    if len(others) == 1:
        leave += ", or say weight= if it tells for how many people a row stands"
    say = 'if these are scores or stars, say best="high" or best="low"'
    raise HushrankError(f"{found}, got other numbers; {leave}; {say}")


def _lists(headed: Headed, columns: Sequence[int], is_open: bool) -> Layout | None:
    """Find the column whose cells are whole ballots."""
    tell = separator_of if is_open else any_separator_of
    found = {n: sign for n in columns if (sign := tell(headed.table.columns[n]))}
    if is_open and found:
        sure = _sure_lists(headed, list(found))
        unsure = "lists that may be ticked boxes without an order"
        orders = f"{listed(list(found))}: {unsure}; say columns= if they are orders, best first"
        require(sure, orders)
        found = sure
    return _the_list(headed, found) if found else None


def _sure_lists(headed: Headed, columns: Sequence[int]) -> dict[int, str]:
    """Return which columns must be of orders, each with the sign that parts them."""
    each = {n: headed.table.columns[n] for n in columns}
    signs = {n: separator_of(column) for n, column in each.items()}
    return {n: sign for n, sign in signs.items() if sign and is_of_orders(each[n], sign)}


def _the_list(headed: Headed, lists: Mapping[int, str]) -> Layout:
    groups = {_title_of(headed.parts[n], n): [n] for n in lists}
    (column,) = _the_only(groups, "columns of ballots")
    return Layout("lists", (column,), separator=lists[column])


def _title_of(part: str, column: int) -> str:
    """Return the title of a column of lists, its number where the title may be a ballot."""
    may_be_a_ballot = not part or any(sign in part for sign in SEPARATORS if sign != ",")
    return f"no. {column + 1}" if may_be_a_ballot else part


def _no_lists(headed: Headed, columns: Sequence[int]) -> Layout:
    """Raise HushrankError: no sign is known that parts the cells into items."""
    _require_not_turned(headed, columns)
    signs = "items parted by > or ; or | or commas, or one a line"
    raise HushrankError(f"{listed(columns)}: expected whole ballots in a column, {signs}")


def _nothing(headed: Headed, columns: Sequence[int]) -> Layout:
    """Raise HushrankError: no form fits."""
    of_text = [n for n in columns if not kind_of(headed.table.columns[n]).is_of_numbers]
    _require_not_turned(headed, of_text)
    kinds = [kind_of(headed.table.columns[n]) for n in columns]
    n_numbers = sum(kind.is_of_numbers for kind in kinds)
    n_empty = sum(not kind.filled for kind in kinds)
    n_beside = len(headed.parts) - len(columns)
    counted = {
        "of numbers": n_numbers,
        "of text": len(columns) - n_numbers - n_empty,
        "empty": n_empty,
        "set aside, such as times and ids": n_beside,
    }
    found = ", ".join(f"{count} {what}" for what, count in counted.items() if count)
    raise HushrankError(
        "expected ballots: one column a place, one an item, or a whole ballot in a cell; got"
        f" columns: {found}; say with columns= which hold ballots and with form= what they hold"
    )


def _require_not_turned(headed: Headed, columns: Sequence[int]) -> None:
    """Refuse a table with a column a person: each holds the same texts, every one once."""
    n_rows = headed.table.n_rows
    of_people = [n for n in columns if not place_within(headed.parts[n])]
    held = {frozenset(filter(None, headed.table.columns[n].texts)) for n in of_people}
    if len(of_people) > 1 and len(held) == 1 and len(held.pop()) == n_rows > 2:
        raise HushrankError(
            f"{listed(of_people)}: expected a line for each ballot, got a column for each: all of"
            " them hold the same, in orders of their own; turn the table round"
        )


def _without_people(headed: Headed, columns: Sequence[int], kinds: Mapping[int, Kind]) -> list[int]:
    """Leave out numbers about people, such as their age, that are no places of these columns.

    Raises HushrankError where some are: by one cell more an item would come or go in all ballots.
    """
    size = len(columns)
    beside = [n for n in columns if may_stand_beside(headed.parts[n])]
    within = {n: kinds[n].within(size) if size > 1 else 0.0 for n in beside}
    unsure = [n for n in beside if 0.5 <= within[n] < 1]
    if unsure:
        raise HushrankError(
            f"{listed(unsure)}: by name and cells both an item and what people are asked beside"
            " ballots: say columns= which are ballots, or leave it out with ignore="
        )
    return [n for n in columns if within.get(n, 1.0) == 1]


def _require_names(names: Sequence[str], asked: Asked) -> None:
    """Refuse names of items that are all numbers, where nobody says that they are no ballot."""
    require(asked.header is not None or not all(map(is_number, names)), NO_HEADER)


def _item_names(headed: Headed, columns: Sequence[int]) -> tuple[str, ...]:
    require(any(headed.table.header) or not headed.table.may_lack_header, NAMELESS)
    names = [headed.parts[n] for n in columns]
    for number, name in zip(columns, names, strict=True):
        require(
            name,
            f"line 1: expected a name for {listed([number])}; if line 1 is a title of the whole"
            " table, delete it",
        )
    if all(name.startswith(_PREFIX) for name in names):
        names = [name.removeprefix(_PREFIX).strip() for name in names]
    return tuple(names)


def _by(key: Callable[[int], str], columns: Sequence[int]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for column in columns:
        groups.setdefault(key(column), []).append(column)
    return groups


def _the_only(groups: Mapping[str, Sequence[int]], what: str) -> Sequence[int]:
    """Return the one group there is; raise HushrankError, which names them, for several."""
    if len(groups) > 1:
        shown = ", ".join(f"'{name}' ({listed(group)})" for name, group in list(groups.items())[:4])
        more = f" and {len(groups) - 4} more" if len(groups) > 4 else ""
        raise HushrankError(f"{len(groups)} {what}: {shown}{more}; choose one with columns=")
    (group,) = groups.values()
    return group

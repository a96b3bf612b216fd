"""Columns that are places, and whose cells are items."""

from collections.abc import Sequence

import numpy as np

from hushrank.errors import HushrankError, require
from hushrank.files.columns import Table
from hushrank.files.delimiters import DELIMITERS, TWO_SIGNS
from hushrank.rankings.forms.columns import listed
from hushrank.rankings.forms.layouts.layout import NO_HEADER, RANK_OF, Layout, grouped, the_only
from hushrank.rankings.forms.layouts.turned import require_not_turned
from hushrank.rankings.forms.lines.headings import Headed
from hushrank.rankings.forms.lists import separator_of
from hushrank.rankings.forms.ordinals import is_in_words, ordinal, place_within
from hushrank.rankings.forms.ranks import kind_of


def places_of(headed: Headed, columns: Sequence[int], *, is_said: bool) -> Layout | None:
    """Find columns whose headers say places, 1 to k, and whose cells do not.

    is_said: whether it is known that these are headers.
    """
    within = {n: place_within(headed.parts[n]) for n in columns}
    placed = {n: found for n, found in within.items() if found}
    groups = grouped(lambda n: f"{headed.questions[n]} {placed[n][0]}".strip(), list(placed))
    whole = {}
    for name, group in groups.items():
        in_order = sorted(group, key=lambda n: placed[n][1])
        if [placed[n][1] for n in in_order] == list(range(1, len(group) + 1)):
            whole[name] = in_order
    of_names = {name: group for name, group in whole.items() if not _are_of_places(headed, group)}
    is_of_items = all(headed.table.header[n].startswith(RANK_OF) for n in columns)
    all_placed = all(not headed.parts[n] or n in placed for n in columns)
    is_unsure = all_placed or any(len(group) > 1 for group in whole.values())
    if whole and not of_names and is_unsure and not is_of_items:
        is_plain = all(headed.parts[n].isdecimal() for group in whole.values() for n in group)
        raise HushrankError(BOTH_PLACES if is_said or not is_plain else NO_HEADER)
    more = {name: group for name, group in of_names.items() if len(group) > 1}
    if not more and len(of_names) == 1 and len(columns) == 1:
        is_list = separator_of(headed.table.columns[columns[0]]) is not None
        more = {} if is_list else of_names
    return Layout("places", tuple(the_only(more, "questions"))) if more else None


BOTH_PLACES = (
    'line 1 and the cells below it say places: say form="places" if the cells name items by number,'
    ' or form="ranks" if the columns are items that are called so'
)


def places_told(headed: Headed, columns: Sequence[int], *, is_said: bool) -> Layout:
    """Take columns for places, as the caller says; is_said: that line 1 is a header, too."""
    require_not_turned(headed, columns)
    _require_no_header_below(headed, columns)
    _require_parted(headed, columns, is_said=is_said)
    return Layout("places", tuple(columns))


def require_places_alone(headed: Headed, columns: Sequence[int]) -> None:
    """Refuse titles that say no place beside others that do: a person's age would be an item."""
    placed = [n for n in columns if place_within(headed.parts[n])]
    others = [n for n in columns if headed.parts[n] and n not in placed]
    if len(placed) > 1 and others:
        raise HushrankError(
            f"{listed(others)}: expected a place, as the names of {listed(placed)} say; leave out"
            " what is no ballot with ignore=, or say columns= which hold ballots"
        )


def _are_of_places(headed: Headed, columns: Sequence[int]) -> bool:
    kinds = [kind_of(headed.table.columns[n]) for n in columns]
    return any(kind.filled for kind in kinds) and all(
        kind.within(len(columns)) == 1 for kind in kinds if kind.filled
    )


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


def require_names_of_all(table: Table, columns: Sequence[int]) -> None:
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

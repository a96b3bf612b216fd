"""Which form a table of ballots has: told by its header and cells, or asked, never guessed."""

from collections.abc import Sequence

import numpy as np

from hushrank.errors import HushrankError, require
from hushrank.rankings.forms.asked import Asked
from hushrank.rankings.forms.columns import listed, stands_beside
from hushrank.rankings.forms.layouts.layout import NO_HEADER, RANK_OF, Layout
from hushrank.rankings.forms.layouts.marks import marks_of
from hushrank.rankings.forms.layouts.of_items import item_names, items_of, scores_told
from hushrank.rankings.forms.layouts.of_lists import lists_of, no_lists, sure_lists, the_list
from hushrank.rankings.forms.layouts.of_places import (
    places_of,
    places_told,
    require_names_of_all,
    require_places_alone,
)
from hushrank.rankings.forms.layouts.turned import require_not_turned
from hushrank.rankings.forms.lines.headings import Headed
from hushrank.rankings.forms.ranks import are_no_names, kind_of


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
        marks_of(headed, columns)
        or places_of(headed, columns, is_said=asked.header is not None)
        or items_of(headed, columns, asked, n_candidates)
        or lists_of(headed, columns, is_open=not asked.columns)
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
    lists = sure_lists(headed, columns) if asked.form is None else {}
    if lists:
        return the_list(headed, lists)
    are_names = asked.form == "places" or not are_no_names(headed.table.columns[n] for n in ballots)
    require(are_names, NO_HEADER)
    require_names_of_all(headed.table, ballots)
    return Layout("places", tuple(ballots))


def _stands_beside(headed: Headed, column: int) -> bool:
    title = headed.table.header[column]
    return stands_beside(title) and not title.startswith(RANK_OF)


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
        return lists_of(headed, columns, is_open=False) or no_lists(headed, columns)
    if asked.form == "places":
        if not asked.columns:
            require_places_alone(headed, columns)
        return places_told(headed, columns, is_said=asked.header is not None)
    if asked.form == "scores":
        return scores_told(headed, columns, asked)
    return Layout("ranks", tuple(columns), item_names(headed, columns))


def _nothing(headed: Headed, columns: Sequence[int]) -> Layout:
    """Raise HushrankError: no form fits."""
    of_text = [n for n in columns if not kind_of(headed.table.columns[n]).is_of_numbers]
    require_not_turned(headed, of_text)
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

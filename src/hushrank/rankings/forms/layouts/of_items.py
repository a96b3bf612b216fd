"""Columns that are items, and whose cells are places or scores."""

from collections.abc import Mapping, Sequence

import numpy as np

from hushrank.errors import HushrankError, require
from hushrank.files.names import is_number
from hushrank.rankings.forms.asked import Asked, Best
from hushrank.rankings.forms.columns import listed, may_stand_beside
from hushrank.rankings.forms.layouts.layout import NO_HEADER, RANK_OF, Layout, grouped, the_only
from hushrank.rankings.forms.layouts.turned import require_not_turned
from hushrank.rankings.forms.lines.headings import Headed
from hushrank.rankings.forms.ranks import (
    Kind,
    kind_of,
    look_like_places,
    place_keys,
    place_of_rows,
)

NAMELESS = "header: expected at least 1 line, of the names of the items that the columns stand for"


def items_of(
    headed: Headed, columns: Sequence[int], asked: Asked, n_candidates: int
) -> Layout | None:
    """Find columns of items, whose cells are places or scores."""
    titles = headed.table.header
    if columns and all(titles[n].startswith(RANK_OF) for n in columns):
        return Layout("ranks", tuple(columns), item_names(headed, columns))
    kinds = {n: kind_of(headed.table.columns[n]) for n in columns}
    numeric = [n for n in columns if kinds[n].is_of_numbers]
    questions = grouped(lambda n: headed.questions[n], numeric)
    several = {name: group for name, group in questions.items() if name and len(group) > 1}
    if several and not asked.columns:
        numeric = list(the_only(several, "questions"))
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
    names = item_names(headed, kept)
    _require_names(names, asked)
    if _are_stars([kinds[n] for n in numeric]):
        said = ("stars are counted",)
        return Layout("scores", tuple(kept), names, best=asked.best or "high", remarks=said)
    if asked.best == "high":
        return Layout("scores", tuple(kept), names, best="high")
    return _ranks(headed, kept, names, kinds, asked)


def scores_told(headed: Headed, columns: Sequence[int], asked: Asked) -> Layout:
    """Take columns for items with scores, as the caller says."""
    names = item_names(headed, columns)
    _require_names(names, asked)
    are_stars = _are_stars([kind_of(headed.table.columns[n]) for n in columns])
    best = asked.best or ("high" if are_stars else _ask_best(headed, columns, "scores"))
    return Layout("scores", tuple(columns), names, best=best)


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
        require_not_turned(headed, columns)
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


def item_names(headed: Headed, columns: Sequence[int]) -> tuple[str, ...]:
    """Return the names of the items above these columns; raise HushrankError where one lacks."""
    require(any(headed.table.header) or not headed.table.may_lack_header, NAMELESS)
    names = [headed.parts[n] for n in columns]
    for number, name in zip(columns, names, strict=True):
        require(
            name,
            f"line 1: expected a name for {listed([number])}; if line 1 is a title of the whole"
            " table, delete it",
        )
    if all(name.startswith(RANK_OF) for name in names):
        names = [name.removeprefix(RANK_OF).strip() for name in names]
    return tuple(names)

"""Columns of candidates and places that are marked by 0 and 1."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hushrank.files.columns import Column
from hushrank.rankings.forms.columns import listed
from hushrank.rankings.forms.layouts.layout import Layout, grouped, the_only
from hushrank.rankings.forms.lines.headings import Headed

MARKS = {"", "0", "1"}
"""What cells of marks hold."""

_MARK = re.compile(r"(.+?)\s*\((\d{1,3})\)")


def marks_of(headed: Headed, columns: Sequence[int]) -> Layout | None:
    """Find contests whose columns are candidates and places, `NAME(1)`, marked by 0 and 1.

    Raises HushrankError where other columns of such a contest hold anything else: left out, one
    cell would take a candidate's place from all ballots.
    """
    named = [n for n in columns if _MARK.fullmatch(headed.parts[n])]
    contests = {
        name: group
        for name, group in grouped(lambda n: headed.questions[n], named).items()
        if _n_rows_of_others(headed, group) <= (headed.table.n_rows > 2)
        or any(set(headed.table.columns[n].texts) <= MARKS for n in _later(headed, group))
    }
    ranked = {name for name, group in contests.items() if _later(headed, group)}
    if not ranked:
        return None
    contest = the_only(
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

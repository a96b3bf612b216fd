"""Headers of one, two or three rows: to which question a column belongs, and which part it is."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hushrank.errors import require
from hushrank.files.columns import Table
from hushrank.files.delimiters import MOST_TITLES, TITLE_OR_NOT
from hushrank.files.names import is_number
from hushrank.rankings.forms.ordinals import bracketed, is_in_words, ordinal, place_within

IMPORT_ID = '{"ImportId"'
CVR_NAMES = ("cvrnumber", "tabulatornum")

Cells = tuple[str, ...]

_NUMBERED = re.compile(r"(.+?)[_.](\d+)(?:_TEXT)?")


PLACES_OR_NOT = (
    "line 2: cannot tell whether it is of the header: one row alone says places as it does; say"
    " header=2 if it is, or header=1"
)
LINES_OF_NAMES = (
    "header: expected one line of names, two of questions and their parts, or three as Qualtrics or"
    " Dominion write them, and titles, lines of one cell each, above these alone"
)


@dataclass(frozen=True)
class Headed:
    """A table below all rows of its header; `questions` and `parts` of each column.

    A column without a question of its own has an empty one, and its title as the part.
    """

    table: Table
    questions: Cells
    parts: Cells

    def number(self, column: int) -> str:
        """Name a column for an error: by its number, for its title may be a ballot."""
        return f"column {column + 1}"


def without_titles(table: Table) -> tuple[Table, tuple[Cells, ...]]:
    """Return a table without the titles above its header, lines which name one cell, and these.

    The header below them has several names, no numbers, and no row names what it names.
    Raises HushrankError where one row alone does: it would tell for all others.
    """
    for n_titles in range(1, min(MOST_TITLES, table.n_rows - 1) + 1):
        titles = (table.header, *(table.cells(row) for row in range(n_titles - 1)))
        if any(sum(map(bool, cells)) != 1 for cells in titles):
            break
        header, below = table.cells(n_titles - 1), table.below(n_titles, table.header)
        names = {name for name in header if name}
        if len(names) > 1 and not any(map(is_number, names)):
            said = {*names, *(name for cells in titles for name in cells if name)}
            n_naming = int(below.rows_naming(said).sum())
            require(n_naming != 1 or below.n_rows == 1, TITLE_OR_NOT)
            if not n_naming:
                return table.below(n_titles, header), titles
    return table, ()


def titles_in_words(n_titles: int) -> str:
    """Say that the first lines are a title."""
    return "line 1 is a title" if n_titles == 1 else f"lines 1 to {n_titles} are titles"


def headed_as_said(table: Table, n_lines: int) -> Headed:
    """Read a header of as many lines as a caller says, whatever stands below; of none no names.

    Of a sheet rows count as it numbers them, empty ones, too: who looks at it sees these.
    Raises HushrankError where the table has no such header, or no row below it.
    """
    filled = f"header: row {n_lines} is empty, expected the number of the last row of the header"
    require(n_lines not in table.passed_over, filled)
    n_lines -= sum(row < n_lines for row in table.passed_over)
    if n_lines == 0:
        named = "header: expected 1 or more, columns of such a table have names"
        require(table.may_lack_header, named)
        return nameless(table)
    require(table.n_rows >= n_lines, f"header: expected at least 1 row below {n_lines} lines")
    return headed_by(lines_of(table, n_lines), table.below(n_lines - 1, table.header))


def lines_of(table: Table, n_lines: int) -> list[Cells]:
    """Return the cells of the first lines, of which the header is the first."""
    return [table.header, *map(table.cells, range(n_lines - 1))]


def headed_by(lines: Sequence[Cells], rows: Table) -> Headed:
    """Read a header of these lines, of which the first with one cell are titles, above all rows.

    Raises HushrankError where the others are no header of one, two, or three lines and more.
    """
    is_title = [sum(map(bool, cells)) == 1 for cells in lines[:-1]]
    names = lines[[*is_title, False].index(False) :]
    if len(names) == 1:
        return of_one_row(replace(rows, header=names[0]))
    if len(names) == 2:
        return _of_two_rows(names[0], names[1], rows)
    if len(names) == 3 and _are_ids(names[0], names[2]):
        return _of_qualtrics(names[0], names[1], rows)
    require(_is_of_cast_votes(names[-1]), LINES_OF_NAMES)
    return _of_cast_votes(names[-3:], rows)


def nameless(table: Table) -> Headed:
    """Take all lines of a table for ballots: no column has a name."""
    rows = table.with_header_as_row()
    return Headed(rows, rows.header, rows.header)


def headed(table: Table) -> Headed:
    """Read the rest of the header: of Qualtrics, SurveyMonkey, Dominion, or one row as usual."""
    rows = [table.cells(row) for row in range(min(3, table.n_rows))]
    for number, cells in enumerate(rows):
        if _is_of_cast_votes(cells):
            require(number >= 1, "expected rows of contests and of candidates above CvrNumber")
            below = table.below(number + 1, table.header)
            return _of_cast_votes(lines_of(table, number + 2)[-3:], below)
    if is_of_qualtrics(table):
        return _of_qualtrics(table.header, rows[0], table.below(2, table.header))
    if rows and (_continues(table.header, rows[0]) or _says_places(table)):
        return _of_two_rows(table.header, rows[0], table.below(1, table.header))
    return of_one_row(table)


def of_one_row(table: Table) -> Headed:
    """Read a header that is one row: what stands in brackets is part of a question."""
    pairs = [bracketed(title) or ("", title) for title in table.header]
    asked = Counter(question for question, _ in pairs)
    of_one = [
        ("", title) if asked[q] < 2 or not q else (q, part)
        for title, (q, part) in zip(table.header, pairs, strict=True)
    ]
    return Headed(table, tuple(q for q, _ in of_one), tuple(part for _, part in of_one))


def is_of_qualtrics(table: Table) -> bool:
    """Tell a second row below the header that is ids of an import, in all columns."""
    return table.n_rows > 1 and _are_ids(table.header, table.cells(1))


def _are_ids(header: Cells, cells: Cells) -> bool:
    """Tell ids below all names; a ballot may be longer than these."""
    ids = [cell for name, cell in zip(header, cells, strict=True) if name]
    return len(ids) > 1 and all(cell.startswith(IMPORT_ID) for cell in ids)


def _is_of_cast_votes(cells: Cells) -> bool:
    """Tell the names of the first columns of Dominion's votes."""
    return tuple(map(str.lower, cells[:2])) == CVR_NAMES


def _of_qualtrics(names: Cells, titles: Cells, rows: Table) -> Headed:
    """Short names, then the whole questions, then the ids of an import."""
    numbered = [_NUMBERED.fullmatch(name) for name in names]
    questions = tuple(found[1] if found else "" for found in numbered)
    parts = tuple(
        title.rpartition(" - ")[2].strip() if found else name
        for name, title, found in zip(names, titles, numbered, strict=True)
    )
    return Headed(replace(rows, header=names), questions, parts)


def _continues(header: Cells, below: Cells) -> bool:
    """Tell a second row that names the columns which the first leaves without a name.

    But for the last, which neither names: a ballot may be longer than both.
    """
    pairs = [*zip(header, below, strict=True)]
    while pairs and not any(pairs[-1]):
        pairs.pop()
    nameless = [part for name, part in pairs if not name]
    is_merged = bool(nameless) and all(nameless) and bool(header[0])
    return is_merged and any(name and not part for name, part in pairs)


def _says_places(table: Table) -> bool:
    """Tell a second row that says places in words, 1 to k of each question; no other row does.

    A question has two at least: else a ballot could be such a row, below a header of items.
    Raises HushrankError where one other row alone says places: it would tell for all.
    """
    places: dict[str, list[int]] = {}
    columns = []
    for n, cell in enumerate(table.cells(0)):
        if is_in_words(cell) and (place := ordinal(cell)):
            question = next((name for name in table.header[n::-1] if name), "")
            places.setdefault(question, []).append(place)
            columns.append(n)
    each_place = [sorted(each) for each in places.values()]
    are_whole = all(len(each) > 1 and each == [*range(1, len(each) + 1)] for each in each_place)
    if not columns or not are_whole or any(place_within(table.header[n]) for n in columns):
        return False
    below = table.below(1, table.header)
    says_place = [
        np.array([*(bool(ordinal(text)) for text in each.texts), False])[each.codes]
        for each in (below.columns[n] for n in columns)
    ]
    n_saying = int(np.logical_or.reduce(says_place).sum())
    require(n_saying != 1 or below.n_rows == 1, PLACES_OR_NOT)
    return n_saying == 0


def _of_two_rows(names: Cells, parts: Cells, rows: Table) -> Headed:
    """A question above the first of its columns, and the parts below it."""
    questions, last = [], ""
    for name, part in zip(names, parts, strict=True):
        last = name or last
        questions.append(last if part else "")
    titles = tuple(part or name for name, part in zip(names, parts, strict=True))
    return Headed(replace(rows, header=titles), tuple(questions), titles)


def _of_cast_votes(lines: Sequence[Cells], rows: Table) -> Headed:
    """Contests, then candidates with places in brackets, then the names of the first columns."""
    contests, candidates, names = lines
    titles = tuple(c or n for n, c in zip(names, contests, strict=True))
    return Headed(
        replace(rows, header=titles),
        contests,
        tuple(candidate or name for candidate, name in zip(candidates, names, strict=True)),
    )

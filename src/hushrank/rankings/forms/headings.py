"""Headers of one, two or three rows: to which question a column belongs, and which part it is."""

import re
from dataclasses import dataclass

from hushrank.errors import require
from hushrank.files.columns import Table
from hushrank.files.delimiters import MOST_TITLES
from hushrank.files.names import is_number
from hushrank.rankings.forms.ordinals import bracketed, is_in_words, ordinal, place_within

IMPORT_ID = '{"ImportId"'
CVR_NAMES = ("cvrnumber", "tabulatornum")

_NUMBERED = re.compile(r"(.+?)[_.](\d+)(?:_TEXT)?")


TITLE_OR_NOT = (
    "line 1: cannot tell whether it is a title: one row alone names what lines above it name; write"
    " one line of names above the ballots"
)


@dataclass(frozen=True)
class Headed:
    """A table below all rows of its header; `questions` and `parts` of each column.

    A column without a question of its own has an empty one, and its title as the part.
    """

    table: Table
    questions: tuple[str, ...]
    parts: tuple[str, ...]

    def number(self, column: int) -> str:
        """Name a column for an error: by its number, for its title may be a ballot."""
        return f"column {column + 1}"


def without_titles(table: Table) -> tuple[Table, int]:
    """Return a table without the titles above its header, which name one cell, and their number.

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
                return table.below(n_titles, header), n_titles
    return table, 0


def titles_in_words(n_titles: int) -> str:
    """Say that the first lines are a title."""
    return "line 1 is a title" if n_titles == 1 else f"lines 1 to {n_titles} are titles"


def headed(table: Table) -> Headed:
    """Read the rest of the header: of Qualtrics, SurveyMonkey, Dominion, or one row as usual."""
    rows = [table.cells(row) for row in range(min(3, table.n_rows))]
    for number, cells in enumerate(rows):
        if tuple(map(str.lower, cells[:2])) == CVR_NAMES:
            return _of_cast_votes(table, number)
    if is_of_qualtrics(table):
        return _of_qualtrics(table)
    if rows and (_continues(table.header, rows[0]) or _says_places(table)):
        return _of_two_rows(table)
    return of_one_row(table)


def of_one_row(table: Table) -> Headed:
    """Read a header that is one row: what stands in brackets is part of a question."""
    pairs = [bracketed(title) or ("", title) for title in table.header]
    asked = [question for question, _ in pairs]
    of_one = [
        ("", title) if asked.count(q) < 2 or not q else (q, part)
        for title, (q, part) in zip(table.header, pairs, strict=True)
    ]
    return Headed(table, tuple(q for q, _ in of_one), tuple(part for _, part in of_one))


def is_of_qualtrics(table: Table) -> bool:
    """Tell a second row below the header that is ids of an import, in all columns."""
    has_rows = table.n_rows > 1 and len(table.header) > 1
    return has_rows and all(cell.startswith(IMPORT_ID) for cell in table.cells(1))


def _of_qualtrics(table: Table) -> Headed:
    """Short names, then the whole questions, then the ids of an import."""
    titles = table.cells(0)
    numbered = [_NUMBERED.fullmatch(name) for name in table.header]
    questions = tuple(found[1] if found else "" for found in numbered)
    parts = tuple(
        title.rpartition(" - ")[2].strip() if found else name
        for name, title, found in zip(table.header, titles, numbered, strict=True)
    )
    return Headed(table.below(2, table.header), questions, parts)


def _continues(header: tuple[str, ...], below: tuple[str, ...]) -> bool:
    """Tell a second row that names the columns which the first leaves without a name."""
    nameless = [part for name, part in zip(header, below, strict=True) if not name]
    is_merged = bool(nameless) and all(nameless) and bool(header[0])
    return is_merged and any(name and not part for name, part in zip(header, below, strict=True))


def _says_places(table: Table) -> bool:
    """Tell a second row that says places in words, 1 to k of each question; no other row does.

    A question has two at least: else a ballot could be such a row, below a header of items.
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
    below = table.below(1, table.header).columns
    return not any(ordinal(text) for n in columns for text in below[n].texts)


def _of_two_rows(table: Table) -> Headed:
    """A question above the first of its columns, and the parts below it."""
    parts, questions, last = table.cells(0), [], ""
    for name, part in zip(table.header, parts, strict=True):
        last = name or last
        questions.append(last if part else "")
    titles = tuple(part or name for name, part in zip(table.header, parts, strict=True))
    return Headed(table.below(1, titles), tuple(questions), titles)


def _of_cast_votes(table: Table, number: int) -> Headed:
    """Contests, then candidates with places in brackets, then the names of the first columns."""
    require(number >= 1, "expected rows of contests and of candidates above CvrNumber")
    above = [table.header, *(table.cells(row) for row in range(number + 1))]
    contests, candidates, names = above[-3:]
    below = table.below(number + 1, [c or n for n, c in zip(names, contests, strict=True)])
    return Headed(
        below,
        contests,
        tuple(candidate or name for candidate, name in zip(candidates, names, strict=True)),
    )

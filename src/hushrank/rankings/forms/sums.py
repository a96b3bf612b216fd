"""Rows below the ballots that sum them up, as clerks and spreadsheets write them: no ballots."""

import re

import numpy as np
from numpy.typing import NDArray

from hushrank.errors import require
from hushrank.files.columns import Table

_SUM = re.compile(
    r"(?:(?:grand|overall|sub)[ -]?)?totals?|sum|(?:gesamt|zwischen)?summe|(?:ins)?gesamt|somme"
    r"|total g[eé]n[eé]ral|suma|totale|totaal|som|soma|average|mean|median|count"
    r"|(?:mittel|durchschnitts?)(?:wert)?|durchschnitt|moyenne|promedio|gemiddelde|m[eé]dia",
    re.IGNORECASE,
)
_OF_PEOPLE = re.compile(
    r"(?:responses|respondents|ballots|votes|voters|people|participants|answers|rows|records)",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[-+]?[\d.,'\s]*\d\s*%?")


def without_sums(table: Table) -> tuple[Table, tuple[str, ...]]:
    """Return a table without the rows at its end that say they are sums, and what is to be said.

    Such a row holds a word such as Total, which stands nowhere else in the table, and numbers.
    """
    rows = np.flatnonzero(~is_blank(table))
    n_sums = 0
    while n_sums < len(rows) - 1 and _is_sum(table, int(rows[-1 - n_sums])):
        n_sums += 1
    return _without(table, int(rows[-n_sums]), n_sums) if n_sums else (table, ())


def without_nameless_sum(
    table: Table, ballots: list[int], weight: int
) -> tuple[Table, tuple[str, ...]]:
    """Return a table without a last row that ranks nothing and weighs as much as all others."""
    rows, weights = np.flatnonzero(~is_blank(table)), table.columns[weight].numbers()
    if len(rows) < 3 or any(_cell(table, int(rows[-1]), n) for n in ballots):
        return table, ()
    is_sum = weights[rows[-1]] == weights[rows[:-1]].sum()
    return _without(table, int(rows[-1]), 1) if is_sum else (table, ())


def is_blank(table: Table) -> NDArray[np.bool_]:
    """Tell rows (rows,) in which nothing stands, as below the end of a sheet: nobody's ballots."""
    filled = (np.array([*map(bool, column.texts), False])[column.codes] for column in table.columns)
    blank: NDArray[np.bool_] = ~np.logical_or.reduce(list(filled))
    return blank


def _without(table: Table, row: int, n_sums: int) -> tuple[Table, tuple[str, ...]]:
    where = table.where(row)
    said = f"{where} is a sum" if n_sums == 1 else f"{n_sums} rows from {where} on are sums"
    return table.above(row), (f"{said}, no ballot: left out",)


def _is_sum(table: Table, row: int) -> bool:
    cells = [_cell(table, row, n) for n in range(len(table.columns))]
    words = [n for n, cell in enumerate(cells) if cell and not _NUMBER.fullmatch(cell)]
    if len(words) != 1 or not _says_so(cells[words[0]]):
        return False
    is_alone = _is_alone(table, words[0], row)
    is_first = not any(cells[: words[0]]) and any(cells[words[0] + 1 :])
    require(
        is_alone or not is_first,
        f"{table.where(row)}: expected a ballot or a sum, got what may be either: other cells say"
        " the same word; delete the line if it is a sum",
    )
    return is_alone


def _says_so(cell: str) -> bool:
    number, _, words = cell.partition(" ")
    if _NUMBER.fullmatch(number) and _OF_PEOPLE.fullmatch(words):
        return True
    name, _, number = (part.strip() for part in cell.partition(":"))
    return bool(_SUM.fullmatch(name)) and (not number or bool(_NUMBER.fullmatch(number)))


def _is_alone(table: Table, column: int, row: int) -> bool:
    """Tell a word that no other cell holds: an item may be called so."""
    text = _cell(table, row, column)
    columns = [each for each in table.columns if text in each.texts]
    return sum(int((each.codes == each.texts.index(text)).sum()) for each in columns) == 1


def _cell(table: Table, row: int, column: int) -> str:
    found = table.columns[column]
    code = int(found.codes[row])
    return found.texts[code] if code >= 0 else ""

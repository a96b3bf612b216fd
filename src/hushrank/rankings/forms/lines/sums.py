"""Rows below the ballots that sum them up, as clerks and spreadsheets write them: no ballots."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hushrank.errors import HushrankError
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
_NUMBER = re.compile(r"[-+]?[\d.,'\s]*\d\.?(?:e[-+]?\d+)?\s*%?", re.IGNORECASE)
_MAY_BE_SUM = re.compile(r"(?:[^\W\d_]+|[-+\d.,']+%?)(?:[ :-]|$)")
_SEVERAL = 3
"""Rows that say a word: it is no sum. One ballot more, or less, makes no sum of them."""


def without_sums(table: Table, *, has_ids: bool = False) -> tuple[Table, tuple[str, ...]]:
    """Return a table without the rows at its end that say they are sums, and what is to be said.

    Such a row holds a word such as Total, which stands in no other row, and numbers. Where it does,
    in three at least, all of these are ballots: no other row tells what one is. But where ids tell
    people, has_ids, several rows may be one person's, and make no ballot of a sum.
    Raises HushrankError for rows that may be either.
    """
    rows = np.flatnonzero(~is_blank(table))
    said = _n_rows_saying(table, _like_sums(table).tolist())
    sums = [row for row, n_rows in said.items() if has_ids or n_rows < _SEVERAL]
    n_sums = len(sums)
    is_end = sums == rows[len(rows) - n_sums :].tolist() and n_sums < len(rows)
    unsure = [row for row in sums if not is_end or said[row] > 1]
    if unsure:
        raise HushrankError(
            f"{table.where(unsure[0])}: expected a ballot or a sum, got what may be either: ballots"
            " stand below it, or another row says the same word; delete the line if it is a sum,"
            " or the word"
        )
    return _without(table, sums[0], n_sums) if sums else (table, ())


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


def _like_sums(table: Table) -> NDArray[np.intp]:
    """Return the rows that hold a word for a sum, and else numbers or nothing."""
    n_rows = table.n_rows
    n_words, n_others = np.zeros(n_rows, dtype=np.intp), np.zeros(n_rows, dtype=np.intp)
    for column in table.columns:
        if column.are_numbers:
            continue
        is_word = [bool(_MAY_BE_SUM.match(text)) and _says_so(text) for text in column.texts]
        is_other = [
            bool(text) and not word and not _NUMBER.fullmatch(text)
            for text, word in zip(column.texts, is_word, strict=True)
        ]
        n_words += np.array([*is_word, False])[column.codes]
        n_others += np.array([*is_other, False])[column.codes]
    return np.flatnonzero((n_words == 1) & (n_others == 0))


def _n_rows_saying(table: Table, rows: Sequence[int]) -> dict[int, int]:
    """Count the rows that hold the word of each of these."""
    cells = {row: [_cell(table, row, n) for n in range(len(table.columns))] for row in rows}
    words = {row: next(filter(_says_so, each)) for row, each in cells.items()}
    n_rows = {word: int(table.rows_naming({word}).sum()) for word in set(words.values())}
    return {row: n_rows[word] for row, word in words.items()}


def _says_so(cell: str) -> bool:
    number, _, words = cell.partition(" ")
    if _NUMBER.fullmatch(number) and _OF_PEOPLE.fullmatch(words):
        return True
    name, _, number = (part.strip() for part in cell.partition(":"))
    return bool(_SUM.fullmatch(name)) and (not number or bool(_NUMBER.fullmatch(number)))


def _cell(table: Table, row: int, column: int) -> str:
    found = table.columns[column]
    code = int(found.codes[row])
    return found.texts[code] if code >= 0 else ""

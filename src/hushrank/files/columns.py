"""Columns of texts, before anybody says what they mean, and tables of them."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushrank.errors import HushrankError, require

_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
_NUMBERS = re.compile(rf"(?:(?:{_NUMBER.pattern})?\n)*+", _NUMBER.flags)

MOST_CELLS = 2**26
"""Of a table that names its cells by row and column: all of them are held, empty or not."""
MOST_COLUMNS = 2**15
"""Of a table of ballots: each column takes half a millisecond to read."""
FEW_CELLS, MOST_CELLS_PER_BYTE = 2**24, 25
"""Of ballots that name the items which they rank: those that they leave out are held, too."""
BITS_OF_DIGITS = {16: 11, 32: 24, 64: 53}
"""How many bits of the digits of a number each width of floats holds."""


@dataclass(frozen=True, repr=False)
class Column:
    """A column as codes (rows,) into its distinct texts; code -1 and empty texts = no value.

    What is neither text nor number, such as a day in a Parquet file, is not read: `is_read`.
    """

    codes: NDArray[np.integer[Any]]
    texts: tuple[str, ...]
    is_read: bool = True

    @property
    def are_numbers(self) -> bool:
        """Whether all texts are plain numbers, or empty."""
        lines = "\n".join([*self.texts, ""])
        return lines.count("\n") == len(self.texts) and _NUMBERS.fullmatch(lines) is not None

    def numbers(self) -> NDArray[np.float64]:
        """Return the number of each row (rows,): nan where empty, inf where it is no number."""
        if self.are_numbers:  # several times sooner, where most texts are distinct
            numbers = [float(text or "nan") for text in self.texts]
        else:
            numbers = [_number(text) for text in self.texts]
        return np.array([*numbers, np.nan]).take(self.codes)  # code -1 takes the last

    @property
    def is_filled(self) -> NDArray[np.bool_]:
        """Tell in which rows (rows,) a text stands."""
        filled: NDArray[np.bool_] = np.array([*map(bool, self.texts), False])[self.codes]
        return filled

    def codes_in(self, names: Sequence[str]) -> NDArray[np.intp]:
        """Return the index of each row's text in `names` (rows,), -1 where empty."""
        index = {name: number for number, name in enumerate(names)} | {"": -1}
        return np.array([*(index[text] for text in self.texts), -1]).take(self.codes)


@dataclass(frozen=True, repr=False)
class Table:
    """Named columns of equal length; `where` names the line or row of the file for an error.

    `format` says in words what the table was read from, `may_lack_header` whether its header is a
    line as others are, which may hold no names, `told_by_rows` whether rows tell which columns
    there are, `passed_over` which rows of a sheet, from 1, are empty. A name may be empty: see
    `require_named`.
    """

    header: tuple[str, ...]
    columns: tuple[Column, ...]
    where: Callable[[int], str]
    format: str = ""
    may_lack_header: bool = False
    told_by_rows: bool = False
    passed_over: frozenset[int] = frozenset()

    @property
    def n_rows(self) -> int:
        """How many rows stand below the header."""
        return len(self.columns[0].codes)

    def cells(self, row: int) -> tuple[str, ...]:
        """Return the texts of a row, empty where there is none."""
        return tuple((*each.texts, "")[each.codes[row]] for each in self.columns)

    def below(self, n_rows: int, header: Sequence[str]) -> "Table":
        """Return the table without its first rows, which are part of the header."""
        kept = tuple(_with_codes(each, each.codes[n_rows:]) for each in self.columns)
        where = self.where
        return replace(
            self, header=tuple(header), columns=kept, where=lambda row: where(row + n_rows)
        )

    def above(self, row: int) -> "Table":
        """Return the table without this row and all below it."""
        kept = tuple(_with_codes(each, each.codes[:row]) for each in self.columns)
        return replace(self, columns=kept)

    def of_rows(self, rows: NDArray[np.bool_]) -> "Table":
        """Return the table with some of its rows (rows,) alone, each where it was."""
        numbers, where = np.flatnonzero(rows), self.where
        kept = tuple(_with_codes(each, each.codes.take(numbers)) for each in self.columns)
        return replace(self, columns=kept, where=lambda row: where(int(numbers[row])))

    def with_header_as_row(self) -> "Table":
        """Return the table with its header as its first row, where that was a row; no names."""
        columns = tuple(map(_with_first, self.columns, self.header))
        nameless, where = ("",) * len(columns), self.where
        return replace(self, header=nameless, columns=columns, where=lambda row: where(row - 1))

    def rows_naming(self, names: Collection[str]) -> NDArray[np.bool_]:
        """Tell in which rows (rows,) a cell holds one of these texts, which are not empty."""
        held = (
            np.array([*(bool(text) and text in names for text in each.texts), False])[each.codes]
            for each in self.columns
        )
        rows: NDArray[np.bool_] = np.logical_or.reduce(list(held))
        return rows

    def require_rows(self, fits: NDArray[np.bool_], expectation: str) -> None:
        """Raise HushrankError, naming the first row that does not fit, never its cells."""
        if not fits.all():
            raise HushrankError(f"{self.where(int(np.argmin(fits)))}: expected {expectation}")

    def require_cells(
        self, fits: NDArray[np.bool_], columns: Sequence[int], expectation: str
    ) -> None:
        """Raise HushrankError, naming line and column of the first cell that does not fit.

        fits (rows, columns); it says what kind of cell was found, never what it holds.
        """
        if not fits.all():
            row = int(np.argmin(fits.all(axis=1)))
            column = columns[int(np.argmin(fits[row]))]
            found = _in_form(self.cells(row)[column])
            where = f"{self.where(row)}, column {column + 1}"
            raise HushrankError(f"{where}: expected {expectation}, got {found}")


def text_columns(rows: Sequence[Sequence[str]], width: int) -> tuple[Column, ...]:
    """Return the columns of rows (rows, width) of texts."""
    return tuple(text_column_of([row[column] for row in rows]) for column in range(width))


def text_column_of(cells: Sequence[str]) -> Column:
    """Return a column of texts, an empty text where there is none."""
    codes: dict[str, int] = {}
    numbers = [codes.setdefault(cell.strip(), len(codes)) for cell in cells]
    return Column(np.array(numbers, dtype=np.int32), tuple(codes))


def text_of(cell: object, n_bits: int = 64) -> str:
    """Return a cell as a text: whole numbers without a point, as where no cell beside it is empty.

    Data frames hold them as 11.0 where one is missing: all other cells would be called otherwise.
    n_bits: of a float. Whole numbers that so many may have rounded are told by `names.is_rounded`.
    """
    if not isinstance(cell, float) or not cell.is_integer():
        return str(cell)
    if abs(cell) < 2 ** BITS_OF_DIGITS[n_bits]:
        return str(int(cell))
    return str(cell) if n_bits == 64 else f"{cell:.16e}"


def _number(text: str) -> float:
    """Return the number that a text is: nan where it is empty, inf where it is none."""
    if not text:
        return np.nan
    return float(text) if _NUMBER.fullmatch(text) else np.inf


def _in_form(text: str) -> str:
    """Say of what form a cell is, and nothing of what it holds."""
    if not text:
        return "nothing"
    if not _NUMBER.fullmatch(text.replace(",", ".", 1)):
        return "text"
    number = float(text.replace(",", ".", 1))
    if number <= 0:
        return "zero" if number == 0 else "a negative number"
    return "another whole number" if number == np.floor(number) else "a number that is not whole"


def _with_codes(column: Column, codes: NDArray[np.integer[Any]]) -> Column:
    """Return the column of some rows, with the texts that these have."""
    has_row = np.bincount(codes[codes >= 0], minlength=len(column.texts)) > 0
    numbers = np.append(has_row.cumsum() - 1, -1)
    return Column(numbers[codes], tuple(compress(column.texts, has_row)), column.is_read)


def _with_first(column: Column, text: str) -> Column:
    """Return a column with a text before its first row."""
    known = dict(zip(column.texts, range(len(column.texts)), strict=True))
    code = known.setdefault(text, len(known))
    return Column(np.append([code], column.codes), tuple(known), column.is_read)


def n_letters(columns: Sequence[Column]) -> int:
    """Return how many letters these columns take: those of all cells, and a sign behind each."""
    of_each = (
        np.append([len(text) for text in column.texts], 0)[column.codes] for column in columns
    )
    return sum(int(letters.sum()) + len(letters) for letters in of_each)


def require_held(n_ballots: int, n_items: int, n_bytes: int) -> None:
    """Refuse ballots that name so few of all items that their places fill the memory."""
    most = max(FEW_CELLS, MOST_CELLS_PER_BYTE * n_bytes)
    require(
        n_ballots * n_items <= most,
        f"expected at most {most:,} places of items, got {n_ballots:,} ballots of {n_items:,}"
        " items each",
    )

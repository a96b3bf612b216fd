"""CSV and Parquet files as columns of texts, before anybody says what the columns mean."""

import csv
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO, StringIO
from itertools import compress, islice
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hushrank.errors import HushrankError, require
from hushrank.files.delimiters import named_sign

_NEWLINE = re.compile(rb"\r\n|\n|\r")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)


@runtime_checkable
class ArrowStream(Protocol):
    """A table that speaks the Arrow C stream interface, such as a data frame."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule with a stream of record batches."""


@runtime_checkable
class ArrowArray(Protocol):
    """A record batch that speaks the Arrow C interface."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Return capsules with a schema and an array of structures."""


ArrowTable: TypeAlias = ArrowStream | ArrowArray


@dataclass(frozen=True, repr=False)
class Column:
    """A column as codes (rows,) into its distinct texts; code -1 and empty texts = no value.

    What is neither text nor number, such as a day in a Parquet file, is not read: `is_read`.
    """

    codes: NDArray[np.integer[Any]]
    texts: tuple[str, ...]
    is_read: bool = True

    def numbers(self) -> NDArray[np.float64]:
        """Return the number of each row (rows,): nan where empty, inf where it is no number."""
        plain = [_NUMBER.fullmatch(text) for text in self.texts]
        numbers = [
            float(text) if is_number else np.inf if text else np.nan
            for text, is_number in zip(self.texts, plain, strict=True)
        ]
        return np.array([*numbers, np.nan]).take(self.codes)  # code -1 takes the last

    def codes_in(self, names: Sequence[str]) -> NDArray[np.intp]:
        """Return the index of each row's text in `names` (rows,), -1 where empty."""
        index = {name: number for number, name in enumerate(names)} | {"": -1}
        return np.array([*(index[text] for text in self.texts), -1]).take(self.codes)


@dataclass(frozen=True, repr=False)
class Table:
    """Named columns of equal length; `where` names the line or row of the file for an error.

    `format` says in words what the table was read from. A name may be empty: see `require_named`.
    """

    header: tuple[str, ...]
    columns: tuple[Column, ...]
    where: Callable[[int], str]
    format: str = ""

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
        return Table(tuple(header), kept, lambda row: where(row + n_rows), self.format)

    def with_header_as_row(self) -> "Table":
        """Return the table with its header as its first row, where that was a row; no names."""
        columns = tuple(map(_with_first, self.columns, self.header))
        where = self.where
        return Table(("",) * len(columns), columns, lambda row: where(row - 1), self.format)

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


def parse_csv(text: bytes, delimiter: str = ",", *, n_above: int = 0) -> Table:
    """Read delimited text with a header in its first line; blank lines are skipped.

    n_above: how many lines of the file stand above the text.

    Raises HushrankError, with the line, when rows are missing or differ in length, or a quote is
    not closed.
    """
    first, body = _split_header(text)
    header = tuple(name.strip() for name in _cells_of_line(first, delimiter))
    require(any(header), "line 1: expected a header that names every column")
    n_before = n_above + 1
    require(body.strip(), f"line {n_before + 1}: expected at least 1 row below the header")
    columns = _csv_columns(body, len(header), delimiter, n_before)
    if columns is None:
        raise HushrankError(_of_unequal_rows(body, len(header), delimiter, n_before))
    return Table(header, columns, lambda row: _place_of(body, row, delimiter, n_before))


def _of_unequal_rows(body: bytes, n_cells: int, delimiter: str, n_before: int) -> str:
    """Say where rows differ in length, and by what sign they were parted."""
    found = ((line, len(cells)) for line, cells in _records(body, delimiter))
    line, n_found = next((each for each in found if each[1] != n_cells), (0, 0))
    cells = f"{n_cells} cells parted by {named_sign(delimiter)} in every row"
    where = f"line {line + n_before}: " if line else ""
    return f"{where}expected {cells}, as the header has{f', got {n_found}' if line else ''}"


def parse_parquet(content: bytes) -> Table:
    """Read a Parquet file whose columns hold text or numbers.

    Raises HushrankError when it is damaged, empty or holds other columns; rows count from 1.
    """
    import pyarrow as pa
    from pyarrow import parquet

    found = None
    with suppress(pa.ArrowException, OSError, ValueError):  # their messages may show cells
        read = parquet.read_table(BytesIO(content), page_checksum_verification=True)
        found = _table(read, "Parquet")
    if found is None or not found.header:
        raise HushrankError("expected a whole Parquet file with columns of text or numbers")
    return found


def parse_arrow(source: ArrowTable) -> Table:
    """Take a table in memory by the Arrow C interface: of pandas, polars, pyarrow and others.

    The index of a pandas frame is not read. Rows count from 1.
    Raises HushrankError when it is empty, or a column holds anything but text or numbers.
    """
    import pyarrow as pa

    found = None
    try:
        found = _table(_without_index(pa.table(source)))
    except (HushrankError, MemoryError):
        raise
    except Exception:  # of any library of data frames: their messages may show cells
        found = None
    if found is None or not found.header:
        raise HushrankError("expected columns of text or numbers")
    return found


def _table(table: Any, format: str = "") -> Table:
    """Take a `pyarrow.Table` whose columns hold text or numbers."""
    header = tuple(name.strip() for name in table.column_names)
    columns = tuple(_column(column) for column in table.columns)
    unread = not any(column.is_read for column in columns)
    require(not (columns and unread), "expected columns of text or numbers")
    return Table(header, columns, lambda row: f"row {row + 1}", format)


def _without_index(table: Any) -> Any:
    """Leave out the columns that pandas made of a frame's index."""
    told = json.loads((table.schema.metadata or {}).get(b"pandas", b"{}"))
    index = [name for name in told.get("index_columns", []) if isinstance(name, str)]
    return table.drop_columns(index)


def _records(text: bytes, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, cells) of the records that are not blank, up to the first malformed one."""
    reader = csv.reader(StringIO(text.decode(), newline=""), delimiter=delimiter)
    try:
        for record in reader:
            if record:
                yield reader.line_num, record
    except csv.Error:
        return


def _split_header(text: bytes) -> tuple[bytes, bytes]:
    first, *rest = _NEWLINE.split(text, maxsplit=1)
    return first, b"".join(rest)


def _cells_of_line(line: bytes, delimiter: str) -> list[str]:
    _, cells = next(_records(line + b"\n", delimiter), (0, [""]))
    require(not cells[-1].endswith("\n"), "line 1: expected a closing quote in the same line")
    return cells


def _place_of(body: bytes, row: int, delimiter: str, n_before: int) -> str:
    """Name the line of the file on which a row below the header ends, or the row at least."""
    if row < 0:
        return "line 1"
    line, _ = next(islice(_records(body, delimiter), row, None), (0, []))
    return f"line {line + n_before}" if line else f"row {row + 1} below the header"


def _csv_columns(
    body: bytes, n_columns: int, delimiter: str, n_before: int
) -> tuple[Column, ...] | None:
    """Return the columns below the header, None when rows differ in length.

    A row of empty cells is added and taken off again: a quote that is not closed swallows it.
    """
    empty_row = delimiter.encode() * (n_columns - 1) if n_columns > 1 else b'""'
    names = [str(n) for n in range(n_columns)]
    table = _arrow_table(body + b"\n" + empty_row + b"\n", names, delimiter)
    if table is None:
        return None
    columns = [_column(column) for column in table.columns]
    if any(column.codes[-1] >= 0 for column in columns):
        last_line = len(_NEWLINE.findall(body.rstrip())) + n_before + 1
        raise HushrankError(f"line {last_line}: expected a closing quote")
    return tuple(Column(column.codes[:-1], column.texts) for column in columns)


def _arrow_table(text: bytes, names: Sequence[str], delimiter: str) -> Any | None:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    texts = dict.fromkeys(names, pa.dictionary(pa.int32(), pa.string()))
    try:
        return arrow_csv.read_csv(
            BytesIO(text),
            arrow_csv.ReadOptions(column_names=names, block_size=2**22),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            arrow_csv.ConvertOptions(
                column_types=texts, null_values=[""], strings_can_be_null=True
            ),
        )
    except (pa.ArrowException, OSError, ValueError):  # their messages may show cells
        return None


def _column(chunks: Any) -> Column:
    """Take a pyarrow column of text or numbers, dictionary-encoded or not."""
    import pyarrow as pa

    is_encoded = pa.types.is_dictionary(chunks.type)
    if not _is_text_or_number(chunks.type.value_type if is_encoded else chunks.type):
        return Column(np.full(len(chunks), -1), (), is_read=False)
    encoded = chunks if is_encoded else chunks.dictionary_encode()
    require(encoded.num_chunks, "expected at least 1 row")
    whole = pa.concat_arrays(encoded.chunks)  # one dictionary for all
    values = whole.dictionary.to_pylist()
    texts = ["" if value is None or value != value else str(value).strip() for value in values]
    is_unsigned = pa.types.is_unsigned_integer(whole.indices.type)  # polars' categories
    indices = whole.indices.cast(pa.int64()) if is_unsigned else whole.indices
    codes = indices.fill_null(-1).to_numpy(zero_copy_only=False)
    has_row = np.bincount(codes[codes >= 0], minlength=len(texts)) > 0  # a file may list others
    numbers = np.append(has_row.cumsum() - 1, -1)
    return Column(numbers[codes], tuple(compress(texts, has_row)))


def _in_form(text: str) -> str:
    """Say of what form a cell is, and nothing of what it holds."""
    if not text:
        return "nothing"
    if not _NUMBER.fullmatch(text):
        return "text"
    number = float(text)
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


def _is_text_or_number(kind: Any) -> bool:
    """Tell whether Python shows values of this kind as text: dates may be too large for it."""
    from pyarrow import types

    is_text = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
    return bool(is_text or is_number or types.is_null(kind))

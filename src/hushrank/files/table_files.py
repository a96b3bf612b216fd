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
    """A column as codes (rows,) into its distinct texts; code -1 and empty texts = no value."""

    codes: NDArray[np.integer[Any]]
    texts: tuple[str, ...]

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
    """Named columns of equal length; `where` names the line or row of the file for an error."""

    header: tuple[str, ...]
    columns: tuple[Column, ...]
    where: Callable[[int], str]

    def require_rows(self, fits: NDArray[np.bool_], expectation: str) -> None:
        """Raise HushrankError, naming the first row that does not fit, never its cells."""
        if not fits.all():
            raise HushrankError(f"{self.where(int(np.argmin(fits)))}: expected {expectation}")


def parse_csv(text: bytes) -> Table:
    """Read comma-separated text with a header in its first line; blank lines are skipped.

    Raises HushrankError, with the line, when rows are missing or differ in length, or a quote is
    not closed.
    """
    first, *rest = _NEWLINE.split(text, maxsplit=1)
    body = b"".join(rest)
    header = tuple(name.strip() for name in _cells_of_line(first))
    require(all(header), "line 1: expected a header that names every column")
    require(body.strip(), "line 2: expected at least 1 row below the header")
    columns = _csv_columns(body, len(header))
    if columns is None:
        lines = (line for line, record in _records(body) if len(record) != len(header))
        where = f"line {line + 1}: " if (line := next(lines, 0)) else ""
        raise HushrankError(f"{where}expected {len(header)} comma-separated cells in every row")
    return Table(header, columns, lambda row: _place_of(body, row))


def parse_parquet(content: bytes) -> Table:
    """Read a Parquet file whose columns hold text or numbers.

    Raises HushrankError when it is damaged, empty or holds other columns; rows count from 1.
    """
    import pyarrow as pa
    from pyarrow import parquet

    found = None
    with suppress(pa.ArrowException, OSError, ValueError):  # their messages may show cells
        found = _table(parquet.read_table(BytesIO(content), page_checksum_verification=True))
    if found is None or not found.header:
        raise HushrankError("expected a whole Parquet file with columns of text or numbers")
    require(all(found.header), "expected a name for every column")
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
    require(all(found.header), "expected a name for every column")
    return found


def _table(table: Any) -> Table:
    """Take a `pyarrow.Table` whose columns hold text or numbers."""
    header = tuple(name.strip() for name in table.column_names)
    columns = tuple(_column(column) for column in table.columns)
    return Table(header, columns, lambda row: f"row {row + 1}")


def _without_index(table: Any) -> Any:
    """Leave out the columns that pandas made of a frame's index."""
    told = json.loads((table.schema.metadata or {}).get(b"pandas", b"{}"))
    index = [name for name in told.get("index_columns", []) if isinstance(name, str)]
    return table.drop_columns(index)


def _records(text: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, cells) of the records that are not blank, up to the first malformed one."""
    reader = csv.reader(StringIO(text.decode(), newline=""))
    try:
        for record in reader:
            if record:
                yield reader.line_num, record
    except csv.Error:
        return


def _cells_of_line(line: bytes) -> list[str]:
    _, cells = next(_records(line + b"\n"), (0, [""]))
    require(not cells[-1].endswith("\n"), "line 1: expected a closing quote in the same line")
    return cells


def _place_of(body: bytes, row: int) -> str:
    """Name the line of the file on which a row below the header ends, or the row at least."""
    line, _ = next(islice(_records(body), row, None), (0, []))
    return f"line {line + 1}" if line else f"row {row + 1} below the header"


def _csv_columns(body: bytes, n_columns: int) -> tuple[Column, ...] | None:
    """Return the columns below the header, None when rows differ in length.

    A row of empty cells is added and taken off again: a quote that is not closed swallows it.
    """
    empty_row = b"," * (n_columns - 1) if n_columns > 1 else b'""'
    table = _arrow_table(body + b"\n" + empty_row + b"\n", [str(n) for n in range(n_columns)])
    if table is None:
        return None
    columns = [_column(column) for column in table.columns]
    if any(column.codes[-1] >= 0 for column in columns):
        last_line = len(_NEWLINE.findall(body.rstrip())) + 2
        raise HushrankError(f"line {last_line}: expected a closing quote")
    return tuple(Column(column.codes[:-1], column.texts) for column in columns)


def _arrow_table(text: bytes, names: Sequence[str]) -> Any | None:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    texts = dict.fromkeys(names, pa.dictionary(pa.int32(), pa.string()))
    try:
        return arrow_csv.read_csv(
            BytesIO(text),
            arrow_csv.ReadOptions(column_names=names, block_size=2**22),
            arrow_csv.ParseOptions(newlines_in_values=True),
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
    require(
        _is_text_or_number(chunks.type.value_type if is_encoded else chunks.type),
        "expected columns of text or numbers",
    )
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


def _is_text_or_number(kind: Any) -> bool:
    """Tell whether Python shows values of this kind as text: dates may be too large for it."""
    from pyarrow import types

    is_text = types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
    is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
    return bool(is_text or is_number or types.is_null(kind))

"""Tables that pyarrow reads and writes: Parquet, data frames, and CSV of many rows.

pyarrow is imported when one of them is met, and is an extra: `parquet`.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO
from itertools import compress
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hushrank.errors import HushrankError, needs_extra, require
from hushrank.files.columns import Column, Table, text_of
from hushrank.files.encodings import MOST_TIMES, most_unpacked

EXTRA = "parquet"
MANY = f"expected {MOST_TIMES} cells for each byte of a Parquet file at most: save it as CSV"
LARGE = f"expected a Parquet file of {MOST_TIMES} times its size at most: save it as CSV"

_ROW_NUMBERS = re.compile(r"__index_level_\d+__")


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


def pyarrow_for(what: str) -> Any:
    """Return the module pyarrow; raise HushrankError, which names its extra, where it is not."""
    try:
        import pyarrow
    except ModuleNotFoundError as missing:
        raise needs_extra(what, EXTRA) from missing
    return pyarrow


def parse_parquet(content: bytes) -> Table:
    """Read a Parquet file whose columns hold text or numbers, but for pandas' numbers of rows.

    Raises HushrankError when it is damaged, empty or holds other columns; rows count from 1.
    """
    pa = pyarrow_for("a Parquet file")
    from pyarrow import parquet

    found = None
    with suppress(pa.ArrowException, OSError, ValueError):  # their messages may show cells
        said = parquet.read_metadata(BytesIO(content))
        most, groups = most_unpacked(content), map(said.row_group, range(said.num_row_groups))
        require(said.num_rows * said.num_columns <= most, MANY)
        require(sum(group.total_byte_size for group in groups) <= most, LARGE)
        kept = [one.name for one in said.schema.to_arrow_schema() if _is_text(one.type)]
        read = parquet.read_table(  # texts once each, however many rows have them
            BytesIO(content), read_dictionary=kept, page_checksum_verification=True
        )
        found = _table(columns_of_file(read), "Parquet")
    if found is None or not found.header:
        raise HushrankError("expected a whole Parquet file with columns of text or numbers")
    return found


def columns_of_file(table: Any) -> Any:
    """Return the columns of a Parquet file, but for where a row was in another frame of pandas.

    An index with a name is a column as others are, whatever pandas makes of it.
    """
    names = enumerate(table.column_names)
    kept = table.select([n for n, name in names if not _ROW_NUMBERS.fullmatch(name)])
    return kept.replace_schema_metadata(None)


def table_of_arrow(source: ArrowTable) -> Table:
    """Take a table by the Arrow C interface: of pandas, polars, pyarrow and others.

    The index of a pandas frame is not read. Rows count from 1.
    Raises HushrankError when it is empty, and any error of the library that it is of.
    """
    return _table(_without_index(pyarrow_for("this table in memory").table(source)))


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


def csv_columns_by_arrow(text: bytes, n_columns: int, delimiter: str) -> tuple[Column, ...] | None:
    """Return the columns of delimited text without a header, None when rows differ in length."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    names = [str(number) for number in range(n_columns)]
    texts = dict.fromkeys(names, pa.dictionary(pa.int32(), pa.string()))
    try:
        table = arrow_csv.read_csv(
            BytesIO(text),
            arrow_csv.ReadOptions(column_names=names, block_size=2**22),
            arrow_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            arrow_csv.ConvertOptions(
                column_types=texts, null_values=[""], strings_can_be_null=True
            ),
        )
    except (pa.ArrowException, OSError, ValueError):  # their messages may show cells
        return None
    return tuple(map(_column, table.columns))


def _column(chunks: Any) -> Column:
    """Take a pyarrow column of text or numbers, dictionary-encoded or not."""
    import pyarrow as pa

    is_encoded = pa.types.is_dictionary(chunks.type)
    if not _is_text_or_number(chunks.type.value_type if is_encoded else chunks.type):
        return Column(np.full(len(chunks), -1), (), is_read=False)
    encoded = chunks if is_encoded else chunks.dictionary_encode()
    require(encoded.num_chunks, "expected at least 1 row")
    whole = pa.concat_arrays(encoded.chunks)  # one dictionary for all
    read = _texts_of(whole.dictionary, pa)
    texts = tuple(dict.fromkeys(read))  # without the blanks around them some are the same
    is_unsigned = pa.types.is_unsigned_integer(whole.indices.type)  # polars' categories
    indices = whole.indices.cast(pa.int64()) if is_unsigned else whole.indices
    codes = indices.fill_null(-1).to_numpy(zero_copy_only=False)
    if len(texts) < len(read):
        place = dict(zip(texts, range(len(texts)), strict=True))
        codes = np.array([*map(place.__getitem__, read), -1])[codes]
    has_row = np.bincount(codes[codes >= 0], minlength=len(texts)) > 0  # a file may list others
    numbers = np.append(has_row.cumsum() - 1, -1)
    return Column(numbers[codes], tuple(compress(texts, has_row)))


def _is_text_or_number(kind: Any) -> bool:
    """Tell whether Python shows values of this kind as text: dates may be too large for it."""
    from pyarrow import types

    is_number = types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)
    return bool(_is_text(kind) or is_number or types.is_null(kind))


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def parquet_of(columns: Mapping[str, Column | NDArray[np.number[Any]]]) -> bytes:
    """Return columns of texts and numbers as a Parquet file."""
    pa = pyarrow_for("a Parquet file")
    from pyarrow import parquet

    sink = BytesIO()
    table = pa.table({name: _arrow_column(column) for name, column in columns.items()})
    parquet.write_table(table, sink, write_page_checksum=True)
    return sink.getvalue()


def _arrow_column(column: Column | NDArray[np.number[Any]]) -> Any:
    """Return a pyarrow column (rows,) of texts, code -1 = none, or of numbers."""
    import pyarrow as pa

    if not isinstance(column, Column):
        return pa.array(column)
    codes = pa.array(column.codes.astype(np.int32), mask=column.codes < 0)
    return pa.DictionaryArray.from_arrays(codes, pa.array(column.texts, pa.string()))


def _texts_of(values: Any, pa: Any) -> list[str]:
    """Return the values of a dictionary as texts without outer blanks; what is missing is empty."""
    n_bits = values.type.bit_width if pa.types.is_floating(values.type) else 64
    return [
        "" if value is None or value != value else text_of(value, n_bits).strip()
        for value in values.to_pylist()
    ]

"""Tables in memory: taken from data frames of any library, and made for the one that is there."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib.util import find_spec
from numbers import Number
from typing import Any, TypeAlias

from hushrank.errors import HushrankError, require
from hushrank.files.arrow_tables import ArrowTable, pyarrow_for, table_of_arrow
from hushrank.files.columns import BITS_OF_DIGITS, Column, Table, text_column_of, text_of

Values: TypeAlias = Mapping[str, Sequence[Any]]
"""Columns of equal length, by name; None is a missing value."""

MISSING = ("NoneType", "NAType", "NaTType")


def parse_frame(source: ArrowTable) -> Table:
    """Take a table in memory: by the Arrow C interface, or column by column without pyarrow.

    The index of a pandas frame is not read. Rows count from 1.
    Raises HushrankError when it is empty, or no column holds text or numbers.
    """
    by_column = hasattr(source, "columns") and find_spec("pyarrow") is None
    found = None
    try:
        found = _table_of_frame(source) if by_column else table_of_arrow(source)
    except (HushrankError, MemoryError):
        raise
    except Exception:  # of any library of data frames: their messages may show cells
        found = None
    if found is None or not found.header:
        raise HushrankError("expected columns of text or numbers")
    return found


def to_frame(columns: Values) -> Any:
    """Return a pandas DataFrame where pandas is installed, else a `pyarrow.Table`, else polars'.

    Raises HushrankError, which names the extra, where none of them is installed.
    """
    if find_spec("pandas") is not None:
        import pandas as pd

        return pd.DataFrame({name: list(values) for name, values in columns.items()})
    if find_spec("pyarrow") is None and find_spec("polars") is not None:
        import polars as pl

        return pl.DataFrame({name: list(values) for name, values in columns.items()})
    return arrow_table(columns)


def columns_of(rows: Sequence[Any]) -> Values:
    """Return a column for each field of dataclasses of one kind, of which there is one or more."""
    return {each.name: [getattr(row, each.name) for row in rows] for each in fields(rows[0])}


def arrow_stream(columns: Values, requested_schema: object = None) -> object:
    """Return a capsule of the Arrow C stream interface, for a result's `__arrow_c_stream__`.

    `polars.DataFrame(result)` and `pyarrow.table(result)` read it without another import here.
    """
    return arrow_table(columns).__arrow_c_stream__(requested_schema)


def arrow_table(columns: Values) -> Any:
    """Return the columns as a `pyarrow.Table`."""
    arrow = pyarrow_for("a table where pandas is not installed")
    return arrow.table({name: list(values) for name, values in columns.items()})


def _table_of_frame(frame: Any) -> Table:
    """Take a frame of pandas or polars whose columns hold text or numbers."""
    columns = tuple(_column(frame[name].to_list(), frame[name].dtype) for name in frame.columns)
    require(not columns or len(columns[0].codes), "expected at least 1 row")
    unread = not any(column.is_read for column in columns)
    require(not (columns and unread), "expected columns of text or numbers")
    header = tuple(str(name).strip() for name in frame.columns)
    return Table(header, columns, lambda row: f"row {row + 1}")


def _column(cells: Sequence[Any], kind: object) -> Column:
    """Take cells of text or numbers; whatever else they are makes no text."""
    is_missing = [type(cell).__name__ in MISSING or cell != cell for cell in cells]
    kinds = zip(cells, is_missing, strict=True)
    if not all(missing or isinstance(cell, str | Number) for cell, missing in kinds):
        return Column(text_column_of([""] * len(cells)).codes - 1, (), is_read=False)
    n_bits = next((n for n in BITS_OF_DIGITS if str(kind).lower() == f"float{n}"), 64)
    read = zip(cells, is_missing, strict=True)
    texts = ["" if gap else text_of(cell, n_bits) for cell, gap in read]
    return text_column_of(texts)

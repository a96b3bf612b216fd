"""Results as tables of whatever data frame library the user has."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:  # slow to import, and not everybody wants a table
    import pyarrow as pa

Columns: TypeAlias = Mapping[str, Sequence[Any]]
"""Columns of equal length, by name; None is a missing value."""


def to_frame(columns: Columns) -> Any:
    """Return a pandas DataFrame where pandas is installed, else a `pyarrow.Table`."""
    table = arrow_table(columns)
    return table.to_pandas() if find_spec("pandas") is not None else table


def arrow_stream(columns: Columns, requested_schema: object = None) -> object:
    """Return a capsule of the Arrow C stream interface, for a result's `__arrow_c_stream__`.

    `polars.DataFrame(result)` and `pyarrow.table(result)` read it without another import here.
    """
    return arrow_table(columns).__arrow_c_stream__(requested_schema)


def arrow_table(columns: Columns) -> "pa.Table":
    """Return the columns as an Arrow table."""
    import pyarrow as pa

    return pa.table({name: list(values) for name, values in columns.items()})

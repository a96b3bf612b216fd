"""Results as tables of whatever data frame library the user has."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:  # slow to import, and not everybody wants a table
    import pyarrow as pa

Columns: TypeAlias = Mapping[str, Sequence[Any]]
"""Columns of equal length, by name; None is a missing value."""


def order_columns(
    items: Sequence[str],
    confidence: Sequence[float] | None,
    intervals: Mapping[str, tuple[int, int]] | None,
) -> Columns:
    """Return one row an item, best first, with the probability that it is ahead of the next."""
    known = intervals or {}
    return {
        "place": range(1, len(items) + 1),
        "item": items,
        "ahead_of_next": [*(confidence or (None,) * (len(items) - 1)), None],
        "best_rank": [known.get(item, (None, None))[0] for item in items],
        "worst_rank": [known.get(item, (None, None))[1] for item in items],
    }


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

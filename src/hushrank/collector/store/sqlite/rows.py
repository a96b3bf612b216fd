"""Many rows in few statements, of few lengths so that SQLite has them prepared."""

import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import Any, TypeVar

T = TypeVar("T")

_ROWS_AT_ONCE = tuple(2**power for power in range(10, -1, -1))
"""SQLite has a statement of each length prepared; 32,766 values are the most that one takes."""


def insert_rows(
    connection: sqlite3.Connection,
    table: str,
    rows: Sequence[tuple[Any, ...]],
    on_conflict: str = "",
) -> None:
    """Insert the rows, whose values stand in the order of the table's columns."""
    for chunk in chunks(rows):
        row = f"({', '.join('?' * len(chunk[0]))})"
        values = ", ".join([row] * len(chunk))
        connection.execute(
            f"INSERT INTO {table} VALUES {values} {on_conflict}",
            tuple(chain.from_iterable(chunk)),
        )


def as_list(numbers: Collection[int]) -> str:
    """Return the numbers as the argument of `IN (SELECT value FROM json_each(?))`."""
    return json.dumps(list(numbers))


def chunks(rows: Sequence[T]) -> Iterator[Sequence[T]]:
    """Cut the rows into pieces for one statement each."""
    start = 0
    for size in _ROWS_AT_ONCE:
        while len(rows) - start >= size:
            yield rows[start : start + size]
            start += size

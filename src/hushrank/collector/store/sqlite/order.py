"""Rows of an ended round, written anew in the order of their keys.

Within a page SQLite keeps rows in the order in which they were written, whatever their keys: as
they came they would tell whoever reads the file in which order people had sent their reports.
"""

from dataclasses import dataclass
from typing import Any

from hushrank.collector.store.checks import MOST_ANSWERS
from hushrank.collector.store.sqlite.rows import insert_rows
from hushrank.collector.store.sqlite.surveys import closed_round
from hushrank.collector.store.sqlite.writer import Connection, each
from hushrank.collector.store.store import ASKED

_SLICE = MOST_ANSWERS
"""Rows; no assignment has more answers."""
_AGAIN = 1000
"""Rows that two slices share, more than a page holds: where they meet nothing stays as it came."""


@dataclass(frozen=True, slots=True)
class From:
    """Of a closed round, the key of the first row to be written anew; None: of all its rows."""

    name: tuple[str, int]
    first: int | bytes | None = None


@each
def sort_answers(connection: Connection, start: From) -> From | None:
    """Write a slice of the round's answers anew; return where the next one begins."""
    return _sort(connection, start, "answers", "round = ?", "number", -1)


@each
def sort_asked(connection: Connection, start: From) -> From | None:
    """Write a slice anew of whom rounds of the survey asked; return where the next one begins."""
    whose = f"kind = '{ASKED}' AND survey = (SELECT survey FROM rounds WHERE key = ?)"
    return _sort(connection, start, "secrets", whose, "digest", b"")


def _sort(
    connection: Connection, start: From, table: str, whose: str, key: str, least: int | bytes
) -> From | None:
    """Delete a slice of rows and insert them again, sorted, in the same transaction.

    The next one takes the last of these rows again, unless all of the slice have one key.
    """
    round = closed_round(connection, *start.name)
    rows = f"FROM {table} WHERE {whose} AND {key} >= ?"
    bounds: tuple[Any, ...] = (round, least if start.first is None else start.first)
    first, again, end = (
        connection.execute(
            f"SELECT {key} {rows} ORDER BY {key} LIMIT 1 OFFSET {n}", bounds
        ).fetchone()
        for n in (0, _SLICE - _AGAIN, _SLICE)
    )
    if end:
        rows, bounds = f"{rows} AND {key} < ?", (*bounds, *end)
    found = connection.execute(f"SELECT * {rows}", bounds).fetchall()
    connection.execute(f"DELETE {rows}", bounds)
    insert_rows(connection, table, sorted(found))
    following = end if again == first else again
    return From(start.name, *following) if end else None

"""Deleting a survey, in slices so that nobody waits for long, and until no byte of it is left.

A survey without an id is one that is being deleted: nobody finds it any more. Deleted rows are
overwritten in their pages (`secure_delete`); the log of older pages, FILE-wal, is emptied after.
"""

from hushrank.collector.store.checks import MOST_ANSWERS
from hushrank.collector.store.sqlite.connections import PATIENCE
from hushrank.collector.store.sqlite.surveys import closed_round
from hushrank.collector.store.sqlite.writer import Connection, each

_SLICE = MOST_ANSWERS
"""Rows; no assignment has more answers."""


@each
def hide(connection: Connection, survey: str) -> bool:
    """Take the survey from everybody's sight, and its secrets."""
    found = connection.execute("SELECT key FROM surveys WHERE id = ?", (survey,)).fetchone()
    if not found:
        return False
    connection.execute("DELETE FROM secrets WHERE survey = ?", found)
    connection.execute("UPDATE rounds SET is_open = 0 WHERE survey = ?", found)
    connection.execute("UPDATE surveys SET id = NULL, blob = x'' WHERE key = ?", found)
    return True


@each
def delete_some(connection: Connection, _: None) -> bool:
    """Delete a slice of what is hidden; return whether there was any."""
    found = connection.execute("SELECT key FROM surveys WHERE id IS NULL LIMIT 1").fetchone()
    if not found:
        return False
    rounds = connection.execute("SELECT key FROM rounds WHERE survey = ?", found).fetchall()
    for (round,) in rounds:
        if _slice(connection, "answers", "number", round):
            return True
        if _slice(connection, "people", "person", round):
            return True
    connection.execute("DELETE FROM surveys WHERE key = ?", found)
    return True


@each
def forget_some(connection: Connection, name: tuple[str, int]) -> bool:
    """Delete a slice of a closed round's people; return whether there was any.

    Its decks become one: those of a repeated survey name assignments of the one before.
    """
    round = closed_round(connection, *name)
    total = "SELECT CAST(total(joined) AS INTEGER) FROM decks WHERE round = ?"
    (n_joined,) = connection.execute(total, (round,)).fetchone()
    connection.execute("DELETE FROM decks WHERE round = ?", (round,))
    connection.execute("INSERT INTO decks VALUES (?, 0, ?)", (round, n_joined))
    return _slice(connection, "people", "person", round)


@each
def empty_log(connection: Connection, _: None) -> bool:
    """Move all pages from the log to the file and empty the log; False while somebody reads it."""
    connection.execute("PRAGMA busy_timeout = 0")
    is_busy, *_pages = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    connection.execute(f"PRAGMA busy_timeout = {1000 * PATIENCE}")
    return not is_busy


def _slice(connection: Connection, table: str, column: str, round: int) -> bool:
    """Delete the first rows of a round; return whether there were any."""
    end = connection.execute(
        f"SELECT {column} FROM {table} WHERE round = ? ORDER BY {column} LIMIT 1 OFFSET {_SLICE}",
        (round,),
    ).fetchone()
    condition = f"AND {column} < ?" if end else ""
    deleted = connection.execute(
        f"DELETE FROM {table} WHERE round = ? {condition}", (round, *(end or ()))
    )
    return deleted.rowcount > 0

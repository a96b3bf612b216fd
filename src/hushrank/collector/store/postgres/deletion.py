"""Deleting a survey: at once for everybody, then row by row.

A survey without an id is one that is being deleted: nobody finds it any more, so nobody waits for
what is deleted of it.
"""

from hushrank.collector.store.postgres.connections import UNLIMITED, Connection


async def hide(connection: Connection, survey: str) -> bool:
    """Take the survey from everybody's sight, and its secrets, after all who hold it have ended."""
    key = await connection.fetchval(
        "UPDATE hushrank.surveys SET id = NULL, blob = '' WHERE id = $1 RETURNING key", survey
    )
    if key is None:
        return False
    await connection.execute("UPDATE hushrank.rounds SET is_open = false WHERE survey = $1", key)
    await connection.execute("DELETE FROM hushrank.secrets WHERE survey = $1", key)
    return True


async def delete_hidden(connection: Connection) -> int:
    """Delete what is hidden; return how many surveys that is."""
    keys = await connection.fetch("SELECT key FROM hushrank.surveys WHERE id IS NULL FOR UPDATE")
    hidden = [row[0] for row in keys]
    await connection.execute(
        "DELETE FROM hushrank.answers WHERE round IN"
        " (SELECT key FROM hushrank.rounds WHERE survey = ANY($1::int[]))",
        hidden,
        timeout=UNLIMITED,
    )
    await connection.execute(
        "DELETE FROM hushrank.surveys WHERE key = ANY($1::int[])", hidden, timeout=UNLIMITED
    )
    return len(hidden)

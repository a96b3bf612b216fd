"""Digests of tokens, signing keys and pictures, in SQL."""

from collections.abc import Sequence
from typing import TypeAlias

from hushrank.collector.store.checks import microseconds, time_of
from hushrank.collector.store.sqlite.surveys import key_of
from hushrank.collector.store.sqlite.writer import Connection, each
from hushrank.collector.store.store import Secret, SigningKey

Asked: TypeAlias = tuple[str, bytes, int]
"""A secret's kind and digest, and the time now."""


@each
def put(connection: Connection, secrets: Sequence[Secret]) -> None:
    """Keep secrets, after it is certain that their surveys are there."""
    keys = {name: key_of(connection, name) for name in {each.survey for each in secrets} if name}
    rows = [
        (
            each.kind,
            each.digest,
            keys[each.survey] if each.survey else None,
            each.blob,
            microseconds(each.expires, "expires") if each.expires else None,
        )
        for each in secrets
    ]
    connection.executemany("INSERT OR REPLACE INTO secrets VALUES (?, ?, ?, ?, ?)", rows)


def read(connection: Connection, asked: Asked) -> Secret | None:
    """Read a secret that has not expired."""
    found = connection.execute(
        "SELECT kind, digest, secrets.blob, id, expires FROM secrets"
        " LEFT JOIN surveys ON surveys.key = survey WHERE kind = ? AND digest = ?"
        " AND (expires IS NULL OR expires > ?) AND (survey IS NULL OR id IS NOT NULL)",
        asked,
    ).fetchone()
    if not found:
        return None
    kind, digest, blob, survey, expires = found
    return Secret(kind, digest, blob, survey, None if expires is None else time_of(expires))


@each
def take(connection: Connection, asked: Asked) -> Secret | None:
    """Read a secret and delete it."""
    found = read(connection, asked)
    connection.execute("DELETE FROM secrets WHERE kind = ? AND digest = ?", asked[:2])
    return found


@each
def drop(connection: Connection, which: tuple[str, str | None]) -> int:
    """Delete the secrets of a kind and survey."""
    dropped = connection.execute(
        "DELETE FROM secrets WHERE kind = ?"
        " AND survey IS (SELECT key FROM surveys WHERE id = ?) AND (? OR survey IS NOT NULL)",
        (*which, which[1] is None),
    )
    return dropped.rowcount


@each
def expire(connection: Connection, now: int) -> int:
    """Delete the secrets that have expired."""
    return connection.execute("DELETE FROM secrets WHERE expires <= ?", (now,)).rowcount


def signing_keys(connection: Connection, _: None) -> tuple[SigningKey, ...]:
    """Read the signing keys."""
    found = connection.execute("SELECT number, key FROM signing_keys ORDER BY number")
    return tuple(SigningKey(*each) for each in found)


@each
def add_signing_key(connection: Connection, key: SigningKey) -> bool:
    """Keep a signing key."""
    added = connection.execute(
        "INSERT INTO signing_keys VALUES (?, ?) ON CONFLICT DO NOTHING", (key.number, key.key)
    )
    return added.rowcount == 1


@each
def drop_signing_key(connection: Connection, number: int) -> bool:
    """Delete a signing key."""
    return connection.execute("DELETE FROM signing_keys WHERE number = ?", (number,)).rowcount == 1


@each
def put_picture(connection: Connection, picture: tuple[str, bytes, bytes]) -> None:
    """Keep a picture of a survey."""
    survey, digest, content = picture
    row = (key_of(connection, survey), digest, content)
    connection.execute("INSERT OR REPLACE INTO pictures VALUES (?, ?, ?)", row)


def picture(connection: Connection, named: tuple[str, bytes]) -> bytes | None:
    """Read a picture of a survey."""
    found = connection.execute(
        "SELECT picture FROM pictures JOIN surveys ON surveys.key = survey"
        " WHERE id = ? AND digest = ?",
        named,
    ).fetchone()
    return found[0] if found else None

"""Digests of tokens, signing keys and pictures, in SQL."""

from collections.abc import Mapping, Sequence
from typing import Any

from hushrank.collector.store.checks import microseconds, time_of
from hushrank.collector.store.postgres.connections import UNLIMITED, Connection
from hushrank.collector.store.postgres.surveys import held_survey
from hushrank.collector.store.store import Secret, SigningKey

_SURVEY = "(SELECT key FROM hushrank.surveys WHERE id = $2)"


async def put(connection: Connection, secrets: Sequence[Secret]) -> None:
    """Keep secrets, while their surveys cannot be deleted."""
    names = sorted({each.survey for each in secrets if each.survey})
    keys = {name: await held_survey(connection, name) for name in names}
    last = {(each.kind, each.digest): each for each in secrets}
    if not last:
        return
    rows = [_row(last[key], keys) for key in sorted(last)]
    await connection.execute(
        "INSERT INTO hushrank.secrets (kind, digest, survey, blob, expires)"
        " SELECT * FROM unnest($1::text[], $2::bytea[], $3::int[], $4::bytea[], $5::bigint[])"
        " ON CONFLICT (kind, digest) DO UPDATE SET (survey, blob, expires) ="
        " (excluded.survey, excluded.blob, excluded.expires)",
        *zip(*rows, strict=True),
    )


def _row(secret: Secret, keys: Mapping[str, int]) -> tuple[Any, ...]:
    """Return a secret as the table holds it; keys: of surveys by name."""
    survey = keys[secret.survey] if secret.survey else None
    expires = microseconds(secret.expires, "expires") if secret.expires else None
    return secret.kind, secret.digest, survey, secret.blob, expires


async def read(connection: Connection, kind: str, digest: bytes, now: int) -> Secret | None:
    """Read a secret that has not expired."""
    found = await connection.fetchrow(
        "SELECT kind, digest, secrets.blob, id, expires FROM hushrank.secrets"
        " LEFT JOIN hushrank.surveys ON surveys.key = survey WHERE kind = $1 AND digest = $2",
        kind,
        digest,
    )
    return _unexpired(found, now)


async def take(connection: Connection, kind: str, digest: bytes, now: int) -> Secret | None:
    """Read a secret and delete it."""
    found = await connection.fetchrow(
        "DELETE FROM hushrank.secrets WHERE kind = $1 AND digest = $2 RETURNING kind, digest, blob,"
        " (SELECT id FROM hushrank.surveys WHERE surveys.key = survey), expires",
        kind,
        digest,
    )
    return _unexpired(found, now)


async def drop(connection: Connection, kind: str, survey: str | None) -> int:
    """Delete the secrets of a kind and survey, or of no survey.

    After all who hold the survey have ended: rows that they write anew would be missed.
    """
    await connection.execute(
        "SELECT FROM hushrank.surveys WHERE id = $1 FOR UPDATE", survey, timeout=UNLIMITED
    )
    whose = "survey IS NULL AND $2::text IS NULL" if survey is None else f"survey = {_SURVEY}"
    return _n_rows(
        await connection.execute(
            f"DELETE FROM hushrank.secrets WHERE kind = $1 AND {whose}",
            kind,
            survey,
            timeout=UNLIMITED,
        )
    )


async def expire(connection: Connection, now: int) -> int:
    """Delete the secrets that have expired."""
    return _n_rows(
        await connection.execute("DELETE FROM hushrank.secrets WHERE expires <= $1", now)
    )


async def signing_keys(connection: Connection) -> tuple[SigningKey, ...]:
    """Read the signing keys."""
    found = await connection.fetch("SELECT number, key FROM hushrank.signing_keys ORDER BY number")
    return tuple(SigningKey(*each) for each in found)


async def add_signing_key(connection: Connection, number: int, key: bytes) -> bool:
    """Keep a signing key."""
    added = await connection.execute(
        "INSERT INTO hushrank.signing_keys (number, key) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        number,
        key,
    )
    return _n_rows(added) == 1


async def drop_signing_key(connection: Connection, number: int) -> bool:
    """Delete a signing key."""
    dropped = await connection.execute(
        "DELETE FROM hushrank.signing_keys WHERE number = $1", number
    )
    return _n_rows(dropped) == 1


async def put_picture(connection: Connection, survey: str, digest: bytes, picture: bytes) -> None:
    """Keep a picture of a survey, while it cannot be deleted."""
    await connection.execute(
        "INSERT INTO hushrank.pictures (survey, digest, picture) VALUES ($1, $2, $3)"
        " ON CONFLICT (survey, digest) DO UPDATE SET picture = excluded.picture",
        await held_survey(connection, survey),
        digest,
        picture,
    )


async def picture(connection: Connection, survey: str, digest: bytes) -> bytes | None:
    """Read a picture of a survey."""
    found: bytes | None = await connection.fetchval(
        "SELECT picture FROM hushrank.pictures JOIN hushrank.surveys ON surveys.key = survey"
        " WHERE id = $1 AND digest = $2",
        survey,
        digest,
    )
    return found


def _unexpired(found: Any, now: int) -> Secret | None:
    if not found or (found["expires"] is not None and found["expires"] <= now):
        return None
    kind, digest, blob, survey, expires = found
    return Secret(kind, digest, blob, survey, None if expires is None else time_of(expires))


def _n_rows(status: str) -> int:
    """Return how many rows a statement says that it changed, such as "DELETE 3"."""
    return int(status.rpartition(" ")[2])

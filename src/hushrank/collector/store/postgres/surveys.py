"""Surveys and their rounds, in SQL."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hushrank.collector.store.postgres.connections import Connection
from hushrank.collector.store.store import Kept, NewRound, Round
from hushrank.errors import HushrankError, require

Name: TypeAlias = tuple[str, int]
"""A round's: its survey and its number."""


@dataclass(frozen=True, slots=True)
class Found:
    """A round that is held: it is neither closed nor deleted until the transaction ends."""

    key: int
    is_open: bool


async def create(connection: Connection, survey: str, blob: bytes) -> None:
    """Keep a new survey."""
    is_new = await connection.fetchval(
        "INSERT INTO hushrank.surveys (id, blob, version) VALUES ($1, $2, 1)"
        " ON CONFLICT DO NOTHING RETURNING true",
        survey,
        blob,
    )
    require(is_new, "survey: expected a new id, there is a survey of this one")


async def save(
    connection: Connection, survey: str, blob: bytes, version: int, opens: NewRound | None
) -> bool:
    """Keep the next version of a survey, and a new round."""
    key = await connection.fetchval(
        "UPDATE hushrank.surveys SET blob = $2, version = version + 1"
        " WHERE id = $1 AND version = $3 RETURNING key",
        survey,
        blob,
        version,
    )
    if key is not None and opens:
        await connection.execute(
            "INSERT INTO hushrank.rounds (survey, round, blob, is_open) VALUES ($1, $2, $3, true)"
            " ON CONFLICT DO NOTHING",
            key,
            opens.number,
            opens.blob,
        )
    return key is not None


async def load(connection: Connection, surveys: Sequence[str]) -> list[Kept | None]:
    """Read surveys."""
    rows = await connection.fetch(
        "SELECT id, blob, version FROM hushrank.surveys WHERE id = ANY($1::text[])",
        list({*surveys}),
    )
    found = {row["id"]: Kept(*row) for row in rows}
    return [found.get(survey) for survey in surveys]


async def all_surveys(connection: Connection) -> tuple[Kept, ...]:
    """Read all surveys but those that are being deleted."""
    found = await connection.fetch(
        "SELECT id, blob, version FROM hushrank.surveys WHERE id IS NOT NULL ORDER BY key"
    )
    return tuple(Kept(*each) for each in found)


async def close_round(connection: Connection, survey: str, round: int) -> bool:
    """Note that a round is closed, after all who hold it have ended."""
    closed = await connection.fetchval(
        "UPDATE hushrank.rounds SET is_open = false FROM hushrank.surveys"
        " WHERE surveys.key = survey AND id = $1 AND round = $2 AND is_open RETURNING true",
        survey,
        round,
    )
    return bool(closed)


async def keep_tallies(connection: Connection, survey: str, round: int, tallies: bytes) -> None:
    """Keep the tallies of a closed round, unless it has some."""
    key = await closed_round(connection, survey, round)
    await connection.execute(
        "UPDATE hushrank.rounds SET tallies = $2 WHERE key = $1 AND tallies IS NULL", key, tallies
    )


async def read_round(connection: Connection, survey: str, round: int) -> Round | None:
    """Read a round."""
    found = await connection.fetchrow(
        "SELECT rounds.blob, is_open, tallies FROM hushrank.rounds"
        " JOIN hushrank.surveys ON surveys.key = survey WHERE id = $1 AND round = $2",
        survey,
        round,
    )
    return Round(*found) if found else None


async def held_survey(connection: Connection, survey: str) -> int:
    """Return the key of a survey that is not deleted until the transaction ends.

    Raises HushrankError where there is none.
    """
    key: int | None = await connection.fetchval(
        "SELECT key FROM hushrank.surveys WHERE id = $1 FOR KEY SHARE", survey
    )
    if key is None:
        raise HushrankError("survey: there is none of this id")
    return key


async def held_rounds(connection: Connection, names: Collection[Name]) -> dict[Name, Found]:
    """Return those of the rounds that there are, each held until the transaction ends."""
    if not names:
        return {}
    ids, numbers = zip(*names, strict=True)
    found = await connection.fetch(
        "SELECT id, rounds.round, rounds.key, is_open FROM unnest($1::text[], $2::int[])"
        " AS asked (survey, round) JOIN hushrank.surveys ON id = asked.survey"
        " JOIN hushrank.rounds ON rounds.survey = surveys.key AND rounds.round = asked.round"
        " ORDER BY rounds.key FOR SHARE OF rounds",
        ids,
        numbers,
    )
    return {(survey, round): Found(key, is_open) for survey, round, key, is_open in found}


async def closed_round(connection: Connection, survey: str, round: int) -> int:
    """Return a round's key. Raises HushrankError where there is none or where it is open."""
    found = await connection.fetchrow(
        "SELECT rounds.key, is_open FROM hushrank.rounds"
        " JOIN hushrank.surveys ON surveys.key = survey WHERE id = $1 AND round = $2",
        survey,
        round,
    )
    require(found, "round: there is none of this number")
    key: int = found["key"]
    require(not found["is_open"], "round: expected a closed one, it is open")
    return key

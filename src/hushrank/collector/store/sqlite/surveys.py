"""Surveys and their rounds, in SQL."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from hushrank.collector.store.sqlite.writer import Connection, each
from hushrank.collector.store.store import Kept, NewRound, Round
from hushrank.errors import require


@dataclass(frozen=True, slots=True)
class Entry:
    """What a survey, or a round of it, is to be kept as."""

    survey: str
    blob: bytes = field(repr=False)
    number: int = 0
    """Of the version to replace, or of the round."""
    opens: NewRound | None = None


@each
def create(connection: Connection, entry: Entry) -> None:
    """Keep a new survey."""
    is_taken = connection.execute("SELECT 1 FROM surveys WHERE id = ?", (entry.survey,)).fetchone()
    require(not is_taken, "survey: expected a new id, there is a survey of this one")
    connection.execute(
        "INSERT INTO surveys (id, blob, version) VALUES (?, ?, 1)", (entry.survey, entry.blob)
    )


@each
def save(connection: Connection, entry: Entry) -> bool:
    """Keep the next version of a survey, and a new round."""
    changed = connection.execute(
        "UPDATE surveys SET blob = ?, version = version + 1 WHERE id = ? AND version = ?",
        (entry.blob, entry.survey, entry.number),
    )
    is_saved = changed.rowcount == 1
    if is_saved and entry.opens:
        connection.execute(
            "INSERT INTO rounds (survey, round, blob, is_open) VALUES (?, ?, ?, 1)"
            " ON CONFLICT DO NOTHING",
            (key_of(connection, entry.survey), entry.opens.number, entry.opens.blob),
        )
    return is_saved


@each
def close_round(connection: Connection, name: tuple[str, int]) -> bool:
    """Note that a round is closed."""
    found = find_round(connection, *name)
    if not (found and found[1]):
        return False
    connection.execute("UPDATE rounds SET is_open = 0 WHERE key = ?", (found[0],))
    return True


@each
def keep_tallies(connection: Connection, entry: Entry) -> None:
    """Keep the tallies of a closed round, unless it has some."""
    key = closed_round(connection, entry.survey, entry.number)
    connection.execute(
        "UPDATE rounds SET tallies = ? WHERE key = ? AND tallies IS NULL", (entry.blob, key)
    )


def key_of(connection: Connection, survey: str) -> int:
    """Return the key of a survey. Raises HushrankError where there is none."""
    found = connection.execute("SELECT key FROM surveys WHERE id = ?", (survey,)).fetchone()
    require(found, "survey: there is none of this id")
    key: int = found[0]
    return key


def find_round(connection: Connection, survey: str, round: int) -> tuple[int, bool] | None:
    """Return a round's key and whether it is open, None where there is none."""
    found = connection.execute(
        "SELECT rounds.key, is_open FROM rounds JOIN surveys ON surveys.key = survey"
        " WHERE id = ? AND round = ?",
        (survey, round),
    ).fetchone()
    return (found[0], bool(found[1])) if found else None


def closed_round(connection: Connection, survey: str, round: int) -> int:
    """Return a round's key. Raises HushrankError where there is none or where it is open."""
    found = find_round(connection, survey, round)
    require(found, "round: there is none of this number")
    key, is_open = found or (0, True)
    require(not is_open, "round: expected a closed one, it is open")
    return key


def load(connection: Connection, surveys: Sequence[str]) -> list[Kept | None]:
    """Read surveys."""
    found = {survey: _load(connection, survey) for survey in {*surveys}}
    return [found[survey] for survey in surveys]


def _load(connection: Connection, survey: str) -> Kept | None:
    found = connection.execute(
        "SELECT id, blob, version FROM surveys WHERE id = ?", (survey,)
    ).fetchone()
    return Kept(*found) if found else None


def all_surveys(connection: Connection, _: None) -> tuple[Kept, ...]:
    """Read all surveys but those that are being deleted."""
    found = connection.execute(
        "SELECT id, blob, version FROM surveys WHERE id IS NOT NULL ORDER BY key"
    )
    return tuple(Kept(*each) for each in found)


def read_round(connection: Connection, name: tuple[str, int]) -> Round | None:
    """Read a round."""
    found = connection.execute(
        "SELECT rounds.blob, is_open, tallies FROM rounds JOIN surveys ON surveys.key = survey"
        " WHERE id = ? AND round = ?",
        name,
    ).fetchone()
    return Round(found[0], bool(found[1]), found[2]) if found else None

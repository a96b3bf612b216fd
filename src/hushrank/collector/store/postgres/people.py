"""Who has which assignment, in SQL."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from hushrank.collector.store.numbers import number_of
from hushrank.collector.store.postgres.connections import LOCKS, UNLIMITED, Connection
from hushrank.collector.store.postgres.surveys import Name, closed_round, held_rounds, held_survey
from hushrank.collector.store.store import ASKED, Joined, Place, round_mark


@dataclass(frozen=True, slots=True)
class Joining:
    """Somebody who asks for an assignment."""

    name: Name
    deck: int
    person: bytes = field(repr=False)
    once: bool = False


async def join(connection: Connection, joining: Sequence[Joining]) -> list[Place]:
    """Give each an assignment, or the one that they have; see `Collecting.join`."""
    await _hold(connection, {each.name[0] for each in joining if each.once})
    rounds = await held_rounds(connection, {each.name for each in joining})
    places: list[Place] = [None] * len(joining)
    for name, found in sorted(rounds.items(), key=lambda round: round[1].key):
        if found.is_open:
            asking = [i for i, each in enumerate(joining) if each.name == name]
            given = await _join_round(connection, found.key, [joining[i] for i in asking])
            for i, place in zip(asking, given, strict=True):
                places[i] = place
    return places


async def _hold(connection: Connection, surveys: Collection[str]) -> None:
    """Keep surveys from being deleted, and whom they asked from being forgotten, meanwhile."""
    if surveys:
        await connection.execute(
            "SELECT FROM hushrank.surveys WHERE id = ANY($1::text[]) ORDER BY key FOR KEY SHARE",
            sorted(surveys),
        )


async def _join_round(
    connection: Connection, round: int, joining: Sequence[Joining]
) -> list[Place]:
    """Give places in one round; of several processes, one at a time does."""
    await connection.execute("SELECT pg_advisory_xact_lock($1, $2)", LOCKS, round)
    elsewhere = await _asked_elsewhere(connection, round, joining)
    asked = [each for each in joining if each.person not in elsewhere]
    given = iter(await _places(connection, round, asked))
    return ["asked" if each.person in elsewhere else next(given) for each in joining]


async def _asked_elsewhere(
    connection: Connection, round: int, joining: Sequence[Joining]
) -> set[bytes]:
    """Remember whom the round asks once; return those of them whom another one has asked."""
    once = sorted({each.person for each in joining if each.once})
    if not once:
        return set()
    own = round_mark(joining[0].name[1])
    await connection.execute(
        "INSERT INTO hushrank.secrets (kind, digest, survey, blob) SELECT $1, asked, survey, $2"
        " FROM unnest($3::bytea[]) AS asked, hushrank.rounds WHERE key = $4"
        " ON CONFLICT (kind, digest) DO NOTHING",
        ASKED,
        own,
        once,
        round,
    )
    rows = await connection.fetch(
        "SELECT digest FROM hushrank.secrets"
        " WHERE kind = $1 AND blob <> $2 AND digest = ANY($3::bytea[])",
        ASKED,
        own,
        once,
    )
    return {digest for (digest,) in rows}


async def _places(connection: Connection, round: int, joining: Sequence[Joining]) -> list[Joined]:
    people = await _people(connection, round, {each.person for each in joining})
    joined = await _joined(connection, round, {each.deck for each in joining})
    new = {each.person for each in joining} - people.keys()
    nth = iter(await _next(connection, len(new)))
    places, rows = [], []
    for each in joining:
        place = people.get(each.person)
        if not place:
            place = Joined(number_of(next(nth)), joined[each.deck], each.deck, is_new=True)
            joined[each.deck] += 1
            people[each.person] = Joined(place.number, place.position, place.deck, is_new=False)
            rows.append((each.person, place.number, place.deck, place.position))
        places.append(place)
    if rows:
        await _keep(connection, round, rows, joined)
    return places


async def _people(
    connection: Connection, round: int, people: Collection[bytes]
) -> dict[bytes, Joined]:
    """Return the places of those who have one."""
    rows = await connection.fetch(
        "SELECT person, number, position, deck, EXISTS ("
        "SELECT FROM hushrank.answers WHERE answers.round = people.round"
        " AND answers.number = people.number) FROM hushrank.people"
        " WHERE round = $1 AND person = ANY($2::bytea[])",
        round,
        list(people),
    )
    return {
        person: Joined(number, position, deck, is_new=False, has_reported=has_reported)
        for person, number, position, deck, has_reported in rows
    }


async def _joined(connection: Connection, round: int, decks: Collection[int]) -> Counter[int]:
    rows = await connection.fetch(
        "SELECT deck, joined FROM hushrank.decks WHERE round = $1 AND deck = ANY($2::bigint[])",
        round,
        list(decks),
    )
    return Counter({deck: n_people for deck, n_people in rows})


async def _next(connection: Connection, n: int) -> list[int]:
    """Count so many more people who joined, of all rounds."""
    rows = await connection.fetch(
        "SELECT nextval('hushrank.numbers') FROM generate_series(1, $1)", n
    )
    return [row[0] for row in rows]


async def _keep(
    connection: Connection,
    round: int,
    rows: Sequence[tuple[bytes, int, int, int]],
    joined: Counter[int],
) -> None:
    await connection.execute(
        "INSERT INTO hushrank.people (round, person, number, deck, position)"
        " SELECT $1, * FROM unnest($2::bytea[], $3::bigint[], $4::bigint[], $5::int[])",
        round,
        *zip(*rows, strict=True),
    )
    await connection.execute(
        "INSERT INTO hushrank.decks (round, deck, joined)"
        " SELECT $1, * FROM unnest($2::bigint[], $3::int[])"
        " ON CONFLICT (round, deck) DO UPDATE SET joined = excluded.joined",
        round,
        *zip(*joined.items(), strict=True),
    )


async def forget(connection: Connection, survey: str, round: int) -> None:
    """Delete who has which assignment of a closed round.

    Its decks become one: those of a repeated survey name assignments of the one before. Answers,
    and digests of those who were asked, are written anew, sorted: as they came they would tell who
    sent after whom, and so which reports may be whose.
    """
    await held_survey(connection, survey)  # else a deletion would miss rows that are written anew
    key = await closed_round(connection, survey, round)
    await connection.execute(
        "WITH gone AS (DELETE FROM hushrank.decks WHERE round = $1 AND deck > 0 RETURNING joined)"
        " INSERT INTO hushrank.decks (round, deck, joined) SELECT $1, 0, sum(joined) FROM gone"
        " HAVING count(*) > 0 ON CONFLICT (round, deck)"
        " DO UPDATE SET joined = decks.joined + excluded.joined",
        key,
        timeout=UNLIMITED,
    )
    await connection.execute("DELETE FROM hushrank.people WHERE round = $1", key, timeout=UNLIMITED)
    await _sort(connection, "answers", "number, nth", "round = $1", key)
    whose = "kind = $2 AND survey = (SELECT survey FROM hushrank.rounds WHERE key = $1)"
    await _sort(connection, "secrets", "digest", whose, key, ASKED)


async def _sort(
    connection: Connection, table: str, order: str, whose: str, *values: int | str
) -> None:
    """Delete rows and insert them again, in this order."""
    await connection.execute(
        f"WITH kept AS (DELETE FROM hushrank.{table} WHERE {whose} RETURNING *)"
        f" INSERT INTO hushrank.{table} SELECT * FROM kept ORDER BY {order}",
        *values,
        timeout=UNLIMITED,
    )

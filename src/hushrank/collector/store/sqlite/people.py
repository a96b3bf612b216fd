"""Who has which assignment, in SQL."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from hushrank.collector.store.numbers import number_of
from hushrank.collector.store.sqlite.rows import as_list, chunks, insert_rows
from hushrank.collector.store.sqlite.surveys import find_round
from hushrank.collector.store.sqlite.writer import Connection
from hushrank.collector.store.store import ASKED, Joined, Place, round_mark


@dataclass(frozen=True, slots=True)
class Joining:
    """Somebody who asks for an assignment."""

    name: tuple[str, int]
    deck: int
    person: bytes = field(repr=False)
    once: bool = False


def join(connection: Connection, joining: Sequence[Joining]) -> list[Place]:
    """Give each an assignment, or the one that they have; see `Collecting.join`."""
    places: list[Place] = [None] * len(joining)
    for name in dict.fromkeys(each.name for each in joining):
        found = find_round(connection, *name)
        if found and found[1]:
            asking = [i for i, each in enumerate(joining) if each.name == name]
            given = _join_round(connection, found[0], [joining[i] for i in asking])
            for i, place in zip(asking, given, strict=True):
                places[i] = place
    return places


def _join_round(connection: Connection, round: int, joining: Sequence[Joining]) -> list[Place]:
    elsewhere = _asked_elsewhere(connection, round, joining)
    asked = [each for each in joining if each.person not in elsewhere]
    given = iter(_places(connection, round, asked))
    return ["asked" if each.person in elsewhere else next(given) for each in joining]


def _asked_elsewhere(connection: Connection, round: int, joining: Sequence[Joining]) -> set[bytes]:
    """Remember whom the round asks once; return those of them whom another one has asked."""
    elsewhere = set[bytes]()
    once = {each.person for each in joining if each.once}
    own = round_mark(joining[0].name[1])
    for person in once:
        connection.execute(
            "INSERT INTO secrets SELECT ?, ?, survey, ?, NULL FROM rounds WHERE key = ?"
            " ON CONFLICT DO NOTHING",
            (ASKED, person, own, round),
        )
        known = connection.execute(
            "SELECT blob FROM secrets WHERE kind = ? AND digest = ?", (ASKED, person)
        ).fetchone()
        if known != (own,):
            elsewhere.add(person)
    return elsewhere


def _places(connection: Connection, round: int, joining: Sequence[Joining]) -> list[Joined]:
    people = _people(connection, round, {each.person for each in joining})
    joined = _joined(connection, round, {each.deck for each in joining})
    nth = _last(connection)
    places, rows = [], []
    for each in joining:
        place = people.get(each.person)
        if not place:
            nth += 1
            place = Joined(number_of(nth), joined[each.deck], each.deck, is_new=True)
            joined[each.deck] += 1
            people[each.person] = Joined(place.number, place.position, place.deck, is_new=False)
            rows.append((round, each.person, place.number, place.deck, place.position))
        places.append(place)
    if rows:
        insert_rows(connection, "people", rows)
        _keep_joined(connection, round, joined)
        connection.execute("UPDATE numbers SET last = ?", (nth,))
    return places


def _people(connection: Connection, round: int, people: Collection[bytes]) -> dict[bytes, Joined]:
    """Return the places of those who have one."""
    found: dict[bytes, Joined] = {}
    for chunk in chunks(list(people)):
        rows = connection.execute(
            "SELECT person, number, position, deck, EXISTS ("
            "SELECT * FROM answers WHERE answers.round = people.round"
            " AND answers.number = people.number) FROM people"
            f" WHERE round = ? AND person IN ({', '.join('?' * len(chunk))})",
            (round, *chunk),
        )
        found |= {
            person: Joined(number, position, deck, is_new=False, has_reported=bool(has_reported))
            for person, number, position, deck, has_reported in rows
        }
    return found


def _joined(connection: Connection, round: int, decks: Collection[int]) -> Counter[int]:
    rows = connection.execute(
        "SELECT deck, joined FROM decks"
        " WHERE round = ? AND deck IN (SELECT value FROM json_each(?))",
        (round, as_list(decks)),
    )
    return Counter(dict(rows))


def _keep_joined(connection: Connection, round: int, joined: Counter[int]) -> None:
    insert_rows(
        connection,
        "decks",
        [(round, deck, n_people) for deck, n_people in joined.items()],
        "ON CONFLICT DO UPDATE SET joined = excluded.joined",
    )


def _last(connection: Connection) -> int:
    """Return how many have joined, of all rounds."""
    last: int = connection.execute("SELECT last FROM numbers").fetchone()[0]
    return last

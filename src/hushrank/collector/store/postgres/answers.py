"""Reports, and how many of which kind there are, in SQL."""

from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import TypeAlias

import msgspec

from hushrank.collector.store.checks import start_of
from hushrank.collector.store.counting import ROWS_AT_ONCE, Counting
from hushrank.collector.store.postgres.connections import (
    UNLIMITED,
    Connection,
    Pool,
    connection,
    transaction,
)
from hushrank.collector.store.postgres.surveys import Name, held_rounds
from hushrank.collector.store.store import Acceptance, Answer, Bin, Counts, Incoming, Kinds
from hushrank.redacted import Redacted

Upload: TypeAlias = tuple[Sequence[Incoming], int]
"""What one caller sent, and the bin in which they did."""

_Content: TypeAlias = tuple[bytes, tuple[Answer, ...]]
"""The key that came with some answers, and they."""
_Assignment: TypeAlias = tuple[Name, int]
"""Its round and its number."""

_SLOTS = 64


class _Sent(Redacted, msgspec.Struct, frozen=True):  # is made in a fifth of a dataclass's time
    assignment: _Assignment
    content: _Content
    bin: int


async def accept(pool: Pool, uploads: Sequence[Upload]) -> list[list[Acceptance]]:
    """Store what is new, and say what became of each.

    What is new is added by one statement, which commits by itself unless somebody sends several
    answers; what is not is compared with what is there, by a transaction of its own.
    """
    sent = [
        _Sent(((one.survey, one.round), one.number), (one.key, one.answers), bin)
        for incoming, bin in uploads
        for one in incoming
    ]
    new = await _add_all(pool, {each.assignment: each for each in reversed(sent)})
    became: list[Acceptance | None] = [_claimed(each.assignment, new) for each in sent]
    if None in became:
        rest = [each for each, outcome in zip(sent, became, strict=True) if not outcome]
        async with transaction(pool) as lent:
            judged = iter(await _judge(lent, rest))
        became = [outcome or next(judged) for outcome in became]
    told = iter([outcome for outcome in became if outcome])
    return [list(islice(told, len(incoming))) for incoming, _ in uploads]


def _claimed(assignment: _Assignment, new: set[_Assignment]) -> Acceptance | None:
    """Return "new" to the first who asks, of several who sent the same."""
    if assignment not in new:
        return None
    new.remove(assignment)
    return "new"


async def _add_all(pool: Pool, sent: Mapping[_Assignment, _Sent]) -> set[_Assignment]:
    """Add what is not there yet to open rounds; return which that is."""
    if all(len(each.content[1]) == 1 for each in sent.values()):
        async with connection(pool) as lent:
            return await _add_first(lent, sent.values())
    async with transaction(pool) as lent:
        new = await _add_first(lent, sent.values())
        await _add_others(lent, [sent[assignment] for assignment in new])
        return new


async def _add_first(connection: Connection, sent: Collection[_Sent]) -> set[_Assignment]:
    new: set[_Assignment] = set()
    for bin in sorted({each.bin for each in sent}):
        new |= await _add(connection, [each for each in sent if each.bin == bin], bin)
    return new


async def _add(connection: Connection, sent: Sequence[_Sent], bin: int) -> set[_Assignment]:
    """Add the first answers of assignments that have none, and count them.

    Their rounds are held: whoever closes one waits until this is committed, and who comes after
    that finds it closed. Of several processes that send the same assignment, one adds its first
    answer, and with it all others; the rest wait for its commit. All add in the same order, so that
    none waits for one that waits for it.
    """
    names = {name: place for place, name in enumerate({each.assignment[0] for each in sent})}
    numbers = [each.assignment[1] for each in sent]
    added = await connection.fetch(
        _ADD,
        *zip(*names, strict=True),
        [names[each.assignment[0]] for each in sent],
        numbers,
        *zip(*(each.content[1][0] for each in sent), strict=True),
        [each.content[0] for each in sent],
        connection.get_server_pid() % _SLOTS,
        bin,
    )
    each_name = list(names)
    return {(each_name[place], number) for place, numbers in added for number in numbers}


_ADD = """
WITH held AS (
  SELECT place, rounds.key FROM
  unnest($1::text[], $2::int[]) WITH ORDINALITY AS asked (survey, round, place)
  JOIN hushrank.surveys ON id = asked.survey
  JOIN hushrank.rounds ON rounds.survey = surveys.key AND rounds.round = asked.round
  WHERE is_open ORDER BY rounds.key FOR SHARE OF rounds
), added AS (
  INSERT INTO hushrank.answers (round, number, nth, part, question, report, key)
  SELECT held.key, number, 0, part, question, report, sent.key FROM
  unnest($3::int[], $4::bigint[], $5::int[], $6::int[], $7::bytea[], $8::bytea[])
  AS sent (place, number, part, question, report, key) JOIN held ON held.place = sent.place + 1
  ORDER BY held.key, number ON CONFLICT DO NOTHING RETURNING round, number
), counted AS (
  INSERT INTO hushrank.progress (slot, round, bin, reports)
  SELECT $9::int, round, $10::int, count(*) FROM added GROUP BY round ORDER BY round
  ON CONFLICT (round, bin, slot) DO UPDATE SET reports = progress.reports + excluded.reports
)
SELECT place - 1, array_agg(number) FROM added JOIN held ON key = round GROUP BY place
"""


def _contents(sent: Iterable[_Sent]) -> Iterator[tuple[_Assignment, _Content]]:
    return ((each.assignment, each.content) for each in sent)


async def _add_others(connection: Connection, sent: Sequence[_Sent]) -> None:
    """Add the second and later answers of assignments whose first one was added just now."""
    rounds = await held_rounds(connection, {each.assignment[0] for each in sent})
    rows = [
        (rounds[name].key, number, nth, *answer)
        for (name, number), (_, answers) in _contents(sent)
        for nth, answer in enumerate(answers)
        if nth
    ]
    if rows:
        await connection.execute(
            "INSERT INTO hushrank.answers (round, number, nth, part, question, report)"
            " SELECT * FROM unnest($1::int[], $2::bigint[], $3::int[], $4::int[], $5::int[],"
            " $6::bytea[])",
            *zip(*rows, strict=True),
        )


async def _judge(connection: Connection, sent: Sequence[_Sent]) -> list[Acceptance]:
    """Say what became of uploads that were not added, and count conflicts."""
    rounds = await held_rounds(connection, {each.assignment[0] for each in sent})
    known = {(rounds[name].key, number) for (name, number), _ in _contents(sent) if name in rounds}
    stored = await _stored(connection, known)
    conflicts: Counter[int] = Counter()
    became: list[Acceptance] = []
    for (name, number), content in _contents(sent):
        round = rounds.get(name)
        there = stored.get((round.key, number)) if round else None
        if there == content:
            became.append("same")
        elif there and round and round.is_open:
            conflicts[round.key] += 1
            became.append("other")
        else:
            became.append("closed")
    await _count(connection, conflicts)
    return became


async def _stored(
    connection: Connection, assignments: Collection[tuple[int, int]]
) -> dict[tuple[int, int], _Content]:
    """Return key and answers of those assignments, by the keys of their rounds, that have any."""
    if not assignments:
        return {}
    rows = await connection.fetch(
        "SELECT round, number, key, part, question, report FROM hushrank.answers"
        " JOIN unnest($1::int[], $2::bigint[]) AS asked (round, number) USING (round, number)"
        " ORDER BY round, number, nth",
        *zip(*assignments, strict=True),
    )
    stored: dict[tuple[int, int], _Content] = {}
    for assignment, group in groupby(rows, itemgetter(0, 1)):
        _, _, keys, *answers = zip(*group, strict=True)
        stored[assignment] = keys[0], tuple(map(Answer, *answers))
    return stored


async def _count(connection: Connection, conflicts: Counter[int]) -> None:
    if conflicts:
        await connection.execute(
            "INSERT INTO hushrank.conflicts (slot, round, conflicts)"
            " SELECT $1, * FROM unnest($2::int[], $3::bigint[])"
            " ON CONFLICT (round, slot)"
            " DO UPDATE SET conflicts = conflicts.conflicts + excluded.conflicts",
            connection.get_server_pid() % _SLOTS,
            *zip(*sorted(conflicts.items()), strict=True),
        )


async def counts(connection: Connection, survey: str, round: int) -> Counts:
    """Read how many joined and reported."""
    found = await connection.fetchrow(
        "SELECT (SELECT sum(joined) FROM hushrank.decks WHERE round = rounds.key),"
        " (SELECT sum(reports) FROM hushrank.progress WHERE round = rounds.key)"
        " FROM hushrank.rounds JOIN hushrank.surveys ON surveys.key = survey"
        " WHERE id = $1 AND rounds.round = $2",
        survey,
        round,
    )
    joined, reported = found or (0, 0)
    return Counts(int(joined or 0), int(reported or 0))


async def conflicts(connection: Connection, survey: str) -> int:
    """Read how many uploads were refused for others of the same assignment."""
    total = await connection.fetchval(
        "SELECT sum(conflicts) FROM hushrank.conflicts"
        " JOIN hushrank.rounds ON rounds.key = conflicts.round"
        " JOIN hushrank.surveys ON surveys.key = survey WHERE id = $1",
        survey,
    )
    return int(total or 0)


async def progress(connection: Connection, survey: str, round: int) -> tuple[Bin, ...]:
    """Read how many reports came when."""
    rows = await connection.fetch(
        "SELECT bin, sum(reports) FROM hushrank.progress"
        " JOIN hushrank.rounds ON rounds.key = progress.round"
        " JOIN hushrank.surveys ON surveys.key = survey"
        " WHERE id = $1 AND rounds.round = $2 GROUP BY bin ORDER BY bin",
        survey,
        round,
    )
    return tuple(Bin(start_of(bin), int(n_reports)) for bin, n_reports in rows)


async def kinds(connection: Connection, survey: str, round: int) -> AsyncIterator[list[Kinds]]:
    """Read all reports and count them, in pieces where there are many different ones."""
    rows = await connection.cursor(
        "SELECT part, question, report FROM hushrank.answers WHERE round ="
        " (SELECT rounds.key FROM hushrank.rounds JOIN hushrank.surveys ON surveys.key = survey"
        " WHERE id = $1 AND rounds.round = $2)",
        survey,
        round,
        timeout=UNLIMITED,
    )
    counting = Counting()
    while some := await rows.fetch(ROWS_AT_ONCE, timeout=UNLIMITED):
        yield counting.add(some)
    yield counting.take()

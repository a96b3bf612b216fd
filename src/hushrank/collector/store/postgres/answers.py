"""Reports, and how many of which kind there are, in SQL."""

from collections import Counter
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

from hushrank.collector.store.checks import start_of
from hushrank.collector.store.counting import ROWS_AT_ONCE, Counting
from hushrank.collector.store.postgres.connections import Connection
from hushrank.collector.store.postgres.surveys import held_rounds
from hushrank.collector.store.store import Acceptance, Bin, Counts, Incoming, Kinds

Upload: TypeAlias = tuple[Sequence[Incoming], int]
"""What one caller sent, and the bin in which they did."""

_Content: TypeAlias = tuple[tuple[int, int, bytes], ...]
_Assignment: TypeAlias = tuple[int, int]
"""The key of its round, and its number."""

_SLOTS = 64


@dataclass(frozen=True, slots=True)
class _Sent:
    assignment: _Assignment = field(repr=False)
    content: _Content = field(repr=False)
    is_open: bool
    bin: int


async def accept(connection: Connection, uploads: Sequence[Upload]) -> list[list[Acceptance]]:
    """Store what is new, and say what became of each.

    The rounds are held: whoever closes one waits until this is committed, and who comes after that
    finds it closed. Of several processes that send the same assignment, one inserts its first
    answer, and with it all others; the rest wait for its commit and compare.
    """
    sent = await _sent(connection, uploads)
    first = {each.assignment: each.content for each in reversed(sent) if each and each.is_open}
    new = await _insert(connection, first)
    stored = await _stored(connection, {each.assignment for each in sent if each} - new)
    stored |= {assignment: first[assignment] for assignment in new}
    became, bins = _judge(sent, stored, new)
    await _count(connection, bins, _conflicts(sent, became))
    rest = iter(became)
    return [[next(rest) for _ in incoming] for incoming, _ in uploads]


async def _sent(connection: Connection, uploads: Sequence[Upload]) -> list[_Sent | None]:
    """Return all that was sent, None where there is no such round; hold the rounds."""
    names = {(one.survey, one.round) for incoming, _ in uploads for one in incoming}
    rounds = await held_rounds(connection, names)
    sent: list[_Sent | None] = []
    for incoming, bin in uploads:
        for one in incoming:
            round = rounds.get((one.survey, one.round))
            content = tuple((each.part, each.question, each.report) for each in one.answers)
            sent.append(
                _Sent((round.key, one.number), content, round.is_open, bin) if round else None
            )
    return sent


async def _insert(
    connection: Connection, contents: Mapping[_Assignment, _Content]
) -> set[_Assignment]:
    """Insert what is not there yet; return which that is.

    Processes insert in the same order, so that none waits for one that waits for it.
    """
    rows = [
        (*assignment, nth, *answer)
        for assignment, content in sorted(contents.items(), key=itemgetter(0))
        for nth, answer in enumerate(content)
    ]
    new = await _insert_rows(connection, [row for row in rows if row[2] == 0])
    await _insert_rows(connection, [row for row in rows if row[2] and row[:2] in new])
    return new


async def _insert_rows(
    connection: Connection, rows: Sequence[tuple[int, int, int, int, int, bytes]]
) -> set[_Assignment]:
    if not rows:
        return set()
    inserted = await connection.fetch(
        "INSERT INTO hushrank.answers (round, number, nth, part, question, report)"
        " SELECT * FROM unnest($1::int[], $2::bigint[], $3::int[], $4::int[], $5::int[],"
        " $6::bytea[]) ON CONFLICT DO NOTHING RETURNING round, number",
        *zip(*rows, strict=True),
    )
    return {(round, number) for round, number in inserted}


async def _stored(
    connection: Connection, assignments: Collection[_Assignment]
) -> dict[_Assignment, _Content]:
    """Return all answers of those assignments that have any."""
    if not assignments:
        return {}
    rows = await connection.fetch(
        "SELECT round, number, part, question, report FROM hushrank.answers"
        " JOIN unnest($1::int[], $2::bigint[]) AS asked (round, number) USING (round, number)"
        " ORDER BY round, number, nth",
        *zip(*assignments, strict=True),
    )
    return {
        assignment: tuple((part, question, report) for _, _, part, question, report in group)
        for assignment, group in groupby(rows, lambda row: (row[0], row[1]))
    }


def _judge(
    sent: Sequence[_Sent | None],
    stored: Mapping[_Assignment, _Content],
    new: Collection[_Assignment],
) -> tuple[list[Acceptance], Counter[tuple[int, int]]]:
    """Return what became of each, and how many new ones there are of a round in a bin."""
    unclaimed = set(new)
    became: list[Acceptance] = []
    bins: Counter[tuple[int, int]] = Counter()
    for each in sent:
        if each and each.assignment in unclaimed:
            unclaimed.remove(each.assignment)
            bins[each.assignment[0], each.bin] += 1
            became.append("new")
        elif each and stored.get(each.assignment) == each.content:
            became.append("same")
        else:
            became.append("other" if each and each.is_open else "closed")
    return became, bins


def _conflicts(sent: Sequence[_Sent | None], became: Sequence[Acceptance]) -> Counter[int]:
    return Counter(
        each.assignment[0]
        for each, outcome in zip(sent, became, strict=True)
        if each and outcome == "other"
    )


async def _count(
    connection: Connection, bins: Counter[tuple[int, int]], conflicts: Counter[int]
) -> None:
    slot = connection.get_server_pid() % _SLOTS
    if bins:
        await connection.execute(
            "INSERT INTO hushrank.progress (slot, round, bin, reports)"
            " SELECT $1, * FROM unnest($2::int[], $3::int[], $4::bigint[])"
            " ON CONFLICT (round, bin, slot)"
            " DO UPDATE SET reports = progress.reports + excluded.reports",
            slot,
            *zip(*((*key, n_reports) for key, n_reports in sorted(bins.items())), strict=True),
        )
    if conflicts:
        await connection.execute(
            "INSERT INTO hushrank.conflicts (slot, round, conflicts)"
            " SELECT $1, * FROM unnest($2::int[], $3::bigint[])"
            " ON CONFLICT (round, slot)"
            " DO UPDATE SET conflicts = conflicts.conflicts + excluded.conflicts",
            slot,
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
        timeout=None,
    )
    counting = Counting()
    while some := await rows.fetch(ROWS_AT_ONCE, timeout=None):
        yield counting.add(some)
    yield counting.take()

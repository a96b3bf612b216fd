"""Reports, and how many of which kind there are, in SQL."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import groupby, islice
from operator import itemgetter
from typing import TypeAlias

from hushrank.collector.store.checks import start_of
from hushrank.collector.store.counting import ROWS_AT_ONCE, Counting
from hushrank.collector.store.sqlite.rows import as_list, insert_rows
from hushrank.collector.store.sqlite.surveys import find_round
from hushrank.collector.store.sqlite.writer import Connection
from hushrank.collector.store.store import Acceptance, Answer, Bin, Counts, Incoming, Kinds

Upload: TypeAlias = tuple[Sequence[Incoming], int]
"""What one caller sent, and the bin in which they did."""

_Content: TypeAlias = tuple[bytes, tuple[Answer, ...]]
"""The key that came with some answers, and they."""


def accept(connection: Connection, uploads: Sequence[Upload]) -> list[list[Acceptance]]:
    """Store what is new, and say what became of each."""
    sent = [one for incoming, _ in uploads for one in incoming]
    bins = [bin for incoming, bin in uploads for _ in incoming]
    became: list[Acceptance] = ["closed"] * len(sent)
    for name, places in _rounds(sent).items():
        found = find_round(connection, *name)
        if found:
            came = [sent[place] for place in places]
            told = _accept_round(connection, *found, came, [bins[place] for place in places])
            for place, outcome in zip(places, told, strict=True):
                became[place] = outcome
    rest = iter(became)
    return [list(islice(rest, len(incoming))) for incoming, _ in uploads]


def _rounds(sent: Sequence[Incoming]) -> dict[tuple[str, int], list[int]]:
    """Return the places of each round's uploads."""
    places: dict[tuple[str, int], list[int]] = defaultdict(list)
    for place, one in enumerate(sent):
        places[one.survey, one.round].append(place)
    return places


def _accept_round(
    connection: Connection,
    round: int,
    is_open: bool,
    sent: Sequence[Incoming],
    bins: Sequence[int],
) -> list[Acceptance]:
    stored = _stored(connection, round, {one.number for one in sent})
    new: dict[int, _Content] = {}
    new_bins: list[int] = []
    became: list[Acceptance] = []
    for one, bin in zip(sent, bins, strict=True):
        content = one.key, one.answers
        if is_open and one.number not in stored:
            stored[one.number] = new[one.number] = content
            new_bins.append(bin)
            became.append("new")
        else:
            became.append(_told(stored.get(one.number), content, is_open))
    _keep(connection, round, new, Counter(new_bins), became.count("other"))
    return became


def _told(there: _Content | None, content: _Content, is_open: bool) -> Acceptance:
    if there == content:
        return "same"
    return "other" if is_open else "closed"


def _stored(connection: Connection, round: int, numbers: Collection[int]) -> dict[int, _Content]:
    """Return key and answers of those assignments that have any."""
    rows = connection.execute(
        "SELECT number, key, part, question, report FROM answers"
        " WHERE round = ? AND number IN (SELECT value FROM json_each(?)) ORDER BY number, nth",
        (round, as_list(numbers)),
    )
    stored: dict[int, _Content] = {}
    for number, group in groupby(rows, itemgetter(0)):
        _, keys, *answers = zip(*group, strict=True)
        stored[number] = keys[0], tuple(map(Answer, *answers))
    return stored


def _keep(
    connection: Connection,
    round: int,
    new: Mapping[int, _Content],
    bins: Mapping[int, int],
    n_conflicts: int,
) -> None:
    rows = [
        (round, number, nth, *answer, b"" if nth else key)
        for number, (key, answers) in sorted(new.items())
        for nth, answer in enumerate(answers)
    ]
    insert_rows(connection, "answers", rows)
    insert_rows(
        connection,
        "progress",
        [(round, bin, n_reports) for bin, n_reports in bins.items()],
        "ON CONFLICT DO UPDATE SET reports = reports + excluded.reports",
    )
    if n_conflicts:
        connection.execute(
            "UPDATE rounds SET conflicts = conflicts + ? WHERE key = ?", (n_conflicts, round)
        )


def counts(connection: Connection, name: tuple[str, int]) -> Counts:
    """Read how many joined and reported."""
    found = find_round(connection, *name)
    if not found:
        return Counts(0, 0)
    joined, reported = connection.execute(
        "SELECT (SELECT total(joined) FROM decks WHERE round = :round),"
        " (SELECT total(reports) FROM progress WHERE round = :round)",
        {"round": found[0]},
    ).fetchone()
    return Counts(int(joined), int(reported))


def conflicts(connection: Connection, survey: str) -> int:
    """Read how many uploads were refused for others of the same assignment."""
    total = connection.execute(
        "SELECT total(conflicts) FROM rounds JOIN surveys ON surveys.key = survey WHERE id = ?",
        (survey,),
    ).fetchone()[0]
    return int(total)


def progress(connection: Connection, name: tuple[str, int]) -> tuple[Bin, ...]:
    """Read how many reports came when."""
    found = find_round(connection, *name)
    rows = connection.execute(
        "SELECT bin, reports FROM progress WHERE round = ? ORDER BY bin",
        (found[0] if found else None,),
    )
    return tuple(Bin(start_of(bin), n_reports) for bin, n_reports in rows)


def kinds(connection: Connection, name: tuple[str, int]) -> Iterator[list[Kinds]]:
    """Read all reports and count them, in pieces where there are many different ones."""
    found = find_round(connection, *name)
    rows = connection.execute(
        "SELECT part, question, report FROM answers WHERE round = ?",
        (found[0] if found else None,),
    )
    counting = Counting()
    while chunk := rows.fetchmany(ROWS_AT_ONCE):
        yield counting.add(chunk)
    yield counting.take()

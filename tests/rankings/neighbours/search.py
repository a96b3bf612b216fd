"""Search for one ballot that changes how others are read: `python -m tests.rankings.neighbours`.

Two files that differ in one record, whatever that says, have the same other ballots, where both are
read. Of ballots in place of others among fewer than seven it is not promised.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from hushrank.errors import HushrankError
from hushrank.rankings.files import read_rankings
from tests.rankings.neighbours.forms import FORMS, ITEMS
from tests.rankings.neighbours.sources import Text, is_writable, source_of

SIZES = (3, 8, 12, 29, 30, 31, 32, 40, 60)
FEWEST_REPLACED = 7
ASKED = (
    *[{}] * 8,
    *({"form": form} for form in ("places", "ranks", "lists")),
    *({"best": end} for end in ("high", "low")),
    {"form": "scores", "best": "high"},
    *({"columns": each} for each in (["1-4"], ["2"])),
    *({"id": each} for each in ("id", "1")),
    *({"weight": each} for each in ("count", "1")),
    *({"items": ITEMS}, {"ignore": ["id"]}, {"drop": ["write-ins"]}),
    *[{"header": "as it is"}] * 3,
)


@dataclass(frozen=True)
class Found:
    """Two files of which one ballot more, less or other moved others, and what these were."""

    form: str
    source: Any
    asked: dict[str, Any]
    n_rows: int
    at: int
    gone: int
    own: Any
    lost: int
    won: int


@dataclass
class Counted:
    """How many files were read, and how many pairs of neighbours."""

    files: int = 0
    pairs: int = 0


def search(random, folder, counted, *, n_neighbours=15):
    """Yield what is found in one file, drawn at random, and some neighbours of it."""
    name = random.choice(list(FORMS))
    header, n_rows = FORMS[name].header, random.choice(SIZES)
    source, rows = source_of(header, random), [FORMS[name].row(random) for _ in range(n_rows)]
    if not is_writable(source, rows):
        return
    asked = dict(random.choice(ASKED))
    if "header" in asked:
        asked["header"] = len(header)
    records = [source.record(header, row) for row in rows]
    before = ballots(source.write(header, records, folder), asked)
    if before is None:
        return
    counted.files += 1
    for _ in range(n_neighbours):
        at = random.choice((0, 0, 1, n_rows - 1, random.randrange(n_rows)))
        own = [source.odd(header, random.choice(rows), random)][: random.randrange(4)]
        gone = random.randrange(2) if own and n_rows >= FEWEST_REPLACED else int(not own)
        neighbour = [*records[:at], *own, *records[at + gone :]]
        after = ballots(source.write(header, neighbour, folder), asked)
        if after is None:
            continue
        counted.pairs += 1
        lost, won = (before - after).total(), (after - before).total()
        n_own = len(own) + (isinstance(source, Text) and any("\n" in x or "\r" in x for x in own))
        of_person = "id" in asked  # whose last row counts: another one may, then
        if lost > gone + of_person or won > n_own + of_person:
            yield Found(name, source, asked, n_rows, at, gone, own, lost, won)


def ballots(source, asked):
    """Return how often each ballot is in a source; None where it is refused."""
    if source is None:
        return None
    try:
        found = read_rankings(source, **asked)
    except HushrankError:
        return None
    ranks, is_ranked = np.asarray(found.ranks), np.asarray(found.is_ranked)
    people = found.people_of_rows
    named = (
        (found.unranked, int(people[n]), frozenset((found.names[i], int(ranks[n, i])) for i in of))
        for n, of in enumerate(map(np.flatnonzero, is_ranked))
    )
    return Counter(named)

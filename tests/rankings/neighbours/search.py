"""Search for one ballot that changes how others are read: `python -m tests.rankings.neighbours`.

Two files that differ in one record, whatever that says, have the same other ballots, where both are
read. Of ballots in place of others among fewer than seven it is not promised.
"""

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import patch

import numpy as np

from hushrank.errors import HushrankError
from hushrank.files import csv_tables
from hushrank.rankings.files import read_rankings
from tests.rankings.neighbours.exports import EXPORTS, NAMES
from tests.rankings.neighbours.forms import FORMS, ITEMS
from tests.rankings.neighbours.kinds import is_writable, source_of
from tests.rankings.neighbours.layouts import laid_out, said_in
from tests.rankings.neighbours.pieces import read_pieces
from tests.rankings.neighbours.sources import Text

SIZES = (3, 7, 8, 8, 12, 29, 31, 32, 40, 40, 60)
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
ASKED_OF_EXPORTS = (
    *[{}] * 3,
    *({"columns": ["Mayor*"]}, {"columns": ["1-3"]}, {"form": "places"}, {"items": NAMES[:3]}),
    *({"form": "scores"}, {"best": "low"}, {"items": ITEMS}),
)


@dataclass(frozen=True)
class Found:
    """Two files of which one ballot more, less or other moved others, and what these were."""

    form: str
    header: tuple[tuple[str, ...], ...]
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


@dataclass(frozen=True)
class Drawn:
    """Records of a file, how it is written, how an odd one is drawn, and what is asked of it."""

    form: str
    header: tuple[tuple[str, ...], ...]
    source: Any
    records: list[Any]
    write: Any
    odd: Any
    asked: dict[str, Any]


def search(random, folder, counted, *, n_neighbours=15):
    """Yield what is found in one file, drawn at random, and some neighbours of it."""
    n_rows = random.choice(SIZES)
    drawn = _table(random, n_rows) if random.randrange(5) else _export(random, n_rows)
    before = drawn and ballots(drawn.write(drawn.records, folder), drawn.asked, random)
    if before is None:
        return
    counted.files += 1
    for _ in range(n_neighbours):
        at = random.choice((0, 0, 1, n_rows - 1, random.randrange(n_rows)))
        own = [drawn.odd(random)][: random.randrange(4)]
        gone = random.randrange(2) if own and n_rows >= FEWEST_REPLACED else int(not own)
        neighbour = [*drawn.records[:at], *own, *drawn.records[at + gone :]]
        after = ballots(drawn.write(neighbour, folder), drawn.asked, random)
        if after is not None:
            counted.pairs += 1
            lost, won = (before - after).total(), (after - before).total()
            if not _is_several(drawn.source, own) and _moves(drawn, gone, own, lost, won):
                found = (drawn.form, drawn.header, drawn.source, drawn.asked, n_rows, at, gone, own)
                yield Found(*found, lost, won)


def _export(random, n_rows):
    source = random.choice(EXPORTS)
    records = [source.record(random) for _ in range(n_rows)]
    asked = random.choice(ASKED_OF_EXPORTS)
    return Drawn("", (), source, records, source.write, source.odd, asked)


def _table(random, n_rows):
    """Draw a table; None where its source lacks the letters."""
    name = random.choice(list(FORMS))
    ballots, words = laid_out(FORMS[name], random)
    header = ballots.header
    source, rows = source_of(header, random), [ballots.row(random) for _ in range(n_rows)]
    if not is_writable(source, [*header, *rows]):
        return None
    records, asked = [source.record(header, row) for row in rows], dict(random.choice(ASKED))
    asked = said_in(words, asked)
    if "header" in asked:
        asked["header"] = len(header)

    def odd(random):
        return said_in(words, source.odd(header, random.choice(rows), random))

    return Drawn(name, header, source, records, partial(source.write, header), odd, asked)


def _is_several(source, own):
    """Tell a text that breaks lines: it may be several records."""
    return isinstance(source, Text) and any("\n" in each or "\r" in each for each in own)


def _moves(drawn, gone, own, lost, won):
    """Tell whether others moved; of a person the last row counts, and it may be another one."""
    of_person = "id" in drawn.asked
    return lost > gone + of_person or won > len(own) + of_person


def ballots(source, asked, random):
    """Return how often each ballot is in a source; None where it is refused.

    Delimited text is read by Python or by pyarrow, which find the same.
    """
    if source is None:
        return None
    by_arrow = bool(random.randrange(2))
    try:
        with patch.object(csv_tables, "_is_for_arrow", lambda _: by_arrow):
            if isinstance(source, tuple):
                found = read_pieces(*source, asked)
            else:
                found = [read_rankings(source, **asked)]
    except HushrankError:
        return None
    return sum(map(_counted, found), start=Counter())


def _counted(found):
    ranks, is_ranked = np.asarray(found.ranks), np.asarray(found.is_ranked)
    people = found.people_of_rows
    named = (
        (found.unranked, int(people[n]), frozenset((found.names[i], int(ranks[n, i])) for i in of))
        for n, of in enumerate(map(np.flatnonzero, is_ranked))
    )
    return Counter(named)

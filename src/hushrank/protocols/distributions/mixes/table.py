"""Which mix loses least, tabulated: chosen by numbers alone, never by what anybody answers.

`python -m hushrank.planning.mixes.tabulate` writes it.   Theory: docs/theory/max-entropy.md.
"""

from collections.abc import Sequence
from functools import cache
from math import log, sinh
from pathlib import Path
from typing import TypeAlias

import msgspec

from hushrank.files.disk import replace_file

TABLE = Path(__file__).with_name("table.json")

ITEMS = tuple(range(3, 51))
EPSILONS = (0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 7.0)
PEOPLE = (100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000, 1_000_000)

Parts: TypeAlias = tuple[tuple[str, float, int | None], ...]
"""A mix: kinds of questions, each for which share of the people, with its levels or places."""


class Table(msgspec.Struct, frozen=True):
    """All mixes that are chosen anywhere, and which one is: best[items][epsilon][people]."""

    mixes: tuple[Parts, ...]
    best: tuple[tuple[tuple[int, ...], ...], ...]


def tabulated_parts(n_items: int, epsilon: float, strength: float) -> Parts:
    """Return the mix of the nearest epsilon and number of people, by logarithms.

    strength = people sinh^2(epsilon / 2), of all that are asked: it is taken for people of the
    nearest epsilon.
    """
    table = _read()
    nearest = _nearest(EPSILONS, epsilon)
    n_people = strength / sinh(EPSILONS[nearest] / 2) ** 2
    of_items = table.best[ITEMS.index(n_items)][nearest]
    return table.mixes[of_items[_nearest(PEOPLE, n_people)]]


def known_mixes(n_items: int, epsilon: float) -> list[Parts]:
    """Return the mixes of the table, for each of PEOPLE; epsilon is one of EPSILONS."""
    return _mixes(_read())[ITEMS.index(n_items)][EPSILONS.index(epsilon)]


def write_mixes(n_items: int, rows: Sequence[Sequence[Parts]]) -> None:
    """Write what is asked of so many items, for each of EPSILONS and PEOPLE; the rest stays."""
    found = _mixes(_read())
    found[ITEMS.index(n_items)] = [list(row) for row in rows]
    mixes = sorted({mix for each in found for row in each for mix in row}, key=str)
    numbers = tuple(tuple(tuple(map(mixes.index, row)) for row in each) for each in found)
    text = msgspec.json.encode(Table(tuple(mixes), numbers)).replace(b"]],[[", b"]],\n[[")
    replace_file(TABLE, text + b"\n", secret=False)
    _read.cache_clear()


def _mixes(table: Table) -> list[list[list[Parts]]]:
    return [[[table.mixes[nth] for nth in row] for row in each] for each in table.best]


def _nearest(points: Sequence[float], value: float) -> int:
    known = max(value, points[0] / 2)  # also 0, to which tiny strengths are rounded
    return min(range(len(points)), key=lambda nth: abs(log(points[nth]) - log(known)))


@cache
def _read() -> Table:
    return msgspec.json.decode(TABLE.read_bytes(), type=Table)

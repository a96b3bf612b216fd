"""Where collections are simulated for the table, and how often."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import asinh, sqrt
from typing import TypeAlias

import numpy as np

from hushrank.planning.populations import REFERENCES, ReferencePopulation
from hushrank.protocols.registry import MECHANISMS

GridPoint: TypeAlias = tuple[float, int]
"""A strength, epsilon unless said otherwise, and a number of people."""

CROWD, FEW_PEOPLE = 25_000, 200
"""Enough for their own draw to matter little; and so few that it matters."""
GRID_PEOPLE = (200, 1500, 12_000, 100_000, 1_000_000)
"""Of protocols that are simulated at every epsilon."""
EPSILONS = (0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3.0, 5.0, 8.0)
PEOPLE = (200, 1000, 5000, 25_000, 150_000, 1_000_000)
TRUTH_PEOPLE = 150_000
"""Whose own draw is measured, and scaled to others."""
BY_INFORMATION = ("pairs", "kwiksort", "subset-order")
"""Families whose strength is how much all reports tell, not epsilon."""
INFORMATION = tuple(float(f"{0.01 * 4**step:.3g}") for step in range(10))
"""Of reports on a pair, or on mean ranks: 1 / variance; at .01 nothing is known."""
MOST_INFORMATION_OF_FEW = 100.0


def _with_strengths(*strengths: float) -> tuple[GridPoint, ...]:
    """Return the epsilons at which a crowd's n sinh^2(epsilon / 2) are these."""
    return tuple((2 * asinh(sqrt(each / CROWD)), CROWD) for each in strengths)


MIX_POINTS_OF_TWO: Mapping[str, tuple[GridPoint, ...]] = {
    "pairs": (
        *_with_strengths(0.1, 1, 12, 50, 200, 1000, 8000),
        (2.0, CROWD),
        (3.0, 150_000),
        (8.0, 1_000_000),
    ),
}
MIX_POINTS_OF_FEW: Mapping[str, tuple[GridPoint, ...]] = {
    "pairs": _with_strengths(0.1, 2, 12, 50, 200),
    "bits": (*_with_strengths(80, 200, 1700), (0.5, 230_000)),
    "ranks-and-pairs": (
        (2.0, 200),
        (2.0, 1500),
        (2.5, 6000),
        (3.0, 40_000),
        (4.5, 200_000),
        (8.0, 1_000_000),
    ),
}
MIX_POINTS: Mapping[str, tuple[GridPoint, ...]] = {
    "pairs": _with_strengths(0.1, 2, 15, 60, 200, 700),
    "levels": _with_strengths(150, 700, 3000, 15_000),
    "levels-and-pairs": ((2.9, 900), (1.5, 6000), (2.0, 22_000), (2.0, 217_000), (2.8, 1_000_000)),
    "ranks-and-pairs": (
        (4.3, 200),
        (3.2, 700),
        (4.0, 3000),
        (5.0, 16_000),
        (6.0, 100_000),
        (8.0, 1_000_000),
    ),
}
"""Of max-entropy by mix, each where it is chosen, and a little beyond."""

SIMULATED_ITEMS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16)
ITEMS: Mapping[str, tuple[int, ...]] = {
    "uniform": SIMULATED_ITEMS,
    "truth": SIMULATED_ITEMS,
    "herding": (2, 3, 5, 8, 12, 16),
    **dict.fromkeys(BY_INFORMATION, (2, 3, 5, 8, 12, 16)),
    "max-entropy": (2, 3, 4, 5, 6, 7, 8, 9, 10, 12),
    **dict.fromkeys(MECHANISMS, (2, 3, 4, 5, 6, 7)),
    "safari": (3, 5, 7, 10, 16),
}
"""By family. The questions of max-entropy change between 6 and 7 items."""

PRECISE = 0.05
"""Trials are repeated until each mean's standard error is at most this part of it."""
LEAST_DISTANCE, LEAST_EXCESS = 0.02, 0.005
LEAST_RELATIVE_EXCESS = 0.04
"""Errors below are all but none: their means need no relative precision."""


@dataclass(frozen=True)
class Task:
    """One way of asking on one reference population of so many items, at some points.

    `repetitions`: the fewest and the most.
    """

    track: str
    n_items: int
    population: ReferencePopulation
    points: tuple[GridPoint, ...]
    repetitions: tuple[int, int]

    @property
    def family(self) -> str:
        """What comes before the slash."""
        return self.track.split("/")[0]

    @property
    def has_relative_excess(self) -> bool:
        """Whether the excess is a share of that of an order that knows nothing."""
        return self.family in ("max-entropy", *BY_INFORMATION)


def seed_of(
    purpose: str, population: str, n_items: int, point: GridPoint
) -> np.random.SeedSequence:
    """Return a seed for one purpose at one point, the same in every run."""
    name = f"{purpose} {population} {n_items} {point[0]:.6g} {point[1]}"
    return np.random.SeedSequence(0, spawn_key=tuple(name.encode()))


def tasks(family: str) -> Iterator[Task]:
    """Yield the tasks of a family."""
    for n_items in ITEMS[family]:
        for population in REFERENCES:
            for track, points in _tracks(family, n_items).items():
                yield Task(track, n_items, population, points, _repetitions(family, n_items))


def _tracks(family: str, n_items: int) -> Mapping[str, tuple[GridPoint, ...]]:
    if family == "max-entropy":
        few = MIX_POINTS_OF_TWO if n_items == 2 else MIX_POINTS_OF_FEW
        points = few if n_items <= 6 else MIX_POINTS
        return {f"{family}/{mix}": each for mix, each in points.items()}
    if family == "uniform":
        return {family: tuple((0.0, n_people) for n_people in PEOPLE[:-1])}
    if family == "truth":
        return {family: ((0.0, TRUTH_PEOPLE),)}
    if family == "herding":
        return {family: tuple((0.0, n_people) for n_people in PEOPLE[:3])}
    if family in BY_INFORMATION:
        little = tuple(each for each in INFORMATION if each <= MOST_INFORMATION_OF_FEW)
        return {
            f"{family}/few": tuple((each, FEW_PEOPLE) for each in little),
            f"{family}/many": tuple((each, CROWD) for each in INFORMATION),
        }
    return {f"{family}/{each:g}": tuple((each, n) for n in GRID_PEOPLE) for each in EPSILONS}


def _repetitions(family: str, n_items: int) -> tuple[int, int]:
    """Return the fewest and the most: fewer where a simulation takes long."""
    if family == "max-entropy":
        return (4, 24) if n_items < 10 else (4, 8) if n_items == 10 else (2, 4)
    if family == "safari":
        return (6, 16) if n_items <= 7 else (3, 6) if n_items == 10 else (1, 1)
    if family in ("truth", "herding"):
        return 2, 2
    if family == "pairs":
        return 12, 24
    return (16, 64) if family in BY_INFORMATION else (8, 24) if family in MECHANISMS else (3, 24)

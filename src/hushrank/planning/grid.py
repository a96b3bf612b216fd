"""Where collections are simulated for the table, and how often."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from hushrank.planning.losses import LOSSES
from hushrank.planning.populations import REFERENCES, SMOOTH, ReferencePopulation
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


CLEAR_PEOPLE = 300
POINTS_OF_QUESTIONS: tuple[GridPoint, ...] = (
    *((epsilon, 3000) for epsilon in (0.1, 0.25, 0.5)),
    *((epsilon, CLEAR_PEOPLE) for epsilon in (1.5, 5.0)),
    *((epsilon, 12_000) for epsilon in (0.5, 1.0, 2.0, 5.0)),
    (7.0, 150_000),
)
"""Of max-entropy: from next to nothing known to nearly all, by weak and by clear reports."""
NEXT_TO_NOTHING: GridPoint = (0.05, 300)
POINTS_OF_MANY_ITEMS: tuple[GridPoint, ...] = (
    (0.3, 3000),
    (1.0, 5000),
    (3.0, 5000),
    (4.0, 40_000),
)
POINTS_OF_ORDERS: tuple[GridPoint, ...] = (
    NEXT_TO_NOTHING,
    *((epsilon, CLEAR_PEOPLE) for epsilon in (0.3, 1.0, 2.5, 6.0)),
    *((epsilon, 6000) for epsilon in (0.1, 0.4, 0.8, 1.5, 3.0, 7.0)),
    (5.0, 25_000),
)
"""Of the protocol that learns one order."""
BY_LOSS = ("max-entropy", "order")
"""Families whose strength is epsilon, and that are foretold along their predicted loss."""

SIMULATED_ITEMS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 32)
CHAIN_ITEMS = (20,)
"""Fitted by Markov chains."""
SLOW_ITEMS = 12
ITEMS: Mapping[str, tuple[int, ...]] = {
    "uniform": SIMULATED_ITEMS,
    "truth": SIMULATED_ITEMS,
    "herding": (2, 3, 5, 8, 12, 16),
    **dict.fromkeys(BY_INFORMATION, (2, 3, 5, 8, 12, 16, 32)),
    "order": (2, 3, 5, 8, 12, 32),
    "max-entropy": (2, 3, 4, 6, 8, 12, *CHAIN_ITEMS),
    **dict.fromkeys(MECHANISMS, (2, 3, 4, 5, 6, 7)),
    "safari": (3, 5, 7, 10, 16),
}
"""By family. From 17 items on max-entropy has a smaller family of models."""

OF_ALL = (REFERENCES[0], *SMOOTH)

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
        return self.family in (*BY_LOSS, *BY_INFORMATION)


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
            often = _repetitions(family, n_items, is_dear=population not in OF_ALL)
            for track, points in _tracks(family, n_items).items():
                yield Task(track, n_items, population, points, often)


def _tracks(family: str, n_items: int) -> Mapping[str, tuple[GridPoint, ...]]:
    if family == "order":
        return {family: by_loss(family, n_items, POINTS_OF_ORDERS)}
    if family == "max-entropy":
        return {family: by_loss(family, n_items, _points_of_questions(n_items))}
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


def _points_of_questions(n_items: int) -> tuple[GridPoint, ...]:
    """Return where max-entropy is simulated: fewer points where a fit takes seconds."""
    if n_items in CHAIN_ITEMS:
        return NEXT_TO_NOTHING, *POINTS_OF_MANY_ITEMS
    step = 2 if n_items >= SLOW_ITEMS else 1
    return NEXT_TO_NOTHING, *POINTS_OF_QUESTIONS[::step]


def by_loss(family: str, n_items: int, points: Sequence[GridPoint]) -> tuple[GridPoint, ...]:
    """Return the points in order of what is known there: smoothing counts on it."""
    loss = LOSSES[family]
    return tuple(sorted(points, key=lambda point: -loss(n_items, *point)))


def _repetitions(family: str, n_items: int, *, is_dear: bool) -> tuple[int, int]:
    """Return the fewest and the most: fewer where a simulation takes long.

    Dear: the populations like elections, for protocols that nobody needs to ask there.
    """
    if family == "max-entropy":
        return (3, 8) if n_items < 8 else (2, 4) if n_items < SLOW_ITEMS else (2, 2)
    if is_dear and family in ("safari", *MECHANISMS):
        return (1, 2)
    if family == "safari":
        return (6, 16) if n_items <= 7 else (3, 6) if n_items == 10 else (1, 1)
    if family in ("truth", "herding"):
        return 2, 2
    if family == "order":
        return 4, 8
    if family == "pairs":
        return 12, 24
    return (16, 64) if family in BY_INFORMATION else (8, 24) if family in MECHANISMS else (3, 24)

"""What an organiser will know afterwards, in words, before anybody is asked."""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from statistics import fmean
from typing import Literal, TypeAlias

from hushrank.errors import HushrankError
from hushrank.planning.grid import EPSILONS, ITEMS, PEOPLE
from hushrank.planning.interpolation import PredictionTable
from hushrank.planning.plan import FEWEST_ITEMS
from hushrank.planning.populations import SMOOTH
from hushrank.planning.predictions import Errors, Place
from hushrank.protocols.registry import MECHANISMS

Level: TypeAlias = Literal["nothing", "hint", "rough", "top", "ends", "whole"]

LEVELS: Mapping[Level, float] = {
    "nothing": 0.0,
    "hint": 0.5,
    "rough": 0.75,
    "top": 0.9,
    "ends": 0.95,
    "whole": 0.99,
}
"""From which share of what can be known on. In 768 collections of 4, 8 and 12 items, of people who
more or less agree, their favourite was first, or among the first two: rough 47 %, 72 %; top 75 %,
96 %; ends 86 %, 99 %; whole 99 %, 100 %.
"""
WANTED: Level = "ends"
MOST_ITEMS = 16
"""Beyond, nobody compared these levels with collections."""
DIVIDED = "mixture"
"""The population of three camps; the others agree more or less on one order."""
NUMBERS = (
    *(200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000),
    *(10_000, 15_000, 20_000, 30_000, 50_000, 70_000, 100_000),
)
"""Of people, that an organiser may be told to ask."""


@dataclass(frozen=True)
class Forecast:
    """What the order will say, where people more or less agree and where they are divided.

    known, known_divided: which part of what an order can say is learnt, 0 = guessing, 1 = all.
    majority: how many of 100 people must prefer one of two items, so that it is sure. enough: with
    how many people the winner and the last would be known; None beyond 100,000. people: for how
    many it was foretold: with fewer than 200, less will be known than this.
    """

    people: int
    is_of_fewer: bool
    level: Level
    level_divided: Level
    known: float
    known_divided: float
    majority: int | None
    enough: int | None


@lru_cache(maxsize=4096)
def foretell(protocol: str, n_items: int, n_people: int, epsilon: float) -> Forecast | None:
    """Return what to expect of a protocol; None where nothing was simulated that is near.

    From a table of simulations: docs/planning.md says how well it agrees. Nobody is asked.
    """
    most = ITEMS[protocol][-1] if protocol in MECHANISMS else MOST_ITEMS
    fits = FEWEST_ITEMS <= n_items <= most and EPSILONS[0] <= epsilon <= EPSILONS[-1]
    if not fits:
        return None
    people = min(max(n_people, PEOPLE[0]), PEOPLE[-1])
    try:
        found = _expected(protocol, n_items, people, epsilon)
        known, divided = _known(found)
        return Forecast(
            people=people,
            is_of_fewer=n_people < people,
            level=level_of(known),
            level_divided=level_of(divided),
            known=known,
            known_divided=divided,
            majority=_majority(found),
            enough=_enough(protocol, n_items, epsilon),
        )
    except (HushrankError, KeyError):  # the protocol does not take them, or was not simulated
        return None


def level_of(known: float) -> Level:
    """Return in words what a known share is."""
    return tuple(LEVELS)[bisect_right(tuple(LEVELS.values()), known) - 1]


@dataclass(frozen=True)
class _Expected:
    """The errors of a population, and of asking nobody there."""

    population: str
    errors: Errors
    of_nobody: Errors

    @property
    def known(self) -> float:
        chance, excess = self.of_nobody.excess, self.errors.excess
        if not chance or excess is None:
            return 1.0
        return min(1.0, max(0.0, 1 - excess / chance))


@cache
def _table() -> PredictionTable:
    return PredictionTable()


def _expected(protocol: str, n_items: int, n_people: int, epsilon: float) -> tuple[_Expected, ...]:
    found = []
    for population in SMOOTH:
        place = Place(_table(), population.name, n_items, n_people)
        found.append(_Expected(population.name, place.expect(protocol, epsilon), place.of_nobody()))
    return tuple(found)


def _known(found: tuple[_Expected, ...]) -> tuple[float, float]:
    agreed = fmean(each.known for each in found if each.population != DIVIDED)
    divided = fmean(each.known for each in found if each.population == DIVIDED)
    return agreed, divided


def _majority(found: tuple[_Expected, ...]) -> int | None:
    widths = [each.errors.half_width for each in found]
    known = [width for width in widths if width is not None]
    return round(50 + 100 * fmean(known)) if known else None


@lru_cache(maxsize=1024)
def _enough(protocol: str, n_items: int, epsilon: float) -> int | None:
    for number in NUMBERS:
        if _known(_expected(protocol, n_items, number, epsilon))[0] >= LEVELS[WANTED]:
            return number
    return None

"""Between the points of the table."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache
from math import exp, log
from typing import TypeAlias

import numpy as np

from hushrank.errors import require
from hushrank.planning.grid import BY_INFORMATION, BY_LOSS, GridPoint
from hushrank.planning.losses import LOSSES
from hushrank.planning.smoothing import Kind, kind_of, smoothed
from hushrank.planning.table import TABLE, PlannedQuantity, Record, read_records

FLOOR = 1e-3
"""Added to units: parts of less are as good as parts of nothing."""

BEYOND = {("max-entropy", "half_width"): 1.0, ("order", "half_width"): 0.5}
"""With which power of the loss a quantity falls where more is known than at any simulated point: a
loss in Q2 distance is a standard error, an expected excess its square.
"""
N_OF_A_TREND = 4
REMEDY = "run python -m hushrank.planning.simulation.simulate_table"

Unit: TypeAlias = Callable[[int], float]
"""What a quantity is a part of, for so many items: parts change less from one to the next."""


def the_same(n_items: int) -> float:
    """Return 1: the quantity itself."""
    return 1.0


def between(value: float, points: Sequence[float]) -> tuple[float, float, float]:
    """Return the two neighbours among ascending points, and the weight of the second.

    By logarithms; beyond the ends the weight leaves [0, 1].
    """
    place = min(max(bisect_right(points, value), 1), len(points) - 1)
    low, high = points[place - 1], points[place]
    return low, high, (log(value) - log(low)) / (log(high) - log(low))


def power_mean(values: Sequence[float], second_weight: float) -> float:
    """Return the weighted mean of two values by their cube roots.

    These are all but straight between points, also where errors fall to 0; logarithms are not.
    """
    first, second = np.cbrt(values)
    return _cube((1 - second_weight) * first + second_weight * second)


class PredictionTable:
    """The committed table, read once."""

    @cached_property
    def _kinds(self) -> dict[Kind, list[Record]]:
        found: dict[Kind, list[Record]] = {}
        for record in read_records():
            found.setdefault(kind_of(record), []).append(record)
        return found

    @cached_property
    def _kind_of(self) -> dict[tuple[str, str], dict[int, Kind]]:
        """The kinds by track and population, then by number of items, ascending."""
        found: dict[tuple[str, str], dict[int, Kind]] = {}
        for kind, records in sorted(self._kinds.items(), key=lambda each: each[0][1]):
            for record in records:
                found.setdefault((record.track, record.population), {})[record.items] = kind
        return found

    def items(self, track: str, population: str = "uniform") -> tuple[int, ...]:
        """Return the numbers of items that were simulated, ascending.

        Raises HushrankError where there are too few to go between.
        """
        found = tuple(self._kind_of.get((track, population), ()))
        what = f"at least 2 simulated numbers of items of {track}, {population}"
        require(len(found) > 1, f"expected {what} in {TABLE.name}, got {len(found)}: {REMEDY}")
        return found

    def at(
        self,
        track: str,
        population: str,
        n_items: int,
        quantity: PlannedQuantity,
        reach: Callable[[int], float],
        unit: Unit = the_same,
    ) -> float:
        """Return a quantity where so much is known: reach(items) at each number of items.

        The power mean of the two nearest numbers of items, in parts of the unit. Beyond the largest
        simulated number its parts are taken as they are.
        """
        known = self.items(track, population)
        beyond = n_items > known[-1]
        low, high, weight = between(min(n_items, known[-1]), known)

        def part(simulated: int) -> float:
            place = reach(n_items if beyond else simulated)
            value = self._curve(track, population, simulated, quantity)(place)
            return value / (unit(simulated) + FLOOR)

        parts = [part(int(each)) for each in (low, high)]
        return power_mean(parts, weight) * (unit(n_items) + FLOOR)

    def trend(
        self,
        track: str,
        population: str,
        n_items: int,
        quantity: PlannedQuantity,
        reach: Callable[[int], float],
    ) -> float:
        """Return what `at` does, but of a straight line through the four nearest numbers of items.

        For what few simulations tell with much noise.
        """
        known = self.items(track, population)
        nearest = sorted(known, key=lambda each: abs(log(each / n_items)))[:N_OF_A_TREND]
        values = [self._curve(track, population, each, quantity)(reach(each)) for each in nearest]
        _, height = np.polyfit(np.log(nearest) - log(n_items), np.cbrt(values), 1)
        return _cube(float(height))

    @lru_cache(maxsize=4096)  # noqa: B019  # there is one table, for the whole run
    def _curve(
        self, track: str, population: str, n_items: int, quantity: PlannedQuantity
    ) -> Callable[[float], float]:
        """Return the quantity of one record as a function of the reach.

        Constant at the ends, but for what `BEYOND` says.
        """
        some = self._smoothed(self._kind_of[track, population][n_items])
        record = next(record for record in some if record.track == track)
        places = np.log([_reach_of(track, n_items, point) for point in record.points])
        roots = np.cbrt(getattr(record, quantity))
        order = np.argsort(places)
        points, values = places[order], roots[order]
        steepness = BEYOND.get((track, quantity), 0.0)

        def value(reach: float) -> float:
            beyond = max(0.0, log(reach) - float(points[-1]))
            return _cube(float(np.interp(log(reach), points, values))) * exp(-steepness * beyond)

        return value

    @lru_cache(maxsize=4096)  # noqa: B019  # likewise
    def _smoothed(self, kind: Kind) -> tuple[Record, ...]:
        """Smooth what is asked for only: all would take a second."""
        return smoothed(self._kinds[kind])


def _cube(root: float) -> float:
    return float(max(0.0, root)) ** 3


def _reach_of(track: str, n_items: int, point: GridPoint) -> float:
    """Return how much is known at a point of the table."""
    strength, n_people = point
    family = track.split("/")[0]
    if family in BY_LOSS:
        return 1 / LOSSES[family](n_items, strength, n_people)
    return strength if family in BY_INFORMATION else float(n_people)

"""Fresh collections by `hushrank collect` itself, beside what the planner foretold of them."""

import sys
from dataclasses import dataclass
from functools import cache
from unittest.mock import patch

import numpy as np

from hushrank.planning.interpolation import PredictionTable
from hushrank.planning.populations import REFERENCES
from hushrank.planning.predictions import NOTHING_KNOWN, Place
from hushrank.protocols.learnt.models import LearntFit
from hushrank.protocols.learnt.orders import LearntMargins, LearntPairs
from hushrank.rankings.marginals import majority
from hushrank.workflows.collect import collect
from hushrank.workflows.results import collection as workflow

QUANTITIES = ("distance", "excess", "half_width")
TOLERANCE = 0.2
FLOORS = {"distance": 0.01, "excess": 0.003, "half_width": 0.003}
"""Errors below these are compared as if they were these."""
RARE_EXCESS = 0.01
"""A mean below is of many zeros and few swaps, which spread at least as wide as their mean: some
trials without a swap do not prove that there are none.
"""
WITHOUT_SHORT_CUT = ("sh", "olh", "subset-order", "order")
POPULATIONS = {population.name: population for population in REFERENCES}


@dataclass(frozen=True)
class Point:
    """Where to compare; `n_trials` fresh collections of fresh people."""

    protocol: str
    population: str
    n_items: int
    n_people: int
    epsilon: float
    n_trials: int = 4


@dataclass(frozen=True)
class Comparison:
    """One quantity at one point: foretold, measured, and the measurement's standard error."""

    point: Point
    quantity: str
    foretold: float
    measured: float
    doubt: float

    @property
    def deviation(self) -> float:
        """How far the prediction is off, in parts of what was measured, or of the floor."""
        return (self.foretold - self.measured) / max(self.measured, FLOORS[self.quantity])

    @property
    def agrees(self) -> bool:
        """Whether it is within 20 %, and three standard errors of the measurement."""
        unit = max(self.measured, FLOORS[self.quantity])
        return abs(self.foretold - self.measured) <= TOLERANCE * unit + 3 * self.doubt


@cache
def table() -> PredictionTable:
    return PredictionTable()


def compare(point: Point) -> list[Comparison]:
    """Collect at the point, as often as it says."""
    fresh = np.array([_fresh_errors(point, seed) for seed in range(point.n_trials)])
    place = Place(table(), point.population, point.n_items, point.n_people)
    foretold = place.expect(point.protocol, point.epsilon)
    means = fresh.mean(axis=0)
    spreads = fresh.std(axis=0, ddof=1)
    if foretold.excess < RARE_EXCESS:
        spreads[1] = max(spreads[1], foretold.excess)
    return [
        Comparison(point, name, getattr(foretold, name), mean, spread / np.sqrt(point.n_trials))
        for name, mean, spread in zip(QUANTITIES, means, spreads, strict=True)
        if getattr(foretold, name) is not None
    ]


def _fresh_errors(point: Point, seed: int) -> tuple[float, float, float]:
    rng = np.random.default_rng([seed, 77])
    people = POPULATIONS[point.population].draw(point.n_people, point.n_items, rng=rng)
    short_cut = point.protocol not in WITHOUT_SHORT_CUT
    asked = {"protocol": point.protocol, "seed": seed, "short_cut": short_cut}
    found = collect(people, point.epsilon, **asked)
    with patch.object(workflow, "_distance_without_noise", lambda *_: None):  # takes long
        compared = found.compared_with(people)
    distance, excess = compared.q2_distance, compared.kendall_excess
    half_width = min(_half_width(found, people), NOTHING_KNOWN)
    return np.nan if distance is None else distance, excess, half_width


def _half_width(found, people) -> float:
    """Return what is typical of the intervals shown, or of those that rows would need."""
    pairs = np.triu_indices(people.n_items, k=1)
    learnt = found.outcome.result
    if isinstance(learnt, LearntFit):
        return 1.96 * float(np.median(learnt.outcome.estimates.precedence_errors[pairs]))
    if isinstance(learnt, LearntPairs | LearntMargins):
        return 0.98 * float(np.sqrt(np.median(learnt.posterior.variances[pairs])))
    if learnt.model is None:
        return np.nan
    errors = (majority(found.synthetic) - majority(people))[pairs] / people.n_people
    return 1.96 * float(np.sqrt((errors**2).mean()))


ITEMS = (5, 8, 11)
SITUATIONS = (
    (600, 2.3),
    (600, 6.5),
    (8000, 0.3),
    (8000, 1.1),
    (8000, 3.9),
    (60_000, 0.13),
    (60_000, 0.6),
    (60_000, 6.5),
)
SMOOTH = ("mallows", "plackett-luce", "mixture")
TYPICAL = (*SMOOTH, "favourites", "cards")
"""A part of the grid: populations take its points in turns, so that all share the places."""


def grid(protocol: str, n_trials: int, items=ITEMS, populations=SMOOTH) -> list[Point]:
    """Return the points of the stated grid for one protocol."""
    places = [(n_items, *situation) for n_items in items for situation in SITUATIONS]
    return [
        Point(protocol, populations[number % len(populations)], *place, n_trials)
        for number, place in enumerate(places)
    ]


GRIDS = {
    "max-entropy": grid("max-entropy", 5, populations=TYPICAL),
    "order": grid("order", 8, populations=TYPICAL),
    "safari": grid("safari", 5),
    "grr": grid("grr", 40, (5, 7)),
    "rappor": grid("rappor", 40, (5, 7)),
    "pairs": grid("pairs", 20),
    "ldp-kwiksort-rr": grid("ldp-kwiksort-rr", 30),
    "ldp-kwiksort-lap": grid("ldp-kwiksort-lap", 30),
    "sh": grid("sh", 6, (5, 7)),
    "olh": grid("olh", 6, (5, 7)),
    "subset-order": grid("subset-order", 8),
}


def summary(compared: list[Comparison]) -> str:
    """Return one row of a table: how often, and how far off."""
    off = np.abs([each.deviation for each in compared])
    share = np.mean(off <= TOLERANCE)
    agreed = np.mean([each.agrees for each in compared])
    numbers = f"{len(compared)} | {100 * np.median(off):.0f} % | {100 * share:.0f} %"
    first = compared[0]
    return f"| {first.point.protocol} | {first.quantity} | {numbers} | {100 * agreed:.0f} % |"


def print_agreement(protocols) -> None:
    """Print the table of docs/planning.md, row by row, and what does not agree."""
    for protocol in protocols:
        compared = [each for point in GRIDS[protocol] for each in compare(point)]
        for quantity in QUANTITIES:
            some = [each for each in compared if each.quantity == quantity]
            if some:
                print(summary(some), flush=True)
                for each in some:
                    if abs(each.deviation) > TOLERANCE:
                        print("   ", each, f"{each.deviation:+.2f}", flush=True)


if __name__ == "__main__":
    print_agreement(sys.argv[1:] or GRIDS)

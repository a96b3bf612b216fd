"""The frontier against epsilon: what every protocol learns of the same people."""

from collections.abc import Sequence
from dataclasses import replace

from hushrank.experiments.experiment import Experiment, Measurement, View
from hushrank.experiments.on_rankings.frontier import GROUPS, Spot, added_at, against_epsilon
from hushrank.experiments.pictures.views import population_views
from hushrank.experiments.populations import (
    SUSHI,
    Population,
    Populations,
    mallows_population,
    mixture_population,
)

EPSILONS = (0.05, 0.1, 0.2, 0.4, 1.0, 2.0, 4.0, 8.0)
QUICK_EPSILONS = (1.0,)
PEOPLE, ITEMS = 5000, 10
MALLOWS = mallows_population(PEOPLE, ITEMS, 0.8)
NEARLY_UNIFORM = mallows_population(PEOPLE, ITEMS, 0.97)
MIXTURE = mixture_population(PEOPLE, ITEMS, 3)
POPULATIONS: tuple[Population, ...] = (SUSHI, MALLOWS, MIXTURE, NEARLY_UNIFORM)
WITH_SHORT_CUT, DEAR = ("GRR", "RAPPOR"), ("SH", "OLH")
"""Where a tally can be drawn at once, and where every device is simulated."""
DEAR_ITEMS, DEAR_REPETITIONS = 10, 2
"""From so many items on, whole rankings are asked less often; the dear ones on Sushi only."""


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return the measurements of all protocols, populations and epsilons."""
    return [each for spot in spots(people, quick) for each in _measurements(spot)]


def spots(people: Populations, quick: bool) -> Sequence[Spot]:
    """Return everybody of each population, at each epsilon."""
    return against_epsilon(people, QUICK_EPSILONS if quick else EPSILONS)


def frontier_views(populations: Sequence[Population]) -> tuple[tuple[View, ...], ...]:
    """Return a row of panels of Q2 distances, and one of the orders' excesses."""
    size = " (n = {n:,}, d = {m})"
    distances = population_views(populations, "q2", GROUPS, size=size)
    excesses = population_views(populations, "excess", GROUPS, size=size, whiskers="none")
    return tuple(replace(view, scale="log") for view in distances), excesses


def _measurements(spot: Spot) -> Sequence[Measurement]:
    most = DEAR_REPETITIONS if spot.crowd.everybody.n_items >= DEAR_ITEMS else None
    is_affordable = most is None or spot.panel == SUSHI.name
    return [
        *spot.references(),
        *spot.ours(),
        *spot.safari(),
        *spot.whole_rankings((*WITH_SHORT_CUT, *(DEAR if is_affordable else ())), most),
        *spot.orders(),
    ]


FRONTIER_EPSILON = Experiment(
    name="frontier-epsilon",
    title="Every protocol against ε: the synthetic rows (above), the consensus order (below)",
    shows="Q2 distance and excess of every protocol against epsilon, on Sushi and models",
    x_label="ε (nats a person)",
    views=frontier_views(POPULATIONS),
    plan=plan,
    plan_further=added_at(spots),
    populations=POPULATIONS,
    repetitions=10,
    has_log_x=True,
)

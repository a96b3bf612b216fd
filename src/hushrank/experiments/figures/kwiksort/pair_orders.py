"""Which order to make of the same pair reports: each way, and the one that `auto` chooses."""

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from hushrank.aggregators.from_reports.pair_orders import PairPostProcess
from hushrank.experiments.experiment import Experiment, Measurement
from hushrank.experiments.on_rankings.electorate import Electorate
from hushrank.experiments.on_rankings.local import Devices, Pairs, Place
from hushrank.experiments.pictures.views import population_views
from hushrank.experiments.populations import (
    SUSHI,
    TURK_DOTS,
    TURK_PUZZLE,
    Populations,
    mallows_population,
)

EPSILONS = (0.5, 1.0, 2.0, 3.0, 5.0)
MALLOWS = tuple(mallows_population(5000, m, phi) for phi in (0.75, 0.5, 0.25) for m in (10, 15))
ROWS = ((TURK_DOTS, TURK_PUZZLE, SUSHI), MALLOWS[:3], MALLOWS[3:])
WAYS = {way: Pairs(post_process=way) for way in get_args(PairPostProcess)}


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return the measurements of all ways; those at one place turn the same reports to orders."""
    return [
        replace(measurement, same_draws=nth > 0)
        for name, devices in {each: Devices(Electorate(people[each])) for each in people}.items()
        for epsilon in (EPSILONS[:1] if quick else EPSILONS)
        for nth, measurement in enumerate(
            Place(devices, name, epsilon, epsilon).collected(WAYS, "ours")
        )
    ]


PAIR_ORDERS = Experiment(
    name="pair-orders",
    title="The same pair reports, by our K, made one order in five ways, against ε",
    shows="orders from the same pair reports against epsilon: auto beside each single way",
    x_label="ε (nats a person)",
    views=tuple(population_views(row, "excess", ("ours",), whiskers="none") for row in ROWS),
    plan=plan,
    populations=tuple(each for row in ROWS for each in row),
    repetitions=200,
    has_log_x=True,
)

"""Which order to make of the same pair reports: by each method, and by the one of `auto`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from hushrank.aggregators.from_reports.pair_orders import PairPostProcess
from hushrank.experiments.experiment import Experiment, Measurement
from hushrank.experiments.figures.kwiksort.data_sets import MALLOWS_PEOPLE, REAL, in_one_row
from hushrank.experiments.on_rankings.local import PairMethod, PairSpot, devices_of
from hushrank.experiments.pictures.views import population_views
from hushrank.experiments.populations import Populations, mallows_population

EPSILONS = (0.5, 1.0, 2.0, 3.0, 5.0)
MODELS = tuple(
    mallows_population(MALLOWS_PEOPLE, m, phi) for phi in (0.75, 0.5, 0.25) for m in (10, 15)
)
ROWS = (REAL, MODELS[:3], MODELS[3:])
METHODS = {name: PairMethod(post_process=name) for name in get_args(PairPostProcess)}


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return the measurements of all methods: at one place they order by the same reports."""
    return [
        replace(measurement, same_draws=nth > 0)
        for name, devices in devices_of(people).items()
        for epsilon in (EPSILONS[:1] if quick else EPSILONS)
        for nth, measurement in enumerate(
            PairSpot(devices, name, epsilon, epsilon).collected(METHODS, "ours")
        )
    ]


PAIR_ORDERS = Experiment(
    name="pair-orders",
    title="The same pair reports, by our K, made one order in five ways, against ε",
    shows="orders from the same pair reports against epsilon: auto beside each single way",
    x_label="ε (nats a person)",
    views=tuple(population_views(row, "excess", ("ours",), whiskers="none") for row in ROWS),
    plan=plan,
    populations=in_one_row(ROWS),
    repetitions=200,
    has_log_x=True,
)

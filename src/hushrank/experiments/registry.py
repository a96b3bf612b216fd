"""All experiments, by name."""

from hushrank.errors import require
from hushrank.experiments.experiment import Experiment, Settings
from hushrank.experiments.figures.frontier.elections import FRONTIER_ELECTIONS
from hushrank.experiments.figures.frontier.epsilon import FRONTIER_EPSILON
from hushrank.experiments.figures.frontier.people import FRONTIER_PEOPLE
from hushrank.experiments.figures.hay.figure_2 import HAY_2
from hushrank.experiments.figures.hay.figure_3 import HAY_3
from hushrank.experiments.figures.kwiksort.figure_5 import KWIKSORT_5
from hushrank.experiments.figures.kwiksort.figure_6 import KWIKSORT_6
from hushrank.experiments.figures.kwiksort.figures_3_and_4 import KWIKSORT_3, KWIKSORT_4
from hushrank.experiments.figures.kwiksort.pair_orders import PAIR_ORDERS
from hushrank.experiments.figures.kwiksort.table_3 import KWIKSORT_TABLE_3
from hushrank.experiments.figures.liars.attacks import LIARS_1, LIARS_4
from hushrank.experiments.figures.liars.defences import LIARS_DEFENCES
from hushrank.experiments.figures.privrank.figure_6 import PRIVRANK_6
from hushrank.experiments.figures.privrank.figure_9 import PRIVRANK_9
from hushrank.experiments.figures.privrank.figure_10 import PRIVRANK_10
from hushrank.experiments.figures.privrank.figure_11 import PRIVRANK_11A, PRIVRANK_11B
from hushrank.experiments.figures.privrank.figure_13 import PRIVRANK_13
from hushrank.experiments.figures.privrank.figure_15 import PRIVRANK_15
from hushrank.experiments.figures.privrank.figures_7_and_8 import PRIVRANK_7, PRIVRANK_8
from hushrank.experiments.figures.privrank.figures_12_and_14 import PRIVRANK_12, PRIVRANK_14
from hushrank.experiments.figures.privrank.table_2 import PRIVRANK_TABLE_2
from hushrank.experiments.figures.safari.figure_1 import SAFARI_1A, SAFARI_1B
from hushrank.experiments.figures.safari.figure_2 import SAFARI_2

EXPERIMENTS = {
    each.name: each
    for each in (
        *(SAFARI_1A, SAFARI_1B, SAFARI_2),
        *(HAY_2, HAY_3),
        *(KWIKSORT_3, KWIKSORT_4, KWIKSORT_5, KWIKSORT_6, KWIKSORT_TABLE_3),
        PAIR_ORDERS,
        PRIVRANK_6,
        *(PRIVRANK_7, PRIVRANK_8, PRIVRANK_9, PRIVRANK_10, PRIVRANK_11A, PRIVRANK_11B),
        *(PRIVRANK_12, PRIVRANK_13, PRIVRANK_14, PRIVRANK_15, PRIVRANK_TABLE_2),
        *(LIARS_1, LIARS_4, LIARS_DEFENCES),
        *(FRONTIER_EPSILON, FRONTIER_PEOPLE, FRONTIER_ELECTIONS),
    )
}

MINUTES = {
    "safari": 15,
    "hay": 10,
    "kwiksort": 20,
    "privrank": 65,
    "frontier": 30,
    "pair": 20,
    "liars": 7,
}
"""What all figures whose names begin so take together on one core, at their own repetitions."""

DATA_NAMES = tuple(
    dict.fromkeys(
        population.name
        for experiment in EXPERIMENTS.values()
        for population in experiment.file_populations
    )
)
"""What `--data NAME=FILE` can name."""


def experiment_named(name: str) -> Experiment:
    """Return the experiment; raise HushrankError where there is none of that name."""
    known = ", ".join(EXPERIMENTS)
    require(name in EXPERIMENTS, f"expected one of the experiments {known}, got {name}")
    return EXPERIMENTS[name]


def how_long(experiment: Experiment, settings: Settings) -> str:
    """Say beforehand how long it takes, as far as it is known."""
    family = experiment.name.partition("-")[0]
    if settings.quick:
        return f"{experiment.name}: --quick takes seconds to a minute"
    minutes = MINUTES[family] * settings.repetitions / experiment.repetitions
    return (
        f"{experiment.name}: all {family} figures take about {minutes:.0f} minutes on one core,"
        " this one a part of it; interrupted, the same command goes on where it stopped"
    )

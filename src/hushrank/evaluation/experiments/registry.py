"""All experiments, by name."""

from hushrank.errors import require
from hushrank.evaluation.experiments.experiment import Experiment
from hushrank.evaluation.experiments.frontier_elections import FRONTIER_ELECTIONS
from hushrank.evaluation.experiments.frontier_epsilon import FRONTIER_EPSILON
from hushrank.evaluation.experiments.frontier_people import FRONTIER_PEOPLE
from hushrank.evaluation.experiments.hay_2 import HAY_2
from hushrank.evaluation.experiments.hay_3 import HAY_3
from hushrank.evaluation.experiments.kwiksort_3_and_4 import KWIKSORT_3, KWIKSORT_4
from hushrank.evaluation.experiments.kwiksort_5 import KWIKSORT_5
from hushrank.evaluation.experiments.kwiksort_6 import KWIKSORT_6
from hushrank.evaluation.experiments.kwiksort_table3 import KWIKSORT_TABLE_3
from hushrank.evaluation.experiments.pair_orders import PAIR_ORDERS
from hushrank.evaluation.experiments.privrank_6 import PRIVRANK_6
from hushrank.evaluation.experiments.privrank_7_and_8 import PRIVRANK_7, PRIVRANK_8
from hushrank.evaluation.experiments.privrank_9 import PRIVRANK_9
from hushrank.evaluation.experiments.privrank_10 import PRIVRANK_10
from hushrank.evaluation.experiments.privrank_11 import PRIVRANK_11A, PRIVRANK_11B
from hushrank.evaluation.experiments.privrank_12 import PRIVRANK_12
from hushrank.evaluation.experiments.privrank_13 import PRIVRANK_13
from hushrank.evaluation.experiments.privrank_14 import PRIVRANK_14
from hushrank.evaluation.experiments.privrank_15 import PRIVRANK_15
from hushrank.evaluation.experiments.privrank_table2 import PRIVRANK_TABLE_2
from hushrank.evaluation.experiments.safari_1a import SAFARI_1A
from hushrank.evaluation.experiments.safari_1b import SAFARI_1B
from hushrank.evaluation.experiments.safari_2 import SAFARI_2

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
        *(FRONTIER_EPSILON, FRONTIER_PEOPLE, FRONTIER_ELECTIONS),
    )
}

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

"""All experiments, by name."""

from hushrank.errors import require
from hushrank.evaluation.experiments.experiment import Experiment
from hushrank.evaluation.experiments.safari_1a import SAFARI_1A
from hushrank.evaluation.experiments.safari_1b import SAFARI_1B
from hushrank.evaluation.experiments.safari_2 import SAFARI_2

EXPERIMENTS = {each.name: each for each in (SAFARI_1A, SAFARI_1B, SAFARI_2)}


def experiment_named(name: str) -> Experiment:
    """Return the experiment; raise HushrankError where there is none of that name."""
    known = ", ".join(EXPERIMENTS)
    require(name in EXPERIMENTS, f"expected one of the experiments {known}, got {name}")
    return EXPERIMENTS[name]

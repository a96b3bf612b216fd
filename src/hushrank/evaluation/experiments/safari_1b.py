"""Figure 1(b) of SAFARI: the error of the synthetic rankings against epsilon."""

from collections.abc import Sequence

from hushrank.evaluation.experiments.collection import POST_PROCESSES, ROWS, collection_measurements
from hushrank.evaluation.experiments.experiment import Experiment, Measurement
from hushrank.rankings.profile import Rankings

MOST_ITEMS = 10
EPSILONS = (0.2, 0.4, 0.6, 0.8, 1.0, 2.0, 4.0, 8.0)  # the paper stops at 1
QUICK_EPSILONS = (0.4, 1.0, 4.0)


def plan(rankings: Rankings, quick: bool) -> Sequence[Measurement]:
    """Return the measurements for all epsilons, on the first 10 items."""
    kept = rankings.restrict(range(min(MOST_ITEMS, rankings.n_items)))
    return [
        measurement
        for epsilon in (QUICK_EPSILONS if quick else EPSILONS)
        for measurement in collection_measurements(kept, epsilon=epsilon, x=epsilon)
    ]


SAFARI_1B = Experiment(
    name="safari-1b",
    title="SAFARI, figure 1(b): error of the synthetic rankings against ε, up to 10 items",
    shows="Q2 distance against epsilon, on the first 10 items",
    x_label="ε (nats a person; the paper stops at 1)",
    y_label="Q2 distance",
    has_log_x=True,
    rows=ROWS,
    columns=POST_PROCESSES,
    plan=plan,
)

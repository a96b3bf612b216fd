"""Figure 1(b) of SAFARI: the error of the synthetic rankings against epsilon."""

from collections.abc import Sequence

from hushrank.experiments.experiment import Experiment, Measurement
from hushrank.experiments.on_rankings.collection import (
    POST_PROCESSES,
    ROWS,
    collection_measurements,
)
from hushrank.experiments.pictures.treatments import TREATMENT_TABLE, treatment_views
from hushrank.experiments.populations import RANKINGS, Populations

MOST_ITEMS = 10
EPSILONS = (0.2, 0.4, 0.6, 0.8, 1.0, 2.0, 4.0, 8.0)  # the paper stops at 1
QUICK_EPSILONS = (0.4, 1.0, 4.0)


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return the measurements for all epsilons, on the first 10 items."""
    rankings = people[RANKINGS.name]
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
    has_log_x=True,
    views=treatment_views(ROWS, POST_PROCESSES, y_label="Q2 distance"),
    table=TREATMENT_TABLE,
    plan=plan,
)

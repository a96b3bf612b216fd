"""Figure 1(a) of SAFARI: the error of the synthetic rankings against the number of items."""

from collections.abc import Sequence

from hushrank.experiments.experiment import Experiment, Measurement
from hushrank.experiments.on_rankings.collection import (
    POST_PROCESSES,
    ROWS,
    collection_measurements,
)
from hushrank.experiments.pictures.treatments import TREATMENT_TABLE, treatment_views
from hushrank.experiments.populations import RANKINGS, Populations

EPSILON = 1.0
FEWEST_ITEMS, MOST_ITEMS = 3, 10  # 10! = 3.6 million cells for those who ask for whole rankings


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return the measurements for the first 3, 4, ... items; `quick` brings fewer items itself."""
    rankings = people[RANKINGS.name]
    most = min(MOST_ITEMS, rankings.n_items)
    return [
        measurement
        for n_items in range(FEWEST_ITEMS, most + 1)
        for measurement in collection_measurements(
            rankings.restrict(range(n_items)), epsilon=EPSILON, x=n_items
        )
    ]


SAFARI_1A = Experiment(
    name="safari-1a",
    title="SAFARI, figure 1(a): error of the synthetic rankings against the number of items, ε = 1",
    shows="Q2 distance against the number d of items, at epsilon 1",
    x_label="number of items d (the first d of the file)",
    views=treatment_views(ROWS, POST_PROCESSES, y_label="Q2 distance"),
    table=TREATMENT_TABLE,
    plan=plan,
)

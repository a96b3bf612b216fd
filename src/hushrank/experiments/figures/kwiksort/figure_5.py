"""Figure 5 of Yan et al.: orders from local reports against epsilon."""

from collections.abc import Sequence

from hushrank.experiments.experiment import Experiment, Measurement
from hushrank.experiments.figures.kwiksort.data_sets import ROWS, in_one_row
from hushrank.experiments.on_rankings.local import OURS, PAPER, PairSpot, devices_of
from hushrank.experiments.pictures.views import population_views
from hushrank.experiments.populations import Populations

EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 5.0)
QUICK_EPSILONS = (0.5, 3.0)


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return the measurements of all methods, populations and epsilons."""
    return [
        measurement
        for name, devices in devices_of(people).items()
        for epsilon in (QUICK_EPSILONS if quick else EPSILONS)
        for measurement in _measurements(PairSpot(devices, name, epsilon, epsilon))
    ]


def _measurements(here: PairSpot) -> Sequence[Measurement]:
    return [
        here.sorted_exactly(),
        here.sorted_by_curator(),
        *here.collected(PAPER, "proposed"),
        *here.collected(OURS, "ours"),
    ]


KWIKSORT_5 = Experiment(
    name="kwiksort-5",
    title="Yan, Li, Liu, figure 5: orders from local reports against ε",
    shows="orders from local reports against epsilon, and ours beside them",
    x_label="ε (nats a person; of Lap the nominal one)",
    views=(
        *(population_views(row, "error rate", ("proposed",)) for row in ROWS),
        *(population_views(row, "tau", ("reference", "compared", "proposed")) for row in ROWS),
        *(population_views(row, "excess", ("proposed", "ours"), whiskers="none") for row in ROWS),
    ),
    plan=plan,
    populations=in_one_row(ROWS),
    repetitions=100,
    has_log_x=True,
)

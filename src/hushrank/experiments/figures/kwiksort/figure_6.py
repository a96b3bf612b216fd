"""Figure 6 of Yan et al.: orders from local reports against the number of people, at epsilon 2."""

from collections.abc import Mapping, Sequence

from hushrank.experiments.experiment import Experiment, Group, Measurement
from hushrank.experiments.figures.kwiksort.data_sets import REAL, THETAS, in_one_row
from hushrank.experiments.on_rankings.electorate import Electorate, electorates
from hushrank.experiments.on_rankings.local import (
    OURS,
    PAPER,
    Devices,
    MakeProtocol,
    PairSpot,
)
from hushrank.experiments.pictures.views import population_views
from hushrank.experiments.populations import Population, Populations, mallows_population

EPSILON = 2.0
SIZES = (10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000)
FEWEST_OF_A_MODEL, MOST_PEOPLE = 100, 10_000
ITEMS = (15, 30, 45)

MODELS = tuple(
    tuple(mallows_population(MOST_PEOPLE, n_items, 1 - theta) for n_items in ITEMS)
    for theta in THETAS
)
MODEL_NAMES = {model.name for row in MODELS for model in row}
ROWS: tuple[tuple[Population, ...], ...] = (REAL, *MODELS)
OURS_HERE: Mapping[str, MakeProtocol] = {
    name: OURS[name] for name in ("RR, our K, Borda", "RR, our K, auto", "subset order")
}


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return the measurements of people drawn anew in every repetition, at several numbers."""
    return [
        measurement
        for name, population in electorates(people).items()
        for n_people in sizes(population.rankings.n_rows, name)[-2 if quick else None :]
        for measurement in _measurements(population, name, n_people)
    ]


def sizes(n_people: int, name: str) -> Sequence[int]:
    """Return the numbers of people to ask, up to all; of models, with more items, from 100."""
    fewest = FEWEST_OF_A_MODEL if name in MODEL_NAMES else SIZES[0]
    return [*(size for size in SIZES if fewest <= size < n_people), n_people]


def _measurements(population: Electorate, name: str, n_people: int) -> Sequence[Measurement]:
    here = PairSpot(Devices(population, n_people), name, EPSILON, n_people)
    return [
        here.sorted_exactly(),
        here.sorted_by_curator(),
        *here.collected(PAPER, "proposed"),
        *here.collected(OURS_HERE, "ours"),
    ]


GROUPS: tuple[Group, ...] = ("reference", "compared", "proposed", "ours")

KWIKSORT_6 = Experiment(
    name="kwiksort-6",
    title="Yan, Li, Liu, figure 6: orders from local reports against the number of people, ε = 2",
    shows="orders from local reports against the number of people, at epsilon 2",
    x_label="people n",
    views=tuple(
        population_views(row, "excess", GROUPS, size=", m = {m}", whiskers="none") for row in ROWS
    ),
    plan=plan,
    populations=in_one_row(ROWS),
    repetitions=30,
    has_log_x=True,
)

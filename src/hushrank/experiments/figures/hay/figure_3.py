"""Figure 3 of Hay et al.: private orders of Mallows populations, against their size."""

from collections.abc import Mapping, Sequence
from functools import partial

from hushrank.experiments.experiment import Experiment, Group, Measurement
from hushrank.experiments.on_rankings.central import (
    EASY_ITEMS,
    NOISY_KEMENY,
    OURS,
    PAPER,
    Curator,
    ReleaseMaker,
    central_measurements,
    exact_measurements,
)
from hushrank.experiments.on_rankings.electorate import Electorate
from hushrank.experiments.pictures.views import population_views
from hushrank.experiments.populations import (
    Population,
    Populations,
    mallows_population,
)

EPSILON = 0.1
SIZES = (1000, 2000, 4000, 7000, 10_000)
DISPERSIONS, ITEMS = (0.5, 0.75), (15, 30, 45)

POPULATIONS = {
    (dispersion, n_items): mallows_population(SIZES[-1], n_items, dispersion)
    for dispersion in DISPERSIONS
    for n_items in ITEMS
}


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return the measurements of the first people of every population, at several sizes."""
    return [
        measurement
        for name, rankings in people.items()
        for n_people in _sizes(rankings.n_rows)
        for measurement in _measurements(Electorate(rankings).first(n_people), name)
    ]


def _sizes(n_people: int) -> Sequence[int]:
    """Return the sizes that there are enough people for, or all people where there are few."""
    return [size for size in SIZES if size <= n_people] or [n_people]


def _measurements(people: Electorate, name: str) -> Sequence[Measurement]:
    curator, n_people = Curator(people), people.rankings.n_rows
    measure = partial(central_measurements, curator, epsilon=EPSILON, x=n_people, population=name)
    exact = exact_measurements(curator, x=n_people, population=name)
    return [*exact, *measure(PAPER, "proposed"), *measure(_ours(people.n_items), "ours")]


def _ours(n_items: int) -> Mapping[str, ReleaseMaker]:
    """Leave out what has no quick optimum where margins are mostly noise."""
    is_easy = n_items <= EASY_ITEMS
    return {name: each for name, each in OURS.items() if is_easy or name != NOISY_KEMENY}


def _row(dispersion: float) -> Sequence[Population]:
    return [POPULATIONS[dispersion, n_items] for n_items in ITEMS]


PAPERS: tuple[Group, ...] = ("reference", "proposed")

HAY_3 = Experiment(
    name="hay-3",
    title="Hay, Elagina, Miklau, figure 3: private orders of Mallows populations, ε = 0.1",
    shows="private orders of Mallows populations against the number of people, at epsilon 0.1",
    x_label="people n",
    views=(
        *(
            population_views(_row(each), "tau", PAPERS, size=", m = {m}", whiskers="range")
            for each in DISPERSIONS
        ),
        *(
            population_views(
                _row(each), "excess", ("proposed", "ours"), size=", m = {m}", whiskers="none"
            )
            for each in DISPERSIONS
        ),
    ),
    plan=plan,
    populations=tuple(POPULATIONS.values()),
    repetitions=100,
)

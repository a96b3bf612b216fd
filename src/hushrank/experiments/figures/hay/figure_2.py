"""Figure 2 of Hay et al.: private orders of two real populations, at three epsilons."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from hushrank.experiments.experiment import Experiment, Group, Measurement
from hushrank.experiments.on_rankings.central import (
    OURS,
    PAPER,
    Curator,
    central_measurements,
    exact_measurements,
)
from hushrank.experiments.on_rankings.electorate import electorates
from hushrank.experiments.pictures.views import population_views
from hushrank.experiments.populations import JESTER, SUSHI, Populations

EPSILONS = (0.01, 0.1, 1.0)
HISTOGRAM_ITEMS, HISTOGRAM_REPETITIONS = 10, 30
"""P-BORDA-HIST counts every order of the items: 3.6 million of ten, too many of more."""


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return the measurements of both populations; `quick` brings fewer items itself."""
    curators = {name: Curator(each) for name, each in electorates(people).items()}
    return [
        measurement
        for name, curator in curators.items()
        for epsilon in EPSILONS
        for measurement in _measurements(curator, name, epsilon)
    ]


def _measurements(curator: Curator, name: str, epsilon: float) -> Sequence[Measurement]:
    measure = partial(central_measurements, curator, epsilon=epsilon, x=epsilon, population=name)
    by_histogram = Measurement(
        "compared",
        "P-BORDA-HIST",
        epsilon,
        partial(curator.by_histogram, epsilon),
        HISTOGRAM_REPETITIONS,
        name,
    )
    few = curator.people.n_items <= HISTOGRAM_ITEMS
    exact = exact_measurements(curator, x=epsilon, population=name)
    histogram = [by_histogram] if few else []
    return [*exact, *measure(PAPER, "proposed"), *histogram, *measure(OURS, "ours")]


GROUPS: tuple[Group, ...] = ("reference", "proposed", "compared", "ours")

HAY_2 = Experiment(
    name="hay-2",
    title="Hay, Elagina, Miklau, figure 2: private orders of Sushi and Jester",
    shows="excess of private orders over the Kemeny optimum, on Sushi and Jester",
    x_label="ε",
    views=tuple(
        tuple(
            replace(view, title=f"{view.title}, ε = {epsilon:g}")
            for epsilon in EPSILONS
            for view in population_views(
                [population], "excess", GROUPS, whiskers="range", x=epsilon
            )
        )
        for population in (SUSHI, JESTER)
    ),
    plan=plan,
    populations=(SUSHI, JESTER),
    repetitions=200,
    picture="dots",
)

"""Figure 1 of SAFARI: the error of synthetic rankings, (a) against items, (b) against epsilon."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from hushrank.experiments.experiment import Experiment, Measurement
from hushrank.experiments.on_rankings.collection import (
    POST_PROCESSES,
    ROWS,
    collection_measurements,
)
from hushrank.experiments.pictures.treatments import TREATMENT_TABLE, treatment_views
from hushrank.experiments.populations import RANKINGS, Populations
from hushrank.rankings.profile import Rankings

FEWEST_ITEMS, MOST_ITEMS = 3, 10  # 10! = 3.6 million cells for those who ask for whole rankings
EPSILON = 1.0
EPSILONS = (0.2, 0.4, 0.6, 0.8, 1.0, 2.0, 4.0, 8.0)  # the paper stops at 1
QUICK_EPSILONS = (0.4, 1.0, 4.0)

Plan: TypeAlias = Callable[[Populations, bool], Sequence[Measurement]]


def first_items(people: Populations) -> Rankings:
    """Return the rankings of the first 10 items of the file, or of all where there are fewer."""
    rankings: Rankings = people[RANKINGS.name]
    return rankings.restrict(range(min(MOST_ITEMS, rankings.n_items)))


def plan_against_items(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return the measurements of the first 3, 4, ... items; `quick` brings fewer items itself."""
    rankings = first_items(people)
    return [
        measurement
        for n_items in range(FEWEST_ITEMS, rankings.n_items + 1)
        for measurement in collection_measurements(
            rankings.restrict(range(n_items)), epsilon=EPSILON, x=n_items
        )
    ]


def plan_against_epsilon(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return the measurements of all epsilons, on the first 10 items."""
    rankings = first_items(people)
    return [
        measurement
        for epsilon in (QUICK_EPSILONS if quick else EPSILONS)
        for measurement in collection_measurements(rankings, epsilon=epsilon, x=epsilon)
    ]


def _figure(part: str, title: str, shows: str, x_label: str, plan: Plan) -> Experiment:
    return Experiment(
        name=f"safari-1{part}",
        title=f"SAFARI, figure 1({part}): error of the synthetic rankings against {title}",
        shows=f"Q2 distance against {shows}",
        x_label=x_label,
        has_log_x=part == "b",
        views=treatment_views(ROWS, POST_PROCESSES, y_label="Q2 distance"),
        table=TREATMENT_TABLE,
        plan=plan,
    )


SAFARI_1A = _figure(
    "a",
    "the number of items, ε = 1",
    "the number d of items, at epsilon 1",
    "number of items d (the first d of the file)",
    plan_against_items,
)
SAFARI_1B = _figure(
    "b",
    "ε, up to 10 items",
    "epsilon, on the first 10 items",
    "ε (nats a person; the paper stops at 1)",
    plan_against_epsilon,
)

"""Figures 3 and 4 of Yan et al.: LDP-KwikSort against the number K of queries a person answers."""

from collections.abc import Sequence
from functools import partial
from math import comb

from hushrank.experiments.experiment import Experiment, Group, Measurement
from hushrank.experiments.figures.kwiksort.data_sets import ROWS, in_one_row
from hushrank.experiments.on_rankings.local import Devices, PairMethod, PairSpot, devices_of
from hushrank.experiments.pictures.views import population_views
from hushrank.experiments.populations import Populations
from hushrank.protocols.orders.query_counts import Solution

EPSILONS = (1.0, 2.0, 4.0, 10.0)
QUERIES = (1, 2, 3, 4)


def plan(solution: Solution, people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return the measurements of one solution: for each epsilon, all numbers of queries."""
    return [
        measurement
        for name, devices in devices_of(people).items()
        for n_queries in queries(devices.people.n_items)
        for measurement in _measurements(devices, name, solution, n_queries)
    ]


def queries(n_items: int) -> Sequence[int]:
    """Return the paper's numbers of queries: 1, 2, 3, 4, m + 1 and all pairs, where there are."""
    n_pairs = comb(n_items, 2)
    return sorted({each for each in (*QUERIES, n_items + 1, n_pairs) if each <= n_pairs})


def _measurements(
    devices: Devices, name: str, solution: Solution, n_queries: int
) -> Sequence[Measurement]:
    curves = [
        PairSpot(devices, name, epsilon, n_queries).collected(
            {f"ε = {epsilon:g}": PairMethod(solution, n_queries)}, "proposed"
        )
        for epsilon in EPSILONS
    ]
    exact = PairSpot(devices, name, EPSILONS[0], n_queries).sorted_exactly()
    return [*(measurement for curve in curves for measurement in curve), exact]


GROUPS: tuple[Group, ...] = ("proposed", "reference")


def _experiment(number: int, solution: Solution, title: str) -> Experiment:
    return Experiment(
        name=f"kwiksort-{number}",
        title=f"Yan, Li, Liu, figure {number}: {title} against the number of queries",
        shows=f"{title} against the number K of queries of a person",
        x_label="queries K",
        views=(
            *(population_views(row, "error rate", GROUPS) for row in ROWS),
            *(population_views(row, "excess", GROUPS, whiskers="none") for row in ROWS),
        ),
        plan=partial(plan, solution),
        populations=in_one_row(ROWS),
        repetitions=30,
        has_log_x=True,
    )


KWIKSORT_3 = _experiment(3, "rr", "LDP-KwikSort:RR")
KWIKSORT_4 = _experiment(4, "lap", "LDP-KwikSort:Lap")

"""Table 3 of Yan et al.: the seconds that each solution takes, people and collector together."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from time import perf_counter
from typing import Any, TypeAlias

from hushrank.aggregators.kwiksort import kwiksort
from hushrank.aggregators.private.quicksort import dp_kwiksort
from hushrank.engines.local import run
from hushrank.experiments.experiment import Draws, Experiment, Measurement, Quantity
from hushrank.experiments.figures.kwiksort.data_sets import MALLOWS_PEOPLE, REAL
from hushrank.experiments.on_rankings.electorate import Electorate, electorates
from hushrank.experiments.on_rankings.local import OURS, PAPER, MakeProtocol
from hushrank.experiments.populations import Population, Populations, mallows_population
from hushrank.randomness import Randomness

EPSILON = 2.0
MALLOWS_ITEMS, DISPERSION = (5, 10, 15, 30, 45), 0.5
OURS_HERE = {name: OURS[name] for name in ("RR, our K, auto", "subset order")}
DATA_SETS: tuple[Population, ...] = (
    *REAL,
    *(mallows_population(MALLOWS_PEOPLE, n_items, DISPERSION) for n_items in MALLOWS_ITEMS),
)

Solve: TypeAlias = Callable[[Electorate, Draws], object]


def by_kwiksort(people: Electorate, draws: Draws) -> object:
    """Sort by exact majorities, which are at hand."""
    return kwiksort(people.counts, rng=draws.synthesis)


def by_curator(people: Electorate, draws: Draws) -> object:
    """Sort by noisy majorities, of exact ones that are at hand."""
    noise = Randomness(draws.noise.bytes, is_private=False)
    return dp_kwiksort(people.counts, epsilon=EPSILON, rng=noise)


def by_devices(make: MakeProtocol, people: Electorate, draws: Draws) -> object:
    """Let every device answer, and sort what they reported."""
    protocol: Any = make(people.n_items, epsilon=EPSILON, seed=0)
    noise = Randomness(draws.noise.bytes, is_private=False)
    return run(protocol, people.rankings, rng=noise)


SOLUTIONS: Mapping[str, Solve] = {
    "KwikSort": by_kwiksort,
    "DP-KwikSort": by_curator,
    **{name: partial(by_devices, make) for name, make in {**PAPER, **OURS_HERE}.items()},
}


def plan(people: Populations, quick: bool) -> Sequence[Measurement]:
    """Return the measurements of all solutions and data sets; each has run once before."""
    return [
        Measurement(
            "reference" if name == "KwikSort" else "proposed",
            name,
            population.n_items,
            partial(seconds, solve, population),
            population=data_set,
        )
        for data_set, population in electorates(people).items()
        for name, solve in SOLUTIONS.items()
    ]


def seconds(solve: Solve, people: Electorate, draws: Draws) -> Mapping[Quantity, float]:
    """Time one run, after another that compiles kernels and fills caches."""
    solve(people, draws)
    start = perf_counter()
    solve(people, draws)
    return {"seconds": perf_counter() - start}


KWIKSORT_TABLE_3 = Experiment(
    name="kwiksort-table3",
    title="Yan, Li, Liu, table 3: seconds of each solution, people and collector together",
    shows="seconds of each solution on each data set, on this machine",
    x_label="seconds",
    views=(),
    plan=plan,
    populations=DATA_SETS,
    repetitions=10,
)

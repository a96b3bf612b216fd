"""What the figures of Yan et al. measure: orders from reports that people's own devices noised."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from hushrank.aggregators.from_reports.pair_estimates import pair_error_rate
from hushrank.aggregators.from_reports.pair_orders import PairPostProcess
from hushrank.aggregators.private.quicksort import dp_kwiksort
from hushrank.engines.local import run
from hushrank.experiments.experiment import Draws, Group, Measurement, Quantity
from hushrank.experiments.on_rankings.central import Curator
from hushrank.experiments.on_rankings.electorate import Electorate, ItemLabels, electorates
from hushrank.experiments.populations import Populations
from hushrank.protocols.orders.ldp_kwiksort import ldp_kwiksort
from hushrank.protocols.orders.pairs import PairOutcome, pairs
from hushrank.protocols.orders.query_counts import Solution
from hushrank.protocols.orders.subset_order import subset_order
from hushrank.randomness import Randomness

MakeProtocol: TypeAlias = Callable[..., Any]
"""Takes the number of items, epsilon and a seed; returns a protocol whose result has an order."""


@dataclass(frozen=True)
class PairMethod:
    """A protocol on pairs; without `post_process` it is the paper's, named by its solution."""

    solution: Solution = "rr"
    n_queries: int | None = None
    post_process: PairPostProcess | None = None

    def __call__(self, n_items: int, *, epsilon: float, seed: int) -> Any:
        """Return the protocol."""
        options: dict[str, Any] = {"epsilon": epsilon, "n_queries": self.n_queries}
        if self.post_process is None:
            return ldp_kwiksort(n_items, pivot_seed=seed, solution=self.solution, **options)
        return pairs(n_items, seed=seed, post_process=self.post_process, **options)


def ask_for_subset_order(n_items: int, *, epsilon: float, seed: int) -> Any:
    """Return the protocol that asks everybody for the whole order; it needs no seed."""
    return subset_order(n_items, epsilon=epsilon)


RESPONSE, LAPLACE = "LDP-KwikSort:RR", "LDP-KwikSort:Lap"
PAPER: Mapping[str, MakeProtocol] = {RESPONSE: PairMethod("rr"), LAPLACE: PairMethod("lap")}
OURS: Mapping[str, MakeProtocol] = {
    "RR, our K, KwikSort": PairMethod(post_process="kwiksort"),
    "RR, our K, Borda": PairMethod(post_process="borda"),
    "RR, our K, Kemeny": PairMethod(post_process="kemeny"),
    "RR, our K, auto": PairMethod(post_process="auto"),
    "subset order": ask_for_subset_order,
}


@dataclass(frozen=True, eq=False, repr=False)
class Devices:
    """One population whose people answer through devices of their own.

    With `n_people`, each repetition asks so many of them, drawn anew, and judges by them.
    """

    people: Electorate
    n_people: int | None = None

    def collected(
        self, make: MakeProtocol, epsilon: float, draws: Draws
    ) -> Mapping[Quantity, float]:
        """Judge one collection, and the pairs that it learnt, where it asks for pairs."""
        asked = self._asked(draws)
        labels = ItemLabels.drawn(asked.n_items, rng=draws.synthesis)
        seed = int(draws.synthesis.integers(2**32))
        protocol = make(asked.n_items, epsilon=epsilon, seed=seed)
        noise = Randomness(draws.noise.bytes, is_private=False)
        result = run(protocol, labels.rankings(asked.rankings), rng=noise).result
        judged = dict(asked.judged(labels.order(result.order)))
        if isinstance(result, PairOutcome):
            true = labels.counts(asked.counts)
            judged["error rate"] = pair_error_rate(true, result.estimates.margins)
        return judged

    def sorted_by_curator(self, epsilon: float, draws: Draws) -> Mapping[Quantity, float]:
        """Judge DP-KwikSort, whose curator knows everything."""
        return Curator(self._asked(draws)).released(dp_kwiksort, epsilon, draws)

    def sorted_exactly(self, draws: Draws) -> Mapping[Quantity, float]:
        """Judge KwikSort by exact majorities, around random pivots."""
        return {**Curator(self._asked(draws)).by_kwiksort(draws), "error rate": 0.0}

    def _asked(self, draws: Draws) -> Electorate:
        if self.n_people in (None, self.people.rankings.n_rows):
            return self.people
        return self.people.some(self.n_people, rng=draws.synthesis)


def devices_of(people: Populations) -> Mapping[str, Devices]:
    """Return the devices of everybody, by population."""
    return {name: Devices(electorate) for name, electorate in electorates(people).items()}


@dataclass(frozen=True, eq=False, repr=False)
class PairSpot:
    """Where points of several curves stand: the people of a population, epsilon and x."""

    devices: Devices
    population: str
    epsilon: float
    x: float

    def collected(
        self, protocols: Mapping[str, MakeProtocol], group: Group
    ) -> Sequence[Measurement]:
        """Return the points of protocols."""
        return [
            self._point(group, name, partial(self.devices.collected, make, self.epsilon))
            for name, make in protocols.items()
        ]

    def sorted_exactly(self) -> Measurement:
        """Return the point of KwikSort without privacy."""
        return self._point("reference", "KwikSort (no privacy)", self.devices.sorted_exactly)

    def sorted_by_curator(self) -> Measurement:
        """Return the point of DP-KwikSort."""
        by_curator = partial(self.devices.sorted_by_curator, self.epsilon)
        return self._point("compared", "DP-KwikSort (central)", by_curator)

    def _point(
        self, group: Group, name: str, measure: Callable[[Draws], Mapping[Quantity, float]]
    ) -> Measurement:
        return Measurement(group, name, self.x, measure, population=self.population)

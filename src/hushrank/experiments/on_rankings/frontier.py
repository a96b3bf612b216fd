"""What the frontier measures: every protocol on the same people, and the lines beside it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from hushrank.arrays import Ranks, Shares
from hushrank.evaluation.metrics import marginal_distance, uniform_second_order_marginals
from hushrank.experiments.experiment import Draws, Group, Measurement, Quantity
from hushrank.experiments.on_rankings.electorate import Electorate, ItemLabels
from hushrank.experiments.on_rankings.frontier_methods import (
    ORDERS,
    REPAIRED,
    SAFARI,
    SAFE,
    TYPICAL,
    WHOLE_RANKINGS,
    CollectionMethod,
    PublishedRows,
    collect,
    further,
    learn_openly,
    publish,
)
from hushrank.experiments.populations import Populations
from hushrank.protocols.learnt.learnt import Learnt
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings

GROUPS: tuple[Group, ...] = ("reference", "ours", "proposed", "repair", "compared")
MOST_ITEMS_OF_A_TABLE = 10
"""10 items have 3.6 million orders, a cell each."""
TRUTHFUL_EPSILON = 10.0
"""At which max-entropy asks for ranks and precedences; the answers are then taken as they are."""


@dataclass(frozen=True, eq=False, repr=False)
class Asked(Electorate):
    """The people of one repetition: orders are judged by their optimum, rows by their Q2."""

    @cached_property
    def truth(self) -> Shares:
        """Their second-order marginals (pairs, ranks, ranks)."""
        return second_order_marginals(self.rankings)

    def distance(self, ranks: Ranks) -> float:
        """Return the Q2 distance of rows (people, items)."""
        rows = Rankings(ranks, self.rankings.names)
        return marginal_distance(second_order_marginals(rows), self.truth)

    def judge(self, published: PublishedRows) -> Mapping[Quantity, float]:
        """Return the excess of the order, and the Q2 distance of the rows where there are any."""
        judged: dict[Quantity, float] = {"excess": self.judged(published.order)["excess"]}
        ranks = published.ranks
        return judged if ranks is None else {"q2": self.distance(ranks), **judged}

    def relabelled(self, draws: Draws) -> "Asked":
        """Return the same people, the items under random numbers."""
        labels = ItemLabels.drawn(self.n_items, rng=draws.synthesis)
        return Asked(labels.rankings(self.rankings))


@dataclass(frozen=True, eq=False, repr=False)
class PolledCrowd:
    """Everybody of a population; with `n_people` so many, drawn anew in every repetition.

    People of a file are drawn with repetition, people of a model without: there are enough.
    """

    everybody: Asked
    n_people: int | None = None
    has_repetition: bool = True
    open_results: dict[str, Learnt] = field(default_factory=dict)

    def asked(self, draws: Draws) -> Asked:
        """Return the people of a repetition."""
        if self.n_people is None:
            return self.everybody
        people = self.everybody.rankings
        rows = draws.synthesis.choice(
            people.n_rows, size=self.n_people, replace=self.has_repetition
        )
        return Asked(people.select(rows))

    def collected(
        self, method: CollectionMethod, epsilon: float, draws: Draws
    ) -> Mapping[Quantity, float]:
        """Judge one collection."""
        asked = self.asked(draws).relabelled(draws)
        sources = {"noise": draws.noise, "synthesis": draws.synthesis}
        return asked.judge(collect(method, asked.rankings, epsilon, **sources))

    def without_noise(self, method: CollectionMethod, draws: Draws) -> Mapping[Quantity, float]:
        """Judge what is learnt of exact answers; where nobody is drawn anew, learnt once."""
        asked = self.asked(draws)
        known = self.open_results if self.n_people is None else {}
        if method.name not in known:
            known[method.name] = learn_openly(method, asked.rankings, TRUTHFUL_EPSILON)
        return asked.judge(publish(known[method.name], asked.rankings, rng=draws.synthesis))

    def by_bootstrap(self, draws: Draws) -> Mapping[Quantity, float]:
        """Draw as many rows from the people themselves: what a perfect model would reach."""
        asked = self.asked(draws)
        rows = draws.synthesis.integers(asked.rankings.n_rows, size=asked.rankings.n_rows)
        return {"q2": asked.distance(asked.rankings.ranks[rows])}

    def of_uniform(self, draws: Draws) -> Mapping[Quantity, float]:
        """Ask nobody, and call all orders equally likely: a random one has Kendall tau 1/2."""
        asked = self.asked(draws)
        uniform = uniform_second_order_marginals(asked.n_items)
        excess = 0.5 - asked.judged(asked.best_order)["tau"]
        return {"q2": marginal_distance(uniform, asked.truth), "excess": excess}


@dataclass(frozen=True, eq=False, repr=False)
class Spot:
    """Where points of all curves stand: the crowd, what its panel is called, epsilon and x."""

    crowd: PolledCrowd
    panel: str
    epsilon: float
    x: float

    def ours(self, most: int | None = None) -> Sequence[Measurement]:
        """Return both priors of max-entropy, on the same reports."""
        return [self.of(SAFE, most), replace(self.of(TYPICAL, most), same_draws=True)]

    def safari(self, most: int | None = None) -> Sequence[Measurement]:
        """Return SAFARI, as the paper has it and repaired."""
        return [self.of(SAFARI, most), self.of(REPAIRED, most)]

    def orders(self, most: int | None = None) -> Sequence[Measurement]:
        """Return the protocols that learn one order."""
        return [self.of(method, most) for method in ORDERS]

    def whole_rankings(self, names: Sequence[str], most: int | None = None) -> list[Measurement]:
        """Return those who ask for whole rankings, where there are not too many."""
        few = self.crowd.everybody.n_items <= MOST_ITEMS_OF_A_TABLE
        return [self.of(WHOLE_RANKINGS[name], most) for name in names if few]

    def references(self, most_openly: int | None = None) -> Sequence[Measurement]:
        """Return the lines to compare with."""
        fixed = 1 if self.crowd.n_people is None else None
        uniform = self._reference("uniform rankings", self.crowd.of_uniform, fixed)
        floor = self._reference("bootstrap floor", self.crowd.by_bootstrap, None)
        openly = [
            self._reference(
                f"{method.name.partition(',')[0]} without noise",
                partial(self.crowd.without_noise, method),
                most_openly,
            )
            for method in (SAFARI, SAFE)
        ]
        return [uniform, *openly, floor]

    def of(self, method: CollectionMethod, most: int | None = None) -> Measurement:
        """Return the point of one method."""
        measure = partial(self.crowd.collected, method, self.epsilon)
        return Measurement(method.group, method.name, self.x, measure, most, self.panel)

    def _reference(self, name: str, measure: Any, most: int | None) -> Measurement:
        return Measurement("reference", name, self.x, measure, most, self.panel)


def against_epsilon(people: Populations, epsilons: Sequence[float]) -> list[Spot]:
    """Return a spot for everybody of each population, at each epsilon."""
    crowds = {name: PolledCrowd(Asked(rankings)) for name, rankings in people.items()}
    return [
        Spot(crowd, name, epsilon, epsilon)
        for name, crowd in crowds.items()
        for epsilon in epsilons
    ]


def added_at(
    spots: Callable[[Populations, bool], Sequence[Spot]],
) -> Callable[[Populations, bool, Sequence[str]], Sequence[Measurement]]:
    """Return what plans curves of further protocols, by name, at the spots of a figure."""

    def plan(people: Populations, quick: bool, names: Sequence[str]) -> Sequence[Measurement]:
        methods = [further(name) for name in names]
        return [spot.of(method) for spot in spots(people, quick) for method in methods]

    return plan

"""What figures 1(a) and 1(b) of SAFARI measure: collections of whole rankings, and bounds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from hushrank.arrays import Ranks
from hushrank.engines.local import run_without_noise, simulate
from hushrank.estimators.shares import PostProcess
from hushrank.evaluation.metrics import (
    marginal_distance,
    q2_distance,
    uniform_second_order_marginals,
)
from hushrank.experiments.experiment import Draws, Group, Measurement, Quantity
from hushrank.experiments.on_rankings.tallies import simulated_tallies
from hushrank.mechanisms.local import SimulatedTally
from hushrank.models.tabulated import TabulatedModel
from hushrank.protocols.distributions.safari import Split, safari
from hushrank.protocols.registry import MECHANISMS
from hushrank.questions.relative_order import RelativeOrder
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.shares import survey_shares
from hushrank.surveys.survey import MakeMechanism

POST_PROCESSES: tuple[PostProcess, ...] = ("simplex", "clip")

BASELINES: Mapping[str, MakeMechanism] = {
    name.upper(): mechanism for name, mechanism in MECHANISMS.items()
}
"""The mechanisms that the paper asks for whole rankings, by their names in its figures."""

DEAR_ITEMS, DEAR_REPETITIONS = 10, 4
"""From so many items on, a mechanism without a tally short cut is measured no more often."""

ROWS: Mapping[str, tuple[Group, ...]] = {
    "the paper's curves": ("proposed", "compared", "reference"),
    "SAFARI repaired": ("proposed", "repair", "reference"),
}
"""The rows of panels of both figures."""


@dataclass(frozen=True)
class Variant:
    """Options of SAFARI, faithful by default."""

    max_leaf: int = 1
    split: Split = "budget"
    shrink: bool = False


FAITHFUL = Variant()
REPAIRS: Mapping[str, Variant] = {
    "split people": Variant(split="people"),
    "shrink": Variant(shrink=True),
    "split people, shrink": Variant(split="people", shrink=True),
    "leaves of 2": Variant(max_leaf=2),
    "leaves of 3": Variant(max_leaf=3),
}


@dataclass(frozen=True, eq=False, repr=False)
class CollectionTrial:
    """One population and one epsilon; each method returns Q2 distances by post-processing.

    Learnt is what the collector would publish: as many synthetic rows as there are people.
    """

    rankings: Rankings
    epsilon: float

    def by_safari(self, variant: Variant, draws: Draws) -> Mapping[Quantity, float]:
        """Collect with SAFARI, once for each post-processing: the structure depends on it."""
        return {each: self._by_safari(variant, each, draws) for each in POST_PROCESSES}

    def by_whole_ranking(
        self, make_mechanism: MakeMechanism, draws: Draws
    ) -> Mapping[Quantity, float]:
        """Collect whole rankings; one tally is post-processed in every way."""
        n_items = self.rankings.n_items
        question = RelativeOrder(tuple(range(n_items)))
        survey = sampled_survey("all", [question], self.epsilon, make_mechanism=make_mechanism)
        tallies = simulated_tallies(survey, self.rankings, rng=draws.noise)
        distances: dict[Quantity, float] = {}
        for post_process in POST_PROCESSES:
            (shares,) = survey_shares(survey, tallies, post_process=post_process)
            model = TabulatedModel(n_items, shares)
            rows = model.sample(self.rankings.n_people, rng=draws.synthesis)
            distances[post_process] = self._distance(rows)
        return distances

    def without_noise(self, draws: Draws) -> Mapping[Quantity, float]:
        """Synthesise from the model that SAFARI learns from exact shares: NoPriv."""
        model = run_without_noise(safari(self.rankings.n_items, epsilon=1.0), self.rankings)
        rows = model.sample(self.rankings.n_people, rng=draws.synthesis)
        return {"any": self._distance(rows)}

    def by_bootstrap(self, draws: Draws) -> Mapping[Quantity, float]:
        """Draw rows from the population itself: what a perfect model would reach."""
        n_people = self.rankings.n_people
        rows = draws.synthesis.integers(self.rankings.n_rows, size=n_people)
        return {"any": self._distance(self.rankings.ranks[rows])}

    def of_uniform(self, draws: Draws) -> Mapping[Quantity, float]:
        """Ask nobody and call all orders equally likely."""
        uniform = uniform_second_order_marginals(self.rankings.n_items)
        return {"any": marginal_distance(uniform, second_order_marginals(self.rankings))}

    def _by_safari(self, variant: Variant, post_process: PostProcess, draws: Draws) -> float:
        protocol = safari(
            self.rankings.n_items,
            epsilon=self.epsilon,
            max_leaf=variant.max_leaf,
            split=variant.split,
            shrink=variant.shrink,
            post_process=post_process,
        )
        model = simulate(protocol, self.rankings, rng=draws.noise).result
        return self._distance(model.sample(self.rankings.n_people, rng=draws.synthesis))

    def _distance(self, ranks: Ranks) -> float:
        return q2_distance(Rankings(ranks, self.rankings.names), self.rankings)


def collection_measurements(
    rankings: Rankings, *, epsilon: float, x: float
) -> Sequence[Measurement]:
    """Return all curves' points at x; `rankings` hold one row a person."""
    here = CollectionTrial(rankings, epsilon)
    faithful = Measurement("proposed", "SAFARI", x, partial(here.by_safari, FAITHFUL))
    baselines = [
        Measurement(
            "compared", name, x, partial(here.by_whole_ranking, make), _most(make, rankings)
        )
        for name, make in BASELINES.items()
    ]
    repairs = [
        Measurement("repair", name, x, partial(here.by_safari, variant))
        for name, variant in REPAIRS.items()
    ]
    references = [
        Measurement("reference", "uniform rankings", x, here.of_uniform, most_repetitions=1),
        Measurement("reference", "NoPriv (no noise)", x, here.without_noise),
        Measurement("reference", "bootstrap floor", x, here.by_bootstrap),
    ]
    return [faithful, *baselines, *repairs, *references]


def _most(make_mechanism: MakeMechanism, rankings: Rankings) -> int | None:
    has_short_cut = isinstance(make_mechanism(2, 1.0), SimulatedTally)
    is_dear = rankings.n_items >= DEAR_ITEMS and not has_short_cut
    return DEAR_REPETITIONS if is_dear else None

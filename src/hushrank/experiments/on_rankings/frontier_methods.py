"""Every protocol that the frontier compares, and what each makes of its reports."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from hushrank.arrays import Order, Ranks
from hushrank.engines.local import run, run_without_noise, simulate
from hushrank.evaluation.metrics import mean_rank_order
from hushrank.experiments.experiment import Group
from hushrank.experiments.on_rankings.collection import BASELINES
from hushrank.mechanisms.local import SimulatedTally
from hushrank.models.herding import DRAWS_OF_A_ROW, herded_rows
from hushrank.protocols.ldp_kwiksort import ldp_kwiksort
from hushrank.protocols.max_entropy import MaxEntropyOutcome, max_entropy
from hushrank.protocols.pairs import PairOutcome, pairs
from hushrank.protocols.safari import safari
from hushrank.protocols.subset_order import MeanRanks, subset_order
from hushrank.protocols.whole_ranking import whole_ranking
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.survey import MakeMechanism

MOST_HERDED_DRAWS = 5_000_000
"""As `collect` has it."""

Ask: TypeAlias = Callable[[int, int, float, int], Any]
"""Takes how many items and people there are, epsilon and a public seed; returns a protocol."""


@dataclass(frozen=True)
class CollectionMethod:
    """One method to ask people; every device is simulated where no tally short cut is."""

    name: str
    group: Group
    ask: Ask
    has_short_cut: bool = True


@dataclass(frozen=True, eq=False, repr=False)
class Learnt:
    """What a collector can publish: an order, and rows (people, items) where a model is learnt."""

    order: Order
    ranks: Ranks | None


def collect(
    method: CollectionMethod,
    people: Rankings,
    epsilon: float,
    *,
    noise: np.random.Generator,
    synthesis: np.random.Generator,
) -> Learnt:
    """Let people answer; publish what `hushrank collect` does by default.

    As many rows as there are people; those of max-entropy are herded.
    """
    seed = int(synthesis.integers(2**31))
    protocol = method.ask(people.n_items, people.n_people, epsilon, seed)
    if method.has_short_cut:
        result = simulate(protocol, people, rng=noise).result
    else:
        secret = Randomness(noise.bytes, is_private=False)
        result = run(protocol, people, rng=secret).result
    return publish(result, people, rng=synthesis)


def learn_openly(method: CollectionMethod, people: Rankings, epsilon: float) -> Any:
    """Return what the method learns from exact answers to the questions that it asks at epsilon."""
    return run_without_noise(method.ask(people.n_items, people.n_people, epsilon, 0), people)


def publish(result: Any, people: Rankings, *, rng: np.random.Generator) -> Learnt:
    """Return the order, and as many rows as there are people where a model was learnt."""
    if isinstance(result, (PairOutcome, MeanRanks)):
        return Learnt(result.order, None)
    n_people = people.n_people
    if isinstance(result, MaxEntropyOutcome):
        n_draws = max(1, min(DRAWS_OF_A_ROW, MOST_HERDED_DRAWS // n_people))
        ranks = herded_rows(result.model, n_people, rng=rng, draws_of_a_row=n_draws)
        return Learnt(result.order, ranks)
    ranks = result.sample(n_people, rng=rng)
    return Learnt(mean_rank_order(Rankings(ranks, people.names)), ranks)


def _safe(n_items: int, n_people: int, epsilon: float, seed: int) -> Any:
    return max_entropy(n_items, epsilon=epsilon, n_people=n_people)


def _typical(n_items: int, n_people: int, epsilon: float, seed: int) -> Any:
    return max_entropy(n_items, epsilon=epsilon, n_people=n_people, prior="typical")


def _faithful(n_items: int, n_people: int, epsilon: float, seed: int) -> Any:
    return safari(n_items, epsilon=epsilon)


def _repaired(n_items: int, n_people: int, epsilon: float, seed: int) -> Any:
    return safari(n_items, epsilon=epsilon, split="people", shrink=True)


def _whole_ranking(name: str, make_mechanism: MakeMechanism) -> CollectionMethod:
    def ask(n_items: int, n_people: int, epsilon: float, seed: int) -> Any:
        return whole_ranking(n_items, epsilon=epsilon, make_mechanism=make_mechanism)

    return CollectionMethod(
        name, "compared", ask, isinstance(make_mechanism(2, 1.0), SimulatedTally)
    )


def _pairs(n_items: int, n_people: int, epsilon: float, seed: int) -> Any:
    return pairs(n_items, epsilon=epsilon, seed=seed)


def _subset_order(n_items: int, n_people: int, epsilon: float, seed: int) -> Any:
    return subset_order(n_items, epsilon=epsilon)


def _response(n_items: int, n_people: int, epsilon: float, seed: int) -> Any:
    return ldp_kwiksort(n_items, epsilon=epsilon, pivot_seed=seed)


def _laplace(n_items: int, n_people: int, epsilon: float, seed: int) -> Any:
    return ldp_kwiksort(n_items, epsilon=epsilon, pivot_seed=seed, solution="lap")


SAFE = CollectionMethod("max-entropy, safe", "ours", _safe)
TYPICAL = CollectionMethod("max-entropy, typical", "ours", _typical)
SAFARI = CollectionMethod("SAFARI", "proposed", _faithful)
REPAIRED = CollectionMethod("SAFARI, split people, shrink", "repair", _repaired)
WHOLE_RANKINGS: Mapping[str, CollectionMethod] = {
    name: _whole_ranking(name, make) for name, make in BASELINES.items()
}
"""Methods that ask for whole rankings, by the names of their mechanisms."""
ORDERS = (
    CollectionMethod("pairs", "ours", _pairs),
    CollectionMethod("subset order", "ours", _subset_order, has_short_cut=False),
    CollectionMethod("LDP-KwikSort:RR", "proposed", _response),
    CollectionMethod("LDP-KwikSort:Lap", "proposed", _laplace, has_short_cut=False),
)
"""Methods that learn one order, and no model."""

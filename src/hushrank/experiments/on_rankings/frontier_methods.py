"""Every protocol that the frontier compares, and what each makes of its reports."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hushrank.arrays import Order, Ranks
from hushrank.engines.local import run, run_without_noise, simulate
from hushrank.errors import HushrankError
from hushrank.evaluation.metrics import mean_rank_order
from hushrank.experiments.experiment import Group
from hushrank.mechanisms.local import SimulatedTally
from hushrank.protocols.learnt.learnt import Learnt
from hushrank.protocols.registry import MECHANISMS, NamedProtocol, make_protocol
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings


@dataclass(frozen=True)
class CollectionMethod:
    """A protocol under its name in the figures; without a short cut every device is simulated."""

    name: str
    group: Group
    protocol: NamedProtocol
    has_short_cut: bool = True


@dataclass(frozen=True, eq=False, repr=False)
class PublishedRows:
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
) -> PublishedRows:
    """Let people answer; publish what `hushrank collect` does by default.

    As many rows as there are people; those of max-entropy are herded.
    """
    seed = int(synthesis.integers(2**31))
    rounds = method.protocol.begin(
        people.n_items, epsilon=epsilon, n_people=people.n_people, seed=seed
    )
    if method.has_short_cut:
        learnt = simulate(rounds, people, rng=noise).result
    else:
        secret = Randomness(noise.bytes, is_private=False)
        learnt = run(rounds, people, rng=secret).result
    return publish(learnt, people, rng=synthesis)


def learn_openly(method: CollectionMethod, people: Rankings, epsilon: float) -> Learnt:
    """Return what the method learns from exact answers to the questions that it asks at epsilon."""
    rounds = method.protocol.begin(
        people.n_items, epsilon=epsilon, n_people=people.n_people, seed=0
    )
    return run_without_noise(rounds, people)


def publish(learnt: Learnt, people: Rankings, *, rng: np.random.Generator) -> PublishedRows:
    """Return the order, and as many rows as there are people where a model was learnt."""
    if learnt.model is None:
        return PublishedRows(_known(learnt.order), None)
    ranks = learnt.sample(people.n_people, rng=rng)
    if learnt.order is not None:
        return PublishedRows(learnt.order, ranks)
    return PublishedRows(mean_rank_order(Rankings(ranks, people.names)), ranks)


def further(name: str) -> CollectionMethod:
    """Return a protocol of the registry, ours or a plug-in's, to be compared; by every device."""
    return CollectionMethod(name, "compared", make_protocol(name), has_short_cut=False)


def _known(order: Order | None) -> Order:
    if order is None:
        raise HushrankError("expected a protocol that learns a model or an order, got neither")
    return order


def _whole_ranking(mechanism: str) -> CollectionMethod:
    has_short_cut = isinstance(MECHANISMS[mechanism](2, 1.0), SimulatedTally)
    return CollectionMethod(mechanism.upper(), "compared", make_protocol(mechanism), has_short_cut)


SAFE = CollectionMethod("max-entropy, safe", "ours", make_protocol("max-entropy"))
TYPICAL = CollectionMethod(
    "max-entropy, typical", "ours", make_protocol("max-entropy", {"prior": "typical"})
)
SAFARI = CollectionMethod("SAFARI", "proposed", make_protocol("safari"))
REPAIRED = CollectionMethod(
    "SAFARI, split people, shrink",
    "repair",
    make_protocol("safari", {"split": "people", "shrink": True}),
)
WHOLE_RANKINGS: Mapping[str, CollectionMethod] = {
    each.name: each for each in map(_whole_ranking, MECHANISMS)
}
"""Methods that ask for whole rankings, by the names of their mechanisms."""
ORDERS = (
    CollectionMethod("one order", "ours", make_protocol("order"), has_short_cut=False),
    CollectionMethod("pairs", "ours", make_protocol("pairs")),
    CollectionMethod("subset order", "ours", make_protocol("subset-order"), has_short_cut=False),
    CollectionMethod("LDP-KwikSort:RR", "proposed", make_protocol("ldp-kwiksort-rr")),
    CollectionMethod(
        "LDP-KwikSort:Lap", "proposed", make_protocol("ldp-kwiksort-lap"), has_short_cut=False
    ),
)
"""Methods that learn one order, and no model."""

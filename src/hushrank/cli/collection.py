"""One simulated collection: from options to an outcome beside the truth."""

from collections.abc import Generator
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, TypeAlias

import numpy as np

from hushrank.arrays import Shares
from hushrank.cli.seeds import stream
from hushrank.engines.local import Outcome, run, run_without_noise, simulate
from hushrank.errors import require
from hushrank.estimators.shares import PostProcess
from hushrank.evaluation.metrics import (
    kendall_excess,
    marginal_distance,
    mean_rank_order,
    uniform_second_order_marginals,
)
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.succinct_histogram import SuccinctHistogram
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.models.ranking_model import RankingModel
from hushrank.protocols.safari import Split, safari
from hushrank.protocols.whole_ranking import whole_ranking
from hushrank.randomness import Randomness
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings
from hushrank.rankings.ratings import break_ties
from hushrank.surveys.survey import MakeMechanism, Survey, Tallies

SECONDS_FOR_THE_OPTIMUM = 10.0

MECHANISMS: dict[str, MakeMechanism] = {
    "grr": GeneralizedRandomizedResponse,
    "rappor": SymmetricUnaryEncoding,
    "sh": SuccinctHistogram,
    "olh": OptimisedLocalHashing,
}

CollectionProtocol: TypeAlias = Generator[Survey, Tallies, RankingModel]


@dataclass(frozen=True)
class CollectOptions:
    """What the command line asked for; None where it did not say."""

    protocol: str
    epsilon: float
    leaf_size: int | None = None
    post_process: PostProcess = "simplex"
    split: Split | None = None
    shrink: bool = False
    short_cut: bool = False
    seed: int | None = None


@dataclass(frozen=True, repr=False)
class Collected:
    """A collection beside the truth that it was simulated from."""

    outcome: Outcome[RankingModel]
    synthetic: Rankings
    evaluation: dict[str, Any]
    seconds: float


def collect_rankings(rankings: Rankings, options: CollectOptions) -> Collected:
    """Run the protocol on everybody's device, synthesise as many rankings, and compare."""
    protocol, seed = _protocol(rankings.n_items, options), options.seed
    start = perf_counter()
    if options.short_cut:
        outcome = simulate(protocol, rankings, rng=stream(seed, "noise"))
    else:
        secret = Randomness.secure() if seed is None else Randomness.seeded(seed)
        outcome = run(protocol, rankings, rng=secret)
    synthetic = _synthesise(outcome.result, rankings, stream(seed, "synthesis"))
    seconds = perf_counter() - start
    return Collected(outcome, synthetic, _evaluation(synthetic, rankings, options), seconds)


def ties_broken(rankings: Rankings, seed: int | None) -> Rankings:
    """Put tied items in random order: what a person does who must give a strict ranking."""
    return break_ties(rankings, rng=stream(seed, "ties"))


def _protocol(n_items: int, options: CollectOptions) -> CollectionProtocol:
    if options.protocol == "safari":
        return safari(
            n_items,
            epsilon=options.epsilon,
            max_leaf=1 if options.leaf_size is None else options.leaf_size,
            post_process=options.post_process,
            split=options.split or "budget",
            shrink=options.shrink,
        )
    only_safari = options.leaf_size is None and options.split is None and not options.shrink
    require(only_safari, "--leaf-size, --split and --shrink go with --protocol safari")
    return whole_ranking(
        n_items,
        epsilon=options.epsilon,
        make_mechanism=MECHANISMS[options.protocol],
        post_process=options.post_process,
    )


def _synthesise(model: RankingModel, like: Rankings, rng: np.random.Generator) -> Rankings:
    return Rankings(model.sample(like.n_people, rng=rng), like.names)


def _evaluation(synthetic: Rankings, true: Rankings, options: CollectOptions) -> dict[str, Any]:
    """Compare with the truth, and with what is learnt without noise, where none is to shrink."""
    exact = run_without_noise(_protocol(true.n_items, replace(options, shrink=False)), true)
    without_noise = _synthesise(exact, true, stream(options.seed, "without noise"))
    truth = second_order_marginals(true)
    return {
        "private": False,
        "q2_distance": _distance(synthetic, truth),
        "q2_distance_uniform": marginal_distance(
            uniform_second_order_marginals(true.n_items), truth
        ),
        "q2_distance_nopriv": _distance(without_noise, truth),
        "kendall_excess": kendall_excess(
            true, mean_rank_order(synthetic), time_limit=SECONDS_FOR_THE_OPTIMUM
        ),
    }


def _distance(learnt: Rankings, truth: Shares) -> float:
    return marginal_distance(second_order_marginals(learnt), truth)

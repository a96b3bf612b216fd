"""One simulated collection: from options to an outcome beside the truth."""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from hushrank.engines.local import Outcome, run, run_without_noise, simulate
from hushrank.errors import require
from hushrank.estimators.shares import PostProcess
from hushrank.evaluation.metrics import (
    marginal_distance,
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

MECHANISMS: dict[str, MakeMechanism] = {
    "grr": GeneralizedRandomizedResponse,
    "rappor": SymmetricUnaryEncoding,
    "sh": SuccinctHistogram,
    "olh": OptimisedLocalHashing,
}

MakeProtocol = Callable[[], Generator[Survey, Tallies, RankingModel]]


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


@dataclass(frozen=True)
class Collected:
    """A collection beside the truth that it was simulated from."""

    outcome: Outcome[RankingModel]
    synthetic: Rankings
    evaluation: dict[str, float | None]
    seconds: float


def collect_rankings(rankings: Rankings, options: CollectOptions) -> Collected:
    """Run the protocol on everybody's device, synthesise as many rankings, and compare."""
    make_protocol = _protocol(rankings.n_items, options)
    drawing = np.random.default_rng(None if options.seed is None else [options.seed, 1])
    start = perf_counter()
    if options.short_cut:
        noise = np.random.default_rng(None if options.seed is None else [options.seed, 2])
        outcome = simulate(make_protocol(), rankings, rng=noise)
    else:
        secret = Randomness.secure() if options.seed is None else Randomness.seeded(options.seed)
        outcome = run(make_protocol(), rankings, rng=secret)
    synthetic = _synthesise(outcome.result, rankings, drawing)
    seconds = perf_counter() - start
    without_noise = _synthesise(run_without_noise(make_protocol(), rankings), rankings, drawing)
    evaluation = _evaluation(synthetic, without_noise, rankings)
    return Collected(outcome, synthetic, evaluation, seconds)


def ties_broken(rankings: Rankings, seed: int | None) -> Rankings:
    """Put tied items in random order: what a person does who must give a strict ranking."""
    return break_ties(rankings, rng=np.random.default_rng(None if seed is None else [seed, 0]))


def _protocol(n_items: int, options: CollectOptions) -> MakeProtocol:
    if options.protocol == "safari":
        return partial(
            safari,
            n_items,
            epsilon=options.epsilon,
            max_leaf=1 if options.leaf_size is None else options.leaf_size,
            post_process=options.post_process,
            split=options.split or "budget",
            shrink=options.shrink,
        )
    only_safari = options.leaf_size is None and options.split is None and not options.shrink
    require(only_safari, "--leaf-size, --split and --shrink go with --protocol safari")
    return partial(
        whole_ranking,
        n_items,
        epsilon=options.epsilon,
        make_mechanism=MECHANISMS[options.protocol],
        post_process=options.post_process,
    )


def _synthesise(model: RankingModel, like: Rankings, rng: np.random.Generator) -> Rankings:
    return Rankings(model.sample(like.n_people, rng=rng), like.names)


def _evaluation(synthetic: Rankings, without_noise: Rankings, true: Rankings) -> dict[str, Any]:
    truth = second_order_marginals(true)
    learnt = [second_order_marginals(rankings) for rankings in (synthetic, without_noise)]
    return {
        "q2_distance": marginal_distance(learnt[0], truth),
        "q2_distance_uniform": marginal_distance(
            uniform_second_order_marginals(true.n_items), truth
        ),
        "q2_distance_nopriv": marginal_distance(learnt[1], truth),
        "kendall_excess": None,
    }

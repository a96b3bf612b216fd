"""One simulated collection: from options to an outcome beside the truth."""

from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from hushrank.aggregators.posterior import Posterior
from hushrank.aggregators.shrinkage import posterior_of_margins, posterior_of_scores
from hushrank.arrays import Order, Shares
from hushrank.cli.protocols import CollectOptions, make_protocol
from hushrank.cli.seeds import stream
from hushrank.engines.local import run, run_without_noise, simulate
from hushrank.engines.outcome import Outcome
from hushrank.evaluation.metrics import (
    kendall_excess,
    marginal_distance,
    mean_rank_order,
    uniform_second_order_marginals,
)
from hushrank.models.ranking_model import RankingModel
from hushrank.protocols.pairs import PairOutcome
from hushrank.randomness import Randomness
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings
from hushrank.rankings.ratings import break_ties

SECONDS_FOR_THE_OPTIMUM = 10.0


@dataclass(frozen=True, repr=False)
class Collected:
    """A collection beside the truth that it was simulated from.

    `synthetic` is None where the protocol learns one order only, and `posterior`, what the reports
    leave open of that order, where it learns more.
    """

    outcome: Outcome[Any]
    order: Order
    synthetic: Rankings | None
    posterior: Posterior | None
    evaluation: dict[str, Any]
    seconds: float

    @property
    def confidence(self) -> tuple[float, ...] | None:
        """How likely each adjacent pair of the order is the right way round."""
        return None if self.posterior is None else self.posterior.pair_probabilities(self.order)


def collect_rankings(rankings: Rankings, options: CollectOptions) -> Collected:
    """Run the protocol on everybody's device, learn what it learns, and compare."""
    seed, start = options.seed, perf_counter()
    pivot_seed = int(stream(seed, "pivots").integers(2**31))
    protocol = make_protocol(rankings.n_items, options, pivot_seed=pivot_seed)
    if options.short_cut:
        outcome = simulate(protocol, rankings, rng=stream(seed, "noise"))
    else:
        secret = Randomness.secure() if seed is None else Randomness.seeded(seed)
        outcome = run(protocol, rankings, rng=secret)
    if options.is_about_order:
        order, posterior = outcome.result.order, _posterior(outcome.result)
        seconds = perf_counter() - start
        evaluation = _nothing_of_rankings() | _of_order(rankings, order)
        return Collected(outcome, order, None, posterior, evaluation, seconds)
    synthetic = _synthesise(outcome.result, rankings, stream(seed, "synthesis"))
    order, seconds = mean_rank_order(synthetic), perf_counter() - start
    evaluation = _of_rankings(synthetic, rankings, options) | _of_order(rankings, order)
    return Collected(outcome, order, synthetic, None, evaluation, seconds)


def ties_broken(rankings: Rankings, seed: int | None) -> Rankings:
    """Put tied items in random order: what a person does who must give a strict ranking."""
    return break_ties(rankings, rng=stream(seed, "ties"))


def _posterior(learnt: Any) -> Posterior:
    """Return what pair reports, or mean ranks, leave open."""
    if isinstance(learnt, PairOutcome):
        return posterior_of_margins(learnt.estimates.margins, learnt.estimates.variances)
    return posterior_of_scores(-learnt.mean_ranks, learnt.covariance)


def _synthesise(model: RankingModel, like: Rankings, rng: np.random.Generator) -> Rankings:
    return Rankings(model.sample(like.n_people, rng=rng), like.names)


def _of_rankings(synthetic: Rankings, true: Rankings, options: CollectOptions) -> dict[str, Any]:
    """Compare with the truth, and with what is learnt without noise, where none is to shrink."""
    plain = make_protocol(true.n_items, replace(options, shrink=False), pivot_seed=0)
    exact = run_without_noise(plain, true)
    without_noise = _synthesise(exact, true, stream(options.seed, "without noise"))
    truth = second_order_marginals(true)
    uniform = uniform_second_order_marginals(true.n_items)
    return {
        "private": False,
        "q2_distance": _distance(synthetic, truth),
        "q2_distance_uniform": marginal_distance(uniform, truth),
        "q2_distance_nopriv": _distance(without_noise, truth),
    }


def _nothing_of_rankings() -> dict[str, Any]:
    names = ("q2_distance", "q2_distance_uniform", "q2_distance_nopriv")
    return {"private": False} | dict.fromkeys(names)


def _of_order(true: Rankings, order: Order) -> dict[str, Any]:
    excess = kendall_excess(true, order, time_limit=SECONDS_FOR_THE_OPTIMUM)
    return {"kendall_excess": excess}


def _distance(learnt: Rankings, truth: Shares) -> float:
    return marginal_distance(second_order_marginals(learnt), truth)

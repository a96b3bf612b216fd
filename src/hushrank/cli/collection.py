"""One simulated collection: from options to an outcome beside the truth."""

from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from hushrank.aggregators.uncertainty.posterior import Posterior
from hushrank.aggregators.uncertainty.shrinkage import posterior_of_margins, posterior_of_scores
from hushrank.arrays import Order, Shares
from hushrank.cli.options import FileForm
from hushrank.cli.popular import Fitted
from hushrank.cli.protocols import AnyProtocol, CollectOptions, make_protocol
from hushrank.engines.local import run, run_without_noise, simulate
from hushrank.engines.outcome import Outcome
from hushrank.errors import require
from hushrank.evaluation.metrics import (
    kendall_excess,
    marginal_distance,
    mean_rank_order,
    uniform_second_order_marginals,
)
from hushrank.models.herding import DRAWS_OF_A_ROW, herded_rows
from hushrank.protocols.max_entropy import MaxEntropyOutcome
from hushrank.protocols.pairs import PairOutcome
from hushrank.protocols.popular_orders import PopularOrdersOutcome
from hushrank.protocols.subset_order import MeanRanks
from hushrank.randomness import Randomness
from hushrank.rankings.files import read_rankings
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings
from hushrank.rankings.ratings import break_ties as with_ties_broken
from hushrank.workflows.seeds import stream

SECONDS_FOR_THE_OPTIMUM = 10.0
MOST_HERDED_DRAWS = 5_000_000
"""Five seconds; 100,000 rows and fewer are offered all the draws they could have."""
TRUTHFUL_EPSILON = 10.0
"""Of a maximum-entropy collection whose reports are all but true and ask for the most detail."""
MOST_ITEMS_WITHOUT_NOISE = 14
"""Ten seconds: exact answers take several times as long to fit as noisy ones."""


@dataclass(frozen=True, repr=False)
class Collected:
    """A collection beside the truth that it was simulated from.

    `synthetic` is None where the protocol learns one order only, and `posterior`, what the reports
    leave open of the order, where it cannot tell.
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
    start = perf_counter()
    outcome = _collect(rankings, options)
    learnt, synthetic = outcome.result, None
    if not options.is_about_order:
        synthetic = _synthesise(learnt, rankings, options, stream(options.seed, "synthesis"))
    order, posterior = _order(learnt, synthetic), _posterior(learnt)
    seconds = perf_counter() - start
    evaluation = _of_rankings(synthetic, rankings, options) | _of_order(rankings, order, options)
    return Collected(outcome, order, synthetic, posterior, evaluation, seconds)


def read_people(
    file: Path, form: FileForm | None, options: CollectOptions, *, break_ties: bool
) -> Rankings:
    """Read rankings; tied items in random order, as of a person who must give a strict one."""
    rankings = read_rankings(file, form=None if form is None else form.value)
    if break_ties:
        rankings = with_ties_broken(rankings, rng=stream(options.seed, "ties"))
    takes = "`hushrank aggregate` takes such ballots, max-entropy with --unranked"
    is_taken = rankings.is_complete or options.unranked is not None
    require(is_taken, f"some items are unranked: {takes}")
    require(rankings.is_strict, "expected strict rankings, some items are tied: see --break-ties")
    return rankings


def _collect(rankings: Rankings, options: CollectOptions) -> Outcome[Any]:
    seed = options.seed
    protocol = _protocol(rankings, options, int(stream(seed, "pivots").integers(2**31)))
    if options.short_cut:
        return simulate(protocol, rankings, rng=stream(seed, "noise"))
    secret = Randomness.secure() if seed is None else Randomness.seeded(seed)
    return run(protocol, rankings, rng=secret)


def _protocol(rankings: Rankings, options: CollectOptions, pivot_seed: int) -> AnyProtocol:
    n_items, n_people = rankings.n_items, rankings.n_people
    return make_protocol(n_items, options, n_people=n_people, pivot_seed=pivot_seed)


def _order(learnt: Any, synthetic: Rankings | None) -> Order:
    """Return the order that was learnt, or that of the mean ranks where only a model was."""
    if synthetic is None or isinstance(learnt, Fitted):
        order: Order = learnt.order
        return order
    return mean_rank_order(synthetic)


def _posterior(learnt: Any) -> Posterior | None:
    """Return what the reports leave open of the order, where the protocol can tell."""
    match learnt:
        case MaxEntropyOutcome() | PopularOrdersOutcome():
            return learnt.posterior
        case PairOutcome():
            return posterior_of_margins(learnt.estimates.margins, learnt.estimates.variances)
        case MeanRanks():
            return posterior_of_scores(-learnt.mean_ranks, learnt.covariance)
    return None


def _synthesise(
    learnt: Any, like: Rankings, options: CollectOptions, rng: np.random.Generator
) -> Rankings:
    """Draw as many rankings as there are people from the model."""
    n_people, model = like.n_people, learnt
    if isinstance(learnt, Fitted):
        model = learnt.model
    if options.drawing == "independent":
        return Rankings(model.sample(n_people, rng=rng), like.names)
    n_draws = max(1, min(DRAWS_OF_A_ROW, MOST_HERDED_DRAWS // n_people))
    return Rankings(herded_rows(model, n_people, rng=rng, draws_of_a_row=n_draws), like.names)


def _of_rankings(
    synthetic: Rankings | None, true: Rankings, options: CollectOptions
) -> dict[str, Any]:
    """Compare with the truth, where there is something to compare, and with uniform rankings."""
    if synthetic is None or not true.is_complete:
        return _nothing_of_rankings()
    truth = second_order_marginals(true)
    uniform = uniform_second_order_marginals(true.n_items)
    return {
        "private": False,
        "q2_distance": _distance(synthetic, truth),
        "q2_distance_uniform": marginal_distance(uniform, truth),
        "q2_distance_nopriv": _distance_without_noise(true, truth, options),
    }


def _distance_without_noise(true: Rankings, truth: Shares, options: CollectOptions) -> float | None:
    """Compare what is learnt when nothing is hidden, the same whatever is done about noise."""
    plain = replace(options, shrink=False)
    if options.protocol == "max-entropy":
        if true.n_items > MOST_ITEMS_WITHOUT_NOISE:
            return None
        plain = replace(options, epsilon=TRUTHFUL_EPSILON)
    exact = run_without_noise(_protocol(true, plain, 0), true)
    rng = stream(options.seed, "without noise")
    return _distance(_synthesise(exact, true, options, rng), truth)


def _nothing_of_rankings() -> dict[str, Any]:
    names = ("q2_distance", "q2_distance_uniform", "q2_distance_nopriv")
    return {"private": False} | dict.fromkeys(names)


def _of_order(true: Rankings, order: Order, options: CollectOptions) -> dict[str, Any]:
    meaning, seconds = options.unranked or "unknown", SECONDS_FOR_THE_OPTIMUM
    return {"kendall_excess": kendall_excess(true, order, unranked=meaning, time_limit=seconds)}


def _distance(learnt: Rankings, truth: Shares) -> float:
    return marginal_distance(second_order_marginals(learnt), truth)

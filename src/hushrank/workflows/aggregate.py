"""One aggregation, from options to an order beside the exact optimum."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from time import perf_counter
from typing import Any

from hushrank.aggregators.borda import borda
from hushrank.aggregators.exact.kemeny import KemenyOrder, kemeny
from hushrank.aggregators.kwiksort import kwiksort
from hushrank.aggregators.private.auto import auto
from hushrank.aggregators.private.borda import (
    gaussian_borda,
    p_borda,
    p_borda_centred,
    p_borda_knorm,
)
from hushrank.aggregators.private.histogram import p_borda_hist
from hushrank.aggregators.private.kemeny import gaussian_kemeny, p_sample
from hushrank.aggregators.private.order import PrivateOrder
from hushrank.aggregators.private.posterior import posterior_of_release
from hushrank.aggregators.private.quicksort import dp_kwiksort, p_sort
from hushrank.aggregators.uncertainty.posterior import Posterior
from hushrank.arrays import Counts, Order
from hushrank.errors import require
from hushrank.evaluation.metrics import average_kendall_tau
from hushrank.randomness import Randomness
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from hushrank.workflows.seeds import stream

WITHOUT_PRIVACY = ("borda", "kwiksort", "kemeny")
PURE: dict[str, Callable[..., PrivateOrder]] = {
    "p-borda": p_borda,
    "p-borda-centred": p_borda_centred,
    "p-borda-knorm": p_borda_knorm,
    "p-sort": p_sort,
    "p-sample": p_sample,
    "dp-kwiksort": dp_kwiksort,
}
WITH_DELTA: dict[str, Callable[..., PrivateOrder]] = {
    "gaussian-borda": gaussian_borda,
    "gaussian-kemeny": gaussian_kemeny,
}
NOT_PRIVATE = "Not private: the order is computed from the raw ballots."


@dataclass(frozen=True)
class AggregateOptions:
    """What the command line asked for; None where it did not say."""

    method: str
    epsilon: float | None
    delta: float | None
    unranked: str
    time_limit: float
    seed: int | None

    @property
    def is_private_method(self) -> bool:
        """Whether the method spends epsilon."""
        return self.method not in WITHOUT_PRIVACY

    def require_usable(self) -> None:
        """Raise HushrankError, before a file is read, unless method and budget belong together."""
        in_time = self.time_limit > 0
        require(in_time, f"expected a positive --time-limit, got {self.time_limit}")
        if not self.is_private_method:
            require(self.epsilon is not None or self.delta is None, "--delta needs --epsilon")
            free = self.epsilon is None and self.delta is None
            require(
                free, f"{self.method} is not private: --epsilon and --delta need another method"
            )
            return
        require(self.epsilon is not None, f"{self.method} needs --epsilon")
        if self.method in WITH_DELTA:
            require(self.delta is not None, f"{self.method} needs --delta, such as 1e-6")
        else:
            takes_delta = self.method == "auto" or self.delta is None
            require(takes_delta, f"{self.method} is pure: --delta goes with gaussian-* and auto")


@dataclass(frozen=True, eq=False, repr=False)
class Aggregated:
    """An order, how it was made, and how near it is to the optimum of the raw ballots."""

    order: Order
    private: PrivateOrder | None
    counts: Counts
    seconds: float
    tau: float
    best: KemenyOrder
    best_tau: float

    @cached_property
    def posterior(self) -> Posterior | None:
        """What the release leaves open, if it tells."""
        return None if self.private is None else posterior_of_release(self.private)

    @cached_property
    def confidence(self) -> tuple[float, ...] | None:
        """How likely each adjacent pair is the right way round, from the release alone."""
        if self.posterior is not None:
            return self.posterior.pair_probabilities(self.order)
        return None if self.private is None else self.private.confidence

    @property
    def guarantee(self) -> str:
        """What the order protects, in one line."""
        return NOT_PRIVATE if self.private is None else self.private.statement

    @property
    def gap(self) -> float:
        """By how much a better order could at most undercut the best one found, normalised."""
        return self.best.gap * self.best_tau / self.best.cost if self.best.cost else 0.0


def aggregate_rankings(rankings: Rankings, options: AggregateOptions) -> Aggregated:
    """Return the order of the method beside the exact optimum."""
    start = perf_counter()
    counts = majority(rankings, unranked="last" if options.unranked == "last" else "unknown")
    found = _private(rankings, counts, options) if options.is_private_method else None
    best = kemeny(counts, time_limit=options.time_limit) if options.method == "kemeny" else None
    order = found.order if found else best.order if best else _raw_order(counts, options)
    seconds = perf_counter() - start
    best = best or kemeny(counts, time_limit=options.time_limit)
    tau = partial(average_kendall_tau, counts, n_people=rankings.n_people)
    return Aggregated(order, found, counts, seconds, tau(order), best, tau(best.order))


def _raw_order(counts: Counts, options: AggregateOptions) -> Order:
    if options.method == "borda":
        return borda(counts)
    return kwiksort(counts, rng=stream(options.seed, "pivots"))


def _private(rankings: Rankings, counts: Counts, options: AggregateOptions) -> PrivateOrder:
    seed, method = options.seed, options.method
    rng = Randomness.secure() if seed is None else Randomness.seeded(seed)
    budget: dict[str, Any] = {"epsilon": options.epsilon, "rng": rng}
    if method == "p-borda-hist":
        return p_borda_hist(rankings, **budget)
    if method == "auto":
        return auto(counts, delta=options.delta, **budget)
    if method in WITH_DELTA:
        if method == "gaussian-kemeny":
            budget["time_limit"] = options.time_limit
        return WITH_DELTA[method](counts, delta=options.delta, **budget)
    return PURE[method](counts, **budget)

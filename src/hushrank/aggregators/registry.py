"""Every way from ballots to one order, by name: what it promises, what it needs.

This is the only list of them: the workflow `aggregate`, the command line and the tests read it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from hushrank.aggregators.borda import borda
from hushrank.aggregators.exact.kemeny import kemeny
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
from hushrank.aggregators.private.quicksort import dp_kwiksort, p_sort
from hushrank.aggregators.raw_order import Ballots, RawOrder
from hushrank.errors import require
from hushrank.randomness import Randomness

MethodName: TypeAlias = Literal[
    "auto",
    "p-borda",
    "p-borda-centred",
    "p-borda-knorm",
    "p-borda-hist",
    "p-sort",
    "dp-kwiksort",
    "p-sample",
    "gaussian-borda",
    "gaussian-kemeny",
    "kemeny",
    "borda",
    "kwiksort",
]
"""What users call the methods."""


@dataclass(frozen=True, eq=False, repr=False)
class AggregationTerms:
    """On what terms an order is made: what it may cost, how long it may take, what it draws from.

    epsilon in nats and delta, None where not given; seconds; `rng` protects people, `pivots` are
    the random choices of a method that protects nobody.
    """

    epsilon: float | None
    delta: float | None
    time_limit: float
    rng: Randomness
    pivots: np.random.Generator


Run: TypeAlias = Callable[[Ballots, AggregationTerms], PrivateOrder | RawOrder]


@dataclass(frozen=True)
class AggregationMethod:
    """A method by name. `epsilon` and `delta`: whether it must have one, may, or has no use for it.

    A method without an epsilon computes its order from the raw ballots. `from_counts`: whether it
    needs nothing but pair counts. `is_timed`: whether it ends at the time limit at the latest.
    """

    name: MethodName
    run: Run
    epsilon: Literal["needed", "refused"] = "needed"
    delta: Literal["needed", "welcome", "refused"] = "refused"
    from_counts: bool = True
    is_timed: bool = False

    @property
    def is_private(self) -> bool:
        """Whether the method protects ballots, at the cost of an epsilon."""
        return self.epsilon == "needed"

    def require_budget(self, epsilon: float | None, delta: float | None) -> None:
        """Raise HushrankError unless epsilon and delta are given where the method has them."""
        if not self.is_private:
            require(epsilon is not None or delta is None, "a delta needs an epsilon")
            message = f"{self.name} is not private: epsilon and delta need another method"
            require(epsilon is None, message)
            return
        require(epsilon is not None, f"{self.name} needs an epsilon")
        lacks = self.delta == "needed" and delta is None
        require(not lacks, f"{self.name} needs a delta, such as 1e-6")
        has_use = self.delta != "refused" or delta is None
        require(has_use, f"{self.name} is pure: a delta goes with gaussian-* and auto")


def method_named(
    name: str | None, *, epsilon: float | None = None, delta: float | None = None
) -> AggregationMethod:
    """Return the method of this name, checked against the budget.

    None stands for `auto` with an epsilon, and for the exact `kemeny` without one.
    Raises HushrankError for an unknown name, and for a budget that the method does not take.
    """
    chosen = name or ("kemeny" if epsilon is None else "auto")
    require(chosen in METHODS, f"expected a method of {', '.join(METHODS)}, got {chosen}")
    METHODS[chosen].require_budget(epsilon, delta)
    return METHODS[chosen]


def _pure(release: Callable[..., PrivateOrder]) -> Run:
    return lambda ballots, terms: release(ballots.counts, epsilon=terms.epsilon, rng=terms.rng)


def _with_delta(release: Callable[..., PrivateOrder]) -> Run:
    return lambda ballots, terms: release(
        ballots.counts, epsilon=terms.epsilon, delta=terms.delta, rng=terms.rng
    )


def _in_time(release: Callable[..., PrivateOrder]) -> Run:
    return lambda ballots, terms: _with_delta(partial(release, time_limit=terms.time_limit))(
        ballots, terms
    )


def _of_whole_rankings(release: Callable[..., PrivateOrder]) -> Run:
    return lambda ballots, terms: release(ballots.whole, epsilon=terms.epsilon, rng=terms.rng)


def _exact(ballots: Ballots, terms: AggregationTerms) -> RawOrder:
    best = kemeny(ballots.counts, time_limit=terms.time_limit)
    return RawOrder(best.order, "kemeny", ballots, best)


def _by_scores(ballots: Ballots, terms: AggregationTerms) -> RawOrder:
    return RawOrder(borda(ballots.counts), "borda", ballots)


def _by_pivots(ballots: Ballots, terms: AggregationTerms) -> RawOrder:
    return RawOrder(kwiksort(ballots.counts, rng=terms.pivots), "kwiksort", ballots)


METHODS: Mapping[str, AggregationMethod] = {
    method.name: method
    for method in (
        AggregationMethod("auto", _with_delta(auto), delta="welcome"),
        AggregationMethod("p-borda", _pure(p_borda)),
        AggregationMethod("p-borda-centred", _pure(p_borda_centred)),
        AggregationMethod("p-borda-knorm", _pure(p_borda_knorm)),
        AggregationMethod("p-borda-hist", _of_whole_rankings(p_borda_hist), from_counts=False),
        AggregationMethod("p-sort", _pure(p_sort)),
        AggregationMethod("dp-kwiksort", _pure(dp_kwiksort)),
        AggregationMethod("p-sample", _pure(p_sample)),
        AggregationMethod("gaussian-borda", _with_delta(gaussian_borda), delta="needed"),
        AggregationMethod(
            "gaussian-kemeny", _in_time(gaussian_kemeny), delta="needed", is_timed=True
        ),
        AggregationMethod("kemeny", _exact, "refused", from_counts=False, is_timed=True),
        AggregationMethod("borda", _by_scores, epsilon="refused", from_counts=False),
        AggregationMethod("kwiksort", _by_pivots, epsilon="refused", from_counts=False),
    )
}
"""Private methods first: whether a delta is needed stands beside each."""

"""One order from noisy pair reports, in the way asked for, or in the way that suits them."""

from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

import numpy as np

from hushrank.aggregators.borda import borda
from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.aggregators.exact.subset_program import MOST_ITEMS_OF_SETS
from hushrank.aggregators.from_reports.cross_validation import choose_by_cross_validation
from hushrank.aggregators.from_reports.pair_estimates import PairReports, estimate_pairs
from hushrank.aggregators.from_reports.pair_scores import PairScores
from hushrank.aggregators.kwiksort import kwiksort
from hushrank.arrays import Order
from hushrank.errors import require
from hushrank.rankings.distances import improved_order

PairPostProcess: TypeAlias = Literal["auto", "scores", "kwiksort", "borda", "kemeny"]
"""How reports become an order: `scores` sorts by PairScores, `auto` chooses by the reports."""


def require_pair_post_process(post_process: PairPostProcess) -> None:
    """Raise HushrankError unless it is one: protocols ask before anybody has answered."""
    known = get_args(PairPostProcess)
    require(
        post_process in known,
        f"post_process: expected one of {', '.join(known)}, got {post_process}",
    )


def order_from_pairs(
    reports: PairReports,
    post_process: PairPostProcess = "auto",
    *,
    seed: int,
    time_limit: float | None = None,
) -> tuple[Order, PairPostProcess]:
    """Return an order, best first, and how it was found: never `auto` itself.

    `seed` = KwikSort's pivots and the folds of `auto`, which takes PairScores unless exact Kemeny
    (beyond 22 items: single moves from Borda) or Borda foretell held-out reports better.
    `time_limit` bounds `kemeny`, in seconds. Deterministic unless that runs out.
    Privacy: post-processing, costs nothing.   Raises HushrankError for an unknown way.
    """
    require_pair_post_process(post_process)
    rng = np.random.default_rng(seed)
    if post_process == "auto":
        ways = {"scores": _by_scores, "kemeny": _near_kemeny, "borda": _by_borda}
        chosen = choose_by_cross_validation(reports, ways, rng=rng)
        return ways[chosen](reports), chosen  # type: ignore[return-value]  # one of its own keys
    majority = estimate_pairs(reports).majority
    methods: dict[str, Callable[[], Order]] = {
        "scores": lambda: _by_scores(reports),
        "kwiksort": lambda: kwiksort(majority, rng=rng),
        "borda": lambda: borda(majority),
        "kemeny": lambda: kemeny(majority, time_limit=time_limit).order,
    }
    return methods[post_process](), post_process


def _by_scores(reports: PairReports) -> Order:
    return PairScores.fit(reports).order


def _by_borda(reports: PairReports) -> Order:
    return borda(estimate_pairs(reports).majority)


def _near_kemeny(reports: PairReports) -> Order:
    majority = estimate_pairs(reports).majority
    if reports.n_items <= MOST_ITEMS_OF_SETS:
        return kemeny(majority).order
    return improved_order(majority, borda(majority))

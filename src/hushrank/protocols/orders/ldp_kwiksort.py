"""LDP-KwikSort: noisy answers to pairs, sorted around random pivots."""

from collections.abc import Generator
from fractions import Fraction
from math import comb

from hushrank.accounting.rounding import float_above
from hushrank.aggregators.from_reports.pair_estimates import estimate_pairs
from hushrank.aggregators.from_reports.pair_orders import (
    PairPostProcess,
    order_from_pairs,
    require_pair_post_process,
)
from hushrank.mechanisms.local import LocalMechanism, require_parameters
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.thresholded_laplace import ThresholdedLaplace
from hushrank.protocols.orders.pairs import (
    PairOutcome,
    pair_reports,
    pair_survey,
    require_pair_parameters,
    response_at,
)
from hushrank.protocols.orders.query_counts import Solution, paper_queries, require_solution
from hushrank.surveys.survey import Round, RoundTallies


def ldp_kwiksort(
    n_items: int,
    *,
    epsilon: float,
    pivot_seed: int,
    solution: Solution = "rr",
    n_queries: int | None = None,
    post_process: PairPostProcess = "kwiksort",
) -> Generator[Round, RoundTallies, PairOutcome]:
    """Ask K distinct pairs at epsilon / K each; sort by the signs of the debiased margins.

    Deterministic in the tallies and `pivot_seed`; a tied pair falls to a random side. The same
    reports can be turned into an order in other ways, too: `order_from_pairs`.
    Privacy: epsilon-LDP for each person, in nats. `lap`: epsilon is nominal, and the true loss,
    which the survey and `PairOutcome.epsilons` state, is K ln(2 exp(epsilon / 2K) - 1), less.
    Raises HushrankError, before anybody is asked, for parameters that do not fit.
    Source: Yan, Li, Liu (arXiv 2019).   Differs from the source: a person reports the true answer
    with probability p, not 1; an item goes left of a pivot when more people put it before.
    """
    require_pair_parameters(n_items, n_queries)
    require_parameters(2, epsilon)
    require_solution(solution)
    require_pair_post_process(post_process)
    n_pairs = comb(n_items, 2)
    asked = paper_queries(epsilon, n_pairs, solution) if n_queries is None else n_queries
    mechanism = _mechanism(epsilon, asked, solution)
    price = _price(mechanism, asked) if solution == "lap" else epsilon
    survey = pair_survey(n_items, mechanism, price, asked)
    reports = yield from pair_reports(n_items, [survey])
    order, used = order_from_pairs(reports, post_process, seed=pivot_seed)
    estimates = estimate_pairs(reports)
    return PairOutcome(order, estimates, used, (asked,), (survey.epsilon,), reports)


def _mechanism(
    epsilon: float, n_answers: int, solution: Solution
) -> GeneralizedRandomizedResponse | ThresholdedLaplace:
    if solution == "lap":
        return ThresholdedLaplace(epsilon / n_answers)
    return response_at(epsilon, n_answers)


def _price(mechanism: LocalMechanism, n_answers: int) -> float:
    """Return what the answers cost together, in nats, rounded up."""
    return float_above(Fraction(mechanism.epsilon) * n_answers)

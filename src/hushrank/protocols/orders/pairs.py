"""Ask everybody a few pairs, and turn all reports together into one order."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

from hushrank.accounting.composition import share_of
from hushrank.aggregators.from_reports.pair_estimates import (
    PairEstimates,
    PairReports,
    estimate_pairs,
)
from hushrank.aggregators.from_reports.pair_orders import (
    PairPostProcess,
    order_from_pairs,
    require_pair_post_process,
)
from hushrank.arrays import Order
from hushrank.errors import require
from hushrank.mechanisms.local import LocalMechanism
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.protocols.orders.query_counts import best_queries
from hushrank.protocols.personal_budgets import budget_levels
from hushrank.questions.relative_order import RelativeOrder
from hushrank.surveys.survey import EVERY_BUDGET, Round, RoundTallies, Survey

MOST_ITEMS = 1000
"""1000 items have 499,500 pairs."""


@dataclass(frozen=True, repr=False)
class PairOutcome:
    """The order, best first, what is known of each pair, and how both came about.

    `n_queries` = pairs asked of a person, and `epsilons` = their true privacy loss, for each
    budget, ascending. `reports` let other post-processings be tried on the same reports.
    """

    order: Order
    estimates: PairEstimates
    post_process: PairPostProcess
    n_queries: tuple[int, ...]
    epsilons: tuple[float, ...]
    reports: PairReports


def pairs(
    n_items: int,
    *,
    epsilon: float | Sequence[float],
    seed: int,
    n_queries: int | None = None,
    post_process: PairPostProcess = "auto",
    time_limit: float | None = None,
) -> Generator[Round, RoundTallies, PairOutcome]:
    """Ask each person `n_queries` distinct pairs, through randomised response at epsilon / K each.

    With several epsilons people have budgets of their own: each epsilon has a survey, which asks
    those for whom it is the largest epsilon within their budget. `n_queries` = `best_queries` by
    default.
    Deterministic in the tallies and `seed`, see `order_from_pairs`.
    Privacy: epsilon-LDP for each person, in nats: their own where there are several.
    Raises HushrankError, before anybody is asked, for parameters that do not fit, and when nobody
    answered.
    """
    levels = budget_levels(epsilon)
    require_pair_parameters(n_items, n_queries)
    require_pair_post_process(post_process)
    if time_limit is not None:
        require(time_limit > 0, f"expected a positive time limit, got {time_limit}")
    n_pairs = comb(n_items, 2)
    asked = [best_queries(each, n_pairs) if n_queries is None else n_queries for each, _ in levels]
    surveys = [
        pair_survey(n_items, response_at(each, n_answers), each, n_answers, budgets=budgets)
        for (each, budgets), n_answers in zip(levels, asked, strict=True)
    ]
    reports = yield from pair_reports(n_items, surveys)
    require(reports.counts.any(), "cannot learn an order from 0 reports")
    order, used = order_from_pairs(reports, post_process, seed=seed, time_limit=time_limit)
    prices = tuple(survey.epsilon for survey in surveys)
    return PairOutcome(order, estimate_pairs(reports), used, tuple(asked), prices, reports)


def require_pair_parameters(n_items: int, n_queries: int | None) -> None:
    """Raise HushrankError unless there are items to compare, and as many pairs as queries."""
    require(2 <= n_items <= MOST_ITEMS, f"pairs takes 2 to {MOST_ITEMS} items, got {n_items}")
    n_pairs = comb(n_items, 2)
    fits = n_queries is None or 1 <= n_queries <= n_pairs
    require(fits, f"expected 1 to {n_pairs} queries of {n_items} items, got {n_queries}")


@lru_cache(maxsize=8)
def pair_survey(
    n_items: int,
    mechanism: LocalMechanism,
    epsilon: float,
    n_answers: int,
    *,
    budgets: tuple[float, float] = EVERY_BUDGET,
) -> Survey:
    """Return the survey that asks `n_answers` of all pairs a < b through one mechanism."""
    questions = _pair_questions(n_items)
    mechanisms = (mechanism,) * len(questions)
    return Survey("pairs", questions, mechanisms, epsilon, n_answers, budgets=budgets)


def pair_reports(
    n_items: int, surveys: Sequence[Survey]
) -> Generator[Round, RoundTallies, PairReports]:
    """Yield the surveys, of different people, and return all their reports."""
    layers = []
    for survey, tallies in zip(surveys, (yield tuple(surveys)), strict=True):
        mechanism, n_answers = survey.local_mechanisms[0], survey.answers_per_person
        layers.append(PairReports.from_tallies(n_items, mechanism, tallies, n_answers))
    reports, *others = layers
    for other in others:
        reports = reports + other
    return reports


def response_at(epsilon: float, n_answers: int) -> GeneralizedRandomizedResponse:
    """Return the response of which n_answers cost at most epsilon in all, exactly."""
    return GeneralizedRandomizedResponse(2, share_of(epsilon, n_answers))


@lru_cache(maxsize=8)  # of a thousand items they take 80 MB
def _pair_questions(n_items: int) -> tuple[RelativeOrder, ...]:
    return tuple(RelativeOrder(pair) for pair in combinations(range(n_items), 2))

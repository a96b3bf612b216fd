"""One round that also finds the exact orders which many people hold."""

from collections.abc import Generator
from dataclasses import dataclass
from functools import cached_property, reduce
from math import ceil, exp
from operator import add
from typing import cast

import numpy as np

from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.aggregators.uncertainty.posterior import Posterior
from hushrank.arrays import Order, Shares
from hushrank.errors import require
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.popular.candidate_orders import candidate_orders, n_prefix_places
from hushrank.estimators.popular.estimates import beside, with_popular
from hushrank.estimators.popular.hash_supports import HashedReports
from hushrank.estimators.popular.in_hashed_reports import PopularSearch
from hushrank.estimators.prior_scale import Prior, require_prior
from hushrank.estimators.ranks.estimates import RankEstimates
from hushrank.estimators.ranks.fit import RankFit, fit_ranks
from hushrank.models.max_entropy.rank_potentials import RankPotentials
from hushrank.models.popular_orders import PopularOrders, PopularOrdersModel
from hushrank.protocols.distributions.max_entropy import (
    MOST_ITEMS,
    MaxEntropyOutcome,
    posterior_of_estimates,
)
from hushrank.protocols.distributions.question_mix import Mix, choose_mix, mix_surveys
from hushrank.questions.hashed import Hashed
from hushrank.questions.top_order import TopOrder
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.survey import Round, RoundTallies, Survey

FEWEST_ITEMS = 4
"""The family describes every population of 3 items as it is."""
ASKED_SHARE = 0.3
"""Of the people, for their order; the others are asked what max_entropy asks."""
N_FUNCTIONS = 256
MOST_BUCKETS = 256
MOST_ROUNDS = 5
CLOSE = 1e-3


@dataclass(frozen=True, eq=False, repr=False)
class PopularOrdersOutcome:
    """The orders that were found, and the outcome of `max_entropy` for the rest of the people.

    `popular`: the orders with their shares, the most popular first. share_errors (orders,) and
    share_error = standard errors of the share of each popular order and of all together, as if the
    rest were known: of few items it can take a part of popular orders, and they of it, so that
    errors are up to twice as large.
    """

    rest: MaxEntropyOutcome
    popular: PopularOrders
    share_errors: Shares
    share_error: float

    def __repr__(self) -> str:
        """Say what was asked and how, in one line."""
        n_orders = len(self.popular.shares)
        return f"PopularOrdersOutcome({n_orders} orders; {self.rest.asked_and_fitted})"

    @cached_property
    def model(self) -> PopularOrdersModel:
        """The model of everybody."""
        return PopularOrdersModel(self.popular, cast(RankPotentials, self.rest.model))

    @cached_property
    def order(self) -> Order:
        """The items, best first: they disagree least with the model."""
        return kemeny(self.model.precedences).order

    @cached_property
    def estimates(self) -> RankEstimates:
        """Rank shares and precedences with standard errors, see `MaxEntropyOutcome`."""
        return with_popular(self.rest.estimates, self.popular, self.share_errors)

    @cached_property
    def posterior(self) -> Posterior:
        """How likely each pair of neighbours in `order` is right, and rank intervals of items."""
        return posterior_of_estimates(self.estimates)


def popular_orders(
    n_items: int,
    *,
    epsilon: float,
    n_people: int,
    function_seed: int,
    prior: Prior = "safe",
    mix: Mix | None = None,
) -> Generator[Round, RoundTallies, PopularOrdersOutcome]:
    """Ask 7 of 10 people as `max_entropy` does, and the others for their order, hashed.

    It is made for populations in which many people hold exactly the same ranking, as how-to-vote
    cards make them, from an epsilon of about 2; elsewhere the 3 of 10 are lost to the model. Of 8
    and more items half of the 3 are asked for their first places only: which beginnings are likely
    decides which few whole orders become candidates. That is known after the one round.
    No sets are named: of people who agree so much, levels and exact ranks tell more.
    Deterministic in the tallies and `function_seed`, which draws the public hash functions.
    `n_people`, how many are expected, chooses the mix.
    Privacy: epsilon-LDP for each person, in nats: one report each.   Cost: up to 12 `fit_ranks`.
    Raises HushrankError as `max_entropy` does, and for fewer than 4 items.
    """
    fits = FEWEST_ITEMS <= n_items <= MOST_ITEMS
    require(fits, f"popular_orders takes {FEWEST_ITEMS} to {MOST_ITEMS} items, got {n_items}")
    require_prior(prior)
    chosen = mix_of_rest(n_items, epsilon=epsilon, n_people=n_people) if mix is None else mix
    of_rest = mix_surveys(chosen, n_items, epsilon, lots=(ASKED_SHARE, 1.0))
    of_orders = order_surveys(n_items, epsilon, function_seed)
    surveys = (*of_rest, *of_orders)
    asked = [
        (survey.questions, survey.local_mechanisms, tallies)
        for survey, tallies in zip(surveys, (yield surveys), strict=True)
    ]
    n_reports = sum(tally.n_reports for *_, tallies in asked for tally in tallies)
    require(n_reports > 0, "cannot fit a model to 0 reports")
    parts = [ReportLikelihood.of(n_items, *each) for each in asked[: len(of_rest)]]
    reports = [HashedReports.of(*each) for each in asked[len(of_rest) :]]
    candidates = candidate_orders(n_items, reports[0] if len(reports) > 1 else None)
    search = PopularSearch.among(candidates, reports[-1], n_items)
    shares, fit = _most_likely(reduce(add, parts), search, prior)
    rest = MaxEntropyOutcome((epsilon,), (chosen,), prior, fit)
    return PopularOrdersOutcome(rest, search.popular(shares), *search.errors(shares))


def mix_of_rest(n_items: int, *, epsilon: float, n_people: int) -> Mix:
    """Return what those are asked whose orders are not asked for."""
    n_rest = ceil((1 - ASKED_SHARE) * n_people)
    return choose_mix(n_items, epsilon=epsilon, n_people=n_rest, unranked="last")


def order_surveys(n_items: int, epsilon: float, function_seed: int) -> tuple[Survey, ...]:
    """Return the surveys of people's orders, of different people: prefixes, if needed, and whole.

    Each person is asked into which of g = round(e^epsilon) + 1 buckets, at most 256, one of 256
    public functions puts their answer: optimised local hashing with shared functions.
    Differs from the source: a few functions, drawn in advance, are the questions of a survey, so
    that the tally is a sum of counts and randomised response hides the bucket; their collisions
    are known, not averaged out.   Source: Cormode, Maddock, Maple (VLDB 2021), fast local hashing.
    """
    n_places = n_prefix_places(n_items)
    whole = TopOrder(n_items, n_items)
    rng = np.random.default_rng(function_seed)
    if n_places is None:
        return (_hashed_survey("orders", whole, epsilon, (0.0, ASKED_SHARE), rng),)
    first = TopOrder(n_items, n_places)
    return (
        _hashed_survey("first places", first, epsilon, (0.0, ASKED_SHARE / 2), rng),
        _hashed_survey("orders", whole, epsilon, (ASKED_SHARE / 2, ASKED_SHARE), rng),
    )


def _hashed_survey(
    name: str,
    question: TopOrder,
    epsilon: float,
    lots: tuple[float, float],
    rng: np.random.Generator,
) -> Survey:
    n_buckets = max(2, min(MOST_BUCKETS, round(exp(min(epsilon, MOST_BUCKETS))) + 1))
    functions = rng.integers(0, 2**64, size=(N_FUNCTIONS, 2), dtype=np.uint64).tolist()
    questions = [Hashed(question, a, b, n_buckets) for a, b in functions]
    return sampled_survey(name, questions, epsilon, lots=lots)


def _most_likely(
    likelihood: ReportLikelihood, search: PopularSearch, prior: Prior
) -> tuple[Shares, RankFit]:
    """Search from no popular order; from the boldest one, too, should that leave it out."""
    shares, fit = _found(likelihood, search, prior, search.nothing())
    bold = search.boldest()
    if bold.any() and not shares[bold > 0].any():
        both = (shares, fit), _found(likelihood, search, prior, bold)
        shares, fit = max(both, key=lambda found: search.log_evidence(*found))
    return shares, fit


def _found(
    likelihood: ReportLikelihood, search: PopularSearch, prior: Prior, shares: Shares
) -> tuple[Shares, RankFit]:
    """Find orders beside the rest and fit the rest beside the orders, in turn."""
    fit = fit_ranks(beside(likelihood, search.popular(shares)), prior=prior)
    for _ in range(MOST_ROUNDS):
        before, shares = shares, search.improved(shares, fit.point.model)
        if np.abs(shares - before).max(initial=0.0) <= CLOSE:
            break
        fit = fit_ranks(beside(likelihood, search.popular(shares)), prior=prior)
    return shares, fit

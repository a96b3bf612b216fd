"""One round that also finds the exact orders which many people hold."""

from collections.abc import Generator
from dataclasses import dataclass
from functools import cached_property, reduce
from math import ceil, exp
from operator import add

import numpy as np

from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.aggregators.uncertainty.posterior import Belief, Posterior
from hushrank.arrays import Order, Shares
from hushrank.errors import require
from hushrank.estimators.candidate_orders import candidate_orders, n_prefix_places
from hushrank.estimators.hashed_reports import HashedReports
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.popular_estimates import beside, with_popular
from hushrank.estimators.popular_orders import PopularSearch
from hushrank.estimators.prior_scale import Prior, require_prior
from hushrank.estimators.rank_estimates import RankEstimates
from hushrank.estimators.rank_fit import RankFit, fit_ranks
from hushrank.models.popular_orders import PopularOrders, PopularOrdersModel
from hushrank.protocols.max_entropy import MOST_ITEMS
from hushrank.protocols.question_mix import Mix, choose_mix, describe_mix, mix_surveys
from hushrank.questions.hashed import Hashed
from hushrank.questions.top_order import TopOrder
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.survey import Survey, Tallies

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
    """What `MaxEntropyOutcome` says, and the popular orders.

    share_errors (orders,) and share_error = standard errors of the share of each popular order and
    of all together, as if the rest were known: of few items it can take a part of popular orders,
    and they of it, so that errors are up to twice as large. `fit` = that of the rest.
    """

    model: PopularOrdersModel
    order: Order
    mix: Mix
    prior: Prior
    fit: RankFit
    share_errors: Shares
    share_error: float

    def __repr__(self) -> str:
        """Say what was asked and how, in one line."""
        asked = f"{describe_mix(self.mix)}; {self.prior} prior, {self.scale:.3g}"
        return f"PopularOrdersOutcome({len(self.popular.shares)} orders; {asked})"

    @property
    def popular(self) -> PopularOrders:
        """The orders that were found, with their shares, the most popular first."""
        return self.model.popular

    @property
    def scale(self) -> float:
        """The scale of the prior of the rest."""
        return self.fit.scale

    @cached_property
    def estimates(self) -> RankEstimates:
        """Rank shares and precedences with standard errors, see `MaxEntropyOutcome`."""
        return with_popular(RankEstimates.of(self.fit), self.popular, self.share_errors)

    @cached_property
    def posterior(self) -> Posterior:
        """How likely each pair of neighbours in `order` is right, and rank intervals of items."""
        known = self.estimates
        variances = (2 * known.precedence_errors) ** 2
        belief = Belief(1.0, known.scores, known.score_covariance, known.margins, variances)
        return Posterior((belief,))


def popular_orders(
    n_items: int,
    *,
    epsilon: float,
    n_people: int,
    function_seed: int,
    prior: Prior = "safe",
    mix: Mix | None = None,
) -> Generator[Survey, Tallies, PopularOrdersOutcome]:
    """Ask 7 of 10 people as `max_entropy` does, and the others for their order, hashed.

    For populations in which many people hold exactly the same ranking, as how-to-vote cards make
    them, from an epsilon of about 2; elsewhere it costs what the others would teach. Of 8 and
    more items half of them are asked for their first places only: likely beginnings make few whole
    orders candidates. One round: candidates are named after it.
    Deterministic in the tallies and `function_seed`, which draws the public hash functions.
    `n_people`, how many are expected, chooses the mix.
    Privacy: epsilon-LDP for each person, in nats: one report each.   Cost: up to 12 `fit_ranks`.
    Raises HushrankError as `max_entropy` does, and for fewer than 4 items.
    """
    fits = FEWEST_ITEMS <= n_items <= MOST_ITEMS
    require(fits, f"popular_orders takes {FEWEST_ITEMS} to {MOST_ITEMS} items, got {n_items}")
    require_prior(prior)
    n_rest = ceil((1 - ASKED_SHARE) * n_people)
    chosen = choose_mix(n_items, epsilon=epsilon, n_people=n_rest)
    chosen = chosen if mix is None else mix
    of_rest = mix_surveys(chosen, n_items, epsilon, lots=(ASKED_SHARE, 1.0))
    of_orders = order_surveys(n_items, epsilon, function_seed)
    parts, reports = [], []
    for survey in of_rest:
        asked = survey.questions, survey.local_mechanisms
        parts.append(ReportLikelihood.of(n_items, *asked, (yield survey)))
    for survey in of_orders:
        asked = survey.questions, survey.local_mechanisms
        reports.append(HashedReports.of(*asked, (yield survey)))
    candidates = candidate_orders(n_items, reports[0] if len(reports) > 1 else None)
    search = PopularSearch.among(candidates, reports[-1], n_items)
    return _outcome(reduce(add, parts), search, chosen, prior)


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


def _outcome(
    likelihood: ReportLikelihood, search: PopularSearch, mix: Mix, prior: Prior
) -> PopularOrdersOutcome:
    """Search from no popular order; from the boldest one, too, should that leave it out."""
    shares, fit = _found(likelihood, search, prior, search.nothing())
    bold = search.boldest()
    if bold.any() and not shares[bold > 0].any():
        both = (shares, fit), _found(likelihood, search, prior, bold)
        shares, fit = max(both, key=lambda found: search.log_evidence(*found))
    model = PopularOrdersModel(search.popular(shares), fit.point.model)
    order = kemeny(model.precedences).order
    return PopularOrdersOutcome(model, order, mix, prior, fit, *search.errors(shares))


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

"""One round, one tiny question a person; the whole distribution of rankings from the reports."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import ceil
from operator import add
from typing import Any, cast

from hushrank.accounting.words import nats_in_words
from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.aggregators.uncertainty.posterior import Posterior
from hushrank.aggregators.uncertainty.shrinkage import posterior_of_fit
from hushrank.arrays import Floats, Order
from hushrank.errors import require
from hushrank.estimators.chains.estimates import chain_estimates
from hushrank.estimators.chains.fit import ChainFit, fit_again, fit_by_chains
from hushrank.estimators.goodness_of_fit import GoodnessOfFit, goodness_of
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.partial.likelihood import PartialLikelihood
from hushrank.estimators.popular.in_chains import find_orders_by_chains
from hushrank.estimators.popular.in_ordinary_reports import FoundOrders, find_orders
from hushrank.estimators.popular.unseen import UnseenOrder, unseen_order
from hushrank.estimators.prior_scale import Prior, require_prior
from hushrank.estimators.ranks.estimates import RankEstimates
from hushrank.estimators.ranks.fit import Likelihood, RankFit, fit_ranks
from hushrank.estimators.ranks.unstated import with_unstated
from hushrank.models.max_entropy.rank_potentials import RankPotentials
from hushrank.models.max_entropy.sampled_potentials import SampledPotentials
from hushrank.models.popular_orders import PopularOrdersModel
from hushrank.protocols.distributions.question_kinds import Incomplete, require_incomplete
from hushrank.protocols.distributions.question_mix import (
    Mix,
    choose_mixes,
    describe_mix,
    mix_surveys,
)
from hushrank.protocols.personal_budgets import budget_levels
from hushrank.surveys.survey import Round, RoundTallies, Survey

MOST_ITEMS = 16
"""16 items have 65,536 sets, which every pass visits."""
MOST_ITEMS_OF_CHAINS = 50
"""More than 16 items are fitted by Markov chains: 50 take a minute."""
SECONDS_OF_KEMENY = 20.0
"""After which the best order that was found is taken: of more than 22 items only."""


@dataclass(frozen=True, eq=False, repr=False)
class MaxEntropyOutcome:
    """What was asked, and the model of the population that was fitted to the reports.

    `mixes` were chosen before anybody was asked, one for each of the `epsilons`, ascending;
    `scale` = how far from uniform the prior lets the population be, judged by the reports alone.
    Where the reports say that many people hold exactly one order, `found` has these orders, and
    `fit` is that of the rest of the people. More than 16 items are fitted by chains: such orders
    are looked for where these do not settle, and `fit` says how near the chains came.
    """

    epsilons: tuple[float, ...]
    mixes: tuple[Mix, ...]
    prior: Prior
    fit: RankFit | ChainFit
    found: FoundOrders | None = None
    unranked: Incomplete = "refused"

    def __repr__(self) -> str:
        """Say what was asked and how, in one line."""
        return f"MaxEntropyOutcome({self.asked_and_fitted})"

    @property
    def asked_and_fitted(self) -> str:
        """What was asked, and the prior that was chosen for the fit, in one line."""
        return f"{self.asked}; {self.prior} prior, {self.scale:.3g}"

    @cached_property
    def model(self) -> RankPotentials | PopularOrdersModel | SampledPotentials:
        """The model of the population."""
        if self.found is None:
            return self.fit.point.model
        return PopularOrdersModel(self.found.popular, self.found.fit.point.model)

    @cached_property
    def order(self) -> Order:
        """The items, best first: they disagree least with the model."""
        few = self.model.n_items <= MOST_ITEMS
        limit = None if few else SECONDS_OF_KEMENY
        return kemeny(self.model.precedences, time_limit=limit).order

    @property
    def asked(self) -> str:
        """What was asked of how many: of each epsilon, where there are several."""
        if len(set(self.mixes)) == 1:
            return describe_mix(self.mixes[0])
        each = zip(self.epsilons, self.mixes, strict=True)
        return "; ".join(
            f"at {nats_in_words(epsilon)} {describe_mix(mix)}" for epsilon, mix in each
        )

    @property
    def mix(self) -> Mix:
        """What was asked of those with the largest epsilon."""
        return self.mixes[-1]

    @property
    def scale(self) -> float:
        """The scale of the prior of the model."""
        return self.fit.scale

    @cached_property
    def stated_shares(self) -> Floats | None:
        """Which shares of the people rank how much, if rankings may be incomplete.

        Of `last`: that rank at least 1, 2, ... items, all but one being all. Of `unknown`: that
        rank both items of each pair a < b.
        """
        return self.fit.wide.likelihood.stated_shares(self.fit.point.statistics)

    @cached_property
    def estimates(self) -> RankEstimates:
        """Rank shares and precedences with standard errors.

        Of a fit with a wider prior than the model's, which is too narrow to know its errors: 95 %
        intervals are the estimate and 1.96 standard errors on both sides. Where the reports do not
        fit the model, errors are multiplied by `goodness.inflation`; where people stop ranking
        early, what they do not say adds to them, see `with_unstated`.
        """
        estimates = _estimates_of(self.fit) if self.found is None else self.found.estimates
        if self.goodness is not None:
            estimates = estimates.widened(self.goodness.inflation)
        stated = self.stated_shares
        if self.unranked != "last" or stated is None:
            return estimates
        return with_unstated(estimates, self.fit.wide.point.statistics, stated)

    @cached_property
    def goodness(self) -> GoodnessOfFit | None:
        """Whether the reports are those of people who follow the model; None if nobody can tell.

        Of pairs of items that some people do not know it is not told how many parameters are
        fitted.
        """
        return goodness_of(self.fit) if self.found is None else self.found.goodness

    @cached_property
    def unseen(self) -> UnseenOrder | None:
        """How popular an exact order may be and yet be missed; None where none is looked for.

        Errors that are stated do not count on such an order.
        """
        looked = isinstance(self.fit, RankFit) and self.unranked == "refused"
        return unseen_order(cast(RankFit, self.fit), self.found, self.estimates) if looked else None

    @cached_property
    def posterior(self) -> Posterior:
        """How likely each pair of neighbours in `order` is right, and rank intervals of items."""
        return posterior_of_estimates(self.estimates)


def _estimates_of(fit: RankFit | ChainFit) -> RankEstimates:
    return chain_estimates(fit) if isinstance(fit, ChainFit) else RankEstimates.of(fit)


def posterior_of_estimates(estimates: RankEstimates) -> Posterior:
    """Return what estimates with these errors leave open, by the belief of `shrinkage`.

    Errors of the pairs of an item hang together: by the covariance of scores.
    """
    variances = (2 * estimates.precedence_errors) ** 2
    return posterior_of_fit(estimates.margins, variances, estimates.score_covariance)


def max_entropy(
    n_items: int,
    *,
    epsilon: float | Sequence[float],
    n_people: int | Sequence[int],
    prior: Prior = "safe",
    mix: Mix | None = None,
    unranked: Incomplete = "refused",
) -> Generator[Round, RoundTallies, MaxEntropyOutcome]:
    """Ask each person one question of the mix; fit the maximum-entropy model to the reports.

    With several epsilons people have budgets of their own, and each is asked at the largest epsilon
    within. `n_people` = how many are expected to answer, in all or of each epsilon; it only decides
    the mix, if none is given. The prior `safe` is seldom worse than uniform, `typical` is better
    far from it. Exact orders that many people hold are found in the same reports, of complete
    rankings: see `find_orders`. `unranked`: people may leave items out, see `Stated`; how much, or
    which, must be independent of the order they have in mind.   Privacy: epsilon-LDP for each
    person, in nats, what they leave out included.   Raises HushrankError, before anybody is asked,
    for parameters that do not fit.
    """
    _require_parameters(n_items, prior, unranked)
    levels = budget_levels(epsilon)
    epsilons = tuple(each for each, _ in levels)
    people = _people_of_levels(epsilon, n_people)
    mixes = choose_mixes(n_items, epsilons=epsilons, n_people=people, unranked=unranked)
    mixes = mixes if mix is None else (mix,) * len(mixes)
    surveys = [
        survey
        for (each, budgets), chosen in zip(levels, mixes, strict=True)
        for survey in mix_surveys(chosen, n_items, each, budgets=budgets, unranked=unranked)
    ]
    likelihood = yield from _reports(n_items, surveys, unranked)
    if isinstance(likelihood, ReportLikelihood) and n_items > MOST_ITEMS:
        return MaxEntropyOutcome(epsilons, mixes, prior, *_fit_many_items(likelihood, prior))
    fit, found = fit_ranks(likelihood, prior=prior), None
    if isinstance(likelihood, ReportLikelihood):
        found = find_orders(likelihood, fit, prior=prior)
    best = fit if found is None else found.fit
    return MaxEntropyOutcome(epsilons, mixes, prior, best, found, unranked)


def _fit_many_items(
    likelihood: ReportLikelihood, prior: Prior
) -> tuple[RankFit | ChainFit, FoundOrders | None]:
    """Fit by chains, and look for exact orders where these do not settle."""
    fit = fit_by_chains(likelihood, prior=prior)
    found = None if fit.has_converged else find_orders_by_chains(likelihood, fit, prior=prior)
    if found is not None:
        return found.fit, found
    return fit_again(fit, likelihood, prior=prior), None


def _require_parameters(n_items: int, prior: Prior, unranked: Incomplete) -> None:
    fits = 2 <= n_items <= MOST_ITEMS_OF_CHAINS
    require(fits, f"max-entropy takes 2 to {MOST_ITEMS_OF_CHAINS} items, got {n_items}")
    require_prior(prior)
    require_incomplete(unranked)
    whole = unranked == "refused" or n_items <= MOST_ITEMS
    few = f"more than {MOST_ITEMS} items must all be ranked, got {n_items}: aggregate takes others"
    require(whole, few)


def _reports(
    n_items: int, surveys: Sequence[Survey], unranked: Incomplete
) -> Generator[Round, RoundTallies, Likelihood]:
    """Yield the surveys, of different people, and return the likelihood of all their reports."""
    parts: list[Any] = []
    for survey, tallies in zip(surveys, (yield tuple(surveys)), strict=True):
        reports = survey.questions, survey.local_mechanisms, tallies
        if unranked == "refused":
            parts.append(ReportLikelihood.of(n_items, *reports))
        else:
            parts.append(PartialLikelihood.of(n_items, *reports, unranked=unranked))
    likelihood: Likelihood = reduce(add, parts)
    require(likelihood.n_reports.any(), "cannot fit a model to 0 reports")
    return likelihood


def _people_of_levels(
    epsilon: float | Sequence[float], n_people: int | Sequence[int]
) -> tuple[int, ...]:
    """Return how many people are expected of each epsilon, ascending: equal parts of one number."""
    epsilons = tuple(epsilon) if isinstance(epsilon, Sequence) else (epsilon,)
    if not isinstance(n_people, Sequence):
        return (
            (n_people,) if len(epsilons) == 1 else (ceil(n_people / len(epsilons)),) * len(epsilons)
        )
    fits = len(n_people) == len(epsilons)
    require(fits, f"expected a number of people for each of {len(epsilons)} epsilons")
    return tuple(n for _, n in sorted(zip(epsilons, n_people, strict=True)))

"""One round, one tiny question a person; the whole distribution of rankings from the reports."""

from collections.abc import Generator
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add

from hushrank.aggregators.kemeny import kemeny
from hushrank.aggregators.posterior import Belief, Posterior
from hushrank.arrays import Order
from hushrank.errors import require
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.prior_scale import Prior, require_prior
from hushrank.estimators.rank_estimates import RankEstimates
from hushrank.estimators.rank_fit import RankFit, fit_ranks
from hushrank.models.rank_potentials import RankPotentials
from hushrank.protocols.question_mix import Mix, choose_mix, describe_mix, mix_surveys
from hushrank.surveys.survey import Survey, Tallies

MOST_ITEMS = 16
"""16 items have 65,536 sets, which every pass visits."""


@dataclass(frozen=True, eq=False, repr=False)
class MaxEntropyOutcome:
    """A model of the population, what was asked, and how sure one can be.

    `mix` was chosen before anybody was asked; `scale` = how far from uniform the prior lets the
    population be, judged by the reports alone. `order`, best first, disagrees least with the model.
    """

    model: RankPotentials
    order: Order
    mix: Mix
    prior: Prior
    fit: RankFit

    def __repr__(self) -> str:
        """Say what was asked and how, in one line."""
        return f"MaxEntropyOutcome({describe_mix(self.mix)}; {self.prior} prior, {self.scale:.3g})"

    @property
    def scale(self) -> float:
        """The scale of the prior of the model."""
        return self.fit.scale

    @cached_property
    def estimates(self) -> RankEstimates:
        """Rank shares and precedences with standard errors.

        Of a fit with a wider prior than the model's, which is too narrow to know its errors: 95 %
        intervals are the estimate and 1.96 standard errors on both sides.
        """
        return RankEstimates.of(self.fit)

    @cached_property
    def posterior(self) -> Posterior:
        """How likely each pair of neighbours in `order` is right, and rank intervals of items."""
        known = self.estimates
        variances = (2 * known.precedence_errors) ** 2
        belief = Belief(1.0, known.scores, known.score_covariance, known.margins, variances)
        return Posterior((belief,))


def max_entropy(
    n_items: int,
    *,
    epsilon: float,
    n_people: int,
    prior: Prior = "safe",
    mix: Mix | None = None,
) -> Generator[Survey, Tallies, MaxEntropyOutcome]:
    """Ask each person one question of the mix; fit the maximum-entropy model to the reports.

    `n_people` = how many are expected to answer: it only decides the mix, if none is given.
    `prior`: `safe` is seldom worse than uniform; `typical` is better where few reports come from a
    population that is far from it. Deterministic in the tallies.
    Privacy: epsilon-LDP for each person, in nats: one report each.   Cost: exponential in items.
    Raises HushrankError, before anybody is asked, for parameters that do not fit; later, when
    nobody answered.
    """
    fits = 2 <= n_items <= MOST_ITEMS
    require(fits, f"max_entropy takes 2 to {MOST_ITEMS} items, got {n_items}")
    require_prior(prior)
    chosen = choose_mix(n_items, epsilon=epsilon, n_people=n_people)
    chosen = chosen if mix is None else mix
    parts = []
    for survey in mix_surveys(chosen, n_items, epsilon):
        asked = survey.questions, survey.local_mechanisms
        parts.append(ReportLikelihood.of(n_items, *asked, (yield survey)))
    return _outcome(reduce(add, parts), chosen, prior)


def _outcome(likelihood: ReportLikelihood, mix: Mix, prior: Prior) -> MaxEntropyOutcome:
    fit = fit_ranks(likelihood, prior=prior)
    model = fit.point.model
    return MaxEntropyOutcome(model, kemeny(model.precedences).order, mix, prior, fit)

"""What every protocol of `collect` returns, so that nobody need ask which protocol it was."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal, Protocol, TypeAlias, cast

import numpy as np

from hushrank.aggregators.uncertainty.drawn_ranks import Rule
from hushrank.aggregators.uncertainty.posterior import Posterior
from hushrank.aggregators.uncertainty.shrinkage import posterior_of_margins, posterior_of_scores
from hushrank.arrays import Floats, Order, Ranks, Shares
from hushrank.errors import HushrankError
from hushrank.estimators.chains.fit import ChainFit
from hushrank.estimators.goodness_of_fit import GoodnessOfFit
from hushrank.estimators.popular.in_ordinary_reports import FoundOrders
from hushrank.estimators.ranks.fit import RankFit
from hushrank.models.herding import DRAWS_OF_A_ROW, herded_rows
from hushrank.models.hierarchy import ThinChain
from hushrank.models.ranking_model import RankingModel
from hushrank.protocols.distributions.max_entropy import MaxEntropyOutcome
from hushrank.protocols.distributions.popular_orders import PopularOrdersOutcome
from hushrank.protocols.distributions.question_mix import describe_mix
from hushrank.protocols.orders.one_order import OneOrder
from hushrank.protocols.orders.pairs import PairOutcome
from hushrank.protocols.orders.subset_order import MeanRanks

Rows: TypeAlias = Literal["herded", "independent"]
"""How synthetic rankings are drawn: see `models.herding`, or one by one."""

ONE_ORDER = "the protocol learns one order: it has no synthetic rankings"
MOST_HERDED_DRAWS = 5_000_000
"""Five seconds; 100,000 rows and fewer are offered all the draws they could have."""


@dataclass(frozen=True, eq=False, repr=False)
class Shown:
    """What a protocol tells beside the order: all of it comes from the reports alone.

    `chosen`: what it chose where it was not told, and `named`: what else it learnt, both for JSON;
    `rows`: label to words, for a table; `pair_shares`: title to shares (items, items) of people who
    put the row's item first, and `hierarchy`, for pictures.
    """

    chosen: Mapping[str, Any] = field(default_factory=dict)
    named: Mapping[str, Any] = field(default_factory=dict)
    rows: Mapping[str, str] = field(default_factory=dict)
    pair_shares: Mapping[str, Shares] = field(default_factory=dict)
    hierarchy: ThinChain | None = None


class Learnt(Protocol):
    """What the reports of a collection taught, whichever protocol asked for them."""

    @property
    def model(self) -> RankingModel | None:
        """The distribution of everybody's rankings; None where one order only was learnt."""

    @property
    def order(self) -> Order | None:
        """The items, best first; None leaves it to the mean ranks of synthetic rankings."""

    @property
    def posterior(self) -> Posterior | None:
        """What the reports leave open of the order; None where the protocol cannot tell."""

    @property
    def rule(self) -> Rule:
        """How the order follows from what is believed: by mean ranks, or by least Kendall cost."""

    def sample(self, n_people: int, *, rng: np.random.Generator) -> Ranks:
        """Draw synthetic ranks (people, items); raise HushrankError where there is no model."""

    def shown(self, names: Sequence[str]) -> Shown:
        """Return what else is to be shown, about items of these names."""


@dataclass(frozen=True, eq=False, repr=False)
class LearntModel:
    """A model of all rankings and nothing else, as SAFARI and whole rankings give it."""

    model: RankingModel
    chosen: Mapping[str, Any] = field(default_factory=dict)
    hierarchy: ThinChain | None = None
    order: None = None
    posterior: None = None
    rule: Rule = "scores"

    def sample(self, n_people: int, *, rng: np.random.Generator) -> Ranks:
        """Draw independent ranks (people, items) from the model."""
        return self.model.sample(n_people, rng=rng)

    def shown(self, names: Sequence[str]) -> Shown:
        """Return what was chosen, and the hierarchy of items if there is one."""
        return Shown(self.chosen, hierarchy=self.hierarchy)


@dataclass(frozen=True, eq=False, repr=False)
class LearntOrder:
    """One order, and what the reports leave open of it if that is known; no model."""

    order: Order
    posterior: Posterior | None = None
    chosen: Mapping[str, Any] = field(default_factory=dict)
    model: None = None
    rule: Rule = "scores"

    @classmethod
    def of_mean_ranks(cls, learnt: MeanRanks) -> "LearntOrder":
        """Take the order of mean ranks, and how sure it is."""
        posterior = posterior_of_scores(-learnt.mean_ranks, learnt.covariance)
        return cls(learnt.order, posterior, {"post_process": None})

    def sample(self, n_people: int, *, rng: np.random.Generator) -> Ranks:
        """Raise HushrankError: one order says nothing of how people differ."""
        raise HushrankError(ONE_ORDER)

    def shown(self, names: Sequence[str]) -> Shown:
        """Return what was chosen."""
        return Shown(self.chosen)


@dataclass(frozen=True, eq=False, repr=False)
class LearntPairs:
    """One order from reports of pairs; no model."""

    outcome: PairOutcome
    model: None = None

    @property
    def order(self) -> Order:
        """The items, best first."""
        return self.outcome.order

    @property
    def rule(self) -> Rule:
        """By pairs where the order is Kemeny's; KwikSort's has no belief of its own."""
        return "pairs" if self.outcome.post_process == "kemeny" else "scores"

    @cached_property
    def posterior(self) -> Posterior:
        """What the noise of the reports leaves open of the order."""
        estimates = self.outcome.estimates
        return posterior_of_margins(estimates.margins, estimates.variances)

    def sample(self, n_people: int, *, rng: np.random.Generator) -> Ranks:
        """Raise HushrankError: one order says nothing of how people differ."""
        raise HushrankError(ONE_ORDER)

    def shown(self, names: Sequence[str]) -> Shown:
        """Return what was chosen, and the shares of pairs with and without their noise."""
        chosen = {"post_process": self.outcome.post_process, "queries": self.outcome.n_queries[0]}
        shares = _with_and_without_noise(self.outcome.estimates.margins, self.posterior)
        return Shown(chosen, pair_shares=shares)


@dataclass(frozen=True, eq=False, repr=False)
class LearntMargins:
    """One order from reports of blocks and of whole orders together; no model."""

    outcome: OneOrder
    model: None = None
    rule: Rule = "pairs"

    @property
    def order(self) -> Order:
        """The items, best first."""
        return self.outcome.order

    @property
    def posterior(self) -> Posterior:
        """What the noise of the reports leaves open of the order."""
        return self.outcome.posterior

    def sample(self, n_people: int, *, rng: np.random.Generator) -> Ranks:
        """Raise HushrankError: one order says nothing of how people differ."""
        raise HushrankError(ONE_ORDER)

    def shown(self, names: Sequence[str]) -> Shown:
        """Return what was asked, and the shares of pairs with and without their noise."""
        design = self.outcome.design
        chosen = {"post_process": "kemeny", "design": asdict(design)}
        shares = _with_and_without_noise(self.outcome.known.estimates, self.posterior)
        return Shown(chosen, rows={"questions": str(design)}, pair_shares=shares)


@dataclass(frozen=True, eq=False, repr=False)
class LearntFit:
    """The maximum-entropy model, with or without popular orders, and how rows are drawn from it."""

    outcome: MaxEntropyOutcome | PopularOrdersOutcome
    rows: Rows = "herded"
    rule: Rule = "pairs"

    @property
    def model(self) -> RankingModel:
        """The fitted model."""
        return self.outcome.model

    @property
    def order(self) -> Order:
        """The items, best first: they disagree least with the model."""
        return self.outcome.order

    @cached_property
    def posterior(self) -> Posterior:
        """What the reports leave open of the order."""
        return self.outcome.posterior

    def sample(self, n_people: int, *, rng: np.random.Generator) -> Ranks:
        """Draw ranks (people, items), independently or herded."""
        if self.rows == "independent":
            return self.outcome.model.sample(n_people, rng=rng)
        n_draws = max(1, min(DRAWS_OF_A_ROW, MOST_HERDED_DRAWS // n_people))
        return herded_rows(self.outcome.model, n_people, rng=rng, draws_of_a_row=n_draws)

    def shown(self, names: Sequence[str]) -> Shown:
        """Return what was asked, the prior that the reports chose, and popular orders if sought."""
        outcome = self.outcome
        if isinstance(outcome, PopularOrdersOutcome):
            rows = {**_asked(outcome.rest), **_popular_words(outcome)}
            return Shown(self._chosen(outcome.rest), _popular_json(outcome, names), rows)
        shares = {"of the model": outcome.model.precedences}
        named, rows = _goodness_json(outcome.goodness), _asked(outcome)
        named |= _chance_json(outcome.fit)
        if outcome.found is not None:
            named |= _popular_json(outcome.found, names)
            rows |= _popular_words(outcome.found)
        rows |= _goodness_words(outcome.goodness)
        return Shown(self._chosen(outcome), named, rows, shares)

    def _chosen(self, fitted: MaxEntropyOutcome) -> dict[str, Any]:
        shares = fitted.stated_shares
        return {
            "mix": [asdict(part) for part in fitted.mix],
            "stated_shares": None if shares is None else [float(share) for share in shares],
            "prior": fitted.prior,
            "prior_scale": float(fitted.scale),
            "rows": self.rows,
        }


def _with_and_without_noise(margins: Floats, posterior: Posterior) -> dict[str, Shares]:
    return {
        "reported, noise and all": 0.5 + margins / 2,
        "most likely, given the noise": 0.5 + posterior.margins / 2,
    }


def _asked(fitted: MaxEntropyOutcome) -> dict[str, str]:
    """Say what people were asked, and how far from uniform they were taken to be."""
    return {
        "questions": describe_mix(fitted.mix),
        "prior": f"{fitted.prior}, scale {fitted.scale:.2g}",
        **_chance_words(fitted.fit),
    }


def _chance_words(fit: RankFit | ChainFit) -> dict[str, str]:
    """Say how near the chains of many items came, and what their chance adds."""
    if not isinstance(fit, ChainFit):
        return {}
    model = fit.point.model
    came = "settled" if fit.has_converged else "DID NOT SETTLE, do not rely on the model"
    near = f"{max(fit.off, fit.wide_off):.2f} standard errors off, R-hat {model.r_hat:.3f}"
    drawn = f"{model.effective_draws:,.0f} draws, whose chance is a Q2 of"
    return {"chains": f"{came}: {near}, {drawn} {model.second_order_error:.3f}"}


def _chance_json(fit: RankFit | ChainFit) -> dict[str, Any]:
    """Return the same for JSON."""
    if not isinstance(fit, ChainFit):
        return {}
    model = fit.point.model
    said = {
        "settled": fit.has_converged,
        "standard_errors_off": max(fit.off, fit.wide_off),
        "r_hat": model.r_hat,
        "effective_draws": model.effective_draws,
        "q2_error": model.second_order_error,
    }
    return {"chains": said}


def _popular_words(found: PopularOrdersOutcome | FoundOrders) -> dict[str, str]:
    """Say how many popular orders were found, and how many people hold them: standard error."""
    n_found, share, error = len(found.popular.shares), found.popular.share, found.share_error
    held = f"{n_found} found: {100 * share:.1f} % \N{PLUS-MINUS SIGN} {100 * error:.1f} % of people"
    return {"popular orders": held if n_found else "none found"}


def _popular_json(
    found: PopularOrdersOutcome | FoundOrders, names: Sequence[str]
) -> dict[str, Any]:
    """Return the popular orders with their shares."""
    popular = found.popular
    each = zip(popular.orders.tolist(), popular.shares, found.share_errors, strict=True)
    orders = [
        {
            "order": [names[item] for item in cast("list[int]", order)],
            "share": float(share),
            "share_error": float(error),
        }
        for order, share, error in each
    ]
    together = {"share": popular.share, "share_error": found.share_error}
    return {"popular_orders": {**together, "orders": orders}}


def _goodness_words(goodness: GoodnessOfFit | None) -> dict[str, str]:
    """Say that the reports do not fit the model, and what was done about it; else nothing."""
    if goodness is None or goodness.fits:
        return {}
    said = (
        f"the reports do not fit the model (chance {goodness.p_value:.2g} if it were right):"
        f" read it with care; errors are widened {goodness.inflation:.2f} times"
    )
    return {"fit": said}


def _goodness_json(goodness: GoodnessOfFit | None) -> dict[str, Any]:
    """Return Pearson's statistic of the reports, what is expected of it, and what follows."""
    if goodness is None:
        return {}
    return {
        "goodness_of_fit": {
            "statistic": goodness.statistic,
            "expected": goodness.expected,
            "p_value": goodness.p_value,
            "fits": goodness.fits,
            "errors_widened": goodness.inflation,
        }
    }

"""One order and what is left open of it, as results of protocols that learn no more."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hushrank.aggregators.from_reports.pair_estimates import PairReports
from hushrank.aggregators.from_reports.pair_scores import estimate_pairs_together
from hushrank.aggregators.uncertainty.drawn_ranks import Rule
from hushrank.aggregators.uncertainty.posterior import Posterior
from hushrank.aggregators.uncertainty.shrinkage import posterior_of_margins, posterior_of_scores
from hushrank.arrays import Floats, Order, Ranks, Shares
from hushrank.errors import HushrankError
from hushrank.protocols.learnt.learnt import Shown
from hushrank.protocols.orders.one_order import OneOrder
from hushrank.protocols.orders.pairs import PairOutcome
from hushrank.protocols.orders.subset_order import MeanRanks

ONE_ORDER = "the protocol learns one order: it has no synthetic rankings"


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
        return posterior_of_pairs(self.outcome.reports)

    def sample(self, n_people: int, *, rng: np.random.Generator) -> Ranks:
        """Raise HushrankError: one order says nothing of how people differ."""
        raise HushrankError(ONE_ORDER)

    def shown(self, names: Sequence[str]) -> Shown:
        """Return what was chosen, and the shares of pairs with and without their noise."""
        chosen = {"post_process": self.outcome.post_process, "queries": self.outcome.n_queries[0]}
        shares = _with_and_without_noise(self.outcome.estimates.margins, self.posterior)
        return Shown(chosen, pair_shares=shares)


def posterior_of_pairs(reports: PairReports) -> Posterior:
    """Return what the noise of reports on pairs leaves open of an order and of its margins."""
    estimates = estimate_pairs_together(reports)
    return posterior_of_margins(estimates.margins, estimates.variances, estimates.n_people)


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


def _with_and_without_noise(margins: Floats, posterior: Posterior) -> dict[str, Shares]:
    return {
        "reported, noise and all": 0.5 + margins / 2,
        "most likely, given the noise": 0.5 + posterior.margins / 2,
    }

"""Models of all rankings, as results of protocols, and how rows are drawn from them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from hushrank.aggregators.uncertainty.drawn_ranks import Rule
from hushrank.aggregators.uncertainty.posterior import Posterior
from hushrank.arrays import Order, Ranks
from hushrank.models.herding import DRAWS_OF_A_ROW, herded_rows
from hushrank.models.hierarchy import ThinChain
from hushrank.models.ranking_model import RankingModel
from hushrank.protocols.distributions.max_entropy import MaxEntropyOutcome
from hushrank.protocols.distributions.popular_orders import PopularOrdersOutcome
from hushrank.protocols.learnt.fit_words import (
    asked,
    chance_json,
    goodness_json,
    goodness_words,
    popular_json,
    popular_words,
    unseen_json,
    unseen_words,
)
from hushrank.protocols.learnt.learnt import Shown

Rows: TypeAlias = Literal["herded", "independent"]
"""How synthetic rankings are drawn: see `models.herding`, or one by one."""

MOST_HERDED_DRAWS = 5_000_000
"""Five seconds; 100,000 rows and fewer are offered all the draws they could have."""


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
            rows = {**asked(outcome.rest), **popular_words(outcome)}
            return Shown(self._chosen(outcome.rest), popular_json(outcome, names), rows)
        shares = {"of the model": outcome.model.precedences}
        named, rows = goodness_json(outcome.goodness), asked(outcome)
        named |= chance_json(outcome.fit)
        if outcome.found is not None:
            named |= popular_json(outcome.found, names)
            rows |= popular_words(outcome.found)
        named |= unseen_json(outcome.unseen)
        rows |= unseen_words(outcome.unseen) | goodness_words(outcome.goodness)
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

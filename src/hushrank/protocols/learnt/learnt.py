"""The words to which every result of a protocol of `collect` answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from hushrank.aggregators.uncertainty.drawn_ranks import Rule
from hushrank.aggregators.uncertainty.posterior import Posterior
from hushrank.arrays import Order, Ranks, Shares
from hushrank.models.hierarchy import ThinChain
from hushrank.models.ranking_model import RankingModel


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

"""One order computed from raw ballots: which others are as good, and how sure it is."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from hushrank.aggregators.exact.equally_good import (
    EquallyGood,
    equally_good_kemeny,
    equally_good_scores,
)
from hushrank.aggregators.exact.kemeny import KemenyOrder
from hushrank.aggregators.pairwise import pair_margins
from hushrank.aggregators.uncertainty.drawn_ranks import DrawnRanks, Rule
from hushrank.aggregators.uncertainty.resampled import ranks_of_other_people
from hushrank.arrays import Counts, Order
from hushrank.errors import HushrankError
from hushrank.rankings.profile import Rankings


@dataclass(frozen=True, eq=False, repr=False)
class Ballots:
    """What a method is given: the ballots, and their pair counts (items, items).

    `rankings`: None where ballots were counted elsewhere, piece by piece. `unranked`: what an item
    that a ballot leaves out means in these counts.
    """

    rankings: Rankings | None
    counts: Counts
    unranked: Literal["unknown", "last"] = "unknown"

    @property
    def whole(self) -> Rankings:
        """The ballots one by one; HushrankError where only their counts are known."""
        if self.rankings is None:
            raise HushrankError("this needs ballots one by one: only their counts are known")
        return self.rankings

    def ranks_of_other_people(self, rule: Rule) -> DrawnRanks:
        """Draw the ranks that the population may have from which these ballots come."""
        return ranks_of_other_people(self.whole, rule=rule, unranked=self.unranked)


@dataclass(frozen=True, eq=False, repr=False)
class RawOrder:
    """An order computed from raw ballots: it protects nobody.

    `best`: the exact optimum for these pair counts, where that is what the method computes.
    """

    order: Order
    method: str
    ballots: Ballots
    best: KemenyOrder | None = None

    @cached_property
    def equally_good(self) -> EquallyGood | None:
        """Which other orders of these ballots are as good; None where the method cannot tell."""
        if self.method == "borda":
            return equally_good_scores(pair_margins(self.ballots.counts).sum(axis=1))
        if self.best is None or not self.best.is_optimal:
            return None
        return equally_good_kemeny(self.ballots.counts, self.order)

    @cached_property
    def of_other_people(self) -> DrawnRanks:
        """The ranks that the population may have from which the ballots come."""
        return self.ballots.ranks_of_other_people("pairs" if self.best else "scores")

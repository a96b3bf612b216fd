"""A population beside the exact optimum: how far an order is from the best one."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.arrays import Counts, Order
from hushrank.errors import require
from hushrank.evaluation.metrics import average_kendall_tau
from hushrank.experiments.experiment import Quantity
from hushrank.experiments.populations import Populations
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings

SECONDS_OF_THE_OPTIMUM = 60.0


@dataclass(frozen=True, eq=False, repr=False)
class Electorate:
    """People, one row each, with what every method is measured by.

    The optimum is exact, or an error: an excess over anything else would say nothing.
    """

    rankings: Rankings

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return self.rankings.n_items

    @cached_property
    def counts(self) -> Counts:
        """How many people put a before b (items, items)."""
        return majority(self.rankings)

    @cached_property
    def best_order(self) -> Order:
        """A Kemeny order.

        Raises HushrankError where none is proven within a minute.
        """
        best = kemeny(self.counts, time_limit=SECONDS_OF_THE_OPTIMUM)
        message = f"no Kemeny order of {self.n_items} items was proven in time"
        require(best.is_optimal, message)
        return best.order

    def judged(self, order: Order) -> Mapping[Quantity, float]:
        """Return the average normalised Kendall tau of an order, and its excess over the best."""
        optimum = self._tau(self.best_order)
        return {"tau": self._tau(order), "excess": self._tau(order) - optimum}

    def first(self, n_people: int) -> "Electorate":
        """Return the first people."""
        return Electorate(self.rankings.select(np.arange(n_people)))

    def some(self, n_people: int, *, rng: np.random.Generator) -> "Electorate":
        """Draw people without repetition; all of them in another order where that many are."""
        chosen = rng.choice(self.rankings.n_rows, size=n_people, replace=False)
        return Electorate(self.rankings.select(chosen))

    def _tau(self, order: Order) -> float:
        return average_kendall_tau(self.counts, order, self.rankings.n_rows)


def electorates(people: Populations) -> Mapping[str, Electorate]:
    """Return each population as an electorate, whose exact statistics are computed once."""
    return {name: Electorate(rankings) for name, rankings in people.items()}


@dataclass(frozen=True)
class ItemLabels:
    """Other numbers for the items; labels[new] = old.

    Methods see the items under random numbers, so that none profits from the order of a file where
    it breaks ties by number.
    """

    old: tuple[int, ...]

    @classmethod
    def drawn(cls, n_items: int, *, rng: np.random.Generator) -> "ItemLabels":
        """Draw the numbers, uniformly."""
        return cls(tuple(rng.permutation(n_items).tolist()))

    def counts(self, counts: Counts) -> Counts:
        """Return pair counts by old numbers as pair counts by new ones."""
        return counts[np.ix_(self.old, self.old)]

    def rankings(self, rankings: Rankings) -> Rankings:
        """Return the same people, the items under new numbers."""
        return Rankings(rankings.ranks[:, self.old], rankings.names)

    def order(self, order: Order) -> Order:
        """Return an order of new numbers as one of old numbers."""
        return tuple(self.old[item] for item in order)

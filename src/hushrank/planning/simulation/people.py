"""People of a reference population, with what is true of them."""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.arrays import Counts, Order, Shares
from hushrank.evaluation.metrics import (
    average_kendall_tau,
    marginal_distance,
    uniform_second_order_marginals,
)
from hushrank.rankings.coding import lexicographic_index, orders_at
from hushrank.rankings.marginals import majority, second_order_marginals
from hushrank.rankings.profile import Rankings

RANDOM_TAU = 0.5
"""The average Kendall tau of an order that knows nothing."""


@dataclass(frozen=True, eq=False, repr=False)
class People:
    """Complete strict rankings, one row a person; each truth is computed once.

    `prefer_nothing`: every order is equally likely in their population.
    """

    rankings: Rankings
    prefer_nothing: bool = False

    @property
    def n_items(self) -> int:
        """How many items they rank."""
        return self.rankings.n_items

    @property
    def n_people(self) -> int:
        """How many they are."""
        return self.rankings.n_people

    @cached_property
    def marginals(self) -> Shares:
        """The second-order marginals (pairs, ranks, ranks)."""
        return second_order_marginals(self.rankings)

    @cached_property
    def majority(self) -> Counts:
        """How many put a before b (items, items)."""
        return majority(self.rankings)

    @cached_property
    def precedences(self) -> Shares:
        """The share that puts a before b, of each pair a < b (pairs,)."""
        return _of_pairs(self.majority) / self.n_people

    @cached_property
    def best_tau(self) -> float:
        """The average Kendall tau of the exact Kemeny order."""
        return average_kendall_tau(self.majority, kemeny(self.majority).order, self.n_people)

    @cached_property
    def order_counts(self) -> Counts:
        """How many have each of all orders (orders,), by lexicographic index."""
        n_orders = len(all_ranks(self.n_items))
        found = lexicographic_index(self.rankings.orders())
        return np.bincount(found, minlength=n_orders).astype(np.int64)

    @property
    def uniform_distance(self) -> float:
        """The Q2 distance of the uniform model."""
        return marginal_distance(uniform_second_order_marginals(self.n_items), self.marginals)

    @property
    def random_excess(self) -> float:
        """The excess of an order that knows nothing, on average."""
        return RANDOM_TAU - self.best_tau

    @property
    def sampling_distance(self) -> float:
        """How far so many people are from their population in Q2 distance, by the normal law."""
        spread = np.sqrt(self.marginals * (1 - self.marginals) / self.n_people)
        return float(np.sqrt(2 / np.pi) * spread.sum() / (2 * len(spread)))

    def distance(self, marginals: Shares) -> float:
        """Return the Q2 distance of second-order marginals."""
        return marginal_distance(marginals, self.marginals)

    def excess(self, order: Order) -> float:
        """Return by how much the average Kendall tau of `order` exceeds the optimum."""
        return average_kendall_tau(self.majority, order, self.n_people) - self.best_tau

    def relative_excess(self, order: Order) -> float:
        """Return the excess in parts of `random_excess`; 1 where every order is as good."""
        return self.excess(order) / self.random_excess if self.random_excess > 0 else 1.0

    def precedence_error(self, learnt: Rankings) -> float:
        """Return the root mean square error of the precedences of synthetic rankings."""
        errors = _of_pairs(majority(learnt)) / learnt.n_people - self.precedences
        return float(np.sqrt((errors**2).mean()))


@cache
def all_ranks(n_items: int) -> Counts:
    """Return the ranks (orders, items) of all orders, by the orders' lexicographic index."""
    n_orders = int(np.prod(np.arange(1, n_items + 1)))
    orders = orders_at(np.arange(n_orders), n_items)
    return np.argsort(orders, axis=1)


def _of_pairs(values: Counts) -> Counts:
    return values[np.triu_indices(len(values), k=1)]

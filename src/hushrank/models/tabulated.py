"""A probability for every single order."""

from dataclasses import dataclass
from math import factorial

import numpy as np

from hushrank.arrays import Orders, Ranks, Shares
from hushrank.errors import require
from hushrank.models.categories import sample_categories
from hushrank.rankings.coding import inverse, lexicographic_index, orders_at


@dataclass(frozen=True, eq=False, repr=False)
class TabulatedModel:
    """P(order) = shares[lexicographic index of the order], shares (n_items!,)."""

    n_items: int
    shares: Shares

    def __post_init__(self) -> None:
        """Check the size."""
        n_orders = factorial(self.n_items)
        require(len(self.shares) == n_orders, f"expected {n_orders} shares, got {len(self.shares)}")

    def log_probability(self, orders: Orders) -> Shares:
        """Return ln P(order) (people,) of orders (people, items); -inf where impossible."""
        with np.errstate(divide="ignore"):
            log_probability: Shares = np.log(self.shares[lexicographic_index(orders)])
        return log_probability

    def sample(self, n_people: int, *, rng: np.random.Generator) -> Ranks:
        """Draw independent ranks (people, items)."""
        drawn = sample_categories(self.shares, n_people, rng=rng)
        return inverse(orders_at(drawn, self.n_items))

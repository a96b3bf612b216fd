"""What every model of a population's rankings is."""

from typing import Protocol

import numpy as np

from hushrank.arrays import Orders, Ranks, Shares
from hushrank.errors import require


class RankingModel(Protocol):
    """A distribution over the complete strict orders of the items 0..n_items-1."""

    @property
    def n_items(self) -> int:
        """How many items an order has."""

    def log_probability(self, orders: Orders) -> Shares:
        """Return ln P(order) (people,) of orders (people, items); -inf where impossible."""

    def sample(self, n_people: int, *, rng: np.random.Generator) -> Ranks:
        """Draw independent ranks (people, items), column-major, of the type `rank_type` says."""


def require_orders(orders: Orders, n_items: int) -> None:
    """Raise HushrankError unless orders are (people, n_items) and name the items 0..n_items-1."""
    shaped = orders.ndim == 2 and orders.shape[1] == n_items
    require(shaped, f"expected orders of shape (people, {n_items})")
    in_range = orders.size == 0 or (orders.min() >= 0 and orders.max() < n_items)
    require(in_range, f"expected items 0..{n_items - 1} in the orders")

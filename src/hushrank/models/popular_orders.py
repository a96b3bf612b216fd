"""Exact orders that many people hold, and a smooth rest."""

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Protocol

import numpy as np

from hushrank.arrays import Orders, Ranks, Shares
from hushrank.errors import require
from hushrank.models.categories import sample_categories
from hushrank.models.ranking_model import RankingModel, require_orders
from hushrank.rankings.coding import inverse, rank_type


class RanksModel(RankingModel, Protocol):
    """A model that knows the joint distributions of ranks and precedences."""

    @property
    def marginals(self) -> tuple[Shares, Shares]:
        """P(rank of a = r) (items, ranks), and P(that, and b before a) (items, items, ranks)."""

    @property
    def second_order_marginals(self) -> Shares:
        """P(rank of a = r, rank of b = s) for each pair a < b: (pairs, ranks, ranks)."""


@dataclass(frozen=True, eq=False, repr=False)
class PopularOrders:
    """Orders (orders, items), best first, and the share of the people who hold each (orders,)."""

    orders: Orders
    shares: Shares

    def __post_init__(self) -> None:
        """Check the shares, and freeze them."""
        shares = np.array(self.shares, dtype=np.float64)
        require(self.orders.ndim == 2, "expected orders of shape (orders, items)")
        require_orders(self.orders, self.orders.shape[1])
        require(shares.shape == (len(self.orders),), "expected one share for each order")
        possible = bool((shares >= 0).all()) and shares.sum() < 1
        require(possible, "expected shares of at least 0 that sum to less than 1")
        shares.setflags(write=False)
        object.__setattr__(self, "shares", shares)

    @property
    def share(self) -> float:
        """The share of the people who hold one of the orders."""
        return float(self.shares.sum())

    @cached_property
    def ranks(self) -> Ranks:
        """The ranks (orders, items)."""
        return inverse(self.orders)

    @cached_property
    def each_marginals(self) -> tuple[Shares, Shares]:
        """`RanksModel.marginals` of each order alone, with a first axis of orders."""
        n_items = self.orders.shape[1]
        at = (self.ranks[:, :, None] == np.arange(n_items)).astype(np.float64)
        is_before = self.ranks[:, None, :] < self.ranks[:, :, None]
        return at, at[:, :, None, :] * is_before[:, :, :, None]

    @cached_property
    def marginals(self) -> tuple[Shares, Shares]:
        """What the orders add to `RanksModel.marginals`: they sum to the share, not to 1."""
        at, preceded = self.each_marginals
        return np.tensordot(self.shares, at, 1), np.tensordot(self.shares, preceded, 1)

    @cached_property
    def second_order_marginals(self) -> Shares:
        """What the orders add to the second-order marginals (pairs, ranks, ranks)."""
        n_items = self.orders.shape[1]
        pairs = np.array(list(combinations(range(n_items), 2))).reshape(-1, 2)
        joint = np.zeros((len(pairs), n_items, n_items))
        for ranks, share in zip(self.ranks, self.shares, strict=True):
            joint[np.arange(len(pairs)), ranks[pairs[:, 0]], ranks[pairs[:, 1]]] += share
        return joint


@dataclass(frozen=True, eq=False, repr=False)
class PopularOrdersModel:
    """P(order) = share of the order, if it is popular, + (1 - all their shares) P_rest(order)."""

    popular: PopularOrders
    rest: RanksModel

    def __post_init__(self) -> None:
        """Check that the parts are about the same items."""
        n_items = self.popular.orders.shape[1]
        require(n_items == self.rest.n_items, f"expected orders of {self.rest.n_items} items")

    @property
    def n_items(self) -> int:
        """How many items an order has."""
        return self.rest.n_items

    def __repr__(self) -> str:
        """Say the size."""
        return f"PopularOrdersModel({len(self.popular.shares)} orders, {self.n_items} items)"

    @property
    def rest_share(self) -> float:
        """The share of the people whom the rest describes."""
        return 1 - self.popular.share

    @cached_property
    def marginals(self) -> tuple[Shares, Shares]:
        """P(rank of a = r) (items, ranks), and P(that, and b before a) (items, items, ranks)."""
        both = zip(self.popular.marginals, self.rest.marginals, strict=True)
        at, preceded = (popular + self.rest_share * rest for popular, rest in both)
        return at, preceded

    @property
    def first_order_marginals(self) -> Shares:
        """P(rank of a = r): (items, ranks)."""
        return self.marginals[0]

    @property
    def precedences(self) -> Shares:
        """P(a before b): (items, items); 0 on the diagonal."""
        precedences: Shares = self.marginals[1].sum(axis=2).T
        return precedences

    @cached_property
    def second_order_marginals(self) -> Shares:
        """P(rank of a = r, rank of b = s) for each pair a < b: (pairs, ranks, ranks)."""
        of_rest = self.rest_share * self.rest.second_order_marginals
        joint: Shares = self.popular.second_order_marginals + of_rest
        return joint

    def log_probability(self, orders: Orders) -> Shares:
        """Return ln P(order) (people,) of orders (people, items)."""
        log_probability: Shares = np.log(self.rest_share) + self.rest.log_probability(orders)
        for order, share in zip(self.popular.orders, self.popular.shares, strict=True):
            same = (orders == order).all(axis=1)
            log_probability[same] = np.logaddexp(log_probability[same], np.log(share))
        return log_probability

    def sample(self, n_people: int, *, rng: np.random.Generator) -> Ranks:
        """Draw independent ranks (people, items)."""
        shares = np.append(self.popular.shares, self.rest_share)
        held = sample_categories(shares, n_people, rng=rng)
        ranks = np.empty((n_people, self.n_items), dtype=rank_type(self.n_items), order="F")
        of_rest = held == len(shares) - 1
        ranks[~of_rest] = self.popular.ranks[held[~of_rest]]
        ranks[of_rest] = self.rest.sample(int(of_rest.sum()), rng=rng)
        return ranks

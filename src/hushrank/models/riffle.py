"""The riffle-independent model: leaves are ordered alone, then merged."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Orders, Ranks, Shares
from hushrank.errors import require
from hushrank.models.categories import sample_categories
from hushrank.models.hierarchy import Items, ThinChain
from hushrank.rankings.coding import (
    interleaving_index,
    interleavings,
    inverse,
    lexicographic_index,
    orders_at,
    rank_type,
    ranks_within,
)


@dataclass(frozen=True, eq=False, repr=False)
class RiffleModel:
    """P(order) = product of P(order within each leaf) and P(interleaving of each split).

    leaf_orders: shares (|leaf|!,) of each leaf of two or more items; interleavings: shares (C,) of
    each split, both in the order of the chain and numbered as in `rankings.coding`.
    Source: Huang, Guestrin (NIPS 2009).
    """

    chain: ThinChain
    leaf_orders: tuple[Shares, ...]
    interleavings: tuple[Shares, ...]

    def __post_init__(self) -> None:
        """Check that there is a distribution for each part."""
        fits = len(self.leaf_orders) == len(self.chain.ordered_leaves)
        require(
            fits and len(self.interleavings) == len(self.chain.splits), "expected shares of all"
        )

    @classmethod
    def from_shares(cls, chain: ThinChain, shares: Sequence[Shares]) -> "RiffleModel":
        """Take the shares of the leaves' orders, then of the interleavings."""
        n_leaves = len(chain.ordered_leaves)
        return cls(chain, tuple(shares[:n_leaves]), tuple(shares[n_leaves:]))

    @property
    def n_items(self) -> int:
        """How many items an order has."""
        return self.chain.n_items

    def log_probability(self, orders: Orders) -> Shares:
        """Return ln P(order) (people,) of orders (people, items); -inf where impossible."""
        ranks = inverse(orders)
        log_probability = np.zeros(len(orders))
        with np.errstate(divide="ignore"):
            for leaf, shares in zip(self.chain.ordered_leaves, self.leaf_orders, strict=True):
                within = ranks_within(ranks, leaf, among=leaf)
                log_probability += np.log(shares)[lexicographic_index(inverse(within))]
            for (leaf, rest), shares in zip(self.chain.splits, self.interleavings, strict=True):
                places = ranks_within(ranks, leaf, among=(*leaf, *rest))
                log_probability += np.log(shares)[interleaving_index(places, len(leaf) + len(rest))]
        return log_probability

    def sample(self, n_people: int, *, rng: np.random.Generator) -> Ranks:
        """Draw independent ranks (people, items)."""
        ranks = np.zeros((n_people, self.n_items), dtype=rank_type(self.n_items), order="F")
        for leaf, shares in zip(self.chain.ordered_leaves, self.leaf_orders, strict=True):
            table = inverse(orders_at(np.arange(len(shares)), len(leaf)))
            ranks[:, leaf] = table[sample_categories(shares, n_people, rng=rng)]
        for (leaf, rest), shares in reversed(
            tuple(zip(self.chain.splits, self.interleavings, strict=True))
        ):
            drawn = sample_categories(shares, n_people, rng=rng)
            _merge(ranks, leaf, rest, interleavings(len(leaf), len(rest))[0][drawn])
        return ranks

    def first_order_marginals(self) -> Shares:
        """Return P(rank of a = r), exactly: (items, ranks). Cost: as second_order_marginals."""
        marginals: Shares = np.einsum("aarr->ar", self._joint())
        return marginals

    def second_order_marginals(self) -> Shares:
        """Return P(rank of a = r, rank of b = s), exactly: (pairs a < b, ranks, ranks).

        Cost: for each split, its interleavings times items^2, and items^6 multiplications.
        """
        return self._joint()[np.triu_indices(self.n_items, k=1)]

    def _joint(self) -> Shares:
        """Return P(rank of a = r, rank of b = s): (items, items, ranks, ranks)."""
        joint = self._leaf_joint(len(self.chain.leaves) - 1)
        items = self.chain.leaves[-1]
        for level in reversed(range(len(self.chain.splits))):
            joint = _merged_joint(self._leaf_joint(level), joint, self.interleavings[level])
            items = self.chain.leaves[level] + items
        where = np.argsort(items)
        ordered: Shares = joint[np.ix_(where, where)]
        return ordered

    def _leaf_joint(self, level: int) -> Shares:
        """Return P(rank of a, rank of b) within a leaf: (items, items, ranks, ranks)."""
        leaf = self.chain.leaves[level]
        size = len(leaf)
        before = sum(len(other) >= 2 for other in self.chain.leaves[:level])
        shares = self.leaf_orders[before] if size >= 2 else np.ones(1)
        joint = np.zeros((size, size, size, size))
        for share, order in zip(shares, permutations(range(size)), strict=True):
            ranks = np.argsort(order)
            at = np.arange(size)
            joint[at[:, None], at, ranks[:, None], ranks] += share
        return joint


def _merge(ranks: Ranks, leaf: Items, rest: Items, places: NDArray[np.uint8]) -> None:
    """Turn ranks within the leaf and within the rest into ranks within both, in place.

    places (people, |leaf|), ascending: what the leaf takes. Making room place by place, from the
    best one, moves the rest to where it belongs.
    """
    for place in places.T:
        for item in rest:
            ranks[:, item] += ranks[:, item] >= place
    people = np.arange(len(ranks))
    for item in leaf:
        ranks[:, item] = places[people, ranks[:, item]]


def _merged_joint(leaf: Shares, rest: Shares, shares: Shares) -> Shares:
    """Merge the pair distributions of a leaf and of a rest (items, items, ranks, ranks)."""
    n_leaf, n_rest = len(leaf), len(rest)
    size = n_leaf + n_rest
    leaf_places, rest_places = interleavings(n_leaf, n_rest)
    merged = np.zeros((size, size, size, size))
    of_leaf, of_rest = slice(n_leaf), slice(n_leaf, size)
    merged[of_leaf, of_leaf] = _moved(leaf, leaf_places, leaf_places, shares, size)
    merged[of_rest, of_rest] = _moved(rest, rest_places, rest_places, shares, size)
    across = np.einsum("aarr,bbss->abrs", leaf, rest)  # the orders of the two are independent
    merged[of_leaf, of_rest] = _moved(across, leaf_places, rest_places, shares, size)
    merged[of_rest, of_leaf] = merged[of_leaf, of_rest].transpose(1, 0, 3, 2)
    return merged


def _moved(
    joint: Shares, first: NDArray[np.uint8], second: NDArray[np.uint8], shares: Shares, size: int
) -> Shares:
    """Move ranks r, s to places first[c, r], second[c, s] with probability shares[c]."""
    n_first, n_second = first.shape[1], second.shape[1]
    moves = np.zeros((n_first, n_second, size, size))
    r, s = np.arange(n_first)[:, None], np.arange(n_second)
    for share, to_first, to_second in zip(shares, first, second, strict=True):
        moves[r, s, to_first[:, None], to_second] += share
    return np.tensordot(joint, moves, axes=2)

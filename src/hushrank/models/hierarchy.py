"""Which items belong together: thin chains, learnt from triplets."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Shares
from hushrank.errors import require
from hushrank.rankings.coding import triplets

Items = tuple[int, ...]


@dataclass(frozen=True)
class ThinChain:
    """Leaves in the order in which they are split off the rest; the last one is what remains."""

    leaves: tuple[Items, ...]

    def __post_init__(self) -> None:
        """Check that the leaves partition the items."""
        items = sorted(item for leaf in self.leaves for item in leaf)
        require(items == list(range(len(items))), "expected leaves that partition the items")
        require(all(self.leaves), "expected leaves with at least 1 item")

    @property
    def n_items(self) -> int:
        """How many items all leaves have."""
        return sum(map(len, self.leaves))

    @property
    def splits(self) -> tuple[tuple[Items, Items], ...]:
        """Each leaf but the last beside the rest that it is split off, from the top."""
        rests = [
            tuple(item for leaf in self.leaves[level + 1 :] for item in leaf)
            for level in range(len(self.leaves) - 1)
        ]
        return tuple(zip(self.leaves[:-1], rests, strict=True))

    @property
    def ordered_leaves(self) -> tuple[Items, ...]:
        """The leaves that have an order to learn: two items or more."""
        return tuple(leaf for leaf in self.leaves if len(leaf) >= 2)


def tripletwise_information(joint: Shares) -> Shares:
    """Return the mutual information (triplets,), in nats, of rank and precedence.

    joint (triplets, 2 ranks): P(rank of the item, which of the two others is first), as
    `RankAndPrecedence` numbers them.   Source: Huang, Guestrin (ICML 2010); Yang et al., Def. 1.
    """
    cells = joint.reshape(len(joint), -1, 2)
    independent = cells.sum(axis=2, keepdims=True) * cells.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(cells > 0, cells * np.log(cells / independent), 0.0)
    information: Shares = terms.sum(axis=(1, 2))
    return information


def information_tensor(n_items: int, information: Shares) -> Shares:
    """Arrange `information` (triplets,) as I(a; b, c): (items, items, items), 0 where undefined."""
    tensor = np.zeros((n_items, n_items, n_items))
    item, first, second = np.array(triplets(n_items)).T
    tensor[item, first, second] = information
    return tensor + tensor.transpose(0, 2, 1)


def learn_thin_chain(tensor: Shares, max_leaf: int = 1) -> ThinChain:
    """Split leaves of at most `max_leaf` items off, each time where the least information crosses.

    tensor: I(a; b, c) (items, items, items). Leaves of different sizes compare by the mean
    information of a crossing triplet.   Source: Huang, Guestrin (ICML 2010), thin chains, Anchors.
    """
    require(max_leaf >= 1, f"expected leaves of at least 1 item, got {max_leaf}")
    remaining = tuple(range(len(tensor)))
    leaves: list[Items] = []
    while len(remaining) > max_leaf:
        leaves.append(_best_leaf(tensor, remaining, max_leaf))
        remaining = tuple(item for item in remaining if item not in leaves[-1])
    return ThinChain((*leaves, remaining))


def crossing_information(tensor: Shares, is_leaf: NDArray[np.bool_]) -> Shares:
    """Return the information that crosses each split (splits,), summed over triplets.

    is_leaf (splits, items). Crossing: an item of one side, and two of the other.
    """
    n_items = len(tensor)
    pairs = tensor.reshape(n_items, -1)  # every unordered pair stands twice
    crossing = np.zeros(len(is_leaf))
    for side in (is_leaf, ~is_leaf):
        other = (~side).astype(np.float64)
        both_other = (other[:, :, None] * other[:, None, :]).reshape(len(side), -1)
        crossing += ((both_other @ pairs.T) * side).sum(axis=1)
    return crossing / 2


def _best_leaf(tensor: Shares, remaining: Items, max_leaf: int) -> Items:
    among = tensor[np.ix_(remaining, remaining, remaining)]
    candidates = _candidate_leaves(among, max_leaf)
    is_leaf = np.zeros((len(candidates), len(remaining)), dtype=np.bool_)
    for row, leaf in zip(is_leaf, candidates, strict=True):
        row[list(leaf)] = True
    small, large = is_leaf.sum(axis=1), (~is_leaf).sum(axis=1)
    n_crossing = small * large * (small + large - 2) / 2
    means = crossing_information(among, is_leaf) / np.maximum(n_crossing, 1)
    return tuple(remaining[place] for place in candidates[int(means.argmin())])


def _candidate_leaves(tensor: Shares, max_leaf: int) -> list[Items]:
    """Return all single items, all pairs, and for each pair of anchors what they draw most."""
    n_items = len(tensor)
    leaves = [(item,) for item in range(n_items)]
    sizes = range(2, min(max_leaf, n_items - 1) + 1)
    found: set[Items] = set()
    for anchors in combinations(range(n_items), 2):
        drawn = np.argsort(-tensor[:, anchors[0], anchors[1]], kind="stable")
        others = [int(item) for item in drawn if item not in anchors]
        found.update(tuple(sorted((*anchors, *others[: size - 2]))) for size in sizes)
    return leaves + sorted(found, key=lambda leaf: (len(leaf), leaf))

"""Groups of items that tell nearly the same of a private value, coarse ones made of finer ones.

Theory: docs/theory/item-channel.md
"""

from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Indices, Shares


@dataclass(frozen=True, eq=False, repr=False)
class SimilarItems:
    """A chain of partitions: the finest group of each item, and which group each one split off.

    finest (items,); parents (groups,).
    """

    finest: Indices
    parents: Indices

    def groups(self, n_groups: int) -> Indices:
        """Return the group (items,) of each item, of at most `n_groups`."""
        merged = np.arange(len(self.parents))
        for group in range(n_groups, len(merged)):
            merged[group] = merged[self.parents[group]]
        return merged[self.finest]


def similar_items(posteriors: Shares, weights: Shares, prior: Shares, most: int) -> SimilarItems:
    """Return up to `most` groups of items (items,) with similar posteriors (items, values).

    The group with the largest weighted squares of P(value | item) / sqrt(P(value)) is halved at its
    mean, along the value that differs most. Deterministic.
    """
    places = posteriors / np.sqrt(prior)
    finest = np.zeros(len(places), dtype=np.intp)
    heap, parents = [(0.0, 0, np.arange(len(places)))], [0]
    while heap and len(parents) < most:
        _, group, members = heappop(heap)
        upper = _upper_half(places[members], weights[members])
        if upper.any() and not upper.all():
            finest[members[upper]] = len(parents)
            for number, half in ((group, members[~upper]), (len(parents), members[upper])):
                heappush(heap, (-_squares(places[half], weights[half]), number, half))
            parents.append(group)
    return SimilarItems(finest, np.array(parents))


def _spread(places: Shares, weights: Shares) -> tuple[Shares, Shares]:
    total = weights.sum()
    means = weights @ places / total if total > 0 else places.mean(axis=0)
    return means, weights @ (places - means) ** 2


def _squares(places: Shares, weights: Shares) -> float:
    return float(_spread(places, weights)[1].sum())


def _upper_half(places: Shares, weights: Shares) -> NDArray[np.bool_]:
    means, squares = _spread(places, weights)
    value = int(squares.argmax())
    return (
        places[:, value] > means[value] if squares[value] > 1e-18 else np.zeros(len(places), bool)
    )

"""What it costs the order of a user's items when another item than the true one is released."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts, Shares
from hushrank.errors import require
from hushrank.publishing.distances.kendall import Ties


@dataclass(frozen=True, eq=False, repr=False)
class ActivityCost:
    """Kendall distances of V + i and V + j, all pairs of items in one pass over the counts V.

        cost[i, j] = (parts[class i] + parts[class j] + within [class i = class j]) for i != j

    classes (items,): which class the item is of; items of one class cost the same. parts
    (classes,), rising or all 0, and within are in units of all n (n - 1) / 2 pairs, so that costs
    lie in [0, 1].
    """

    classes: NDArray[np.intp]
    parts: Shares
    within: float

    def __repr__(self) -> str:
        """Say the size, nothing of the counts."""
        return f"ActivityCost({self.n_items} items)"

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return len(self.classes)

    @cached_property
    def of_items(self) -> Shares:
        """The part (items,) of each item."""
        return self.parts[self.classes]

    @cached_property
    def largest(self) -> float:
        """An upper bound of every cost, for budgets."""
        return float(2 * self.parts.max() + self.within)

    def matrix(self) -> Shares:
        """Return all costs (items, items). Cost: O(items^2) memory."""
        same = self.classes[:, None] == self.classes[None]
        costs: Shares = self.of_items[:, None] + self.of_items[None] + self.within * same
        np.fill_diagonal(costs, 0.0)
        return costs


def activity_cost(counts: Counts, *, ties: Ties = "half") -> ActivityCost:
    """Return the costs of releasing one item for another, for a user with these counts (items,).

        cost = (c_Vi + c_Vj - 1) / (n (n - 1) / 2)     c_v = (n_v + n_v+1) / 2, n_v items count v

    That is the Kendall distance where a tie in one vector costs 1/2; exactly, it is additive.
    Raises HushrankError unless counts are 2 or more whole numbers >= 0.
    Source: Yang, Qu, Cudre-Mauroux (IEEE TKDE 2019), eq. 13 in Algorithm 3.
    Differs from the source: with ties="ignored", as printed, only items of equal counts cost
    anything, so every other move would be free; ties="half" is the default.
    """
    require(ties in ("half", "ignored"), f"expected ties half or ignored, got {ties}")
    vector = np.asarray(counts)
    whole = vector.ndim == 1 and vector.size >= 2 and vector.dtype.kind in "iu"
    require(whole, "expected counts of 2 or more items, whole numbers")
    require(vector.min() >= 0, "expected counts of at least 0")
    levels, classes, sizes = np.unique(vector, return_inverse=True, return_counts=True)
    pairs = len(vector) * (len(vector) - 1) / 2
    if ties == "ignored":
        return ActivityCost(classes, np.zeros(len(levels)), 1 / pairs)
    parts, merged = np.unique(_neighbours(levels, sizes), return_inverse=True)
    return ActivityCost(merged[classes], (parts - 0.5) / pairs, 0.0)


def _neighbours(levels: Counts, sizes: Counts) -> Shares:
    """Return c_v = (n_v + n_v+1) / 2 of each level."""
    followed = np.append(levels[1:] - levels[:-1] == 1, False)
    following = np.where(followed, np.append(sizes[1:], 0), 0)
    return (sizes + following) / 2

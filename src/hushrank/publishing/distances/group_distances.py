"""How far groups of users are from one another, each group by what its users score on average."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import entr

from hushrank.accounting.words import as_given
from hushrank.arrays import Floats
from hushrank.errors import require
from hushrank.publishing.distances.kendall import kendall_distances


@dataclass(frozen=True, eq=False, repr=False)
class GroupDistances:
    """Distances (groups, groups): symmetric, 0 on the diagonal, 0..largest elsewhere.

    largest: what two groups can be apart at most, 1, or where there is no such bound what these
    are apart at most. A budget of distortion is in the same unit.
    """

    name: str
    matrix: Floats
    largest: float

    def require_budget(self, budget: float) -> None:
        """Raise HushrankError unless the budget is in 0..largest."""
        fits = 0 <= budget <= self.largest
        require(
            fits,
            f"budget: expected 0 to {self.largest:g}, a distance by {self.name},"
            f" got {as_given(budget)}",
        )


def group_distances(centroids: Floats, name: str = "kendall") -> GroupDistances:
    """Return the distances of that `name`, of DISTANCES, between centroids (groups, items).

    Raises HushrankError unless the centroids are finite numbers of at least 0, of 2 or more items.
    Source: Yang, Qu, Cudré-Mauroux (TKDE 2019), section 7.5.
    """
    require(name in DISTANCES, f"expected a distance of {', '.join(DISTANCES)}, got {name}")
    table = np.asarray(centroids, dtype=np.float64)
    shaped = table.ndim == 2 and table.shape[0] >= 1 and table.shape[1] >= 2
    require(shaped, f"expected centroids (groups, 2 or more items), got shape {table.shape}")
    fine = bool(np.isfinite(table).all() and (table >= 0).all())
    require(fine, "expected finite centroids of at least 0")
    matrix = DISTANCES[name](table)
    largest = float(matrix.max()) if name in UNBOUNDED else 1.0
    return GroupDistances(name, matrix, largest)


def euclidean_distances(centroids: Floats) -> Floats:
    """Return the lengths of the differences (groups, groups), in units of scores."""
    return np.asarray(np.sqrt(squared_distances(centroids)))


def squared_distances(centroids: Floats) -> Floats:
    """Return the squared lengths of the differences (groups, groups)."""
    differences = (((centroids - row) ** 2).sum(axis=1) for row in centroids)
    return np.array(list(differences))


def cosine_distances(centroids: Floats) -> Floats:
    """Return 1 - cosine of the angle (groups, groups), in [0, 1] for scores of at least 0.

    A centroid of zeros is at distance 0 from such, at 1 from all others.
    """
    lengths = np.linalg.norm(centroids, axis=1, keepdims=True)
    units = np.divide(centroids, lengths, out=np.zeros_like(centroids), where=lengths > 0)
    return _with_empty_rows(1 - units @ units.T, lengths[:, 0] == 0)


def jensen_shannon_distances(centroids: Floats) -> Floats:
    """Return square roots of the Jensen-Shannon divergences, in bits, (groups, groups) in [0, 1].

        divergence = H((p + q) / 2) - (H(p) + H(q)) / 2,  p and q: the rows, scaled to sum to 1

    A metric. A centroid of zeros is at distance 0 from such, at 1 from all others.
    Source: Endres, Schindelin (IEEE Transactions on Information Theory 2003).
    """
    sums = centroids.sum(axis=1, keepdims=True)
    shares = np.divide(centroids, sums, out=np.zeros_like(centroids), where=sums > 0)
    entropies = entr(shares).sum(axis=1)
    means = np.array([entr((shares + row) / 2).sum(axis=1) for row in shares])
    divergences = (means - (entropies + entropies[:, None]) / 2) / np.log(2)
    return _with_empty_rows(np.sqrt(np.clip(divergences, 0, 1)), sums[:, 0] == 0)


def spearman_distances(centroids: Floats) -> Floats:
    """Return (1 - Spearman's rank correlation) / 2 (groups, groups), in [0, 1]; ties share ranks.

    A centroid whose items are all tied has no order: it is at 0 from such, at 1/2 from others.
    """
    from scipy.stats import rankdata  # a second to load

    ranks = rankdata(centroids, axis=1)
    deviations = ranks - ranks.mean(axis=1, keepdims=True)
    lengths = np.linalg.norm(deviations, axis=1, keepdims=True)
    units = np.divide(deviations, lengths, out=np.zeros_like(deviations), where=lengths > 0)
    return _with_empty_rows((1 - units @ units.T) / 2, lengths[:, 0] == 0, apart=0.5)


def _with_empty_rows(distances: Floats, is_empty: NDArray[np.bool_], apart: float = 1.0) -> Floats:
    """Set the distances of rows that have none of their own, and make all exact where they are."""
    differ = is_empty[:, None] != is_empty[None]
    distances = np.where(differ, apart, np.clip((distances + distances.T) / 2, 0, 1))
    distances[np.ix_(is_empty, is_empty)] = 0.0
    np.fill_diagonal(distances, 0.0)
    return distances


DISTANCES: Mapping[str, Callable[[Any], Floats]] = {
    "kendall": kendall_distances,
    "kendall-printed": partial(kendall_distances, ties="ignored"),
    "spearman": spearman_distances,
    "euclidean": euclidean_distances,
    "squared-euclidean": squared_distances,
    "cosine": cosine_distances,
    "jensen-shannon": jensen_shannon_distances,
}
"""What `group_distances` offers; "kendall" counts ties half, "kendall-printed" ignores them."""

UNBOUNDED = ("euclidean", "squared-euclidean")
"""Distances in units of scores, which have no bound of their own."""

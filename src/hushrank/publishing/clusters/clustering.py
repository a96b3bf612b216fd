"""Group users whose records are alike, so that a channel between groups can be learnt."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.arrays import Floats
from hushrank.errors import require
from hushrank.publishing.clusters.k_means import partitioned
from hushrank.publishing.clusters.linkage import linked
from hushrank.publishing.clusters.record_space import (
    Labels,
    Points,
    RecordSpace,
    component_space,
    distinct,
    nearest_centres,
)

Clustering: TypeAlias = Literal["auto", "ward", "bisecting", "minibatch", "average"]

N_COMPONENTS = 32
MOST_FOR_WARD = 8_000
"""Users up to which Ward's linkage takes seconds."""
MOST_GIGABYTES = 4.0


@dataclass(frozen=True, eq=False, repr=False)
class Clusters:
    """Which cluster each user is in, the largest first, and what a cluster does on average.

    labels (users,) are in 0..clusters - 1, and no cluster is empty; centroids (clusters, items) are
    mean scores, centres mean points in `space`. Users of equal records are in one cluster.
    Privacy: none. It is raw, and no release may show it but through a channel.
    """

    labels: Labels
    centroids: Floats
    centres: Floats
    space: RecordSpace

    def __repr__(self) -> str:
        """Say the size, nothing of the content."""
        return f"Clusters({len(self.labels)} users, {self.n_clusters} clusters)"

    @property
    def n_clusters(self) -> int:
        """How many clusters there are."""
        return len(self.centroids)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many users each cluster has (clusters,)."""
        return np.bincount(self.labels, minlength=self.n_clusters)

    def assign(self, scores: csr_array) -> Labels:
        """Return the clusters (users,) with the nearest centres for other users' scores."""
        n_items = self.centroids.shape[1]
        require(scores.shape[1] == n_items, f"expected scores of {n_items} items")
        return nearest_centres(self.space.points(scores), self.centres)


def cluster_users(
    scores: csr_array,
    n_clusters: int,
    *,
    method: Clustering = "auto",
    rng: np.random.Generator,
    most_gigabytes: float = MOST_GIGABYTES,
) -> Clusters:
    """Cluster users by `Activity.scores` (users, items): log(1 + score), 32 components, Euclidean.

    "ward" merges what adds the least sum of squares; "bisecting" and "minibatch" are k-means, for
    any number of users; "auto": ward up to 8,000 users, else bisecting. "average" linkage of raw
    scores, the paper's, collapses: most users end in one cluster, and outliers in the others.
    `rng` chooses clusters, it protects nobody; the same one gives the same clusters.
    Raises HushrankError when fewer records differ than there are clusters, when a linkage needs
    more than `most_gigabytes`, and when minibatch misses scikit-learn.
    """
    _require_users(scores, n_clusters, method)
    components = min(N_COMPONENTS, *scores.shape)
    is_raw = method == "average"
    space = RecordSpace() if is_raw else component_space(scores, components, rng=rng)
    points = space.points(scores)
    labels = cluster_points(points, n_clusters, method, rng=rng, most_gigabytes=most_gigabytes)
    return _clusters(scores, points, labels, space)


def cluster_points(
    points: Points,
    n_clusters: int,
    method: Clustering,
    *,
    rng: np.random.Generator,
    most_gigabytes: float = MOST_GIGABYTES,
) -> Labels:
    """Return the clusters (users,) of points (users, dimensions), the largest first.

    Raises HushrankError as `cluster_users` does.
    """
    if method == "auto":
        method = "ward" if points.shape[0] <= MOST_FOR_WARD else "bisecting"
    first, which = distinct(points)
    enough = len(first) >= n_clusters
    require(enough, f"expected {n_clusters} or more records that differ, got {len(first)}")
    if method == "ward" or method == "average":
        labels = linked(points, which, n_clusters, method, most_gigabytes=most_gigabytes)
    else:
        copies = np.bincount(which).astype(np.float64)
        labels = partitioned(points, first, copies, n_clusters, method, rng=rng)[which]
    return _by_size(labels)


def _require_users(scores: csr_array, n_clusters: int, method: Clustering) -> None:
    known = get_args(Clustering)
    require(method in known, f"expected a method of {', '.join(known)}, got {method}")
    n_users = scores.shape[0]
    fits = 1 <= n_clusters <= n_users
    require(fits, f"expected 1..{n_users} clusters of {n_users} users, got {n_clusters}")
    fine = bool(np.isfinite(scores.data).all() and (scores.data >= 0).all())
    require(fine, "expected finite scores of at least 0")


def _by_size(labels: Labels) -> Labels:
    """Number clusters by falling size, ties by their first user."""
    _, firsts, names, sizes = np.unique(
        labels, return_index=True, return_inverse=True, return_counts=True
    )
    numbers = np.empty(len(sizes), dtype=np.intp)
    numbers[np.lexsort((firsts, -sizes))] = np.arange(len(sizes))
    return numbers[names]


def _clusters(scores: csr_array, points: Points, labels: Labels, space: RecordSpace) -> Clusters:
    centroids, centres = (_means(table, labels) for table in (scores, points))
    return Clusters(labels, centroids, centres, space)


def cluster_sums(table: Points, labels: Labels, n_clusters: int) -> Floats:
    """Return the sums (clusters, columns) of the rows of each cluster's users (users, columns)."""
    n_users = len(labels)
    cells = np.ones(n_users), (labels, np.arange(n_users))
    sums: Any = csr_array(cells, shape=(n_clusters, n_users)) @ table
    dense: Floats = sums if isinstance(sums, np.ndarray) else sums.toarray()
    return dense


def _means(table: Points, labels: Labels) -> Floats:
    """Return the mean row (clusters, columns) of each cluster's users."""
    sizes = np.bincount(labels)
    return np.asarray(cluster_sums(table, labels, len(sizes)) / sizes[:, None])

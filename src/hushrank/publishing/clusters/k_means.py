"""Clusters by k-means, for any number of users."""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.arrays import Floats
from hushrank.publishing.classifiers import one_thread, require_sklearn
from hushrank.publishing.clusters.bisection import bisected
from hushrank.publishing.clusters.record_space import nearest_centres

Labels: TypeAlias = NDArray[np.integer[Any]]
Partition: TypeAlias = Literal["bisecting", "minibatch"]

N_ROUNDS = 3
"""Rounds of k-means after the first clusters: later ones lower the sum of squares by little."""
BATCH = 4096


def partitioned(
    points: Floats,
    weights: Floats,
    n_clusters: int,
    method: Partition,
    *,
    rng: np.random.Generator,
) -> Labels:
    """Return labels (points,) of `n_clusters` clusters, none empty, of points that all differ.

    points (points, dimensions), weights (points,): how many users each stands for.
    Raises HushrankError when minibatch misses scikit-learn.
    Source: Steinbach, Karypis, Kumar (KDD Workshop on Text Mining 2000); Sculley (WWW 2010).
    """
    labels: Labels = np.zeros(len(points), dtype=np.intp)
    if method == "minibatch":
        labels = _compact(_minibatch(points, weights, n_clusters, rng))
    labels = bisected(points, weights, labels, n_clusters)
    for _ in range(N_ROUNDS):
        nearest = _compact(nearest_centres(points, _means(points, weights, labels)))
        labels = bisected(points, weights, nearest, n_clusters)  # where a cluster was left empty
    return labels


def _minibatch(
    points: Floats, weights: Floats, n_clusters: int, rng: np.random.Generator
) -> Labels:
    require_sklearn()
    from sklearn.cluster import MiniBatchKMeans

    seed = int(rng.integers(2**31))
    clusters = MiniBatchKMeans(n_clusters, batch_size=BATCH, n_init=1, random_state=seed)
    with one_thread():  # threads add up in an order of their own
        labels: Labels = clusters.fit_predict(points, sample_weight=weights)
    return labels


def _compact(labels: Labels) -> Labels:
    """Number the clusters that have points 0, 1, .."""
    return np.unique(labels, return_inverse=True)[1]


def _means(points: Floats, weights: Floats, labels: Labels) -> Floats:
    members = csr_array((weights, (labels, np.arange(len(labels)))))
    sums: Any = members @ points
    means: Floats = sums / np.bincount(labels, weights)[:, None]
    return means

"""Clusters by k-means, for any number of users: split in two again and again, or in batches."""

import heapq
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.arrays import Floats, Indices
from hushrank.errors import require
from hushrank.publishing.classifiers import one_thread, require_sklearn
from hushrank.publishing.clusters.record_space import Labels, nearest_centres

Partition: TypeAlias = Literal["bisecting", "minibatch"]
N_ROUNDS = 3
"""Rounds of k-means after the first clusters: later ones lower the sum of squares by little."""
BATCH, BLOCK = 4096, 2**18
ROUNDING = 1e-9
"""Points this near to the middle of two clusters, to the farthest one's distance, are in it."""
Marks: TypeAlias = NDArray[np.bool_]
MOST_ROUNDS = 10
"""Rounds of 2-means a split: later ones move few points."""


def partitioned(
    points: Floats,
    rows: Indices,
    weights: Floats,
    n_clusters: int,
    method: Partition,
    *,
    rng: np.random.Generator,
) -> Labels:
    """Return labels (rows,) of `n_clusters` clusters, none empty, of points that all differ.

    points (users, dimensions), rows: those meant; weights (rows,): how many users each stands for.
    Raises HushrankError when minibatch misses scikit-learn.
    Source: Steinbach, Karypis, Kumar (KDD Workshop on Text Mining 2000); Sculley (WWW 2010).
    """
    labels: Labels = np.zeros(len(rows), dtype=np.intp)
    if method == "minibatch":
        labels = _compact(_minibatch(points[rows], weights, n_clusters, rng))
    labels = bisected(points, rows, weights, labels, n_clusters)
    for _ in range(N_ROUNDS):
        centres = _means(points, rows, weights, labels)
        nearest = _compact(nearest_centres(points, centres)[rows])
        # where a cluster was left empty
        labels = bisected(points, rows, weights, nearest, n_clusters)
    return labels


def bisected(
    points: Floats, rows: Indices, weights: Floats, labels: Labels, n_clusters: int
) -> Labels:
    """Split clusters 0, 1, .. of `labels` (rows,), none empty, until there are `n_clusters`.

    The cluster of the largest sum of squares is split by 2-means, started with both sides of its
    mean along its principal axis. points (users, dimensions), rows: those meant; weights (rows,)
    are > 0. Deterministic.   Memory: the points of the largest cluster once more.
    Cost: O(points, dimensions, logarithm of the clusters), where splits are even.
    Raises HushrankError when fewer points differ.
    Source: Steinbach, Karypis, Kumar (KDD Workshop on Text Mining 2000).
    """
    names, n_before = labels.copy(), int(labels.max()) + 1
    if n_before == n_clusters:
        return names
    members = (np.flatnonzero(names == name) for name in range(n_before))
    heap = [_entry(points, rows, weights, own) for own in members]
    heapq.heapify(heap)
    for name in range(n_before, n_clusters):
        key, _, own = heap[0]
        require(key < 0, f"expected {n_clusters} or more points that differ, got {name}")
        is_second = _sides(_centred(points[rows[own]], weights[own]), weights[own])
        if is_second.all() or not is_second.any():  # points that differ by roundings only
            is_second = _sides_by_roundings(points[rows[own]])
        names[own[is_second]] = name
        heapq.heapreplace(heap, _entry(points, rows, weights, own[~is_second]))
        heapq.heappush(heap, _entry(points, rows, weights, own[is_second]))
    return names


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


def _means(points: Floats, rows: Indices, weights: Floats, labels: Labels) -> Floats:
    n_clusters = int(labels.max()) + 1
    members = csr_array((weights, (labels, rows)), shape=(n_clusters, len(points)))
    sums: Any = members @ points
    means: Floats = sums / np.bincount(labels, weights)[:, None]
    return means


def _entry(
    points: Floats, rows: Indices, weights: Floats, members: Labels
) -> tuple[float, int, Labels]:
    """Return a cluster as the heap wants it: least first, ties by first member.

    The key is less the sum of squares, and 0 only where all points are equal.
    """
    own = points[rows[members]]
    if all((block == own[0]).all() for block in _blocks(own)):
        return 0.0, int(members[0]), members
    centred = _centred(own, weights[members])
    lengths = [(block**2).sum(axis=1) for block in _blocks(centred)]
    squares = weights[members] @ np.concatenate(lengths)
    return -max(float(squares), float(np.finfo(float).tiny)), int(members[0]), members


def _centred(points: Floats, weights: Floats) -> Floats:
    """Move the points, which are the caller's own, so that their weighted mean is 0."""
    points -= weights @ points / weights.sum()
    return points


def _blocks(values: Floats) -> list[Floats]:
    """Return an array in parts: what is computed of all at once takes as much memory again."""
    return [values[start : start + BLOCK] for start in range(0, len(values), BLOCK)]


def _sides(centred: Floats, weights: Floats) -> Marks:
    """Return which points (points,), whose mean is 0, go to the second of two clusters.

    The first point that is not in the middle of the axis starts in the first cluster: the sign of
    an axis is chance.
    """
    each = zip(_blocks(centred), _blocks(weights), strict=True)
    spread = sum((block.T * own) @ block for block, own in each)
    along = centred @ np.linalg.eigh(spread)[1][:, -1]
    is_second = _is_beyond(along, 0.0)
    if is_second.any() and is_second.argmax() < _is_beyond(-along, 0.0).argmax():
        is_second = _is_beyond(-along, 0.0)
    before = ~is_second
    for _ in range(MOST_ROUNDS):
        is_split = is_second.any() and not is_second.all()
        if not is_split or (is_second == before).all():
            break
        before, is_second = is_second, _nearer_to_second(centred, weights, is_second)
    return is_second


def _sides_by_roundings(points: Floats) -> Marks:
    """Return which points, which are not all equal, are above the least in the widest column."""
    column = points[:, np.ptp(points, axis=0).argmax()]
    above: Marks = column > column.min()
    return above


def _nearer_to_second(centred: Floats, weights: Floats, is_second: Marks) -> Marks:
    """Return which points are nearer to the mean of the second cluster than to the first's.

    The weighted sum of all points is 0, so the first cluster's is less the second's.
    """
    own = weights * is_second
    total, weight = own @ centred, own.sum()
    second, first = total / weight, -total / (weights.sum() - weight)
    return _is_beyond(centred @ (second - first), (second @ second - first @ first) / 2)


def _is_beyond(along: Floats, middle: float) -> Marks:
    """Return which points (points,) are past the middle, by more than rounding moves them."""
    is_beyond: Marks = along - middle > ROUNDING * np.abs(along).max()
    return is_beyond

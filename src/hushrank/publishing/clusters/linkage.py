"""Clusters by merging the two nearest ones, again and again, where memory allows it."""

from typing import Literal, TypeAlias

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from hushrank.arrays import Floats
from hushrank.errors import require
from hushrank.publishing.clusters.record_space import Labels, Points

Linkage: TypeAlias = Literal["ward", "average"]

ROWS_AT_ONCE = 256


def linked(
    points: Points, which: Labels, n_clusters: int, kind: Linkage, *, most_gigabytes: float
) -> Labels:
    """Return labels (users,) of `n_clusters` clusters, by Ward's or by average linkage.

    points (users, dimensions); which (users,): equal for equal points, which are merged first.
    Memory: two tables of the distances of all pairs of users, 8 users^2 bytes.
    Raises HushrankError when that is more than `most_gigabytes`.
    """
    n_users = points.shape[0]
    needed = 8 * n_users**2 / 1e9
    fits = needed <= most_gigabytes
    advice = f"{kind} linkage of {n_users} users needs {needed:.3g} GB"
    require(fits, f"{advice}, more than the {most_gigabytes:g} GB allowed: use bisecting")
    if n_users == 1:
        return np.zeros(1, dtype=np.intp)
    from scipy.cluster.hierarchy import linkage  # slow to load

    merges = linkage(_pair_distances(points, which), kind)
    return _first_merges(merges, n_users - n_clusters)


def _pair_distances(points: Points, which: Labels) -> Floats:
    """Return the Euclidean distances of all pairs of users (pairs,), as scipy orders them.

    They are 0 for equal points, and only for them, whatever is rounded.
    """
    n_users = points.shape[0]
    squares = np.asarray((points * points).sum(axis=1)).ravel()
    distances = np.empty(n_users * (n_users - 1) // 2)
    end = 0
    for start in range(0, n_users, ROWS_AT_ONCE):
        products = points[start : start + ROWS_AT_ONCE] @ points.T
        table = products if isinstance(products, np.ndarray) else products.toarray()
        block = squares[start : start + ROWS_AT_ONCE, None] + squares - 2 * table
        block = np.sqrt(np.maximum(block, np.finfo(float).tiny))
        block[which[start : start + ROWS_AT_ONCE, None] == which] = 0.0
        for row, distances_of_row in enumerate(block, start):
            begin, end = end, end + n_users - 1 - row
            distances[begin:end] = distances_of_row[row + 1 :]
    return distances


def _first_merges(merges: Floats, n_merges: int) -> Labels:
    """Return labels (users,) after so many of the merges: exactly as many clusters as are left."""
    n_users = len(merges) + 1
    nodes = n_users + np.arange(n_merges)
    children = merges[:n_merges, :2].astype(np.int64)
    edges = np.repeat(nodes, 2), children.ravel()
    shape = (2 * n_users, 2 * n_users)
    forest = coo_array((np.ones(2 * n_merges), edges), shape=shape)
    labels = connected_components(forest.tocsr(), directed=False)[1][:n_users]
    return np.unique(labels, return_inverse=True)[1]

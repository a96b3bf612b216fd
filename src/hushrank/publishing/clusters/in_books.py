"""Cluster users whose scores lie on a shelf: what tasks do with a book, and what one process does.

The steps are those of `clustering.py`, with the same draws: directions are learnt from a sample of
users, records become points book by book, points are clustered in one place, and the centroids are
sums over books. Scores that are whole numbers, or halves, give the same clusters to the last bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hushrank.activities.shelves.shelf import Shelf
from hushrank.arrays import Floats, Indices
from hushrank.errors import require
from hushrank.files.spread import mapped, remove_files
from hushrank.publishing.clusters.clustering import (
    N_COMPONENTS,
    Clustering,
    Clusters,
    cluster_points,
    cluster_sums,
)
from hushrank.publishing.clusters.record_space import (
    Labels,
    RecordSpace,
    learnt_from,
    space_of_sample,
)


@dataclass(frozen=True, eq=False, repr=False)
class Members:
    """The users of a book who are clustered: their rows in it, and their clusters once known."""

    book: int
    rows: Indices
    labels: Labels


@dataclass(frozen=True, eq=False, repr=False)
class Pointing:
    """What a task needs to make points of the members of a book, or sums of their clusters."""

    shelf: Shelf
    space: RecordSpace
    n_clusters: int = 0


def members_of_books(shelf: Shelf, users: Indices) -> tuple[Members, ...]:
    """Return who of these users (users,), by number and ascending, is in which book."""
    starts = shelf.starts
    ends = np.searchsorted(users, starts)
    none = np.zeros(0, dtype=np.intp)
    return tuple(
        Members(n, users[ends[n] : ends[n + 1]] - starts[n], none) for n in range(len(shelf.books))
    )


def space_of_users(
    shelf: Shelf, users: Indices, method: Clustering, *, rng: np.random.Generator
) -> RecordSpace:
    """Return the space in which these users are points, learnt from a sample of their scores."""
    far = f"expected clusters of points: {method} needs all scores in one place"
    require(method != "average", far)
    some = users[learnt_from(len(users), rng=rng)]
    n_kept = min(N_COMPONENTS, len(users), shelf.n_items)
    return space_of_sample(shelf.rows(some), n_kept, rng=rng)


def points_of_book(pointing: Pointing, members: Members) -> tuple[str, ...]:
    """Write the points (members, dimensions) of a book's members to a file beside it.

    Return the file's path; tuples of them add up. Points are as long as a short record: they do
    not travel with what tasks return.
    """
    scores = pointing.shelf.rows_of_book(members.book, members.rows)
    return (pointing.shelf.write_beside(members.book, "points", pointing.space.points(scores)),)


def points_of_all(files: Sequence[str], n_members: int) -> Floats:
    """Return the points (members, dimensions) of these files, and remove them, one by one."""
    points: Floats | None = None
    filled = 0
    for file in files:
        own = mapped(file)
        points = np.empty((n_members, own.shape[1])) if points is None else points
        points[filled : filled + len(own)] = own
        filled += len(own)
        remove_files([file])
    return np.zeros((0, 0)) if points is None else points


def sums_of_book(pointing: Pointing, members: Members) -> Floats:
    """Return the sums of scores (clusters, items) of a book's members."""
    scores = pointing.shelf.rows_of_book(members.book, members.rows)
    return cluster_sums(scores, members.labels, pointing.n_clusters)


def labels_of_points(
    members: tuple[Members, ...],
    points: Floats,
    n_clusters: int,
    method: Clustering,
    *,
    rng: np.random.Generator,
) -> tuple[Members, ...]:
    """Cluster all points (users, dimensions), and return the members with their clusters."""
    fits = 1 <= n_clusters <= len(points)
    require(fits, f"expected 1..{len(points)} clusters of {len(points)} users, got {n_clusters}")
    labels = cluster_points(points, n_clusters, method, rng=rng)
    ends = np.cumsum([0, *(len(each.rows) for each in members)])
    return tuple(
        replace(each, labels=labels[ends[n] : ends[n + 1]]) for n, each in enumerate(members)
    )


def clusters_of_books(
    members: tuple[Members, ...], points: Floats, sums: Floats, space: RecordSpace
) -> Clusters:
    """Return the clusters of all members, from the sums of scores (clusters, items) of books."""
    labels = np.concatenate([each.labels for each in members])
    sizes = np.bincount(labels)[:, None]
    centres = cluster_sums(points, labels, len(sums)) / sizes
    return Clusters(labels, sums / sizes, np.asarray(centres), space)

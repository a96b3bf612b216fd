"""Users who ask for protection, and the clusters of records that they are hidden among."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.activities.attribute import Attribute
from hushrank.activities.profiles import PrivateValues, Profiles
from hushrank.arrays import Counts, Indices, Shares
from hushrank.errors import require
from hushrank.publishing.clusters.clustering import Clustering, Clusters, cluster_users
from hushrank.publishing.distances.group_distances import GroupDistances, group_distances
from hushrank.publishing.leakage.measures import cross_counts

MOST_CLUSTERS, USERS_OF_A_CLUSTER = 200, 10
"""Unless told: as many clusters as the paper, but not more than one for so many users."""


@dataclass(frozen=True, eq=False, repr=False)
class ValueCounts:
    """How many users have each private value in each cluster (clusters, values), in two parts.

    The channel is learnt from `learnt` and judged on `held_out`; sizes (clusters,) counts all
    users, whether they tell their value or not.
    """

    learnt: Counts
    held_out: Counts
    sizes: Counts

    @property
    def joint(self) -> Shares:
        """P(cluster, value) (clusters, values) of all users, with P(value | cluster) as learnt.

        In a cluster of which nothing was learnt, values are as frequent as among all.
        """
        totals = self.learnt.sum(axis=1, keepdims=True)
        prior = self.learnt.sum(axis=0) / self.learnt.sum()
        start = np.tile(prior, (len(totals), 1))
        given = np.divide(self.learnt, totals, out=start, where=totals > 0)
        shares: Shares = given * (self.sizes / self.sizes.sum())[:, None]
        return shares


@dataclass(frozen=True, eq=False, repr=False)
class ProtectedUsers:
    """Users who protect one of `names` or more: rows (protected,) of the activity, ascending.

    clusters and distances are of the protected users alone: their records are exchanged among
    themselves only, so that none appears beside the original of somebody who is not protected.
    activity: of nobody, where all records lie on a shelf.
    Privacy: raw data of people.
    """

    activity: Activity
    private: PrivateValues
    names: tuple[str, ...]
    rows: Indices
    clusters: Clusters
    distances: GroupDistances

    def __repr__(self) -> str:
        """Say the size, nothing of the content."""
        return f"ProtectedUsers({len(self.rows)} users, {self.clusters.n_clusters} clusters)"

    @property
    def scores(self) -> csr_array:
        """The records (protected, items)."""
        return self.activity.scores[self.rows]

    @property
    def groups(self) -> Mapping[tuple[str, ...], Indices]:
        """Which protected users (by place in `rows`) ask to protect which of the names."""
        return self.private.select(self.rows).protection(self.names)

    def values(self, names: Sequence[str], members: Indices | None = None) -> Attribute:
        """Return the private value of each of the members (places; all), of the names jointly."""
        rows = self.rows if members is None else self.rows[members]
        return self.private.select(rows).joint(names)

    def counts(
        self,
        names: Sequence[str],
        members: Indices | None = None,
        *,
        held_out: float,
        rng: np.random.Generator,
    ) -> ValueCounts:
        """Count the members (places; all) who tell; of each value hold out that share, at random.

        Raises HushrankError when they tell fewer than 2 values.
        """
        value = self.values(names, members)
        labels = self.clusters.labels if members is None else self.clusters.labels[members]
        is_held_out = np.zeros(len(labels), dtype=np.bool_)
        for code in range(value.n_values):
            own = np.flatnonzero(value.codes == code)
            is_held_out[rng.permutation(own)[: int(held_out * len(own))]] = True
        shape = self.clusters.n_clusters, value.n_values
        learnt, held = (
            cross_counts(labels[mask], value.codes[mask], *shape)
            for mask in (~is_held_out, is_held_out)
        )
        return ValueCounts(learnt, held, np.bincount(labels, minlength=shape[0]))


def protect(
    activity: Activity,
    profiles: Profiles,
    names: Sequence[str],
    *,
    n_clusters: int | None = None,
    clustering: Clustering = "auto",
    distance: str = "kendall",
    rng: np.random.Generator,
) -> ProtectedUsers:
    """Find who protects one of `names` and cluster their records; `rng` protects nobody.

    The profiles may be in any order; users without one protect everything.
    Raises HushrankError when fewer than 4 users ask for protection, an attribute is unknown, or
    there are more clusters than records that differ.
    Differs from the source, which clusters all users and releases records of unprotected ones too.
    """
    private = profiles.aligned(activity.users).values
    rows = protected_rows(private, names)
    wanted = clusters_of(len(rows), n_clusters)
    clusters = cluster_users(activity.scores[rows], wanted, method=clustering, rng=rng)
    distances = group_distances(clusters.centroids, distance)
    return ProtectedUsers(activity, private, tuple(names), rows, clusters, distances)


def protected_rows(private: PrivateValues, names: Sequence[str]) -> Indices:
    """Return who protects one of `names`, by row; raise HushrankError for fewer than 4."""
    open_users = private.protection(names).get((), np.zeros(0, dtype=np.intp))
    rows = np.setdiff1d(np.arange(private.n_users), open_users)
    require(len(rows) >= 4, f"expected 4 or more users who ask for protection, got {len(rows)}")
    return rows


def clusters_of(n_protected: int, n_clusters: int | None) -> int:
    """Return how many clusters so many protected users get, unless it is said."""
    most = max(2, min(MOST_CLUSTERS, n_protected // USERS_OF_A_CLUSTER))
    return most if n_clusters is None else n_clusters

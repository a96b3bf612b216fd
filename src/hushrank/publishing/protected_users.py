"""Users who ask for protection, and the clusters of records that they are hidden among."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.activities.attribute import Attribute
from hushrank.activities.profiles import Profiles
from hushrank.arrays import Counts
from hushrank.errors import require
from hushrank.publishing.clustering import Clusters, Method, cluster_users
from hushrank.publishing.distances import GroupDistances, group_distances
from hushrank.publishing.leakage import cross_counts

Numbers: TypeAlias = NDArray[np.intp]

MOST_CLUSTERS, USERS_OF_A_CLUSTER = 200, 10
"""Unless told: as many clusters as the paper, but not more than one for so many users."""


@dataclass(frozen=True, eq=False, repr=False)
class ValueCounts:
    """Users by cluster and private value, (clusters, values): to learn from, and held out."""

    learnt: Counts
    held_out: Counts


@dataclass(frozen=True, eq=False, repr=False)
class ProtectedUsers:
    """Users who protect one of `names` or more: rows (protected,) of the activity, ascending.

    clusters and distances are of the protected users alone: their records are exchanged among
    themselves only, so that none appears beside the original of somebody who is not protected.
    Privacy: raw data of people.
    """

    activity: Activity
    profiles: Profiles
    names: tuple[str, ...]
    rows: Numbers
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
    def groups(self) -> Mapping[tuple[str, ...], Numbers]:
        """Which protected users (by place in `rows`) ask to protect which of the names."""
        return self.profiles.select(self.rows).protection(self.names)

    def values(self, names: Sequence[str]) -> Attribute:
        """Return the private value of each protected user, of these attributes jointly."""
        return self.profiles.select(self.rows).joint(names)

    def counts(
        self, names: Sequence[str], *, held_out: float, rng: np.random.Generator
    ) -> ValueCounts:
        """Count the users who tell their value; of each value hold out that share, at random."""
        value = self.values(names)
        is_held_out = np.zeros(len(self.rows), dtype=np.bool_)
        for code in range(value.n_values):
            own = np.flatnonzero(value.codes == code)
            is_held_out[rng.permutation(own)[: int(held_out * len(own))]] = True
        shape = self.clusters.n_clusters, value.n_values
        learnt, held = (
            cross_counts(self.clusters.labels[mask], value.codes[mask], *shape)
            for mask in (~is_held_out, is_held_out)
        )
        return ValueCounts(learnt, held)


def protected_users(
    activity: Activity,
    profiles: Profiles,
    names: Sequence[str],
    *,
    n_clusters: int | None = None,
    clustering: Method = "auto",
    distance: str = "kendall",
    rng: np.random.Generator,
) -> ProtectedUsers:
    """Find who protects one of `names` and cluster their records; `rng` protects nobody.

    The profiles may be in any order; users without one protect everything.
    Raises HushrankError when fewer than 4 users ask for protection, an attribute is unknown, or
    there are more clusters than records that differ.
    Differs from the source: it clusters all users, and releases records of unprotected ones too.
    """
    aligned = profiles.aligned(activity.users)
    open_users = aligned.protection(names).get((), np.zeros(0, dtype=np.intp))
    rows = np.setdiff1d(np.arange(activity.n_users), open_users)
    require(len(rows) >= 4, f"expected 4 or more users who ask for protection, got {len(rows)}")
    most = max(2, min(MOST_CLUSTERS, len(rows) // USERS_OF_A_CLUSTER))
    wanted = most if n_clusters is None else n_clusters
    clusters = cluster_users(activity.scores[rows], wanted, method=clustering, rng=rng)
    distances = group_distances(clusters.centroids, distance)
    return ProtectedUsers(activity, aligned, tuple(names), rows, clusters, distances)

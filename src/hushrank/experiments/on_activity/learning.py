"""Learning a channel of clusters: what is varied, and the processor seconds of each step."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import process_time
from typing import TypeAlias, TypeVar

import numpy as np

from hushrank.activities.activity import Activity
from hushrank.activities.profiles import Profiles
from hushrank.activities.transactions import draw_transactions
from hushrank.experiments.on_activity.platforms import Platform, PlatformSplit
from hushrank.publishing.clusters.clustering import Clusters, cluster_users
from hushrank.publishing.distances.group_distances import GroupDistances, group_distances
from hushrank.publishing.distances.kendall import draw_item_pairs, sampled_kendall_distances
from hushrank.publishing.historical.privrank import HELD_OUT, privrank_plans
from hushrank.publishing.historical.protected_users import ProtectedUsers
from hushrank.publishing.historical.release import GroupPlan

T = TypeVar("T")

STEPS = ("clusters", "distances", "channel")
Seconds: TypeAlias = Mapping[str, float]
"""Seconds of the processor, by step."""


@dataclass(frozen=True)
class Learning:
    """How many clusters and, of Kendall distances, how many pairs of items: None = all, exactly."""

    n_clusters: int
    n_pairs: int | None = None

    def distances(self, clusters: Clusters, rng: np.random.Generator) -> GroupDistances:
        """Return the distances of the clusters; `rng` draws the pairs of items."""
        if self.n_pairs is None:
            return group_distances(clusters.centroids)
        pairs = draw_item_pairs(clusters.centroids.shape[1], self.n_pairs, rng=rng)
        return GroupDistances("sampled", sampled_kendall_distances(clusters.centroids, pairs), 1.0)


@dataclass(frozen=True, eq=False, repr=False)
class LearntChannels:
    """Protected users in clusters, the channels of their groups, and what it took."""

    users: ProtectedUsers
    plans: tuple[GroupPlan, ...]
    seconds: Seconds


def learn(
    split: PlatformSplit, learning: Learning, budget: float, *, rng: np.random.Generator
) -> LearntChannels:
    """Cluster the users who protect something, measure the clusters' distances, solve PrivRank.

    Equal `rng` give the same first centres, and hold the same users out, whatever else differs.
    """
    clustering, sampling, choices = rng.spawn(3)
    (name,) = split.names
    rows = np.flatnonzero(split.profiles.protected[name])
    scores = split.shown.scores[rows]
    clusters, first = _timed(lambda: cluster_users(scores, learning.n_clusters, rng=clustering))
    distances, second = _timed(lambda: learning.distances(clusters, sampling))
    private = split.profiles.values
    users = ProtectedUsers(split.shown, private, split.names, rows, clusters, distances)
    plans, third = _timed(
        lambda: privrank_plans(
            users, budget=budget, held_out=HELD_OUT, max_ratio=None, keep_own=False, choices=choices
        )
    )
    return LearntChannels(
        users, tuple(plans), dict(zip(STEPS, (first, second, third), strict=True))
    )


def everybody(activity: Activity, profiles: Profiles) -> PlatformSplit:
    """Return a platform all of whose users protect all attributes, with nothing held out."""
    nothing = activity.with_scores(activity.scores * 0)
    return PlatformSplit(activity, nothing, profiles, profiles.names)


def warm_up() -> None:
    """Learn once on few users, so that no compilation is timed."""
    rng = np.random.default_rng(0)
    activity = draw_transactions(60, 30, mean_items=8, rng=rng)
    platform = Platform.hiding(activity, rng=rng)
    split = everybody(platform.activity, platform.profiles)
    for learning in (Learning(6), Learning(6, 100)):
        learn(split, learning, 0.02, rng=rng)


def _timed(step: Callable[[], T]) -> tuple[T, float]:
    start = process_time()
    outcome = step()
    return outcome, process_time() - start

"""Publish what users did so far by the user-level channel: our own method."""

from dataclasses import replace
from math import log
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts, Shares
from hushrank.errors import require
from hushrank.publishing.beliefs import beliefs
from hushrank.publishing.historical_release import (
    Draw,
    GroupPlan,
    HistoricalRelease,
    exchange_records,
    told_by_clusters,
)
from hushrank.publishing.leakage import cross_counts
from hushrank.publishing.protected_users import ProtectedUsers, ValueCounts
from hushrank.publishing.user_level import UserLevelChannel, user_level_channel
from hushrank.randomness import Randomness

Numbers: TypeAlias = NDArray[np.intp]


def publish_user_level(
    users: ProtectedUsers, *, budget: float, rng: Randomness, choices: np.random.Generator
) -> HistoricalRelease:
    """Release records so that a classifier learns little, each as often as settled before.

    budget in (0, 1]: the largest expected cosine distance of a record and the released one. What
    values show is learnt from users who protect nothing; users exchange records with those who
    protect the same.   Privacy: as `user_level_channel`. leakage_bits rests on the classifier;
    leakage_bits_heldout is of the protected users, by clusters: nothing was learnt from them.
    Raises HushrankError when too few users protect nothing, and as `user_level_channel` does.
    """
    plans = [
        _plan(users, names, members, budget, choices) for names, members in users.groups.items()
    ]
    return exchange_records(users, plans, "user-level", budget, rng=rng)


def _plan(
    users: ProtectedUsers,
    names: tuple[str, ...],
    members: Numbers,
    budget: float,
    choices: np.random.Generator,
) -> GroupPlan:
    value = users.profiles.joint(names)
    is_open = np.ones(users.activity.n_users, dtype=np.bool_)
    is_open[users.rows] = False
    is_open &= value.told
    require(is_open.any(), "user-level learns from users who protect nothing, and there are none")
    scores = users.scores[members]
    known = users.activity.scores[is_open], value.codes[is_open]
    believed = beliefs(*known, scores, value.n_values, rng=choices)
    channel = user_level_channel(scores, believed, budget=budget, rng=choices)
    transitions = _transitions(users, members, channel)
    counts = _counts(users, names, members)
    told = told_by_clusters(ValueCounts(counts, counts), transitions)
    bits = channel.leakage / log(2), channel.certified_gap / log(2)
    posterior = np.zeros((len(users.rows), value.n_values))
    posterior[members] = channel.posterior()
    return GroupPlan(
        names=names,
        values=value.values,
        users=members,
        draw=_draw(channel, members),
        transitions=transitions,
        joint=counts / counts.sum(),
        posterior=posterior,
        expected_distortion=channel.distance,
        told=replace(told, leakage_bits=bits[0], certified_gap=bits[1]),
    )


def _counts(users: ProtectedUsers, names: tuple[str, ...], members: Numbers) -> Counts:
    """Return the group's users who tell, by cluster and value: what the release is judged by."""
    value = users.values(names)
    labels = users.clusters.labels[members]
    return cross_counts(labels, value.codes[members], users.clusters.n_clusters, value.n_values)


def _draw(channel: UserLevelChannel, members: Numbers) -> Draw:
    def draw(*, rng: Randomness) -> Numbers:
        return members[channel.draw(rng=rng)]

    return draw


def _transitions(users: ProtectedUsers, members: Numbers, channel: UserLevelChannel) -> Shares:
    """Return P(released cluster | cluster), the mean over members; others keep their cluster."""
    labels, n_clusters = np.asarray(users.clusters.labels), users.clusters.n_clusters
    released = labels[members][channel.candidates.members]
    of_users = np.broadcast_to(labels[members][:, None], released.shape)
    sums = np.eye(n_clusters) * 1e-9  # clusters without a member stay where they are
    np.add.at(sums, (of_users, released), channel.exchange.probabilities)
    means: Shares = sums / sums.sum(axis=1, keepdims=True)
    return means

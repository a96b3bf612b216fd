"""Publish what users did so far by the user-level channel: our own method."""

from collections.abc import Sequence
from dataclasses import replace
from math import log

import numpy as np

from hushrank.activities.attribute import Attribute
from hushrank.arrays import Floats, Indices, Shares
from hushrank.errors import require
from hushrank.publishing.historical.protected_users import ProtectedUsers
from hushrank.publishing.historical.release import (
    Draw,
    GroupPlan,
    HistoricalRelease,
    exchange_records,
    leaked_by_laws,
    mean_laws,
)
from hushrank.publishing.record_channel.beliefs import beliefs
from hushrank.publishing.record_channel.channel import RecordChannel, solve_record_channel
from hushrank.randomness import Randomness

WAY_OUT = (
    "there are none, for without a column `protects` everybody protects everything; write `none`"
    " there for those who agreed"
)


def publish_user_level(
    users: ProtectedUsers, *, budget: float, rng: Randomness, choices: np.random.Generator
) -> HistoricalRelease:
    """Release records so that classifiers learn little, each as often as settled before.

    budget in (0, 1]: the largest expected cosine distance of a record and the released one. What
    values show is learnt from users who protect nothing; users exchange records with those who
    protect the same.   Privacy: as `solve_record_channel`. leakage_bits rests on the classifier;
    leakage_bits_heldout is of the protected users, by clusters: nothing was learnt from them.
    Raises HushrankError when too few users protect nothing, and as `solve_record_channel` does.
    """
    plans = user_level_plans(users, budget=budget, choices=choices)
    return exchange_records(users, plans, "user-level", budget, rng=rng)


def user_level_plans(
    users: ProtectedUsers, *, budget: float, choices: np.random.Generator
) -> Sequence[GroupPlan]:
    """Return the channel between the records of each group of users who protect the same."""
    return [
        _plan(users, names, members, budget, choices) for names, members in users.groups.items()
    ]


def _plan(
    users: ProtectedUsers,
    names: tuple[str, ...],
    members: Indices,
    budget: float,
    choices: np.random.Generator,
) -> GroupPlan:
    value = users.profiles.joint(names)
    seen = believed(users, value, members, choices)
    channel = solve_record_channel(users.scores[members], seen, budget=budget, rng=choices)
    own, labels = value.with_codes(value.codes[users.rows[members]]), users.clusters.labels[members]
    laws = _laws(users, members, channel)
    leaked = leaked_by_laws(labels, laws, own)
    bits = channel.leakage / log(2), channel.certified_gap / log(2)
    posterior = np.zeros((len(users.rows), value.n_values))
    posterior[members] = channel.posterior()
    return GroupPlan(
        names=names,
        values=value.values,
        users=members,
        draw=_draw(channel, members),
        transitions=mean_laws(laws, labels),
        joint=users.counts(names, members, held_out=0.0, rng=choices).joint,
        posterior=posterior,
        expected_distortion=channel.distance,
        leaked=replace(leaked, leakage_bits=bits[0], certified_gap=bits[1]),
    )


def believed(
    users: ProtectedUsers, value: Attribute, members: Indices, choices: np.random.Generator
) -> Floats:
    """Return P(value | record) (members, values), as users who protect nothing show it.

    Raises HushrankError where there are too few such users.
    """
    is_open = value.told
    is_open[users.rows] = False
    require(is_open.any(), f"this method learns from users who protect nothing: {WAY_OUT}")
    known = users.activity.scores[is_open], value.codes[is_open]
    return beliefs(*known, users.scores[members], value.n_values, rng=choices)


def _draw(channel: RecordChannel, members: Indices) -> Draw:
    def draw(*, rng: Randomness) -> Indices:
        return members[channel.draw(rng=rng)]

    return draw


def _laws(users: ProtectedUsers, members: Indices, channel: RecordChannel) -> Shares:
    """Return P(released cluster | user) of the members (members, clusters)."""
    released = users.clusters.labels[members][channel.candidates.members]
    laws = np.zeros((len(members), users.clusters.n_clusters))
    np.add.at(laws, (np.arange(len(members))[:, None], released), channel.solution.probabilities)
    sums: Shares = laws / laws.sum(axis=1, keepdims=True)
    return sums

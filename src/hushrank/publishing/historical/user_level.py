"""Publish what users did so far by the user-level channel: our own method."""

from collections.abc import Sequence

import numpy as np

from hushrank.arrays import Floats, Indices, Shares
from hushrank.publishing.historical.believed import (
    Believe,
    Solved,
    Tell,
    believed,
    believed_plans,
)
from hushrank.publishing.historical.protected_users import ProtectedUsers
from hushrank.publishing.historical.release import (
    Draw,
    GroupPlan,
    HistoricalRelease,
    exchange_records,
)
from hushrank.publishing.record_channel.channel import (
    RecordChannel,
    require_distance,
    solve_record_channel,
)
from hushrank.randomness import Randomness


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
    users: ProtectedUsers,
    *,
    budget: float,
    choices: np.random.Generator,
    tell: Tell = lambda share: None,
    believe: Believe = believed,
) -> Sequence[GroupPlan]:
    """Return the channel between the records of each group of users who protect the same.

    tell: as in `beliefs`; believe: what learns them.
    Raises as `publish_user_level` does; for a budget out of range before anything is learnt.
    """
    require_distance(budget)

    def solve(users: ProtectedUsers, members: Indices, beliefs: Floats) -> Solved:
        scores = users.scores[members]
        channel = solve_record_channel(scores, beliefs, budget=budget, rng=choices)
        return Solved(
            draw=_draw(channel, members),
            laws=_laws(users, members, channel),
            posterior=channel.posterior(),
            expected_distortion=channel.distance,
            leakage=channel.leakage,
            certified_gap=channel.certified_gap,
        )

    return believed_plans(users, solve, choices=choices, tell=tell, believe=believe)


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

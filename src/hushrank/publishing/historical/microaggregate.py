"""Publish one mean record for each pool of users: no record is exchanged, and none is a user's."""

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
from hushrank.publishing.historical.release import Draw, GroupPlan
from hushrank.publishing.record_channel.microaggregation import (
    Pools,
    require_least_users,
    solve_pools,
    tastes,
)
from hushrank.randomness import Randomness


def microaggregate_plans(
    users: ProtectedUsers,
    *,
    budget: float,
    choices: np.random.Generator,
    tell: Tell = lambda share: None,
    believe: Believe = believed,
) -> Sequence[GroupPlan]:
    """Return the pools of each group of users who protect the same.

    budget: how many users a pool has at least, from 3 on. What values show, and which users are
    alike, is learnt from users who protect nothing. tell: as in `beliefs`; believe: what learns
    them.
    Privacy: as `solve_pools`; the mean record of a pool is of nobody alone.
    Raises HushrankError, before anything is learnt, for pools of fewer than 3 or infinitely many;
    when too few users protect nothing, and what `solve_pools` raises.
    """
    require_least_users(budget)

    def solve(users: ProtectedUsers, members: Indices, beliefs: Floats) -> Solved:
        open_rows = np.setdiff1d(np.arange(users.activity.n_users), users.rows)
        points = tastes(users.activity.scores[open_rows], users.scores[members], rng=choices)
        found = solve_pools(points, beliefs, least_users=budget)
        return Solved(
            draw=_draw(found, members),
            laws=_laws(users, found),
            posterior=np.tile(found.prior, (len(members), 1)),
            expected_distortion=found.mean_users,
            leakage=found.leakage,
            certified_gap=found.leakage,  # no pools leak less than nothing
            told_by_nothing=found.prior,
            is_pooled=True,
        )

    return believed_plans(users, solve, choices=choices, tell=tell, believe=believe)


def _draw(found: Pools, members: Indices) -> Draw:
    def draw(*, rng: Randomness) -> Indices:
        labels = found.draw(rng=rng)
        first = np.unique(labels, return_index=True)[1]
        sources: Indices = members[first[labels]]
        return sources

    return draw


def _laws(users: ProtectedUsers, found: Pools) -> Shares:
    """Return P(released cluster | user) (members, clusters + pools): pools are clusters more."""
    clusters = np.zeros((len(found.beliefs), users.clusters.n_clusters))
    return np.column_stack([clusters, found.chances])

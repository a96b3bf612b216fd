"""Publish what users did so far: every protected user under the record of another (Algorithm 2)."""

from collections.abc import Sequence

import numpy as np

from hushrank.arrays import Indices
from hushrank.errors import require
from hushrank.publishing.channel import Channel
from hushrank.publishing.cluster_channel.certificate import ChannelSolution
from hushrank.publishing.cluster_channel.problem import ChannelProblem
from hushrank.publishing.cluster_channel.solve import solve_channel
from hushrank.publishing.clusters.record_space import Labels
from hushrank.publishing.historical.protected_users import ProtectedUsers, ValueCounts
from hushrank.publishing.historical.release import (
    Draw,
    GroupPlan,
    HistoricalRelease,
    exchange_records,
    leaked_by_clusters,
    posterior_of_records,
)
from hushrank.randomness import Randomness

HELD_OUT = 0.2
"""Of the users who tell: what leakage is estimated on, not learnt from."""


def privrank(
    users: ProtectedUsers,
    *,
    budget: float,
    held_out: float = HELD_OUT,
    max_ratio: float | None = None,
    keep_own: bool = False,
    rng: Randomness,
    choices: np.random.Generator,
) -> HistoricalRelease:
    """Release for each protected user the record of a user of a cluster drawn from the channel.

    budget: the largest expected distance of clusters, in the unit of `users.distances`. `choices`
    holds users out, at random. keep_own: a user whose cluster stays keeps the own record, which
    saves much distortion and voids every bound: the record may be that of one user only.
    Privacy: bounds I(released; value), as learnt; not differential privacy.
    Raises HushrankError, before anything is drawn, for a budget out of range, and values of nobody.
    Source: Yang, Qu, Cudré-Mauroux (TKDE 2019), Algorithms 1 and 2. Differs from the source: line 7
    releases the drawn user's record (printed the other way round), a protected user's.
    """
    plans = privrank_plans(
        users,
        budget=budget,
        held_out=held_out,
        max_ratio=max_ratio,
        keep_own=keep_own,
        choices=choices,
    )
    return exchange_records(users, plans, "privrank", budget, rng=rng)


def privrank_plans(
    users: ProtectedUsers,
    *,
    budget: float,
    held_out: float,
    max_ratio: float | None,
    keep_own: bool,
    choices: np.random.Generator,
) -> Sequence[GroupPlan]:
    """Return the channel of each group of users who protect the same attributes, certified."""
    users.distances.require_budget(budget)
    require(0 <= held_out < 1, f"expected a held-out share of 0 to below 1, got {held_out:g}")
    plans = []
    for names, members in users.groups.items():
        counts = users.counts(names, members, held_out=held_out, rng=choices)
        problem = ChannelProblem(counts.joint, users.distances.matrix, budget)
        solution = solve_channel(problem, max_ratio=max_ratio)
        draw = cluster_draw(users, members, solution.channel, keep_own=keep_own)
        plans.append(_plan(users, names, members, counts, solution, draw))
    return plans


def _plan(
    users: ProtectedUsers,
    names: tuple[str, ...],
    members: Indices,
    counts: ValueCounts,
    solution: ChannelSolution,
    draw: Draw,
) -> GroupPlan:
    joint, rows = counts.joint, solution.channel.probabilities
    return GroupPlan(
        names=names,
        values=users.values(names, members).values,
        users=members,
        draw=draw,
        transitions=rows,
        joint=joint,
        posterior=posterior_of_records(users, joint, rows),
        expected_distortion=solution.distortion,
        leaked=leaked_by_clusters(counts, rows, gap_nats=solution.certified_gap),
    )


def cluster_draw(
    users: ProtectedUsers, members: Indices, channel: Channel, *, keep_own: bool = False
) -> Draw:
    """Return what draws a cluster for each member (places), then a user of it, uniformly."""
    labels = np.asarray(users.clusters.labels)

    def draw(*, rng: Randomness) -> Indices:
        released = channel.draw(labels[members], rng=rng)
        sources = users_of_clusters(labels, released, rng=rng)
        if keep_own:
            sources = np.where(released == labels[members], members, sources)
        return sources

    return draw


def users_of_clusters(labels: Labels, wanted: Labels, *, rng: Randomness) -> Indices:
    """Draw one user of each wanted cluster (draws,), uniformly; labels (users,)."""
    sources = np.empty(len(wanted), dtype=np.intp)
    for cluster in np.unique(wanted):
        own = np.flatnonzero(labels == cluster)
        places = np.flatnonzero(wanted == cluster)
        sources[places] = own[rng.below(len(own), len(places)).astype(np.intp)]
    return sources

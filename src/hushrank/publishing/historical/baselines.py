"""Publish what users did so far by Rand, Frapp or Diff: records are replaced by others."""

from collections.abc import Sequence

import numpy as np

from hushrank.arrays import Indices, Shares
from hushrank.errors import require
from hushrank.publishing.baselines import RecordExponential, Replacement, frapp, rand
from hushrank.publishing.clusters.record_space import Labels
from hushrank.publishing.historical.protected_users import ProtectedUsers
from hushrank.publishing.historical.release import (
    Draw,
    GroupPlan,
    HistoricalRelease,
    exchange_records,
    leaked_by_laws,
    mean_laws,
    posterior_of_records,
)
from hushrank.randomness import Randomness

BASELINES = {
    "rand": "the probability that a record is replaced by another",
    "frapp": "how many times likelier the own record is than each other one",
    "diff": "by how much, in nats, a record of Kendall distance 1 is unlikelier than the own one",
}
"""What the budget of each is."""


def publish_baseline(
    users: ProtectedUsers,
    method: str,
    *,
    budget: float,
    held_out: float,
    rng: Randomness,
    choices: np.random.Generator,
) -> HistoricalRelease:
    """Release for each protected user a record of one, by `method` of BASELINES at this budget.

    The same channel whatever users protect; expected_distortion and leakages are of clusters.
    Raises HushrankError, before anything is drawn, for a budget out of range.
    """
    plans = baseline_plans(users, method, budget=budget, held_out=held_out, choices=choices)
    return exchange_records(users, plans, method, budget, rng=rng)


def baseline_plans(
    users: ProtectedUsers,
    method: str,
    *,
    budget: float,
    held_out: float,
    choices: np.random.Generator,
) -> Sequence[GroupPlan]:
    """Return how the records of each group of users who protect the same attributes are replaced.

    Raises HushrankError for a method or a budget that there is not.
    """
    require(method in BASELINES, f"expected a method of {', '.join(BASELINES)}, got {method}")
    require(0 <= held_out < 1, f"expected a held-out share of 0 to below 1, got {held_out:g}")
    draw, laws = _channel(users, method, budget)
    transitions = mean_laws(laws, np.asarray(users.clusters.labels))
    plans = []
    for names, members in users.groups.items():
        joint = users.counts(names, members, held_out=held_out, rng=choices).joint
        drawn = _of_members(draw, members)
        plans.append(_plan(users, names, members, joint, drawn, transitions, laws))
    return plans


def _plan(
    users: ProtectedUsers,
    names: tuple[str, ...],
    members: Indices,
    joint: Shares,
    draw: Draw,
    transitions: Shares,
    laws: Shares,
) -> GroupPlan:
    value = users.values(names, members)
    return GroupPlan(
        names=names,
        values=value.values,
        users=members,
        draw=draw,
        transitions=transitions,
        joint=joint,
        posterior=posterior_of_records(users, joint, transitions),
        expected_distortion=_distortion(users, transitions, members),
        leaked=leaked_by_laws(users.clusters.labels[members], laws[members], value),
    )


def _channel(
    users: ProtectedUsers, method: str, budget: float
) -> tuple[Replacement | RecordExponential, Shares]:
    """Return what draws, and P(released cluster | user) (users, clusters)."""
    labels = np.asarray(users.clusters.labels)
    if method == "diff":
        exponential = RecordExponential.of(users.scores, budget)
        return exponential, cluster_laws(exponential, labels)
    make = rand if method == "rand" else frapp
    replacement = make(len(users.rows), budget)
    return replacement, replacement.transitions(users.clusters.sizes)[labels]


def cluster_laws(exponential: RecordExponential, labels: Labels) -> Shares:
    """Return P(released cluster | user) of Diff (users, clusters)."""
    is_in = np.eye(int(labels.max()) + 1)[labels]
    laws = np.zeros(is_in.shape)
    for users, chances, _ in exponential.rows():
        laws[users] = chances @ is_in
    return laws


def _of_members(channel: Replacement | RecordExponential, members: Indices) -> Draw:
    def draw(*, rng: Randomness) -> Indices:
        return channel.draw(members, rng=rng)

    return draw


def _distortion(users: ProtectedUsers, transitions: Shares, members: Indices) -> float:
    costs = (transitions * users.distances.matrix).sum(axis=1)
    return float(costs[users.clusters.labels[members]].mean())

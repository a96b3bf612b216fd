"""Publish what users did so far by Rand, Frapp or Diff: records are replaced by others."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hushrank.activities.attribute import Attribute
from hushrank.arrays import Indices, Shares
from hushrank.errors import require
from hushrank.publishing.baselines import RecordExponential, Replacement, frapp, rand
from hushrank.publishing.clusters.record_space import Labels
from hushrank.publishing.historical.protected_users import ProtectedUsers
from hushrank.publishing.historical.release import (
    Draw,
    GroupPlan,
    HistoricalRelease,
    LeakageReport,
    exchange_records,
    leaked_by_laws,
    leaked_by_transitions,
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
    baseline = _baseline(users, method, budget)
    plans = []
    for names, members in users.groups.items():
        joint = users.counts(names, members, held_out=held_out, rng=choices).joint
        plans.append(_plan(users, names, members, joint, baseline))
    return plans


@dataclass(frozen=True, eq=False, repr=False)
class _Baseline:
    """What a method does.

    transitions (clusters, clusters) is P(released cluster | cluster); laws (users, clusters) is
    P(released cluster | user), None where that depends on the user's cluster alone.
    """

    channel: Replacement | RecordExponential
    transitions: Shares
    laws: Shares | None = None

    def leaked(self, labels: Labels, members: Indices, value: Attribute) -> LeakageReport:
        """Return what it leaks of a value of its members, of all users' clusters (users,)."""
        if self.laws is None:
            return leaked_by_transitions(labels[members], self.transitions, value)
        return leaked_by_laws(labels[members], self.laws[members], value)


def _plan(
    users: ProtectedUsers,
    names: tuple[str, ...],
    members: Indices,
    joint: Shares,
    baseline: _Baseline,
) -> GroupPlan:
    value, transitions = users.values(names, members), baseline.transitions
    return GroupPlan(
        names=names,
        values=value.values,
        users=members,
        draw=_of_members(baseline.channel, members),
        transitions=transitions,
        joint=joint,
        posterior=posterior_of_records(users, joint, transitions),
        expected_distortion=_distortion(users, transitions, members),
        leaked=baseline.leaked(users.clusters.labels, members, value),
    )


def _baseline(users: ProtectedUsers, method: str, budget: float) -> _Baseline:
    """Return the method at a budget. Memory: of rand and frapp, that of clusters alone."""
    if method == "diff":
        exponential, labels = RecordExponential.of(users.scores, budget), users.clusters.labels
        laws = cluster_laws(exponential, labels)
        return _Baseline(exponential, mean_laws(laws, labels), laws)
    make = rand if method == "rand" else frapp
    replacement = make(len(users.rows), budget)
    return _Baseline(replacement, replacement.transitions(users.clusters.sizes))


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

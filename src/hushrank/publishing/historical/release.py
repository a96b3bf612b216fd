"""What is released of all users, and how much it tells: one form for every method."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Protocol

import numpy as np

from hushrank.activities.activity import Activity
from hushrank.activities.attribute import Attribute
from hushrank.arrays import Floats, Indices, Shares
from hushrank.publishing.clusters.record_space import Labels
from hushrank.publishing.distances.kendall import kendall_distances_of_pairs
from hushrank.publishing.historical.protected_users import ProtectedUsers, ValueCounts
from hushrank.publishing.leakage.estimates import estimate_leakage
from hushrank.publishing.leakage.measures import leakage_bits, released_joint, worst_log_ratio
from hushrank.randomness import Randomness

MOST_COMPARED = 10_000
"""Users whose record distortion is computed: the mean of so many is near that of all."""


class Draw(Protocol):
    """Draws whose record is released for each user of a group."""

    def __call__(self, *, rng: Randomness) -> Indices:
        """Return places among the protected users (users of the group,)."""


@dataclass(frozen=True)
class Told:
    """How much a release tells of one private value: leakages and certified_gap in bits.

    untouched_bits: of the clusters as they are. leakage_bits: of the learnt users, plug-in;
    leakage_bits_heldout: of users that nothing was learnt from, less its bias by the jackknife,
    None without such users. certified_gap: how much less another channel could leak, where one
    was solved. worst_likelihood_ratio: largest P(released | y) / P(released | y'), maybe inf.
    """

    untouched_bits: float
    leakage_bits: float
    leakage_bits_heldout: float | None
    certified_gap: float | None
    worst_likelihood_ratio: float


@dataclass(frozen=True, eq=False, repr=False)
class GroupPlan:
    """How the records of users who protect the same attributes are exchanged; nothing is drawn yet.

    users: places among the protected; transitions (clusters, clusters): P(released cluster |
    cluster); joint (clusters, values) = P(cluster, value) as learnt; posterior (protected, values)
    = what whoever knows the channel concludes from each protected user's record when it is
    released; expected_distortion in the budget's unit.
    """

    names: tuple[str, ...]
    values: tuple[str, ...]
    users: Indices
    draw: Draw
    transitions: Shares
    joint: Shares
    posterior: Floats
    expected_distortion: float
    told: Told


@dataclass(frozen=True, eq=False, repr=False)
class HistoricalRelease:
    """What may be handed over: `activity`; all else is for the curator, who must keep it.

    sources (users,): whose record stands for each user's, by row; those who protect nothing keep
    theirs. record_distortion: mean Kendall distance, ties half, of what protected users did and
    what is released for them.
    Privacy: chosen private values become harder to infer; no differential privacy.
    """

    activity: Activity
    sources: Indices
    method: str
    budget: float
    plans: tuple[GroupPlan, ...]
    record_distortion: float
    is_private: bool

    def __repr__(self) -> str:
        """Say the size, nothing of the content."""
        return f"HistoricalRelease({self.method}, {self.activity})"

    @property
    def n_protected(self) -> int:
        """How many users protect something."""
        return sum(len(plan.users) for plan in self.plans)

    @property
    def expected_distortion(self) -> float:
        """The expected distortion of a protected user, in the budget's unit."""
        parts = (len(plan.users) * plan.expected_distortion for plan in self.plans)
        return sum(parts) / self.n_protected


def exchange_records(
    users: ProtectedUsers,
    plans: Sequence[GroupPlan],
    method: str,
    budget: float,
    *,
    rng: Randomness,
) -> HistoricalRelease:
    """Draw for every group whose record is released for whom, and release it.

    Every probability was settled before: an error comes before anything is drawn.
    """
    among = np.arange(len(users.rows))
    for plan in plans:
        among[plan.users] = plan.draw(rng=rng)
    sources = np.arange(users.activity.n_users)
    sources[users.rows] = users.rows[among]
    activity = users.activity.with_scores(users.activity.scores[sources])
    distortion = record_distortion(users, among)
    parts = method, budget, tuple(plans), distortion, rng.is_private
    return HistoricalRelease(activity, sources, *parts)


def record_distortion(users: ProtectedUsers, sources: Indices) -> float:
    """Return the mean Kendall distance, ties half, of protected users' records and the released.

    sources: places among the protected. Of 10,000 users, evenly spaced, where there are more.
    """
    step = -(-len(sources) // MOST_COMPARED)
    compared = np.arange(0, len(sources), step)
    found = kendall_distances_of_pairs(users.scores, compared, sources[compared])
    return float(found.mean())


def told_by_clusters(counts: ValueCounts, transitions: Shares, *, gap_nats: float) -> Told:
    """Return what the cluster of a released record tells, by a channel learnt from `counts`."""
    held_out = None
    if counts.held_out.sum() >= 2:
        held_out = estimate_leakage(counts.held_out, transitions).jackknife
    found = leakage_bits(counts.joint, transitions)
    ratio = _ratio(counts.joint, transitions)
    return Told(leakage_bits(counts.joint), found, held_out, gap_nats / log(2), ratio)


def told_by_laws(labels: Labels, laws: Shares, value: Attribute) -> Told:
    """Return what the cluster of a released record tells, by a law that nothing was learnt for.

    labels (users,); laws (users, clusters) = P(released cluster | user), whose record it depends on
    besides the cluster. Of all users who tell: they are both learnt and held out, plug-in.
    """
    value, n_clusters = value.used(), laws.shape[1]
    told = value.told
    is_value = np.eye(value.n_values)[value.codes[told]] / told.sum()
    before = np.zeros((n_clusters, value.n_values))
    np.add.at(before, labels[told], is_value)
    after = laws[told].T @ is_value
    after /= after.sum()
    found = leakage_bits(after)
    return Told(leakage_bits(before), found, found, None, _ratio(after))


def mean_laws(laws: Shares, labels: Labels) -> Shares:
    """Return P(released cluster | cluster), the mean over its users of `laws` (users, clusters).

    A cluster without users stays where it is.
    """
    sums = np.eye(laws.shape[1]) * 1e-12
    np.add.at(sums, labels, laws)
    means: Shares = sums / sums.sum(axis=1, keepdims=True)
    return means


def _ratio(joint: Shares, transitions: Shares | None = None) -> float:
    ratio = worst_log_ratio(joint, transitions)
    return exp(ratio) if ratio < 700 else np.inf


def posterior_of_records(users: ProtectedUsers, joint: Shares, transitions: Shares) -> Floats:
    """Return P(value | cluster of the record, released) (protected, values)."""
    released = released_joint(joint, transitions)
    prior = released.sum(axis=0)
    totals = released.sum(axis=1, keepdims=True)
    told = np.divide(released, totals, out=np.tile(prior, (len(released), 1)), where=totals > 0)
    posterior: Floats = told[users.clusters.labels]
    return posterior

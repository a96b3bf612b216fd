"""What is released of all users, and how much it leaks: one form for every method."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Protocol

import numpy as np
from scipy.sparse import csr_array, vstack

from hushrank.activities.activity import Activity
from hushrank.activities.attribute import Attribute
from hushrank.arrays import Floats, Indices, Shares
from hushrank.publishing.clusters.record_space import Labels
from hushrank.publishing.distances.kendall import kendall_distances_of_pairs
from hushrank.publishing.historical.protected_users import ProtectedUsers, ValueCounts
from hushrank.publishing.leakage.estimates import estimate_leakage
from hushrank.publishing.leakage.measures import (
    cross_counts,
    leakage_bits,
    released_joint,
    worst_log_ratio,
)
from hushrank.publishing.record_channel.microaggregation import pooled_records
from hushrank.publishing.record_channel.withholding import without
from hushrank.randomness import Randomness

NOTHING = -1
"""In place of a user whose record stands for one: nothing is released of that one."""
MOST_COMPARED = 10_000
"""Users whose record distortion is computed: the mean of so many is near that of all."""


class Draw(Protocol):
    """Draws whose record is released for each user of a group."""

    def __call__(self, *, rng: Randomness) -> Indices:
        """Return places among the protected users (users of the group,), or NOTHING.

        Where records are pooled: the place of one user of the pool, the same for all of it.
        """


@dataclass(frozen=True)
class LeakageReport:
    """How much a release leaks of one private value; leakages and the gap are in bits.

    untouched_bits is what the clusters would leak as they are. leakage_bits is the plug-in estimate
    on the users that the channel was learnt from; leakage_bits_heldout is of users that nothing was
    learnt from, corrected by the jackknife, and None where there are none. certified_gap says how
    much less another channel could leak, where a channel was solved for. worst_likelihood_ratio is
    the largest P(released | y) / P(released | y'), maybe infinite.
    """

    untouched_bits: float
    leakage_bits: float
    leakage_bits_heldout: float | None
    certified_gap: float | None
    worst_likelihood_ratio: float


@dataclass(frozen=True, eq=False, repr=False)
class GroupPlan:
    """How the records of users who protect the same attributes will be exchanged.

    Nothing is drawn yet. users are places among the protected; transitions (clusters, clusters) is
    P(released cluster | cluster); joint (clusters, values) is P(cluster, value) as learnt, of those
    values that some of the users have; posterior (protected, values) is what whoever knows the
    channel concludes from each protected user's record where it is released, with a last row for
    NOTHING where that may be;
    expected_distortion is in the budget's unit. Where nothing may be released, that is one cluster
    more, the last, of nobody. is_pooled: users of one source are released with their mean record;
    pools are clusters more, of nobody.
    """

    names: tuple[str, ...]
    values: tuple[str, ...]
    users: Indices
    draw: Draw
    transitions: Shares
    joint: Shares
    posterior: Floats
    expected_distortion: float
    leaked: LeakageReport
    is_pooled: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class HistoricalRelease:
    """A release: only `activity` may be handed over, all else is for the curator, who keeps it.

    sources (users,) says, by row, whose record stands for each user's, or NOTHING; those who
    protect nothing keep theirs, and those of one pool have one source, whose record is not theirs.
    record_distortion is the mean Kendall distance, ties half, of what protected users did and what
    is released for them, where something is.
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


@dataclass(frozen=True)
class ChangedUsers:
    """Of users with a private value: how many there are, are changed, and have no record left.

    changed: released with another's record, a pool's, or with nothing. Privacy: raw.
    """

    value: str
    users: int
    changed: int
    withheld: int


def changed_users(
    users: ProtectedUsers, plan: GroupPlan, sources: Indices
) -> tuple[ChangedUsers, ...]:
    """Say by value who of a group pays for the privacy of all; sources (users,) as released."""
    rows = users.rows[plan.users]
    value, given = users.values(plan.names, plan.users), sources[rows]
    is_changed, is_withheld = (given != rows) | plan.is_pooled, given == NOTHING
    return tuple(
        ChangedUsers(name, *(int((own & each).sum()) for each in (own, is_changed, is_withheld)))
        for code, name in enumerate(value.values)
        if (own := value.codes == code).any()
    )


def exchange_records(
    users: ProtectedUsers,
    plans: Sequence[GroupPlan],
    method: str,
    budget: float,
    *,
    rng: Randomness,
) -> HistoricalRelease:
    """Draw for every group whose record is released for whom, and release it.

    Every probability was settled before, so that errors come before anything is drawn.
    """
    sources = by_row(users, draw_sources(users, plans, rng=rng))
    return released_with(users, plans, sources, method, budget, is_private=rng.is_private)


def released_with(
    users: ProtectedUsers,
    plans: Sequence[GroupPlan],
    sources: Indices,
    method: str,
    budget: float,
    *,
    is_private: bool,
) -> HistoricalRelease:
    """Return the release of these sources (users,), by row; of an empty pooled record, NOTHING."""
    pooled = pooled_rows(users, plans)
    scores = records_of(users.activity, sources, pooled)
    is_empty = np.diff(scores.indptr)[pooled] == 0
    sources = sources.copy()
    sources[pooled[is_empty]] = NOTHING
    activity = users.activity.with_scores(scores)
    distortion = record_distortion(users, scores, sources)
    parts = method, budget, tuple(plans), distortion, is_private
    return HistoricalRelease(activity, sources, *parts)


def pooled_rows(users: ProtectedUsers, plans: Sequence[GroupPlan]) -> Indices:
    """Return the rows of users who are released with the mean record of their pool."""
    pooled = [users.rows[plan.users] for plan in plans if plan.is_pooled]
    rows: Indices = np.concatenate([np.zeros(0, dtype=np.intp), *pooled])
    return rows


def draw_sources(users: ProtectedUsers, plans: Sequence[GroupPlan], *, rng: Randomness) -> Indices:
    """Draw whose record is released for each protected user (protected,): places, or NOTHING.

    Who is in no plan is released with nothing.
    """
    among = np.full(len(users.rows), NOTHING, dtype=np.intp)
    for plan in plans:
        among[plan.users] = plan.draw(rng=rng)
    return among


def by_row(users: ProtectedUsers, among: Indices) -> Indices:
    """Return whose record stands for each user's (users,), by row; others keep their own.

    among (protected,): places of protected users, or NOTHING.
    """
    sources = np.arange(users.private.n_users)
    sources[users.rows] = np.where(among == NOTHING, NOTHING, users.rows[among])
    return sources


def records_of(activity: Activity, sources: Indices, pooled: Indices) -> csr_array:
    """Return the records (users, items) of these sources (users,), empty ones for NOTHING.

    pooled: the rows that are released with the mean record of all those of the same source.
    """
    records = without(activity.scores[sources], sources == NOTHING)
    own = pooled[sources[pooled] != NOTHING]
    if len(own) == 0:
        return records
    places = np.arange(len(sources))
    places[own] = len(sources) + np.arange(len(own))
    means = pooled_records(activity.scores[own], sources[own])
    return csr_array(csr_array(vstack([records, means]))[places])


def record_distortion(users: ProtectedUsers, released: csr_array, sources: Indices) -> float:
    """Return the mean Kendall distance, ties half, of protected users' records and the released.

    released (users, items), sources (users,), by row: where it is NOTHING, there is nothing to
    compare. Of 10,000 users, evenly spaced, where there are more.
    """
    rows = users.rows[sources[users.rows] != NOTHING]
    if len(rows) == 0:
        return 0.0
    compared = rows[:: -(-len(rows) // MOST_COMPARED)]
    both = csr_array(vstack([users.activity.scores[compared], released[compared]]))
    first = np.arange(len(compared))
    return float(kendall_distances_of_pairs(both, first, len(compared) + first).mean())


def leaked_by_clusters(
    counts: ValueCounts, transitions: Shares, *, gap_nats: float
) -> LeakageReport:
    """Return what the cluster of a released record leaks, by a channel learnt from `counts`."""
    held_out = None
    if counts.held_out.sum() >= 2:
        held_out = estimate_leakage(counts.held_out, transitions)
    found = leakage_bits(counts.joint, transitions)
    ratio = _ratio(counts.joint, transitions)
    return LeakageReport(leakage_bits(counts.joint), found, held_out, gap_nats / log(2), ratio)


def leaked_by_laws(labels: Labels, laws: Shares, value: Attribute) -> LeakageReport:
    """Return what the cluster of a released record leaks, by laws that nothing was learnt for.

    labels (users,); laws (users, clusters) is P(released cluster | user), which depends on the
    user's record and not on the cluster alone. It is the plug-in estimate of all users who tell:
    as nothing was learnt from them, it is also that of users held out.
    """
    value = value.used()
    told = value.told
    after = laws[told].T @ (np.eye(value.n_values)[value.codes[told]] / told.sum())
    return _leaked_of_told(_told_joint(labels, value, laws.shape[1]), after / after.sum())


def leaked_by_transitions(labels: Labels, transitions: Shares, value: Attribute) -> LeakageReport:
    """Return what `leaked_by_laws` does, where all users of a cluster have one law.

    labels (users,); transitions (clusters, clusters) is P(released cluster | cluster).
    """
    before = _told_joint(labels, value.used(), len(transitions))
    return _leaked_of_told(before, released_joint(before, transitions))


def _told_joint(labels: Labels, value: Attribute, n_clusters: int) -> Shares:
    """Return P(cluster, value) (clusters, values) of the users who tell."""
    counts = cross_counts(labels, value.codes, n_clusters, value.n_values)
    shares: Shares = counts / counts.sum()
    return shares


def _leaked_of_told(before: Shares, after: Shares) -> LeakageReport:
    """Report P(cluster, value) before and P(released cluster, value) after, where none learnt."""
    found = leakage_bits(after)
    return LeakageReport(leakage_bits(before), found, found, None, _ratio(after))


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
    given = np.divide(released, totals, out=np.tile(prior, (len(released), 1)), where=totals > 0)
    posterior: Floats = given[users.clusters.labels]
    return posterior

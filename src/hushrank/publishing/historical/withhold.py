"""Publish what users did so far, or nothing of them: records are withheld, none is exchanged."""

from collections.abc import Sequence
from math import log

import numpy as np

from hushrank.activities.attribute import Attribute
from hushrank.arrays import Indices, Shares
from hushrank.publishing.historical.protected_users import ProtectedUsers
from hushrank.publishing.historical.release import (
    NOTHING,
    Draw,
    GroupPlan,
    LeakageReport,
    leaked_by_laws,
    mean_laws,
)
from hushrank.publishing.historical.user_level import believed
from hushrank.publishing.record_channel.withholding import Withholding, solve_withholding
from hushrank.randomness import Randomness


def withhold_plans(
    users: ProtectedUsers, *, budget: float, choices: np.random.Generator
) -> Sequence[GroupPlan]:
    """Return whose records are withheld of each group of users who protect the same.

    budget in [0, 1]: the largest expected share of them. What values show is learnt from users who
    protect nothing.   Privacy: as `solve_withholding`; no record appears under another name.
    Raises HushrankError when too few users protect nothing, and for a budget out of range.
    """
    return [_plan(users, *group, budget, choices) for group in users.groups.items()]


def _plan(
    users: ProtectedUsers,
    names: tuple[str, ...],
    members: Indices,
    budget: float,
    choices: np.random.Generator,
) -> GroupPlan:
    value = users.profiles.joint(names)
    found = solve_withholding(believed(users, value, members, choices), budget=budget)
    posterior = np.tile(found.prior, (len(users.rows) + 1, 1))
    posterior[members] = found.beliefs
    laws = _laws(users, members, found)
    joint = users.counts(names, members, held_out=0.0, rng=choices).joint
    return GroupPlan(
        names=names,
        values=value.values,
        users=members,
        draw=_draw(found, members),
        transitions=mean_laws(laws, users.clusters.labels[members]),
        joint=np.vstack([joint, np.zeros(value.n_values)]),
        posterior=posterior,
        expected_distortion=found.share,
        leaked=_leaked(users, value, members, laws, found),
    )


def _leaked(
    users: ProtectedUsers, value: Attribute, members: Indices, laws: Shares, found: Withholding
) -> LeakageReport:
    """Say what beliefs leak, and of users' values what clusters do, of whom nothing was learnt."""
    own = value.with_codes(value.codes[users.rows[members]])
    by_laws = leaked_by_laws(users.clusters.labels[members], laws, own)
    bits = [each / log(2) for each in (found.leakage, found.certified_gap)]
    told = by_laws.untouched_bits, bits[0], by_laws.leakage_bits_heldout, bits[1]
    return LeakageReport(*told, by_laws.worst_likelihood_ratio)


def _draw(found: Withholding, members: Indices) -> Draw:
    def draw(*, rng: Randomness) -> Indices:
        sources: Indices = np.where(found.draw(rng=rng), NOTHING, members)
        return sources

    return draw


def _laws(users: ProtectedUsers, members: Indices, found: Withholding) -> Shares:
    """Return P(released cluster | user) (members, clusters + 1): the last, that nothing is."""
    laws = np.zeros((len(members), users.clusters.n_clusters + 1))
    laws[np.arange(len(members)), users.clusters.labels[members]] = 1 - found.chances
    laws[:, -1] = found.chances
    return laws

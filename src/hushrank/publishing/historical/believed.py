"""Plans of methods that believe what users who protect nothing show of a private value."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any, TypeAlias

import numpy as np

from hushrank.activities.attribute import Attribute
from hushrank.arrays import Floats, Indices, Shares
from hushrank.errors import require
from hushrank.publishing.historical.protected_users import ProtectedUsers
from hushrank.publishing.historical.release import (
    Draw,
    GroupPlan,
    LeakageReport,
    leaked_by_laws,
    mean_laws,
)
from hushrank.publishing.leakage.estimates import estimate_leakage_by_laws
from hushrank.publishing.record_channel.beliefs import beliefs

WAY_OUT = (
    "there are none, for without a column `protects` everybody protects everything; write `none`"
    " there for those who agreed"
)


@dataclass(frozen=True, eq=False, repr=False)
class Solved:
    """What a solver settled for the members of a group, by what is believed of their records.

    laws (members, clusters): P(released cluster | user), with one cluster more, the last, where
    nothing may be released, and one more for each pool; posterior (members, values): what each
    record tells where it is released; told_by_nothing (values,): what it tells that nothing is.
    is_pooled: as in `GroupPlan`. Leakage and gap in nats.
    """

    draw: Draw
    laws: Shares
    posterior: Floats
    expected_distortion: float
    leakage: float
    certified_gap: float
    told_by_nothing: Shares | None = None
    is_pooled: bool = False


Solver: TypeAlias = Callable[[ProtectedUsers, Indices, Floats], Solved]
"""From the users, the members of a group (places) and P(value | record) (members, values)."""
Tell: TypeAlias = Callable[[float], object]
Believe: TypeAlias = Callable[
    [ProtectedUsers, tuple[str, ...], Indices, np.random.Generator, Tell], Floats
]
"""From the users, what a group protects and its members: P(value | record) (members, values)."""


def believed(
    users: ProtectedUsers,
    names: tuple[str, ...],
    members: Indices,
    choices: np.random.Generator,
    tell: Tell,
) -> Floats:
    """Return P(value | record) (members, values), as users who protect nothing show it.

    Raises HushrankError where there are too few such users.
    """
    value = users.private.joint(names)
    is_open = value.told
    is_open[users.rows] = False
    require(is_open.any(), f"this method learns from users who protect nothing: {WAY_OUT}")
    known = users.activity.scores[is_open], value.codes[is_open]
    return beliefs(*known, users.scores[members], value.n_values, rng=choices, tell=tell)


def learnt_once() -> Believe:
    """Return what learns as `believed` does, but once of each group of the same users.

    So several budgets are tried with the same beliefs.
    """
    known: dict[tuple[ProtectedUsers, tuple[str, ...]], Floats] = {}

    def remembered(users: ProtectedUsers, names: tuple[str, ...], *more: Any) -> Floats:
        group = users, names
        if group not in known:
            known[group] = believed(*group, *more)
        return known[group]

    return remembered


def believed_plans(
    users: ProtectedUsers,
    solve: Solver,
    *,
    choices: np.random.Generator,
    tell: Tell,
    believe: Believe,
) -> Sequence[GroupPlan]:
    """Return what is solved for each group of users who protect the same; tell: as in `beliefs`.

    Privacy: what `choices` draws does not depend on the values that groups protect.
    Raises HushrankError, before anything is learnt, when the users of a group tell fewer than 2
    values; when too few users protect nothing, and what the solver raises.
    """
    nobody = np.random.default_rng(0)  # is held out: what it draws, by values, chooses nothing
    counts = [
        users.counts(*group, held_out=0.0, rng=nobody).joint for group in users.groups.items()
    ]
    plans = []
    for (names, members), learnt in zip(users.groups.items(), counts, strict=True):
        solved = solve(users, members, believe(users, names, members, choices, tell))
        plans.append(_plan(users, names, members, solved, learnt))
    return plans


def _plan(
    users: ProtectedUsers,
    names: tuple[str, ...],
    members: Indices,
    solved: Solved,
    learnt: Shares,
) -> GroupPlan:
    value = users.private.joint(names)
    joint = np.zeros((solved.laws.shape[1], learnt.shape[1]))  # values that some member has
    joint[: len(learnt)] = learnt
    return GroupPlan(
        names=names,
        values=value.values,
        users=members,
        draw=solved.draw,
        transitions=mean_laws(solved.laws, users.clusters.labels[members]),
        joint=joint,
        posterior=_posterior(solved, members, len(users.rows)),
        expected_distortion=solved.expected_distortion,
        leaked=_leaked(users, value, members, solved),
        is_pooled=solved.is_pooled,
    )


def _posterior(solved: Solved, members: Indices, n_protected: int) -> Floats:
    """Return what each record tells (protected, values); a row more where nothing may be told."""
    if solved.told_by_nothing is None:
        posterior = np.zeros((n_protected, solved.posterior.shape[1]))
    else:
        posterior = np.tile(solved.told_by_nothing, (n_protected + 1, 1))
    posterior[members] = solved.posterior
    return posterior


def _leaked(
    users: ProtectedUsers, value: Attribute, members: Indices, solved: Solved
) -> LeakageReport:
    """Say what beliefs leak, and of users' values what clusters do, of whom nothing was learnt."""
    own = value.with_codes(value.codes[users.rows[members]])
    by_laws = leaked_by_laws(users.clusters.labels[members], solved.laws, own)
    if solved.is_pooled:  # of many small pools chance alone would tell
        told = own.told
        corrected = estimate_leakage_by_laws(solved.laws[told], own.codes[told])
        by_laws = replace(by_laws, leakage_bits_heldout=corrected)
    bits, gap = solved.leakage / log(2), solved.certified_gap / log(2)
    return replace(by_laws, leakage_bits=bits, certified_gap=gap)

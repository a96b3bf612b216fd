"""What the page of a release shows of each group of users, beside the best channels there are."""

from collections.abc import Sequence

import numpy as np

from hushrank.arrays import Floats, Shares
from hushrank.publishing.cluster_channel.candidates import constant_distortion
from hushrank.publishing.cluster_channel.problem import ChannelProblem
from hushrank.publishing.cluster_channel.solve import solve_channel
from hushrank.publishing.historical.protected_users import ProtectedUsers
from hushrank.publishing.historical.release import GroupPlan
from hushrank.publishing.leakage.measures import leakage_bits
from hushrank.reports.release_page import GroupPicture

SHARES_OF_SILENCE = (0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8)
"""Where the least is computed: of the distortion at which one cluster is released for all."""
GAP = 1e-2


def group_pictures(users: ProtectedUsers, plans: Sequence[GroupPlan]) -> list[GroupPicture]:
    """Return what each group's channel costs and tells, beside the best between its clusters."""
    return [_picture(users, plan) for plan in plans]


def _picture(users: ProtectedUsers, plan: GroupPlan) -> GroupPicture:
    problem = None  # where records may be withheld, that is no cluster at a distance
    if len(plan.joint) == users.clusters.n_clusters:
        problem = ChannelProblem(plan.joint, users.distances.matrix, 0.0)
    return GroupPicture(
        protects=", ".join(plan.names),
        n_users=len(plan.users),
        before=plan.leaked.untouched_bits,
        after=leakage_bits(plan.joint, plan.transitions),
        held_out=plan.leaked.leakage_bits_heldout,
        guessed=guesses(plan.joint, plan.transitions),
        distortion=0.0 if problem is None else problem.distortion(plan.transitions),
        trade_off=None if problem is None else trade_off(problem),
        channel=plan.transitions,
    )


def guesses(joint: Shares, transitions: Shares) -> tuple[float, float, float]:
    """Return of how many of 100 users the likeliest value is the true one.

    Of who sees nothing, the cluster as it is, the released cluster; joint (clusters, values).
    """
    seen = (joint.sum(axis=0, keepdims=True), joint, transitions.T @ joint)
    blind, before, after = (100 * float(each.max(axis=1).sum()) for each in seen)
    return blind, before, after


def trade_off(problem: ChannelProblem) -> Floats:
    """Return distortion and least leakage in bits (budgets, 2), from 0 to where nothing leaks."""
    silence = constant_distortion(problem)
    found = [(0.0, leakage_bits(problem.joint))]
    for share in SHARES_OF_SILENCE:
        budget = share * silence
        solved = solve_channel(ChannelProblem(problem.joint, problem.distances, budget), gap=GAP)
        found.append((solved.distortion, solved.leakage_bits))
    return np.array([*found, (silence, 0.0)])

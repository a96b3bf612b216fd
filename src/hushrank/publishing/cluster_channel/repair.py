"""From flows that nearly keep the constraints to a channel that keeps them."""

from dataclasses import replace

import numpy as np

from hushrank.arrays import Floats, Shares
from hushrank.publishing.cluster_channel.arcs import Arcs, SourceGroups
from hushrank.publishing.cluster_channel.interior_point.columns import LeakageResponder, Response
from hushrank.publishing.cluster_channel.interior_point.iterate import (
    Iterate,
    Linearisation,
    Program,
)
from hushrank.publishing.cluster_channel.interior_point.steps import Aim, newton_step, newton_system
from hushrank.publishing.cluster_channel.problem import ROUNDING, ChannelProblem

PROJECTIONS = 4
NOTHING = 1e-30
SLIGHT = 1e-4
"""Groups released less often than this may be given up when they break the ratio."""


def channel_of(problem: ChannelProblem, sources: SourceGroups, flows: Floats) -> Shares:
    """Return the channel (groups, groups) of flows (sources, groups); rows sum to 1.

    A group without users is released as the nearest group that others are released as.
    """
    channel = np.zeros((problem.n_groups, problem.n_groups))
    channel[sources.numbers] = flows / flows.sum(axis=1, keepdims=True)
    released = flows.sum(axis=0) > 0
    empty = np.setdiff1d(np.arange(problem.n_groups), sources.numbers)
    nearest = np.where(released, problem.distances[empty], np.inf).argmin(axis=1)
    channel[empty, nearest] = 1
    return channel


def within_budget(problem: ChannelProblem, channel: Shares) -> Shares:
    """Mix with the identity, which distorts nothing, as far as the budget makes it needed."""
    distortion = problem.distortion(channel)
    if distortion <= problem.budget:
        return channel
    kept = problem.budget / distortion
    return kept * channel + (1 - kept) * np.eye(problem.n_groups)


def within_ratio(problem: ChannelProblem, channel: Shares, max_ratio: float) -> Shares:
    """Mix with the channel that releases alike whatever the group, as far as the ratio needs it."""
    channel = _without_slight_offenders(problem, channel, max_ratio)
    joint = channel.T @ problem.joint
    masses = joint.sum(axis=1)
    likelihoods = joint[masses > 0] / masses[masses > 0, None] / problem.prior
    allowed = max_ratio * (1 - ROUNDING / 10)
    excess = float((likelihoods.max(axis=1) - allowed * likelihoods.min(axis=1)).max())
    mixed = max(0.0, excess / (excess + allowed - 1)) if excess > 0 else 0.0
    return np.asarray((1 - mixed) * channel + mixed * masses)


def _without_slight_offenders(problem: ChannelProblem, channel: Shares, max_ratio: float) -> Shares:
    """Give up groups that break the ratio and are hardly ever released."""
    joint = channel.T @ problem.joint
    masses, given = joint.sum(axis=1), joint / problem.prior
    offends = given.max(axis=1) > max_ratio * (1 + 1e-6) * given.min(axis=1)
    kept = np.where(offends & (masses < SLIGHT), 0, channel)
    sums = kept.sum(axis=1, keepdims=True)
    return np.where(sums > 0, kept / np.where(sums > 0, sums, 1), channel)


def without_leakage(sources: SourceGroups, flows: Floats) -> Floats:
    """Move flows (sources, groups) by least squares to where nothing leaks, rows kept.

    The squares are weighted by 1 / flow: what is hardly used hardly moves.
    """
    released = flows.sum(axis=0) > 0
    part = replace(sources, distances=sources.distances[:, released])
    arcs = Arcs.among(part, flows[:, released] > 0)
    carried = flows[:, released][arcs.sources, arcs.targets]
    for _ in range(PROJECTIONS):
        carried = np.maximum(carried + _towards_no_leakage(part, arcs, carried), NOTHING)
    moved = np.zeros_like(flows)
    moved[:, released] = arcs.on_all(np.where(carried > NOTHING, carried, 0))
    return moved


def _towards_no_leakage(sources: SourceGroups, arcs: Arcs, flows: Floats) -> Floats:
    """Return the change of flows (arcs,) after which each group released has the prior."""
    joint = arcs.by_target(flows[:, None] * arcs.posteriors)
    masses = joint.sum(axis=1)
    shape = (*joint.shape, joint.shape[1])
    prior = Response(np.zeros(len(joint)), np.tile(sources.prior, (len(joint), 1)), np.zeros(shape))
    mismatch = joint - masses[:, None] * sources.prior
    iterate = Iterate(arcs, flows, np.zeros_like(joint), np.zeros(arcs.n_sources), 1.0, 0.0)
    linear = Linearisation(iterate, prior, np.ones_like(flows), masses, mismatch, 0.0)
    program = Program(sources, LeakageResponder(sources.prior), None, 0.0)
    aim = Aim(np.zeros_like(flows), 0.0, mismatch, np.zeros(len(joint)))
    return newton_step(program, linear, newton_system(program, linear), aim).flows

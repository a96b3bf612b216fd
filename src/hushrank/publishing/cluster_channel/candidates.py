"""Channels that may be the answer, each with the potentials that may prove it."""

import numpy as np

from hushrank.arrays import Floats, Shares
from hushrank.publishing.channel import Channel
from hushrank.publishing.cluster_channel.arcs import Sources, all_arcs, few_arcs
from hushrank.publishing.cluster_channel.certificate import (
    ChannelSolution,
    certified_gap,
    dual_bound,
)
from hushrank.publishing.cluster_channel.interior_point.columns import LeakageResponder
from hushrank.publishing.cluster_channel.interior_point.state import Task, first_state
from hushrank.publishing.cluster_channel.interior_point.steps import Outcome, interior_point
from hushrank.publishing.cluster_channel.mirror_descent import mirror_descent
from hushrank.publishing.cluster_channel.problem import ROUNDING, ChannelProblem
from hushrank.publishing.cluster_channel.repair import channel_of, silenced, within_budget

AIM = 0.9
"""The part of the tolerance that the solvers aim at: the rest is for the repairs."""
FINITE = 1e-12
"""What stands for a posterior of 0 in the potentials of the identity."""
FAR = 60.0
"""A price of the least distance, in nats, at which no distance is worth its leakage."""
PRICE = 1e-5
"""The price, in identity leakages a constant channel's distortion, at which silence is bought."""
TOLERANCE = 1e-5
"""How much dearer than the cheapest the channel may be, in constant channels' distortions."""


def identity_candidate(problem: ChannelProblem) -> ChannelSolution:
    """Return the channel that changes nothing, right where the budget buys next to nothing."""
    sources = Sources.of(problem)
    posteriors = np.tile(problem.prior, (problem.n_groups, 1))
    posteriors[sources.numbers] = sources.posteriors
    potentials = np.log(np.maximum(posteriors, FINITE) / problem.prior)
    costs = sources.posteriors @ potentials.T
    own = costs[np.arange(sources.n_sources), sources.numbers]
    apart = sources.distances > 0
    gains = (own[:, None] - costs)[apart] / sources.distances[apart]
    price = max(0.0, float(gains.max(initial=0.0))) / sources.unit
    return proven(problem, np.eye(problem.n_groups), potentials, price)


def silent_candidate(problem: ChannelProblem) -> ChannelSolution:
    """Return the cheapest channel that leaks nothing, whatever the budget.

    Where distortion is nearly free, leakage is nearly 0; flows then move, by least squares, to
    where it is 0 but for rounding. Error: TOLERANCE and about PRICE in distortion, relatively.
    """
    sources, cost = Sources.of(problem), constant_distortion(problem)
    if cost == 0:
        return _constant(problem)
    cost /= sources.unit
    price = PRICE * problem.identity_leakage / cost
    task = Task(sources, LeakageResponder(sources.prior), None, TOLERANCE * price * cost)
    outcome = interior_point(task, first_state(sources, few_arcs(sources), price, cost))
    channel = channel_of(problem, sources, silenced(sources, outcome.flows))
    if problem.distortion(channel) >= constant_distortion(problem):
        return _constant(problem)
    nothing = np.zeros_like(problem.joint)
    return proven(problem, channel, nothing, 0.0, None, "silent", outcome.iterations)


def solved_candidate(problem: ChannelProblem, tolerance: float, method: str) -> ChannelSolution:
    """Return what a solver finds that aims at a gap below `tolerance` nats."""
    sources = Sources.of(problem)
    if problem.budget == 0:
        outcome = _free_outcome(sources, AIM * tolerance)
    elif method == "mirror-descent":
        outcome = mirror_descent(sources, AIM * tolerance)
    else:
        outcome = _interior_outcome(sources, AIM * tolerance, problem.identity_leakage, method)
    channel = within_budget(problem, channel_of(problem, sources, outcome.flows))
    price = outcome.price / sources.unit
    return proven(problem, channel, outcome.potentials, price, None, method, outcome.iterations)


def constant_distortion(problem: ChannelProblem) -> float:
    """Return the least distortion of releasing one group always, which leaks nothing."""
    return float((problem.shares @ problem.distances).min())


def proven(
    problem: ChannelProblem,
    channel: Shares,
    potentials: Floats,
    price: float,
    max_ratio: float | None = None,
    method: str = "none",
    iterations: int = 0,
) -> ChannelSolution:
    """Put a solution together; its gap comes from the potentials and the price alone."""
    leakage = problem.leakage(channel)
    gap = leakage - dual_bound(problem, potentials, price, max_ratio)
    measured = (leakage, problem.distortion(channel), gap)
    return ChannelSolution(
        Channel(channel), *measured, potentials, price, max_ratio, method, iterations
    )


def is_proven(problem: ChannelProblem, solution: ChannelSolution, tolerance: float) -> bool:
    """Say whether a solution keeps the budget and its potentials prove its gap, in nats."""
    fits = solution.distortion <= problem.budget * (1 + ROUNDING)
    return fits and certified_gap(problem, solution) <= tolerance


def _constant(problem: ChannelProblem) -> ChannelSolution:
    """Return the cheapest channel that releases one group always."""
    centre = int((problem.shares @ problem.distances).argmin())
    channel = np.zeros_like(problem.distances)
    channel[:, centre] = 1
    return proven(problem, channel, np.zeros_like(problem.joint), 0.0, None, "silent")


def _interior_outcome(
    sources: Sources, tolerance: float, identity_leakage: float, method: str
) -> Outcome:
    arcs = few_arcs(sources) if method == "column-generation" else all_arcs(sources)
    task = Task(sources, LeakageResponder(sources.prior), sources.budget, tolerance)
    start = first_state(sources, arcs, identity_leakage / sources.budget, sources.budget)
    return interior_point(task, start)


def _free_outcome(sources: Sources, tolerance: float) -> Outcome:
    """Merge groups at distance 0 only: a price so high that no other distance is worth it."""
    apart = sources.distances > 0
    price = FAR / float(sources.distances[apart].min(initial=1.0))
    task = Task(sources, LeakageResponder(sources.prior), None, tolerance)
    start = first_state(sources, all_arcs(sources), price, 1e-3 * tolerance / price)
    outcome = interior_point(task, start)
    return outcome.with_flows(np.where(apart, 0, outcome.flows))

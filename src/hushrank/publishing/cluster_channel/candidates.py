"""Channels that may be the answer, each with the potentials that may prove it."""

import numpy as np
from numpy.linalg import LinAlgError

from hushrank.arrays import Floats, Shares
from hushrank.publishing.channel import Channel
from hushrank.publishing.cluster_channel.arcs import SourceGroups, all_arcs, few_arcs
from hushrank.publishing.cluster_channel.certificate import (
    ChannelSolution,
    certified_gap,
    dual_bound,
)
from hushrank.publishing.cluster_channel.interior_point.columns import LeakageResponder
from hushrank.publishing.cluster_channel.interior_point.iterate import Program, first_iterate
from hushrank.publishing.cluster_channel.interior_point.steps import SolverResult, interior_point
from hushrank.publishing.cluster_channel.mirror_descent import mirror_descent
from hushrank.publishing.cluster_channel.problem import ROUNDING, ChannelProblem
from hushrank.publishing.cluster_channel.repair import channel_of, within_budget, without_leakage

AIM = 0.9
"""The part of the tolerance that the solvers aim at: the rest is for the repairs."""
FINITE = 1e-12
"""What stands for a posterior of 0 in the potentials of the identity."""
FAR = 60.0
"""A price of the least distance, in nats, at which no distance is worth its leakage."""
PRICE = 1e-5
"""In identity leakages a constant channel's distortion: a price at which next to nothing leaks."""
TOLERANCE = 1e-5
"""How much dearer than the cheapest the channel may be, in constant channels' distortions."""


def identity_candidate(problem: ChannelProblem) -> ChannelSolution:
    """Return the channel that changes nothing: the best where the budget buys next to nothing.

    Its price is the least at which no other group is worth the distance for any source.
    """
    sources = SourceGroups.of(problem)
    posteriors = np.tile(problem.prior, (problem.n_groups, 1))
    posteriors[sources.numbers] = sources.posteriors
    potentials = np.log(np.maximum(posteriors, FINITE) / problem.prior)
    costs = sources.posteriors @ potentials.T
    own = costs[np.arange(sources.n_sources), sources.numbers]
    apart = sources.distances > 0
    gains = (own[:, None] - costs)[apart] / sources.distances[apart]
    price = max(0.0, float(gains.max(initial=0.0))) / sources.unit
    return proven(problem, np.eye(problem.n_groups), potentials, price)


def no_leakage_candidate(problem: ChannelProblem) -> ChannelSolution:
    """Return the cheapest channel that leaks nothing, whatever the budget.

    At a very low price of distortion the best flows leak next to nothing; least squares then move
    them to where leakage is 0 but for rounding.
    Error: about TOLERANCE of a constant channel's distortion too dear. Where they cannot be moved,
    as with a value that next to nobody has, the result is a constant channel.
    """
    sources, cost = SourceGroups.of(problem), constant_distortion(problem)
    if cost == 0:
        return _constant(problem)
    cost /= sources.unit
    price = PRICE * problem.identity_leakage / cost
    program = Program(sources, LeakageResponder(sources.prior), None, TOLERANCE * price * cost)
    result = interior_point(program, first_iterate(sources, few_arcs(sources), price, cost))
    try:
        channel = channel_of(problem, sources, without_leakage(sources, result.flows))
    except LinAlgError:  # next to nobody has one of the values
        return _constant(problem)
    if problem.distortion(channel) >= constant_distortion(problem):
        return _constant(problem)
    nothing = np.zeros_like(problem.joint)
    return proven(problem, channel, nothing, 0.0, None, "no-leakage", result.iterations)


def solved_candidate(problem: ChannelProblem, tolerance: float, method: str) -> ChannelSolution:
    """Return what a solver finds that aims at a gap below `tolerance` nats."""
    sources = SourceGroups.of(problem)
    if problem.budget == 0:
        result = _free_result(sources, AIM * tolerance)
    elif method == "mirror-descent":
        result = mirror_descent(sources, AIM * tolerance)
    else:
        result = _interior_result(sources, AIM * tolerance, problem.identity_leakage, method)
    channel = within_budget(problem, channel_of(problem, sources, result.flows))
    price = result.price / sources.unit
    return proven(problem, channel, result.potentials, price, None, method, result.iterations)


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
    """Put a solution together; the potentials and the price alone say what its gap is."""
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
    return proven(problem, channel, np.zeros_like(problem.joint), 0.0, None, "no-leakage")


def _interior_result(
    sources: SourceGroups, tolerance: float, identity_leakage: float, method: str
) -> SolverResult:
    arcs = few_arcs(sources) if method == "column-generation" else all_arcs(sources)
    program = Program(sources, LeakageResponder(sources.prior), sources.budget, tolerance)
    start = first_iterate(sources, arcs, identity_leakage / sources.budget, sources.budget)
    return interior_point(program, start)


def _free_result(sources: SourceGroups, tolerance: float) -> SolverResult:
    """Merge groups at distance 0 only, by a price so high that no other distance is worth it."""
    apart = sources.distances > 0
    price = FAR / float(sources.distances[apart].min(initial=1.0))
    program = Program(sources, LeakageResponder(sources.prior), None, tolerance)
    start = first_iterate(sources, all_arcs(sources), price, 1e-3 * tolerance / price)
    result = interior_point(program, start)
    return result.with_flows(np.where(apart, 0, result.flows))

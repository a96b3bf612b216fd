"""Channels whose likelihood ratios of private values stay within a bound."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hushrank.publishing.cluster_channel.arcs import SourceGroups, all_arcs
from hushrank.publishing.cluster_channel.candidates import (
    AIM,
    constant_distortion,
    is_proven,
    no_leakage_candidate,
    proven,
)
from hushrank.publishing.cluster_channel.certificate import ChannelSolution
from hushrank.publishing.cluster_channel.interior_point.columns import RatioResponder
from hushrank.publishing.cluster_channel.interior_point.iterate import Program, uniform_iterate
from hushrank.publishing.cluster_channel.interior_point.steps import interior_point
from hushrank.publishing.cluster_channel.problem import ROUNDING, ChannelProblem
from hushrank.publishing.cluster_channel.repair import channel_of, within_ratio

ATTEMPTS = ((0.1, 1e-5), (10.0, 1e-5), (0.1, 1e-4))
"""Most smoothing of a column, and the part of the budget left to the repair: one is to succeed."""
MOST_STEPS = 70
"""Where the budget allows the ratio, 20 to 50 steps do."""
FIRST_PRICE = 0.01
"""The first price where the budget sets it, in identity leakages a constant distortion."""
MARGIN = 1.05
"""Budgets nearer to the least than this may leave a channel unproven."""
GROWTH = 1.25
BARRIER = 0.1
"""The first barrier, in identity leakages a pair of groups."""


def binds(problem: ChannelProblem, max_ratio: float) -> bool:
    """Say whether releasing the groups themselves would break the bound."""
    return problem.worst_ratio(np.eye(problem.n_groups)) > max_ratio


def bounded_channel(
    problem: ChannelProblem, tolerance: float, max_ratio: float
) -> ChannelSolution | None:
    """Return a proven channel within the ratio and the budget, or None where none was found."""
    for solution in _attempts(problem, tolerance, max_ratio):
        ratio = problem.worst_ratio(solution.channel.probabilities)
        if ratio <= max_ratio * (1 + ROUNDING) and is_proven(problem, solution, tolerance):
            return solution
    return None


def sufficient_budget(problem: ChannelProblem, tolerance: float, max_ratio: float) -> float:
    """Return a budget, mostly 1 to 1.5 times the least, that has a proven channel in the ratio.

    It starts a little above the distortion of the channel for which leakage plus distortion costs
    least, where a constant channel's distortion costs as much as I(G; Y), and grows until a channel
    is proven. The cost of a channel without leakage is enough, and at a ratio of 1 it is needed.
    """
    no_leakage = no_leakage_candidate(problem).distortion
    if max_ratio == 1:
        return no_leakage
    found = _solved(problem, None, 1e-3 * problem.identity_leakage, max_ratio, ATTEMPTS[0][0])
    budget = no_leakage if found is None else MARGIN * found.distortion
    while budget < no_leakage:
        if bounded_channel(replace(problem, budget=budget), tolerance, max_ratio):
            return budget
        budget *= GROWTH
    return no_leakage


def _attempts(
    problem: ChannelProblem, tolerance: float, max_ratio: float
) -> Iterator[ChannelSolution]:
    """Yield solutions; one without leakage where little need leak, or where nothing may."""
    for smoothing, spared in ATTEMPTS if max_ratio > 1 and problem.budget > 0 else ():
        budget = (1 - spared) * problem.budget
        found = _solved(problem, budget, AIM * tolerance, max_ratio, smoothing)
        if found and found.leakage <= tolerance:
            yield replace(no_leakage_candidate(problem), max_ratio=max_ratio)
        if found:
            yield found
    yield replace(no_leakage_candidate(problem), max_ratio=max_ratio)


def _solved(
    problem: ChannelProblem,
    budget: float | None,
    tolerance: float,
    max_ratio: float,
    smoothing: float,
) -> ChannelSolution | None:
    """Return what the interior point finds within the budget, or at a fixed price without one."""
    sources, scale = SourceGroups.of(problem), problem.identity_leakage
    price = scale * sources.unit / constant_distortion(problem)
    price *= 1.0 if budget is None else FIRST_PRICE
    barrier = BARRIER * scale / sources.n_sources**2
    scaled = None if budget is None else budget / sources.unit
    rules = (RatioResponder(sources.prior, max_ratio), scaled, tolerance, MOST_STEPS)
    program = Program(sources, *rules, smoothing * BARRIER / barrier)
    result = interior_point(program, uniform_iterate(sources, all_arcs(sources), price, barrier))
    if not result.flows.size:
        return None
    channel = within_ratio(problem, channel_of(problem, sources, result.flows), max_ratio)
    proof = (result.potentials, result.price / sources.unit, max_ratio)
    return proven(problem, channel, *proof, "interior-point", result.iterations)

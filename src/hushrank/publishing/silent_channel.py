"""The cheapest channel that leaks nothing at all."""

import numpy as np

from hushrank.publishing.channel_arcs import Sources
from hushrank.publishing.channel_candidates import few_arcs, proven
from hushrank.publishing.channel_certificate import ChannelSolution
from hushrank.publishing.channel_problem import ChannelProblem
from hushrank.publishing.channel_repair import channel_of, silenced
from hushrank.publishing.column_responses import LeakageResponder
from hushrank.publishing.interior_point import interior_point
from hushrank.publishing.interior_start import first_state
from hushrank.publishing.interior_state import Task

PRICE = 1e-5
"""The price, in identity leakages a constant channel's distortion, at which silence is bought."""
TOLERANCE = 1e-5
"""How much dearer than the cheapest the channel may be, in constant channels' distortions."""


def constant_distortion(problem: ChannelProblem) -> float:
    """Return the least distortion of releasing one group always, which leaks nothing."""
    return float((problem.shares @ problem.distances).min())


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


def _constant(problem: ChannelProblem) -> ChannelSolution:
    """Return the cheapest channel that releases one group always."""
    centre = int((problem.shares @ problem.distances).argmin())
    channel = np.zeros_like(problem.distances)
    channel[:, centre] = 1
    return proven(problem, channel, np.zeros_like(problem.joint), 0.0, None, "silent")

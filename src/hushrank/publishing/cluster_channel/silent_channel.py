"""The cheapest channel that leaks nothing at all."""

import numpy as np

from hushrank.publishing.cluster_channel.arcs import Sources, few_arcs
from hushrank.publishing.cluster_channel.candidates import proven
from hushrank.publishing.cluster_channel.certificate import ChannelSolution
from hushrank.publishing.cluster_channel.interior_point.columns import LeakageResponder
from hushrank.publishing.cluster_channel.interior_point.start import first_state
from hushrank.publishing.cluster_channel.interior_point.state import Task
from hushrank.publishing.cluster_channel.interior_point.steps import interior_point
from hushrank.publishing.cluster_channel.problem import ChannelProblem
from hushrank.publishing.cluster_channel.repair import channel_of, silenced

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

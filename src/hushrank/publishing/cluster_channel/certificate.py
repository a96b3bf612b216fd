"""A channel with the proof of how far it is, at most, from the least leakage possible."""

from dataclasses import dataclass
from math import log

import numpy as np

from hushrank.arrays import Floats, Shares
from hushrank.publishing.channel import Channel
from hushrank.publishing.cluster_channel.problem import ChannelProblem

HALVINGS = 80


@dataclass(frozen=True, eq=False, repr=False)
class ChannelSolution:
    """A channel, what it costs, and how much less any other could leak.

    leakage = I(Ĝ; Y) and certified_gap in nats; distortion in the distances' unit; potentials
    (groups, values) and price, nats a unit of distance, prove the gap by themselves: see
    `certified_gap`. max_ratio bounds P(ĝ | y) / P(ĝ | y'), where it was asked for.
    """

    channel: Channel
    leakage: float
    distortion: float
    certified_gap: float
    potentials: Floats
    price: float
    max_ratio: float | None
    method: str
    iterations: int

    @property
    def leakage_bits(self) -> float:
        """The leakage in bits."""
        return self.leakage / log(2)


def certified_gap(problem: ChannelProblem, solution: ChannelSolution) -> float:
    """Return the leakage of the channel less the dual bound, in nats, from nothing but these."""
    leakage = problem.leakage(solution.channel.probabilities)
    bound = dual_bound(problem, solution.potentials, solution.price, solution.max_ratio)
    return leakage - bound


def dual_bound(
    problem: ChannelProblem, potentials: Floats, price: float, max_ratio: float | None = None
) -> float:
    """Return what any channel within the budget leaks at least, in nats.

        sum_y of P(g, y) times min_ĝ [a[ĝ, y] + price distances[g, ĝ]], less price budget

    The minimum is over ĝ for each g, of the mean over y; a = potentials (groups, values) less
    `log_normalisers`, so that any finite potentials and any price >= 0 give a true bound.
    Source: convex duality; the bound of Yang et al. (TKDE 2019), Algorithm 1, is our own.
    """
    normalised = potentials - log_normalisers(potentials, problem.prior, max_ratio)[:, None]
    costs = problem.joint @ normalised.T + price * problem.shares[:, None] * problem.distances
    return float(costs.min(axis=1).sum()) - price * problem.budget


def log_normalisers(potentials: Floats, prior: Shares, max_ratio: float | None = None) -> Floats:
    """Return (groups,): the largest <a, q> - KL(q || prior) over the q that a channel may have.

    Without max_ratio: log of the sum of prior exp(a). With it, q / prior may differ by that factor
    only, and a is clipped to a window of log(max_ratio); a window beside the best one only
    enlarges the result, which keeps the bound true.
    """
    if max_ratio is not None:
        window = window_starts(potentials, prior, max_ratio)[:, None]
        potentials = np.clip(potentials, window, window + log(max_ratio))
    highest = potentials.max(axis=1, keepdims=True)
    return np.asarray(np.log(np.exp(potentials - highest) @ prior) + highest[:, 0])


def window_starts(potentials: Floats, prior: Shares, max_ratio: float) -> Floats:
    """Return (groups,): where the window of log(max_ratio) begins that balances what it cuts off.

    Multipliers of the ratio's bounds, prior times the cuts: those from below, for numbers raised
    to the window, must be at least max_ratio times those from above. The smallest such start.
    """
    low, high = potentials.min(axis=1) - log(max_ratio), potentials.max(axis=1)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        raised = np.maximum(middle[:, None] - potentials, 0) @ prior
        lowered = np.maximum(potentials - middle[:, None] - log(max_ratio), 0) @ prior
        enough = raised >= max_ratio * lowered
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(high)

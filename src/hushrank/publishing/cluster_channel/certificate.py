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

    leakage, I(Ĝ; Y), and certified_gap are in nats, distortion is in the distances' unit. The
    potentials (groups, values) and the price, in nats a unit of distance, prove the gap by
    themselves: see `certified_gap`. max_ratio bounds P(ĝ | y) / P(ĝ | y'), where it was asked for.
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
    """Return the leakage of the channel less the bound that its potentials and price prove."""
    leakage = problem.leakage(solution.channel.probabilities)
    bound = dual_bound(problem, solution.potentials, solution.price, solution.max_ratio)
    return leakage - bound


def dual_bound(
    problem: ChannelProblem, potentials: Floats, price: float, max_ratio: float | None = None
) -> float:
    """Return what any channel within the budget leaks at least, in nats.

        sum_y of P(g, y) times min_ĝ [a[ĝ, y] + price distances[g, ĝ]], less price budget

    For each g the minimum is over ĝ, of the sum over y; a = potentials (groups, values) less
    `log_normalisers`. The bound is true for any finite potentials and any price >= 0.
    Source: convex duality. This bound of Algorithm 1 of Yang et al. (TKDE 2019) is ours.
    """
    normalised = potentials - log_normalisers(potentials, problem.prior, max_ratio)[:, None]
    costs = problem.joint @ normalised.T + price * problem.shares[:, None] * problem.distances
    return float(costs.min(axis=1).sum()) - price * problem.budget


def log_normalisers(potentials: Floats, prior: Shares, max_ratio: float | None = None) -> Floats:
    """Return (groups,): the largest <a, q> - KL(q || prior) over the q = P(y | ĝ) allowed.

    Without max_ratio every q is allowed, and it is the log of the sum of prior exp(a). With it,
    values of q / prior may differ by that factor at most, and a is first clipped to a window of
    width log(max_ratio). A window that starts too high only enlarges the result, and the bound
    stays true.
    """
    if max_ratio is not None:
        window = window_starts(potentials, prior, max_ratio)[:, None]
        potentials = np.clip(potentials, window, window + log(max_ratio))
    highest = potentials.max(axis=1, keepdims=True)
    return np.asarray(np.log(np.exp(potentials - highest) @ prior) + highest[:, 0])


def window_starts(potentials: Floats, prior: Shares, max_ratio: float) -> Floats:
    """Return (groups,): the least start of a window that may be used in `log_normalisers`.

    What the window raises, in the mean under the prior, must be at least max_ratio times what it
    lowers. The result satisfies this, and is the least start that does but for rounding.
    """
    low, high = potentials.min(axis=1) - log(max_ratio), potentials.max(axis=1)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        raised = np.maximum(middle[:, None] - potentials, 0) @ prior
        lowered = np.maximum(potentials - middle[:, None] - log(max_ratio), 0) @ prior
        enough = raised >= max_ratio * lowered
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(high)

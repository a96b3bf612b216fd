"""Mirror descent: the simple, slow solver that rescues what the fast one cannot prove.

Theory: docs/theory/cluster-channel.md
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from hushrank.arrays import Floats, Shares
from hushrank.publishing.cluster_channel.arcs import SourceGroups
from hushrank.publishing.cluster_channel.interior_point.columns import LeakageResponder
from hushrank.publishing.cluster_channel.interior_point.steps import SolverResult
from hushrank.publishing.leakage.information import mutual_information

MOST_STEPS = 20_000
CHECK_EVERY = 20
LEAST = 1e-300


def mirror_descent(sources: SourceGroups, tolerance: float) -> SolverResult:
    """Multiply the channel by what each release costs, and divide its rows by their sums.

        P <- P exp(-(<pi, a> + price D)),   a = log(P(y | ĝ) / P(y)),   price: within the budget

    A step never raises leakage + price times distortion, because leakage is convex and smooth
    relative to the entropy, with constant 1.
    Error: the gap falls like 1 / steps; it is certified every CHECK_EVERY steps.
    Cost: O(sources groups values) a step.     Source: Bauschke, Bolte, Teboulle (MOR 2017).
    """
    walk = _Walk(sources, tolerance)
    logs, price = -sources.distances / max(sources.budget, 1e-6), 0.0
    for step in range(MOST_STEPS):
        logs, price, found = walk.step(logs, price)
        if step % CHECK_EVERY == 0 and walk.certifies(found, price):
            break
    return SolverResult(
        walk.flows(found), walk.potentials(found), price, *walk.values(found, price), step
    )


@dataclass(frozen=True, eq=False, repr=False)
class _Walk:
    """The steps of `mirror_descent`."""

    sources: SourceGroups
    tolerance: float

    def step(self, logs: Floats, price: float) -> tuple[Floats, float, Shares]:
        """Return the next log-channel, its price, and the channel it started from."""
        channel, price = self._within_budget(logs, price)
        costs = self.sources.posteriors @ self.potentials(channel).T
        return np.log(np.maximum(channel, LEAST)) - costs, price, channel

    def flows(self, channel: Shares) -> Floats:
        """Return P(g, ĝ) of a channel (sources, groups)."""
        return np.asarray(self.sources.shares[:, None] * channel)

    def potentials(self, channel: Shares) -> Floats:
        """Return log(P(y | ĝ) / P(y)), (groups, values), finite."""
        joint = np.maximum(self.flows(channel).T @ self.sources.posteriors, LEAST)
        return np.asarray(np.log(joint / joint.sum(axis=1, keepdims=True) / self.sources.prior))

    def values(self, channel: Shares, price: float) -> tuple[float, float]:
        """Return the leakage of a channel and the bound that its potentials prove."""
        joint = self.flows(channel).T @ self.sources.posteriors
        costs = self._normalised_costs(channel) + price * self.sources.distances
        bound = float(self.sources.shares @ costs.min(axis=1)) - price * self.sources.budget
        return mutual_information(joint, self.sources.prior), bound

    def certifies(self, channel: Shares, price: float) -> bool:
        """Say whether the gap is within the tolerance."""
        leakage, bound = self.values(channel, price)
        return leakage - bound <= self.tolerance

    def _normalised_costs(self, channel: Shares) -> Floats:
        potentials = self.potentials(channel)
        scales = LeakageResponder(self.sources.prior).bounds(potentials)
        return np.asarray(self.sources.posteriors @ (potentials - scales[:, None]).T)

    def _within_budget(self, logs: Floats, price: float) -> tuple[Shares, float]:
        """Return the rows exp(logs - price D) / sum, and the least price that keeps the budget."""
        from scipy.optimize import brentq  # slow to load

        channel = self._rows(logs)
        if self._distortion(channel) <= self.sources.budget:
            return channel, 0.0
        excess = self._excess_at(logs)
        high = max(price, 1e-3)
        while excess(high) > 0:
            high *= 2
        low = high / 2
        while excess(low) < 0:
            low /= 2
        price = float(brentq(excess, low, high, rtol=1e-13))
        return self._rows(logs - price * self.sources.distances), price

    def _excess_at(self, logs: Floats) -> Callable[[float], float]:
        """Return by how much a price leaves the distortion above the budget."""
        distances, budget = self.sources.distances, self.sources.budget
        return lambda price: self._distortion(self._rows(logs - price * distances)) - budget

    def _rows(self, logs: Floats) -> Shares:
        return np.asarray(np.exp(logs - logsumexp(logs, axis=1, keepdims=True)))

    def _distortion(self, channel: Shares) -> float:
        return float(self.sources.shares @ (channel * self.sources.distances).sum(axis=1))

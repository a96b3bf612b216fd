"""Maximise the smoothed dual for two private values by Newton's method, while it cools.

Theory: docs/theory/item-channel.md
"""

from dataclasses import dataclass

import numpy as np

from hushrank.arrays import Shares
from hushrank.publishing.item_channel.binary.derivatives import dual_derivatives, dual_values
from hushrank.publishing.item_channel.binary.options import Items, OptionColumns, Prices
from hushrank.publishing.item_channel.dual_point import DualPoint

MOST_STEPS, MOST_HALVINGS = 40, 25
LONGEST_STEP = 2.0  # of a tilt, in nats: beyond, the posteriors turn round
CLOSE = 1e-2  # a temperature is done when a Newton step promises less than this part of it
COOLING = 0.3


@dataclass(frozen=True, eq=False, repr=False)
class SmoothedDual:
    """The concave function to maximise, by tilts and, unless it is `linear`, by price.

    linear: the limit of small tilts, in which channels leak nothing; the price then stays 1.
    prior: P(value = 1). budget: in the units of the parts.
    """

    items: Items
    columns: OptionColumns
    prior: float
    budget: float
    linear: bool = False

    def prices(self, point: DualPoint, temperature: float) -> Prices:
        """Return what the kernels need to know of a point."""
        tilts, prior = point.tilts, self.prior
        if self.linear:
            flat, fixed = np.zeros_like(tilts), np.full_like(tilts, prior)
            return Prices(tilts, prior * tilts, fixed, flat, point.price, temperature)
        normalisers = np.logaddexp(np.log1p(-prior), np.log(prior) + tilts)
        shares = np.exp(np.log(prior) + tilts - normalisers)
        curvatures = shares * (1 - shares)
        return Prices(tilts, normalisers, shares, curvatures, point.price, temperature)

    def values(self, point: DualPoint, temperature: float) -> tuple[float, float]:
        """Return the smoothed dual and the dual itself."""
        soft, hard = dual_values(self.items, self.columns, self.prices(point, temperature))
        spent = 0.0 if self.linear else point.price * self.budget
        return soft - spent, hard - spent

    def longest(self, point: DualPoint, step: DualPoint) -> float:
        """Return how much of a step is tried at most."""
        return 1.0 if self.linear else point.longest(step, LONGEST_STEP)

    def step(self, point: DualPoint, temperature: float) -> tuple[DualPoint, float]:
        """Return the Newton step, and how much it promises to gain twice over."""
        size = len(point.tilts) + 1
        gradient, hessian = np.empty(size), np.empty((size, size))
        prices = self.prices(point, temperature)
        dual_derivatives(self.items, self.columns, prices, gradient, hessian)
        gradient[-1] -= self.budget
        if self.linear:
            gradient[-1], hessian[-1], hessian[:, -1] = 0.0, 0.0, 0.0
        hessian = (hessian + hessian.T) / 2
        far = LONGEST_STEP if not self.linear else 0.3 * (1 + float(np.abs(point.tilts).max()))
        damping = 1e-9 * np.maximum(-np.diag(hessian), 1e-6) + 1e-12
        damping[:-1] += np.abs(gradient[:-1]) / far  # where the dual is flat, no step is longer,
        damping[-1] += abs(gradient[-1]) / point.price  # and none more than doubles the price
        hessian[np.diag_indices(size)] -= damping
        change: Shares = np.linalg.solve(-hessian, gradient).astype(np.float64)
        return DualPoint(change[:-1], float(change[-1])), float(gradient @ change)


def maximise(
    dual: SmoothedDual, point: DualPoint, temperature: float, last: float, close: float = CLOSE
) -> tuple[DualPoint, int]:
    """Return the maximum at temperature `last`, and the number of Newton steps taken.

    close: the last temperature is done when a step promises less than this part of it.
    """
    n_steps = 0
    while True:
        enough = close if temperature <= last else CLOSE
        point, n_taken = _climb(dual, point, temperature, enough * temperature)
        n_steps += n_taken
        if temperature <= last:
            return point, n_steps
        temperature = max(last, COOLING * temperature)


def _climb(
    dual: SmoothedDual, point: DualPoint, temperature: float, enough: float
) -> tuple[DualPoint, int]:
    value = dual.values(point, temperature)[0]
    for n_steps in range(MOST_STEPS):
        step, promised = dual.step(point, temperature)
        length, gained = dual.longest(point, step), -np.inf
        if promised < enough:
            last = point.moved(step, length)
            return (last if dual.values(last, temperature)[0] >= value else point), n_steps
        for _ in range(MOST_HALVINGS):
            after = dual.values(point.moved(step, length), temperature)[0]
            gained = after - value
            if gained >= 0.1 * length * promised:
                break
            length *= 0.5
        if gained <= 0:
            return point, n_steps
        point, value = point.moved(step, length), after
    return point, MOST_STEPS

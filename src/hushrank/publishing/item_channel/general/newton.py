"""Maximise the smoothed dual for any number of private values, by conjugate gradients.

Theory: docs/theory/item-channel.md
"""

import numpy as np

from hushrank.arrays import Shares
from hushrank.publishing.item_channel.dual_point import DualPoint
from hushrank.publishing.item_channel.general.curvature import (
    Curvature,
    diagonal_blocks,
    times_curvature,
)
from hushrank.publishing.item_channel.general.dual import (
    Chances,
    ItemTable,
    Slopes,
    costs_of,
    gradient_of,
    potentials_of,
    soften,
)

MOST_HALVINGS, MOST_PRODUCTS = 12, 60
LONGEST_STEP = 3.0  # of a tilt, in nats
REACH = 9.0  # temperatures: chances below e^-9 of the largest are 0
CLOSE = 1e-2  # a temperature is done when a step promises less than this part of it


class CellDual:
    """The smoothed dual of cells that may be released as one another, plus `slack` log price.

    The slack keeps the price positive where the budget is loose: slack / price less than the budget
    is spent, which costs at most `slack` nats.
    """

    def __init__(self, table: ItemTable, prior: Shares, budget: float, slack: float) -> None:
        """Take the cells, P(value), the budget by the largest cost, and the slack in nats."""
        self.table, self.prior, self.budget, self.slack = table, prior, budget, slack
        n_cells = len(table.weights)
        self._spare = [self._room(n_cells), self._room(n_cells)]

    @staticmethod
    def _room(n_cells: int) -> Chances:
        starts, size = np.zeros(n_cells + 1, np.int64), n_cells * n_cells
        return Chances(starts, np.empty(size, np.int32), np.empty(size))

    def value(self, point: DualPoint, temperature: float, into: Chances) -> float:
        """Return the smoothed dual; fill in the chances."""
        potentials, _ = potentials_of(point.tilts, self.prior)
        soft, _ = soften(self.table, potentials, point.price, temperature, REACH, into)
        return float(soft - point.price * self.budget + self.slack * np.log(point.price))

    def climb(
        self, point: DualPoint, temperature: float, most_steps: int, close: float = CLOSE
    ) -> tuple[DualPoint, Chances]:
        """Return the maximum at one temperature, and the chances there."""
        here, there = self._spare
        value, longest = self.value(point, temperature, here), 1.0
        for _ in range(most_steps):
            step, promised = self._step(point, temperature, here)
            if promised < close * temperature:
                break
            length = min(longest, point.longest(step, LONGEST_STEP))
            for _ in range(MOST_HALVINGS):
                after = self.value(point.moved(step, length), temperature, there)
                short = length * promised - (after - value)  # of what a straight line promises
                if short <= 0.95 * length * promised:
                    break
                length *= min(0.5, max(0.1, length * promised / (2 * short)))
            if after <= value:
                break
            point, value, here, there = point.moved(step, length), after, there, here
            longest = min(1.0, 4 * length)
        self._spare = [here, there]
        return point, here

    def _step(
        self, point: DualPoint, temperature: float, chances: Chances
    ) -> tuple[DualPoint, float]:
        """Return Newton's step, by preconditioned conjugate gradients, and what it promises."""
        n_cells, n_values = point.tilts.shape
        _, shares = potentials_of(point.tilts, self.prior)
        slopes = Slopes(np.empty_like(shares), np.empty(n_cells), np.empty(n_cells))
        each = costs_of(self.table, chances)
        spent = gradient_of(self.table, shares, chances, each, slopes)
        ridge = 1e-7 * self.table.weights + 1e-12
        curvature = Curvature(shares, slopes.masses, slopes.costs, each, temperature, ridge)
        blocks = np.empty((n_cells, n_values, n_values))
        by_price = diagonal_blocks(self.table, chances, curvature, blocks) + 1e-9
        firmness = self.slack / point.price**2
        slope = DualPoint(slopes.gradient, spent - self.budget + self.slack / point.price)
        inverse = np.linalg.inv(blocks).astype(np.float64)
        step = self._conjugate(slope, chances, curvature, inverse, by_price + firmness, firmness)
        return step, slope.dot(step)

    def _conjugate(
        self,
        slope: DualPoint,
        chances: Chances,
        curvature: Curvature,
        inverse: Shares,
        by_price: float,
        firmness: float,
    ) -> DualPoint:
        step, rest = DualPoint(np.zeros_like(slope.tilts), 0.0), slope
        ready = _conditioned(rest, inverse, by_price)
        along, size = ready, rest.dot(ready)
        enough = 0.01 * size
        for _ in range(MOST_PRODUCTS):
            product = np.empty_like(slope.tilts)
            price = times_curvature(
                self.table, chances, curvature, along.tilts, along.price, product
            )
            bent = DualPoint(product, price + (1e-9 + firmness) * along.price)
            if along.dot(bent) <= 0 or size <= enough:
                break
            length = size / along.dot(bent)
            step, rest = step.moved(along, length), rest.moved(bent, -length)
            ready = _conditioned(rest, inverse, by_price)
            before, size = size, rest.dot(ready)
            along = ready.moved(along, size / before)
        return step


def _conditioned(rest: DualPoint, inverse: Shares, by_price: float) -> DualPoint:
    return DualPoint(np.einsum("cyz,cz->cy", inverse, rest.tilts), rest.price / by_price)

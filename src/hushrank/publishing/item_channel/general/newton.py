"""Maximise the smoothed dual for any number of private values, by conjugate gradients."""

from dataclasses import dataclass

import numpy as np

from hushrank.arrays import Shares
from hushrank.publishing.item_channel.general.curvature import (
    Curvature,
    diagonal_blocks,
    times_curvature,
)
from hushrank.publishing.item_channel.general.dual import (
    Chances,
    Sources,
    costs_of,
    gradient_of,
    potentials_of,
    soften,
)

MOST_HALVINGS, MOST_PRODUCTS = 12, 60
LONGEST_STEP = 3.0  # of a tilt, in nats
REACH = 9.0  # temperatures: chances below e^-9 of the largest are 0
CLOSE = 1e-2  # a temperature is done when a step promises less than this part of it


@dataclass(frozen=True, eq=False, repr=False)
class Tilted:
    """Tilts (n, values) and a price, or a change of both."""

    tilts: Shares
    price: float

    def moved(self, step: "Tilted", length: float) -> "Tilted":
        """Return the point `length` steps away."""
        return Tilted(self.tilts + length * step.tilts, self.price + length * step.price)

    def dot(self, other: "Tilted") -> float:
        """Return the inner product."""
        return float((self.tilts * other.tilts).sum() + self.price * other.price)


class GeneralDual:
    """The smoothed dual of sources that may be released as one another, plus `slack` log price.

    That keeps the price positive where the budget is loose, spends slack / price less than the
    budget, and so costs at most `slack` nats.
    """

    def __init__(self, sources: Sources, prior: Shares, budget: float, slack: float) -> None:
        """Take the sources, P(value), the budget in units of their costs, and the slack."""
        self.sources, self.prior, self.budget, self.slack = sources, prior, budget, slack
        n_cells = len(sources.weights)
        self._spare = [self._room(n_cells), self._room(n_cells)]

    @staticmethod
    def _room(n_cells: int) -> Chances:
        starts, size = np.zeros(n_cells + 1, np.int64), n_cells * n_cells
        return Chances(starts, np.empty(size, np.int32), np.empty(size))

    def value(self, point: Tilted, temperature: float, into: Chances) -> float:
        """Return the smoothed dual; fill in the chances."""
        potentials, _ = potentials_of(point.tilts, self.prior)
        soft, _ = soften(self.sources, potentials, point.price, temperature, REACH, into)
        return float(soft - point.price * self.budget + self.slack * np.log(point.price))

    def climb(
        self, point: Tilted, temperature: float, most_steps: int, close: float = CLOSE
    ) -> tuple[Tilted, Chances]:
        """Return the maximum at one temperature, and the chances there."""
        here, there = self._spare
        value, longest = self.value(point, temperature, here), 1.0
        for _ in range(most_steps):
            step, promised = self._step(point, temperature, here)
            if promised < close * temperature:
                break
            length = min(longest, _inside(point, step))
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

    def _step(self, point: Tilted, temperature: float, chances: Chances) -> tuple[Tilted, float]:
        """Return Newton's step, by preconditioned conjugate gradients, and what it promises."""
        n_cells, n_values = point.tilts.shape
        _, shares = potentials_of(point.tilts, self.prior)
        gradient, masses, costs = np.empty_like(shares), np.empty(n_cells), np.empty(n_cells)
        each = costs_of(self.sources, chances)
        spent = gradient_of(self.sources, shares, chances, each, gradient, masses, costs)
        ridge = 1e-7 * self.sources.weights + 1e-12
        curvature = Curvature(shares, masses, costs, each, temperature, ridge)
        blocks = np.empty((n_cells, n_values, n_values))
        by_price = diagonal_blocks(self.sources, chances, curvature, blocks) + 1e-9
        firmness = self.slack / point.price**2
        slope = Tilted(gradient, spent - self.budget + self.slack / point.price)
        inverse = np.linalg.inv(blocks).astype(np.float64)
        step = self._conjugate(slope, chances, curvature, inverse, by_price + firmness, firmness)
        return step, slope.dot(step)

    def _conjugate(
        self,
        slope: Tilted,
        chances: Chances,
        curvature: Curvature,
        inverse: Shares,
        by_price: float,
        firmness: float,
    ) -> Tilted:
        step, rest = Tilted(np.zeros_like(slope.tilts), 0.0), slope
        ready = _conditioned(rest, inverse, by_price)
        along, size = ready, rest.dot(ready)
        enough = 0.01 * size
        for _ in range(MOST_PRODUCTS):
            product = np.empty_like(slope.tilts)
            price = times_curvature(
                self.sources, chances, curvature, along.tilts, along.price, product
            )
            bent = Tilted(product, price + (1e-9 + firmness) * along.price)
            if along.dot(bent) <= 0 or size <= enough:
                break
            length = size / along.dot(bent)
            step, rest = step.moved(along, length), rest.moved(bent, -length)
            ready = _conditioned(rest, inverse, by_price)
            before, size = size, rest.dot(ready)
            along = ready.moved(along, size / before)
        return step


def _conditioned(rest: Tilted, inverse: Shares, by_price: float) -> Tilted:
    return Tilted(np.einsum("cyz,cz->cy", inverse, rest.tilts), rest.price / by_price)


def _inside(point: Tilted, step: Tilted) -> float:
    """Return the longest step, at most 1, that keeps the price positive and the tilts near."""
    longest = float(np.abs(step.tilts).max())
    length = min(1.0, LONGEST_STEP / longest) if longest > 0 else 1.0
    falls = -step.price / point.price
    return min(length, 0.9 / falls) if falls > 0.9 else length

"""A point of the smoothed dual of the item channel.   Theory: docs/theory/item-channel.md"""

from dataclasses import dataclass

import numpy as np

from hushrank.arrays import Shares


@dataclass(frozen=True, eq=False, repr=False)
class DualPoint:
    """Tilts and a price: where the smoothed dual is evaluated, or the step between two points.

    tilts: (columns,) for two private values, (cells, values) for more; price: of the largest cost.
    """

    tilts: Shares
    price: float

    def moved(self, step: "DualPoint", length: float) -> "DualPoint":
        """Return the point `length` steps away."""
        return DualPoint(self.tilts + length * step.tilts, self.price + length * step.price)

    def dot(self, other: "DualPoint") -> float:
        """Return the inner product."""
        return float((self.tilts * other.tilts).sum() + self.price * other.price)

    def longest(self, step: "DualPoint", most: float) -> float:
        """Return the greatest length, at most 1, that changes no tilt by more than `most` nats.

        Nor does it let the price fall by more than 9 tenths: the price stays positive.
        """
        farthest = float(np.abs(step.tilts).max(initial=0.0))
        length = min(1.0, most / farthest) if farthest > 0 else 1.0
        falls = -step.price / self.price
        return min(length, 0.9 / falls) if falls > 0.9 else length

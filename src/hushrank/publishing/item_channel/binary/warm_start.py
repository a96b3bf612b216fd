"""The dual of a solution for two private values: it certifies, and the next one starts from it.

Theory: docs/theory/item-channel.md
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hushrank.arrays import Shares
from hushrank.errors import require
from hushrank.publishing.distances.activity_cost import ActivityCost
from hushrank.publishing.item_channel.binary.dual import item_tilts
from hushrank.publishing.item_channel.binary.options import OptionColumns
from hushrank.publishing.item_channel.dual_point import DualPoint
from hushrank.publishing.item_channel.problem import ItemChannelProblem


@dataclass(frozen=True, eq=False, repr=False)
class WarmStart:
    """The tilts at both ends of each class's interval, and the price of a unit of cost.

    parts (classes,): as in `ActivityCost`; lowest, highest (classes,): logit of the least
    and the greatest posterior that an item of the class may show, less the prior's. At price 0
    nothing leaks, and lowest and highest are what a unit of excess costs there.
    """

    parts: Shares
    lowest: Shares
    highest: Shares
    price: float

    @classmethod
    def of_point(cls, cost: ActivityCost, columns: OptionColumns, point: DualPoint) -> "WarmStart":
        """Return the tilts of each class at a point of the dual, and its price per unit of cost."""
        first, second = columns.of_class.T
        last = np.where(second < 0, first, second)
        return cls(cost.parts, point.tilts[first], point.tilts[last], point.price / cost.largest)

    def point(self, cost: ActivityCost, columns: OptionColumns) -> DualPoint:
        """Return a point for other counts: tilts of a new part lie between those of known ones."""
        is_first = columns.of_class[columns.classes, 0] == np.arange(len(columns.classes))
        ends = (np.interp(cost.parts, self.parts, tilts) for tilts in (self.lowest, self.highest))
        lowest, highest = (tilts[columns.classes] for tilts in ends)
        return DualPoint(np.where(is_first, lowest, highest), self.price * cost.largest)

    def potentials(self, problem: ItemChannelProblem) -> Shares:
        """Return the potentials (items, 2) that `lower_bound` needs; 0 at price 0."""
        n_items, classes = problem.population.n_items, problem.cost.classes
        if self.price == 0:
            return np.zeros((n_items, 2))
        lowest, highest = self.lowest[classes], self.highest[classes]
        own = item_tilts(problem.population)
        tilts = np.where(lowest <= highest, np.clip(own, lowest, highest), lowest)
        return np.stack([np.zeros(n_items), tilts], axis=1)

    def to_numbers(self) -> dict[str, Any]:
        """Return the dual as plain numbers."""
        lists = {name: getattr(self, name).tolist() for name in ("parts", "lowest", "highest")}
        return {**lists, "price": self.price}

    @classmethod
    def from_numbers(cls, numbers: dict[str, Any]) -> "WarmStart":
        """Return the dual of plain numbers, exactly; raise HushrankError unless they agree."""
        names = ("parts", "lowest", "highest")
        parts, lowest, highest = (np.array(numbers[name], dtype=float) for name in names)
        agree = parts.shape == lowest.shape == highest.shape and parts.size >= 1
        require(agree, "expected the parts and tilts of the same classes")
        return cls(parts, lowest, highest, float(numbers["price"]))

"""The dual of a binary online solution: what certifies it, and what the next one starts from."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from hushrank.arrays import Counts, Shares
from hushrank.errors import require
from hushrank.publishing.activity_cost import ActivityCost
from hushrank.publishing.online_columns import item_tilts
from hushrank.publishing.online_newton import DualPoint
from hushrank.publishing.online_options import Columns
from hushrank.publishing.online_problem import OnlineProblem


@dataclass(frozen=True, eq=False, repr=False)
class BinaryDual:
    """The extreme tilts of each class of equal counts, and the price of a unit of cost.

    levels (classes,): the counts of the classes; lowest, highest (classes,): logit of the least
    and the greatest posterior that an item of the class may show, less the prior's. At price 0
    nothing leaks, and the tilts are costs of a unit of excess instead.
    """

    levels: Counts
    lowest: Shares
    highest: Shares
    price: float

    @classmethod
    def of_point(cls, cost: ActivityCost, columns: Columns, point: DualPoint) -> "BinaryDual":
        """Return what a point of the dual says of the classes."""
        first, second = columns.of_class.T
        last = np.where(second < 0, first, second)
        return cls(cost.levels, point.tilts[first], point.tilts[last], point.price / cost.largest)

    def point(self, cost: ActivityCost, columns: Columns) -> DualPoint:
        """Return the point for other counts: a new class has the tilts of the nearest one."""
        apart = np.abs(cost.levels[:, None] - self.levels[None])
        nearest = apart.argmin(axis=1)[columns.classes]
        is_first = columns.of_class[columns.classes, 0] == np.arange(len(columns.classes))
        tilts = np.where(is_first, self.lowest[nearest], self.highest[nearest])
        return DualPoint(tilts, self.price * cost.largest)

    def potentials(self, problem: OnlineProblem) -> Shares:
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
        lists = {name: getattr(self, name).tolist() for name in ("levels", "lowest", "highest")}
        return {**lists, "price": self.price}

    @classmethod
    def from_numbers(cls, numbers: dict[str, Any]) -> "BinaryDual":
        """Return the dual of plain numbers, exactly; raise HushrankError unless they agree."""
        levels = np.array(numbers["levels"], dtype=np.int64)
        lowest, highest = (np.array(numbers[name], dtype=float) for name in ("lowest", "highest"))
        agree = levels.shape == lowest.shape == highest.shape and levels.size >= 1
        require(agree, "expected the levels and tilts of the same classes")
        return cls(levels, lowest, highest, float(numbers["price"]))

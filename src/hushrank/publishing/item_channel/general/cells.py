"""Cells of items that tell nearly the same: a coarse problem for many private values.

Theory: docs/theory/item-channel.md
"""

from dataclasses import dataclass

import numpy as np

from hushrank.arrays import Indices, Shares
from hushrank.publishing.item_channel.general.dual import ItemTable
from hushrank.publishing.item_channel.problem import ItemChannelProblem

SOFTENING = 1e-4  # of the prior is mixed into posteriors, so that none is 0


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """One cell for the items of a class and a group; of_items (items,): the cell of each item."""

    of_items: Indices
    table: ItemTable


def cells_of(problem: ItemChannelProblem, groups: Indices) -> Cells:
    """Return the cells of a problem, given the group of each item (items,)."""
    classes, population = problem.cost.classes, problem.population
    keys = classes * (groups.max() + 1) + groups
    _, first, of_items = np.unique(keys, return_index=True, return_inverse=True)
    joint = np.zeros((len(first), population.n_values))
    np.add.at(joint, of_items, population.joint)
    return Cells(of_items, _table(problem, joint, first))


def items_of(problem: ItemChannelProblem) -> ItemTable:
    """Return the table in which each item is a cell of its own."""
    return _table(problem, problem.population.joint, np.arange(problem.population.n_items))


def _table(problem: ItemChannelProblem, joint: Shares, items: Indices) -> ItemTable:
    """Return the table of rows with these joint probabilities, which cost what these items do."""
    cost, weights, prior = problem.cost, joint.sum(axis=1), problem.population.prior
    known = weights[:, None] > 0
    posteriors = np.where(known, joint / np.where(known, weights[:, None], 1), prior)
    softened = (1 - SOFTENING) * posteriors + SOFTENING * prior
    parts, within = cost.of_items[items] / cost.largest, cost.within / cost.largest
    return ItemTable(softened, weights, parts, cost.classes[items], within)

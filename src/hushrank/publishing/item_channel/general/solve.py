"""A certified channel between items for any number of private values.

Theory: docs/theory/item-channel.md
"""

from typing import NamedTuple

import numpy as np

from hushrank.arrays import Shares
from hushrank.errors import require
from hushrank.publishing.item_channel.channel import CompactChannel
from hushrank.publishing.item_channel.dual_point import DualPoint
from hushrank.publishing.item_channel.general.cells import Cells, cells_of, items_of
from hushrank.publishing.item_channel.general.certifying_potentials import certifying_potentials
from hushrank.publishing.item_channel.general.dual import (
    Chances,
    ItemTable,
    potentials_of,
    released_of,
)
from hushrank.publishing.item_channel.general.newton import CellDual
from hushrank.publishing.item_channel.general.rounding import channel_of_cells
from hushrank.publishing.item_channel.problem import ItemChannelProblem, lower_bound
from hushrank.publishing.item_channel.solution import (
    ItemChannelSolution,
    judged,
    leakages,
    within_budget,
    without_search,
)

COARSE = ((0.5, 60), (0.15, 120), (0.05, 250))
"""Temperatures, of the leakage, and how many groups of items they see."""
FINE = (0.03, 0.015, 0.0075)
GROUPS_A_VALUE = 200  # of the finest groups, for each private value but one
MOST_STEPS = 30
SLACK = 0.1  # of the gap is given up for a price that is never 0
ENOUGH = 0.55  # of the gap: what cells may leak to need no better solution
AIM = 0.9  # of the gap: where a channel is good enough


class Climbed(NamedTuple):
    """Cells, where their dual is greatest, and the chances there."""

    cells: Cells
    point: DualPoint
    chances: Chances


def solve_general(problem: ItemChannelProblem, *, gap: float = 1e-2) -> ItemChannelSolution[None]:
    """Return a channel within the budget for a private attribute of any number of values.

    gap: as in `solve_binary`; it is aimed at, and what is reached is certified in the solution.
    Below 1e-9 of the cost of a constant channel a budget changes nothing.
    Privacy: as `ItemChannelSolution`; no differential privacy.
    Cost: O(items^2 values), in bounding.
    Source: Yang, Qu, Cudre-Mauroux (IEEE TKDE 2019), Algorithm 3.   Differs from the source: items
    that tell nearly the same are first solved as one, by the smoothed dual, then each for itself.
    """
    require(0 < gap < 1, f"expected a gap in (0, 1), got {gap}")
    found_at_once = without_search(problem)
    if found_at_once is not None:
        return found_at_once
    leakage = problem.population.leakage
    items, climbed = items_of(problem), _climbed(problem, gap * leakage)
    potentials, price = _potentials(problem, items, climbed)
    bound = max(0.0, lower_bound(problem, potentials, price))
    channel = _channel(problem, items, climbed, bound + AIM * gap * leakage)
    return judged(problem, channel, potentials, price, None)


def _climbed(problem: ItemChannelProblem, gap: float) -> Climbed:
    """Maximise the dual while cells become finer; stop early where next to nothing leaks."""
    population, unit = problem.population, problem.cost.largest
    cells = cells_of(problem, np.zeros(population.n_items, np.intp))
    price = population.leakage * min(2.0, unit / (2 * problem.budget))
    point = DualPoint(np.zeros((len(cells.table.weights), population.n_values)), price)
    finest = GROUPS_A_VALUE * (population.n_values - 1)
    for temperature, n_groups in (*COARSE, *((warmth, finest) for warmth in FINE)):
        cells, point = _finer(problem, n_groups, cells, point)
        dual = CellDual(cells.table, population.prior, problem.budget / unit, SLACK * gap)
        point, chances = dual.climb(point, temperature * population.leakage, MOST_STEPS)
        if leakages(released_of(cells.table, chances))[0] < ENOUGH * gap:
            break
    return Climbed(cells, point, chances)


def _finer(
    problem: ItemChannelProblem, n_groups: int, cells: Cells, point: DualPoint
) -> tuple[Cells, DualPoint]:
    """Return smaller cells, which begin with the tilts of those that they are parts of."""
    finer = cells_of(problem, problem.population.similar.groups(n_groups))
    tilts = np.empty((len(finer.table.weights), problem.population.n_values))
    tilts[finer.of_items] = point.tilts[cells.of_items]
    return finer, DualPoint(tilts, point.price)


def _potentials(
    problem: ItemChannelProblem, items: ItemTable, climbed: Climbed
) -> tuple[Shares, float]:
    """Return potentials (items, values) and a price that certify."""
    tilts, prior, price = climbed.point.tilts, problem.population.prior, climbed.point.price
    tied = potentials_of(tilts, prior)[0].T[climbed.cells.of_items]
    return certifying_potentials(items, prior, tied, price), price / problem.cost.largest


def _channel(
    problem: ItemChannelProblem, items: ItemTable, climbed: Climbed, enough: float
) -> CompactChannel:
    """Return the channel of the items within the budget, good when it leaks `enough` nats."""
    limits = climbed.point.price, problem.budget / problem.cost.largest, enough
    channel = channel_of_cells(items, climbed.cells, climbed.chances, *limits)
    return within_budget(problem, channel)

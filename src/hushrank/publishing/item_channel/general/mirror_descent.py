"""Improve a channel that moves items to cells and cells to items, by multiplicative steps.

Theory: docs/theory/item-channel.md
"""

from typing import NamedTuple

import numpy as np

from hushrank.arrays import Indices, Shares
from hushrank.kernels import kernel, kernel_with
from hushrank.publishing.item_channel.general.dual import Chances, ItemTable

LONGEST_STEP = 2.0
LEAST_STAY = 1e-12  # so that every item can stay again
FIRMNESS = 0.2  # how fast the price follows what is spent beyond the budget


class Limits(NamedTuple):
    """Cost in units of the largest; leakage, in nats, that is enough, and that of no moves."""

    budget: float
    leakage: float
    own_leakage: float
    most_steps: int


class CellChannel(NamedTuple):
    """A channel: chances of items (rows) to move to cells, and the share of each item in its cell.

    of_items (items,): the cell of each item.
    """

    moves: Chances
    spreads: Shares
    of_items: Indices


class Flows(NamedTuple):
    """What a channel does: chance (items,) of staying, masses (cells, values) that move to a cell.

    potentials (items, values): log P(value | released item) - log P(value).
    """

    stays: Shares
    arrived: Shares
    potentials: Shares


@kernel_with(inline="always")
def inner(first: Shares, second: Shares) -> float:
    """Return the inner product; of few values a loop is faster than a library."""
    total = 0.0
    for nth in range(len(first)):
        total += first[nth] * second[nth]
    return total


@kernel
def stays_of(moves: Chances) -> Shares:
    """Return the chance (items,) that nothing changes."""
    stays = np.ones(len(moves.starts) - 1)
    for item in range(len(stays)):
        for nth in range(moves.starts[item], moves.starts[item + 1]):
            stays[item] -= moves.chances[nth]
    return np.maximum(stays, LEAST_STAY)


@kernel
def arrivals_of(items: ItemTable, through: CellChannel, n_cells: int) -> Shares:
    """Return the masses (cells, values) that move to each cell."""
    n_values = items.posteriors.shape[1]
    arrived, moves = np.zeros((n_cells, n_values)), through.moves
    for item in range(len(items.weights)):
        for nth in range(moves.starts[item], moves.starts[item + 1]):
            mass = items.weights[item] * moves.chances[nth]
            for value in range(n_values):
                arrived[moves.cells[nth], value] += mass * items.posteriors[item, value]
    return arrived


@kernel
def released_potentials(
    items: ItemTable, prior: Shares, through: CellChannel, stays: Shares, arrived: Shares
) -> tuple[Shares, float]:
    """Return log P(value | released) - log P(value), (items, values), and the leakage."""
    potentials, leakage = np.empty_like(items.posteriors), 0.0
    for item in range(len(stays)):
        kept, share, total = items.weights[item] * stays[item], through.spreads[item], 0.0
        for value in range(len(prior)):
            mass = kept * items.posteriors[item, value]
            mass += share * arrived[through.of_items[item], value]
            potentials[item, value] = mass
            total += mass
        for value in range(len(prior)):
            share_of = potentials[item, value] / total if total > 0 else prior[value]
            potentials[item, value] = np.log(max(share_of, 1e-12) / prior[value])
            leakage += total * share_of * potentials[item, value]
    return potentials, leakage


@kernel
def improve(
    items: ItemTable,
    cells: ItemTable,
    prior: Shares,
    through: CellChannel,
    price: float,
    limits: Limits,
) -> None:
    """Take mirror steps on moves and spreads, in place, at a price that keeps to the budget.

        P(j | i) <- P(j | i) exp(-step (x_i . a_j + price cost_ij)), renormalised, a_j of what j
        released

    With step 1 a step of the moves alone, or of the spreads alone, never raises leakage + price
    cost. Both are taken at once, and longer steps first, until one raises it. Leaves the best
    channel met: the one that leaks least once moving less often has put its cost right.
    """
    step, before, best = LONGEST_STEP, np.inf, np.inf
    spent = cost_of_moves(items, cells, through.moves)
    chances, spreads = through.moves.chances.copy(), through.spreads.copy()
    for _ in range(limits.most_steps):
        stays, arrived = stays_of(through.moves), arrivals_of(items, through, len(cells.parts))
        potentials, leakage = released_potentials(items, prior, through, stays, arrived)
        reached = _mended_leakage(leakage, spent, limits)
        if reached < best:
            best = reached
            chances[:], spreads[:] = through.moves.chances, through.spreads
        if best <= limits.leakage:
            break
        step = 1.0 if leakage + price * spent > before else step
        price *= np.exp(FIRMNESS * min(1.0, max(-1.0, spent / limits.budget - 1)))
        before = leakage + price * spent
        flows = Flows(stays, arrived, potentials)
        spent = _move(items, cells, through, flows, price, step)
        _spread(through, flows, step)
    through.moves.chances[:], through.spreads[:] = chances, spreads


@kernel
def _mended_leakage(leakage: float, spent: float, limits: Limits) -> float:
    """Return what leaks at most once moving less often has put the cost right."""
    share = min(1.0, limits.budget / max(spent, 1e-300))
    return share * leakage + (1 - share) * limits.own_leakage


@kernel
def cost_of_moves(items: ItemTable, cells: ItemTable, moves: Chances) -> float:
    """Return the expected cost of the moves."""
    spent = 0.0
    for item in range(len(items.weights)):
        for nth in range(moves.starts[item], moves.starts[item + 1]):
            mass = items.weights[item] * moves.chances[nth]
            spent += mass * _cost(item, moves.cells[nth], items, cells)
    return spent


@kernel_with(inline="always")
def _cost(item: int, cell: int, items: ItemTable, cells: ItemTable) -> float:
    within = items.within if cells.classes[cell] == items.classes[item] else 0.0
    return float(items.parts[item] + cells.parts[cell] + within)


@kernel
def _move(
    items: ItemTable,
    cells: ItemTable,
    through: CellChannel,
    flows: Flows,
    price: float,
    step: float,
) -> float:
    """Multiply the chances by exp(-step value), renormalise, and return the cost."""
    stays, arrived, potentials = flows
    columns, moves, spent = np.zeros(arrived.shape), through.moves, 0.0
    for item in range(len(stays)):
        columns[through.of_items[item]] += through.spreads[item] * potentials[item]
    for item in range(len(stays)):
        posterior, paid = items.posteriors[item], 0.0
        total = stays[item] * np.exp(-step * inner(posterior, potentials[item]))
        for nth in range(moves.starts[item], moves.starts[item + 1]):
            cost = _cost(item, moves.cells[nth], items, cells)
            value = inner(posterior, columns[moves.cells[nth]]) + price * cost
            moves.chances[nth] *= np.exp(-step * value)
            total += moves.chances[nth]
            paid += moves.chances[nth] * cost
        for nth in range(moves.starts[item], moves.starts[item + 1]):
            moves.chances[nth] /= total
        spent += items.weights[item] * paid / total
    return spent


@kernel
def _spread(through: CellChannel, flows: Flows, step: float) -> None:
    """Multiply spreads by exp(-step mean value of what arrives), and renormalise each cell's."""
    arrived, potentials = flows.arrived, flows.potentials
    totals = np.zeros(len(arrived))
    for item in range(len(potentials)):
        cell = through.of_items[item]
        mass = arrived[cell].sum()
        if mass > 0:
            value = inner(arrived[cell], potentials[item]) / mass
            through.spreads[item] *= np.exp(-step * value)
        totals[cell] += through.spreads[item]
    for item in range(len(potentials)):
        through.spreads[item] /= totals[through.of_items[item]]

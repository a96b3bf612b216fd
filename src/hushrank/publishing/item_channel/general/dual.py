"""The smoothed dual for any number of private values: its value, chances and gradient.

Every cell j has tilts θ_j (values,), which make its potentials a_j = θ_j - log sum_y p_y exp(θ_jy)
feasible. To release j in place of i is worth x_i . a_j + price cost_ij. The chances of the soft
minimum are mostly 0, so each row keeps a list of the others.
Theory: docs/theory/item-channel.md
"""

from typing import NamedTuple

import numpy as np

from hushrank.arrays import Indices, Integers, Integers32, Shares
from hushrank.kernels import kernel, kernel_with

STRIDE = 32  # values that are looked at together


class ItemTable(NamedTuple):
    """Items, or cells of items: posteriors (n, values), weights, parts and classes (n,).

    within: what a move inside a class costs on top; costs are in units of the largest.
    """

    posteriors: Shares
    weights: Shares
    parts: Shares
    classes: Indices
    within: float


class Chances(NamedTuple):
    """Row i has the chances starts[i]..starts[i + 1] - 1, each with the cell that it leads to."""

    starts: Integers
    cells: Integers32
    chances: Shares


class Slopes(NamedTuple):
    """Derivatives by tilts (n, values), masses of cells (n,), expected costs of rows (n,)."""

    gradient: Shares
    masses: Shares
    costs: Shares


@kernel
def potentials_of(tilts: Shares, prior: Shares) -> tuple[Shares, Shares]:
    """Return the potentials (values, n) and the posteriors (n, values) of tilts (n, values)."""
    n_cells, n_values = tilts.shape
    potentials, shares = np.empty((n_values, n_cells)), np.empty((n_cells, n_values))
    for cell in range(n_cells):
        highest, total = tilts[cell].max(), 0.0
        for value in range(n_values):
            shares[cell, value] = prior[value] * np.exp(tilts[cell, value] - highest)
            total += shares[cell, value]
        for value in range(n_values):
            shares[cell, value] /= total
            potentials[value, cell] = tilts[cell, value] - highest - np.log(total)
    return potentials, shares


@kernel
def fill_values(
    row: int, table: ItemTable, potentials: Shares, price: float, values: Shares
) -> None:
    """Fill in what each cell (n,) is worth to one row, less the price of the row's own part."""
    n_values, n_cells = potentials.shape
    for cell in range(n_cells):
        values[cell] = price * table.parts[cell]
    for value in range(n_values):
        share, along = table.posteriors[row, value], potentials[value]
        for cell in range(n_cells):
            values[cell] += share * along[cell]
    if table.within > 0:
        for cell in range(n_cells):
            if table.classes[cell] == table.classes[row]:
                values[cell] += price * table.within
        values[row] -= price * table.within
    values[row] -= 2 * price * table.parts[row]


@kernel_with(fastmath={"nnan", "nsz", "reassoc"})
def fill_lows(values: Shares, lows: Shares) -> float:
    """Fill in the least of each STRIDE values; return the least of all."""
    least = np.inf
    for stride in range(len(lows)):
        low = np.inf
        for cell in range(stride * STRIDE, min(len(values), (stride + 1) * STRIDE)):
            low = min(low, values[cell])
        lows[stride] = low
        least = min(least, low)
    return least


@kernel
def soften(
    table: ItemTable,
    potentials: Shares,
    price: float,
    temperature: float,
    reach: float,
    into: Chances,
) -> tuple[float, float]:
    """Fill in the chances of the soft minimum; return the smoothed dual and the dual.

    Options more than `reach` temperatures above the least have none. Both without the budget.
    """
    values, n_chances, soft, hard = np.empty(potentials.shape[1]), 0, 0.0, 0.0
    lows = np.empty((len(values) + STRIDE - 1) // STRIDE)
    for row in range(len(table.weights)):
        into.starts[row], total = n_chances, 0.0
        fill_values(row, table, potentials, price, values)
        least = fill_lows(values, lows)
        highest = least + reach * temperature
        for stride in np.flatnonzero(lows < highest):
            first = int(stride) * STRIDE
            for cell in range(first, min(len(values), first + STRIDE)):
                if values[cell] < highest and n_chances < len(into.cells):
                    into.cells[n_chances] = cell
                    into.chances[n_chances] = np.exp((least - values[cell]) / temperature)
                    total += into.chances[n_chances]
                    n_chances += 1
        for nth in range(into.starts[row], n_chances):
            into.chances[nth] /= total
        least += price * table.parts[row]
        soft += table.weights[row] * (least - temperature * np.log(total))
        hard += table.weights[row] * least
    into.starts[-1] = n_chances
    return soft, hard


@kernel_with(inline="always")
def cost_of(row: int, cell: int, table: ItemTable) -> float:
    """Return the cost of releasing a cell for another."""
    if row == cell:
        return 0.0
    same = table.within if table.classes[row] == table.classes[cell] else 0.0
    return float(table.parts[row] + table.parts[cell] + same)


@kernel
def costs_of(table: ItemTable, chances: Chances) -> Shares:
    """Return the cost of each entry of the chances."""
    costs = np.empty(chances.starts[-1])
    for row in range(len(table.weights)):
        for nth in range(chances.starts[row], chances.starts[row + 1]):
            costs[nth] = cost_of(row, chances.cells[nth], table)
    return costs


@kernel
def gradient_of(
    table: ItemTable, shares: Shares, chances: Chances, each: Shares, into: Slopes
) -> float:
    """Fill in the slopes; return the expected cost.

    shares (n, values): the cells' posteriors; each: the cost of each entry of the chances.
    """
    gradient, masses, costs = into
    n_cells, n_values = gradient.shape
    gradient[:], masses[:], total = 0.0, 0.0, 0.0
    for row in range(n_cells):
        costs[row] = 0.0
        for nth in range(chances.starts[row], chances.starts[row + 1]):
            cell, mass = chances.cells[nth], table.weights[row] * chances.chances[nth]
            masses[cell] += mass
            for value in range(n_values):
                gradient[cell, value] += mass * table.posteriors[row, value]
            costs[row] += chances.chances[nth] * each[nth]
        total += table.weights[row] * costs[row]
    for cell in range(n_cells):
        for value in range(n_values):
            gradient[cell, value] -= masses[cell] * shares[cell, value]
    return total


@kernel
def released_of(table: ItemTable, chances: Chances) -> Shares:
    """Return P(released, value) (n, values)."""
    released = np.zeros_like(table.posteriors)
    for row in range(len(table.weights)):
        for nth in range(chances.starts[row], chances.starts[row + 1]):
            mass = table.weights[row] * chances.chances[nth]
            for value in range(table.posteriors.shape[1]):
                released[chances.cells[nth], value] += mass * table.posteriors[row, value]
    return released

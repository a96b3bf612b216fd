"""Products with the Hessian of the smoothed dual, for any number of private values.

Theory: docs/theory/item-channel.md
"""

from typing import NamedTuple

import numpy as np

from hushrank.arrays import Shares
from hushrank.kernels import kernel
from hushrank.publishing.item_channel.general.dual import Chances, ItemTable

GAUGE = 1e-2  # of a cell's mass: gives the block a curvature along tilts that change nothing


class Curvature(NamedTuple):
    """What products with the Hessian need, at one point.

    shares (n, values): posteriors of cells; masses (n,): what they receive; costs (n,): expected,
    of rows; each: the cost of each entry of the chances; ridge (n,): keeps the Hessian regular.
    """

    shares: Shares
    masses: Shares
    costs: Shares
    each: Shares
    temperature: float
    ridge: Shares


class Change(NamedTuple):
    """A change of tilts (cells, values) and price; means (cells,): of a cell's by its posterior."""

    tilts: Shares
    price: float
    means: Shares


@kernel
def times_curvature(
    table: ItemTable, chances: Chances, curvature: Curvature, tilts: Shares, price: float,
    product: Shares,
) -> float:  # fmt: skip
    """Fill in minus the Hessian times a change of tilts and price; return the price's part."""
    n_cells, n_values = tilts.shape
    means, pushes, by_price = np.zeros(n_cells), np.zeros(n_cells), 0.0
    change = Change(tilts, price, means)
    product[:] = 0.0
    for cell in range(n_cells):
        for value in range(n_values):
            means[cell] += curvature.shares[cell, value] * tilts[cell, value]
    for row in range(n_cells):
        if chances.starts[row + 1] - chances.starts[row] > 1:
            by_price += _add_row(row, table, chances, curvature, change, (product, pushes))
    for cell in range(n_cells):
        for value in range(n_values):
            apart = curvature.masses[cell] * (tilts[cell, value] - means[cell]) - pushes[cell]
            ridge = curvature.ridge[cell] * tilts[cell, value]
            product[cell, value] += curvature.shares[cell, value] * apart + ridge
    return by_price


@kernel
def _add_row(
    row: int, table: ItemTable, chances: Chances, curvature: Curvature, change: Change,
    into: tuple[Shares, Shares],
) -> float:  # fmt: skip
    """Add what one row's choice pushes to cells, and where to; return its part of the price.

    into: the product (cells, values), and the pushes (cells,) that come off it.
    """
    product, pushes = into
    first, last = chances.starts[row], chances.starts[row + 1]
    gains, mean, by_price = np.empty(last - first), 0.0, 0.0
    for nth in range(first, last):
        cell = chances.cells[nth]
        gain = change.price * curvature.each[nth] - change.means[cell]
        for value in range(product.shape[1]):
            gain += table.posteriors[row, value] * change.tilts[cell, value]
        gains[nth - first] = gain
        mean += chances.chances[nth] * gain
    scale = table.weights[row] / curvature.temperature
    for nth in range(first, last):
        cell = chances.cells[nth]
        push = scale * chances.chances[nth] * (gains[nth - first] - mean)
        pushes[cell] += push
        for value in range(product.shape[1]):
            product[cell, value] += push * table.posteriors[row, value]
        by_price += push * curvature.each[nth]
    return by_price


@kernel
def diagonal_blocks(
    table: ItemTable, chances: Chances, curvature: Curvature, blocks: Shares
) -> float:
    """Fill in the Hessian's blocks (n, values, values), which precondition; return the price's."""
    n_cells, n_values = curvature.shares.shape
    _begin_blocks(curvature, blocks)
    apart, by_price = np.empty(n_values), 0.0
    for row in range(n_cells):
        for nth in range(chances.starts[row], chances.starts[row + 1]):
            cell, chance = chances.cells[nth], chances.chances[nth]
            scale = table.weights[row] * chance / curvature.temperature
            block = blocks[cell]
            for one in range(n_values):
                apart[one] = table.posteriors[row, one] - curvature.shares[cell, one]
                lever = scale * (1 - chance) * apart[one]
                for other in range(one + 1):
                    block[one, other] += lever * apart[other]
            cost = curvature.each[nth]
            by_price += scale * cost * (cost - curvature.costs[row])
    for one in range(n_values):
        for other in range(one):
            blocks[:, other, one] = blocks[:, one, other]
    return by_price


@kernel
def _begin_blocks(curvature: Curvature, blocks: Shares) -> None:
    """Fill in what each cell's mass contributes to its block, and what keeps that regular."""
    n_cells, n_values = curvature.shares.shape
    for cell in range(n_cells):
        shares, mass = curvature.shares[cell], curvature.masses[cell]
        for one in range(n_values):
            for other in range(n_values):
                gauge = mass * GAUGE / n_values
                blocks[cell, one, other] = gauge - mass * shares[one] * shares[other]
            blocks[cell, one, one] += mass * shares[one] + curvature.ridge[cell] + 1e-14

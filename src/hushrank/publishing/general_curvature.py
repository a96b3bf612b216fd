"""Second derivatives of the smoothed dual for any number of private values."""

from typing import NamedTuple

import numpy as np
from numba import njit

from hushrank.arrays import Shares
from hushrank.publishing.general_kernel import Chances, Sources, cost_of

GAUGE = 1e-2  # of a cell's mass: gives the block a curvature along tilts that change nothing


class Curvature(NamedTuple):
    """What the products need: posteriors, masses, the rows' costs, temperature, ridge (n,)."""

    shares: Shares
    masses: Shares
    costs: Shares
    temperature: float
    ridge: Shares


@njit(cache=True)
def times_curvature(
    sources: Sources, chances: Chances, curvature: Curvature, tilts: Shares, price: float,
    product: Shares,
) -> float:  # fmt: skip
    """Fill in minus the Hessian times a change of tilts and price; return the price's part."""
    n_cells, n_values = tilts.shape
    means, by_price = np.empty(n_cells), 0.0
    for cell in range(n_cells):
        means[cell] = 0.0
        for value in range(n_values):
            means[cell] += curvature.shares[cell, value] * tilts[cell, value]
        for value in range(n_values):
            apart = curvature.shares[cell, value] * (tilts[cell, value] - means[cell])
            ridge = curvature.ridge[cell] * tilts[cell, value]
            product[cell, value] = curvature.masses[cell] * apart + ridge
    for row in range(n_cells):
        if chances.starts[row + 1] - chances.starts[row] > 1:
            by_price += _add_row(row, sources, chances, curvature, tilts, price, means, product)
    return by_price


@njit(cache=True)
def _add_row(
    row: int, sources: Sources, chances: Chances, curvature: Curvature, tilts: Shares,
    price: float, means: Shares, product: Shares,
) -> float:  # fmt: skip
    """Add the covariance that one row's choice makes; return its part of the price."""
    first, last = chances.starts[row], chances.starts[row + 1]
    changes, mean, by_price = np.empty(last - first), 0.0, 0.0
    for nth in range(first, last):
        cell = chances.cells[nth]
        change = price * cost_of(row, cell, sources) - means[cell]
        for value in range(tilts.shape[1]):
            change += sources.posteriors[row, value] * tilts[cell, value]
        changes[nth - first] = change
        mean += chances.chances[nth] * change
    scale = sources.weights[row] / curvature.temperature
    for nth in range(first, last):
        cell = chances.cells[nth]
        push = scale * chances.chances[nth] * (changes[nth - first] - mean)
        for value in range(tilts.shape[1]):
            apart = sources.posteriors[row, value] - curvature.shares[cell, value]
            product[cell, value] += push * apart
        by_price += push * cost_of(row, cell, sources)
    return by_price


@njit(cache=True)
def diagonal_blocks(
    sources: Sources, chances: Chances, curvature: Curvature, blocks: Shares
) -> float:
    """Fill in each cell's own block (n, values, values), to precondition; return the price's."""
    n_cells, n_values = curvature.shares.shape
    by_price = 0.0
    for cell in range(n_cells):
        shares, mass = curvature.shares[cell], curvature.masses[cell]
        for one in range(n_values):
            for other in range(n_values):
                gauge = mass * GAUGE / n_values
                blocks[cell, one, other] = gauge - mass * shares[one] * shares[other]
            blocks[cell, one, one] += mass * shares[one] + curvature.ridge[cell] + 1e-14
    for row in range(n_cells):
        for nth in range(chances.starts[row], chances.starts[row + 1]):
            cell, chance = chances.cells[nth], chances.chances[nth]
            scale = sources.weights[row] * chance / curvature.temperature
            apart = sources.posteriors[row] - curvature.shares[cell]
            for one in range(n_values):
                for other in range(n_values):
                    blocks[cell, one, other] += scale * (1 - chance) * apart[one] * apart[other]
            cost = cost_of(row, cell, sources)
            by_price += scale * cost * (cost - curvature.costs[row])
    return by_price

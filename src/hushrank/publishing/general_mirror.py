"""Improve a channel that moves items to cells and cells to items, by multiplicative steps."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hushrank.arrays import Shares
from hushrank.publishing.general_kernel import Chances, Sources

FIRMNESS = 0.5  # how fast the price follows what is spent beyond the budget


class Pooled(NamedTuple):
    """A channel: chances of moves to cells (rows: items), and the share of each item in its cell.

    of_items (items,): the cell of each item.
    """

    moves: Chances
    spreads: Shares
    of_items: NDArray[np.intp]


@njit(cache=True, inline="always")
def inner(first: Shares, second: Shares) -> float:
    """Return the inner product; of few values a loop is faster than a library."""
    total = 0.0
    for nth in range(len(first)):
        total += first[nth] * second[nth]
    return total


@njit(cache=True)
def stays_of(moves: Chances) -> Shares:
    """Return the chance (items,) that nothing changes."""
    stays = np.ones(len(moves.starts) - 1)
    for item in range(len(stays)):
        for nth in range(moves.starts[item], moves.starts[item + 1]):
            stays[item] -= moves.chances[nth]
    return np.maximum(stays, 0.0)


@njit(cache=True)
def arrivals_of(items: Sources, pooled: Pooled, n_cells: int) -> Shares:
    """Return the masses (cells, values) that move to each cell."""
    n_values = items.posteriors.shape[1]
    arrived, moves = np.zeros((n_cells, n_values)), pooled.moves
    for item in range(len(items.weights)):
        for nth in range(moves.starts[item], moves.starts[item + 1]):
            mass = items.weights[item] * moves.chances[nth]
            for value in range(n_values):
                arrived[moves.cells[nth], value] += mass * items.posteriors[item, value]
    return arrived


@njit(cache=True)
def released_potentials(
    items: Sources, prior: Shares, pooled: Pooled, stays: Shares, arrived: Shares
) -> Shares:
    """Return log P(value | released) - log P(value), (items, values)."""
    potentials = np.empty_like(items.posteriors)
    for item in range(len(stays)):
        kept, share, total = items.weights[item] * stays[item], pooled.spreads[item], 0.0
        for value in range(len(prior)):
            mass = kept * items.posteriors[item, value]
            mass += share * arrived[pooled.of_items[item], value]
            potentials[item, value] = mass
            total += mass
        for value in range(len(prior)):
            share_of = potentials[item, value] / total if total > 0 else prior[value]
            potentials[item, value] = np.log(max(share_of, 1e-12) / prior[value])
    return potentials


@njit(cache=True)
def improve(
    items: Sources, cells: Sources, prior: Shares, pooled: Pooled, price: float, budget: float,
    n_steps: int,
) -> None:  # fmt: skip
    """Take mirror steps on moves and spreads, in place, at a price that keeps to the budget.

        P(j | i) <- P(j | i) exp(-(x_i . a_j + price cost_ij)), renormalised, a_j of what j released

    Without the price's changes each step lowers leakage + price cost.
    """
    for _ in range(n_steps):
        stays = stays_of(pooled.moves)
        arrived = arrivals_of(items, pooled, len(cells.parts))
        potentials = released_potentials(items, prior, pooled, stays, arrived)
        columns = np.zeros(arrived.shape)
        for item in range(len(stays)):
            columns[pooled.of_items[item]] += pooled.spreads[item] * potentials[item]
        spent = _move(items, cells, pooled.moves, stays, columns, potentials, price)
        _spread(pooled, arrived, potentials)
        price *= np.exp(FIRMNESS * min(1.0, max(-1.0, spent / budget - 1)))


@njit(cache=True)
def _move(
    items: Sources, cells: Sources, moves: Chances, stays: Shares, columns: Shares,
    potentials: Shares, price: float,
) -> float:  # fmt: skip
    """Multiply the chances by exp(-value), renormalise, and return the cost."""
    spent = 0.0
    for item in range(len(stays)):
        posterior, paid = items.posteriors[item], 0.0
        total = stays[item] * np.exp(-inner(posterior, potentials[item]))
        for nth in range(moves.starts[item], moves.starts[item + 1]):
            cell = moves.cells[nth]
            cost = items.parts[item] + cells.parts[cell]
            if cells.classes[cell] == items.classes[item]:
                cost += items.within
            moves.chances[nth] *= np.exp(-inner(posterior, columns[cell]) - price * cost)
            total += moves.chances[nth]
            paid += moves.chances[nth] * cost
        for nth in range(moves.starts[item], moves.starts[item + 1]):
            moves.chances[nth] /= total
        spent += items.weights[item] * paid / total
    return spent


@njit(cache=True)
def _spread(pooled: Pooled, arrived: Shares, potentials: Shares) -> None:
    """Multiply the spreads by exp(-mean value of what arrives), and renormalise each cell's."""
    totals = np.zeros(len(arrived))
    for item in range(len(potentials)):
        cell = pooled.of_items[item]
        mass = arrived[cell].sum()
        if mass > 0:
            value = inner(arrived[cell], potentials[item]) / mass
            pooled.spreads[item] *= np.exp(-value)
        totals[cell] += pooled.spreads[item]
    for item in range(len(potentials)):
        pooled.spreads[item] /= totals[pooled.of_items[item]]

"""Improve a channel that moves items to cells and cells to items, by multiplicative steps."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from hushrank.arrays import Shares
from hushrank.publishing.general_kernel import Chances, Sources

STEP = 2.0  # with 1 each step would lower leakage + price cost for sure, but half as fast
OVERSPENT = 1e-3  # of the budget: what moving less often puts right
LEAST_STAY = 1e-12  # so that every item can stay again
FIRMNESS = 0.5  # how fast the price follows what is spent beyond the budget


class Limits(NamedTuple):
    """When to stop: cost in units of the largest, leakage in nats."""

    budget: float
    leakage: float
    most_steps: int


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
    return np.maximum(stays, LEAST_STAY)


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
) -> tuple[Shares, float]:
    """Return log P(value | released) - log P(value), (items, values), and the leakage."""
    potentials, leakage = np.empty_like(items.posteriors), 0.0
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
            leakage += total * share_of * potentials[item, value]
    return potentials, leakage


@njit(cache=True)
def improve(
    items: Sources, cells: Sources, prior: Shares, pooled: Pooled, price: float, limits: Limits
) -> None:
    """Take mirror steps on moves and spreads, in place, at a price that keeps to the budget.

        P(j | i) <- P(j | i) exp(-STEP (x_i . a_j + price cost_ij)), renormalised, a_j of what j
        released

    Stops when what leaks and what is spent are within the limits, or after most_steps.
    """
    spent = np.inf
    for _ in range(limits.most_steps):
        stays = stays_of(pooled.moves)
        arrived = arrivals_of(items, pooled, len(cells.parts))
        potentials, leakage = released_potentials(items, prior, pooled, stays, arrived)
        if leakage <= limits.leakage and spent <= limits.budget * (1 + OVERSPENT):
            break
        columns = np.zeros(arrived.shape)
        for item in range(len(stays)):
            columns[pooled.of_items[item]] += pooled.spreads[item] * potentials[item]
        spent = _move(items, cells, pooled.moves, stays, columns, potentials, price)
        _spread(pooled, arrived, potentials)
        price *= np.exp(FIRMNESS * min(1.0, max(-1.0, spent / limits.budget - 1)))


@njit(cache=True)
def _move(
    items: Sources, cells: Sources, moves: Chances, stays: Shares, columns: Shares,
    potentials: Shares, price: float,
) -> float:  # fmt: skip
    """Multiply the chances by exp(-value), renormalise, and return the cost."""
    spent = 0.0
    for item in range(len(stays)):
        posterior, paid = items.posteriors[item], 0.0
        total = stays[item] * np.exp(-STEP * inner(posterior, potentials[item]))
        for nth in range(moves.starts[item], moves.starts[item + 1]):
            cell = moves.cells[nth]
            cost = items.parts[item] + cells.parts[cell]
            if cells.classes[cell] == items.classes[item]:
                cost += items.within
            moves.chances[nth] *= np.exp(-STEP * (inner(posterior, columns[cell]) + price * cost))
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
            pooled.spreads[item] *= np.exp(-STEP * value)
        totals[cell] += pooled.spreads[item]
    for item in range(len(potentials)):
        pooled.spreads[item] /= totals[pooled.of_items[item]]

"""Raise the potentials of single items as far as no other item is drawn to them.

With the values of leaving fixed, the best potentials of an item are a c-transform, as in optimal
transport: the largest that break none of the inequalities of the dual.
Theory: docs/theory/item-channel.md
"""

import numpy as np

from hushrank.arrays import Shares
from hushrank.kernels import kernel
from hushrank.publishing.item_channel.general.dual import ItemTable, fill_values

HALVINGS = 7
SLACK = 1e-12


def certifying_potentials(items: ItemTable, prior: Shares, tied: Shares, price: float) -> Shares:
    """Return potentials (items, values) that certify no less than `tied`, which cells share.

    Each item gets the potentials of a posterior between its cell's and its own: the one nearest to
    its own for which no other item's least value of leaving falls.
    Cost: O(items^2 values) a halving.
    """
    moves = move_values(items, np.ascontiguousarray(tied.T), price)
    shared = np.exp(tied) * prior
    fitting, unfit = np.zeros(len(tied)), np.ones(len(tied))
    tried = unfit
    for _ in range(HALVINGS):
        potentials = _between(shared, items.posteriors, tried, prior)
        fits = slacks(items, np.ascontiguousarray(potentials.T), price, moves) >= -SLACK
        fitting, unfit = np.where(fits, tried, fitting), np.where(fits, unfit, tried)
        tried = np.where(fitting == 1, 1.0, (fitting + unfit) / 2)
    return _between(shared, items.posteriors, fitting, prior)


def _between(shared: Shares, own: Shares, shares: Shares, prior: Shares) -> Shares:
    """Return the potentials of posteriors at these shares of the way from shared to own ones."""
    posteriors = shared + shares[:, None] * (own - shared)
    potentials: Shares = np.log(np.maximum(posteriors, 1e-12) / prior)
    return potentials


@kernel
def move_values(items: ItemTable, potentials: Shares, price: float) -> Shares:
    """Return the least value (items,) of leaving: of a move to any other item."""
    n_items = potentials.shape[1]
    least, values = np.empty(n_items), np.empty(n_items)
    for row in range(n_items):
        fill_values(row, items, potentials, price, values)
        values[row] = np.inf
        least[row] = values.min() + price * items.parts[row]
    return least


@kernel
def slacks(items: ItemTable, potentials: Shares, price: float, moves: Shares) -> Shares:
    """Return by how much (items,) moves to an item exceed what leaving is worth: < 0 breaks it."""
    n_items = potentials.shape[1]
    slack, values = np.full(n_items, np.inf), np.empty(n_items)
    for row in range(n_items):
        if items.weights[row] > 0:
            fill_values(row, items, potentials, price, values)
            values[row] = np.inf
            rest = price * items.parts[row] - moves[row]
            for other in range(n_items):
                slack[other] = min(slack[other], values[other] + rest)
    return slack

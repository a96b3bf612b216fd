"""Markov chains over orders that exchange two items: each leaves a model's law as it is."""

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Floats, Ranks
from hushrank.kernels import kernel


@kernel
def order_logs(orders: NDArray[np.int64], own: Floats, before: Floats) -> Floats:
    """Return own[a, rank a] + sum of before[a, b, rank a] over b before a, summed over a: (rows,).

    orders (rows, items); own (items, ranks), before (ranks, items, items): by rank first, so that
    one item's row is read in one go.
    """
    logs = np.zeros(len(orders))
    for row in range(len(orders)):
        for rank in range(orders.shape[1]):
            item = orders[row, rank]
            logs[row] += own[item, rank]
            for place in range(rank):
                logs[row] += before[rank, item, orders[row, place]]
    return logs


@kernel
def swap_items(
    orders: NDArray[np.int64],
    own: Floats,
    before: Floats,
    power: float,
    places: NDArray[np.int64],
    thresholds: Floats,
) -> None:
    """Offer each order (rows, items) exchanges, accepted as Metropolis says.

    The law is exp(power * order_logs). places (rows, offers, 2), thresholds (rows, offers) = logs
    of uniform numbers; own and before as there. Cost: O(items) an offer.
    """
    for row in range(len(orders)):
        for nth in range(places.shape[1]):
            first = min(places[row, nth, 0], places[row, nth, 1])
            last = max(places[row, nth, 0], places[row, nth, 1])
            if first < last:
                gain = _gain(orders[row], own, before, first, last)
                if thresholds[row, nth] < power * gain:
                    orders[row, first], orders[row, last] = orders[row, last], orders[row, first]


@kernel
def _gain(order: NDArray[np.int64], own: Floats, before: Floats, first: int, last: int) -> float:
    """Return what exchanging the items at places first < last adds to the log-weight."""
    a, b = order[first], order[last]
    gain: float = own[a, last] - own[a, first] + own[b, first] - own[b, last]
    gain += before[last, a, b] - before[last, b, a]
    b_early, b_late = before[first, b], before[last, b]
    a_early, a_late = before[first, a], before[last, a]
    for place in range(first):
        c = order[place]
        gain += b_early[c] - a_early[c] + a_late[c] - b_late[c]
    for place in range(first + 1, last):
        c = order[place]
        gain += a_late[c] - b_late[c] + before[place, c, b] - before[place, c, a]
    return gain


@kernel
def collect_orders(orders: NDArray[np.int64], weights: Floats) -> tuple[Floats, Floats]:
    """Add weights (rows,) up: at[a, r], a has rank r; preceded[a, b, r], and b precedes a.

    orders (rows, items); at (items, ranks), preceded (items, items, ranks): the transpose of
    `order_logs`, as `subset_passes.collect` is of log-weights of sets.
    """
    n_items = orders.shape[1]
    at = np.zeros((n_items, n_items))
    preceded = np.zeros((n_items, n_items, n_items))  # by rank first: one row for all before
    for row in range(len(orders)):
        for rank in range(n_items):
            item = orders[row, rank]
            at[item, rank] += weights[row]
            for place in range(rank):
                preceded[rank, item, orders[row, place]] += weights[row]
    return at, preceded.transpose(1, 2, 0).copy()


@kernel
def add_joint_ranks(ranks: Ranks, joint: Floats) -> None:
    """Add 1 to the cell of the ranks of each pair a < b, for each row: joint (pairs, ranks, ranks).

    ranks (rows, items), column-major: pair by pair, whose cells stay at hand.
    """
    n_items = ranks.shape[1]
    pair = 0
    for a in range(n_items):
        for b in range(a + 1, n_items):
            for row in range(len(ranks)):
                joint[pair, ranks[row, a], ranks[row, b]] += 1.0
            pair += 1

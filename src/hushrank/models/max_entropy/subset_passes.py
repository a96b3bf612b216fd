"""Sums over all orders by a dynamic program over the sets of items placed so far.

An order is a path from the empty set to the full one; placing item a after the set S multiplies
its weight by exp(logs[S, a]). Sets are numbers whose bit b says whether item b is in.
Theory: docs/theory/max-entropy.md.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Floats
from hushrank.kernels import kernel


@dataclass(frozen=True, eq=False, repr=False)
class Passes:
    """What both passes over the sets find.

    log_after (sets,) is the log of the sum over all ways from S on to the full set, and reached
    (sets,) is P(S is passed). nexts (sets, items) is P(a comes next | S), and chances (sets, items)
    is P(S is passed and a comes next). All but the first are probabilities: nothing can overflow.
    """

    log_after: Floats
    nexts: Floats
    reached: Floats
    chances: Floats

    @property
    def log_total(self) -> float:
        """The log of the sum over all orders."""
        return float(self.log_after[0])


def run_passes(logs: Floats) -> Passes:
    """Sum over all orders, given log-weights (sets, items). Cost: O(items 2^items)."""
    log_after, nexts = _backward(logs)
    reached, chances = _forward(nexts)
    return Passes(log_after, nexts, reached, chances)


@kernel
def log_weights(own: Floats, before: Floats) -> Floats:
    """Return own[a, |S|] + sum of before[a, b, |S|] over b in S, for all S and a not in S, else 0.

    own (items, ranks), before (items, items, ranks); result (sets, items). Cost: O(items 2^items):
    sets are halves of few sums each.
    """
    n_items = own.shape[0]
    n_low = n_items // 2
    low, high = half_sums(before, 0, n_low), half_sums(before, n_low, n_items)
    by_rank = np.ascontiguousarray(own.T)
    sizes = set_sizes(n_items)
    logs = np.zeros((1 << n_items, n_items))
    for placed in range((1 << n_items) - 1):
        size = sizes[placed]
        from_low, from_high = low[size, placed & ((1 << n_low) - 1)], high[size, placed >> n_low]
        for item in range(n_items):
            total = by_rank[size, item] + from_low[item] + from_high[item]
            logs[placed, item] = 0.0 if placed >> item & 1 else total
    return logs


@kernel
def collect(chances: Floats) -> tuple[Floats, Floats]:
    """Add chances (sets, items) up: at[a, r], a has rank r; preceded[a, b, r], and b precedes a.

    at (items, ranks), preceded (items, items, ranks). The transpose of `log_weights`.
    """
    n_items = chances.shape[1]
    n_low = n_items // 2
    low = np.zeros((n_items, 1 << n_low, n_items))
    high = np.zeros((n_items, 1 << (n_items - n_low), n_items))
    sizes = set_sizes(n_items)
    for placed in range((1 << n_items) - 1):
        size = sizes[placed]
        to_low, to_high = low[size, placed & ((1 << n_low) - 1)], high[size, placed >> n_low]
        for item in range(n_items):
            to_low[item] += chances[placed, item]
            to_high[item] += chances[placed, item]
    at, preceded = np.zeros((n_items, n_items)), np.zeros((n_items, n_items, n_items))
    add_members(low, 0, at, preceded)
    add_members(high, n_low, np.zeros_like(at), preceded)
    return at, preceded


@kernel
def set_sizes(n_items: int) -> NDArray[np.int64]:
    """Return how many items each set (sets,) has."""
    sizes = np.zeros(1 << n_items, dtype=np.int64)
    for placed in range(1 << n_items):
        sizes[placed] = sizes[placed >> 1] + (placed & 1)
    return sizes


@kernel
def open_items(placed: int, n_items: int, items: NDArray[np.int64]) -> int:
    """Fill in the items (items + 1,) that are not in the set; return how many they are.

    No branch, which would be mispredicted: an item of the set is overwritten by the next.
    """
    n_open = 0
    for item in range(n_items):
        items[n_open] = item
        n_open += 1 - (placed >> item & 1)
    return n_open


@kernel
def half_sums(before: Floats, start: int, stop: int) -> Floats:
    """Return the sums (ranks, sets, columns) of before[:, b, r] over the sets of b in start..stop.

    before (columns, items, ranks).
    """
    n_columns, _, n_ranks = before.shape
    sums = np.zeros((n_ranks, 1 << (stop - start), n_columns))
    for rank in range(n_ranks):
        for newest in range(stop - start):
            added = before[:, start + newest, rank].copy()
            for rest in range(1 << newest):
                for column in range(n_columns):
                    total = sums[rank, rest, column] + added[column]
                    sums[rank, rest | 1 << newest, column] = total
    return sums


@kernel
def add_members(sums: Floats, start: int, at: Floats, preceded: Floats) -> None:
    """Add sums (ranks, half sets, columns) up: the transpose of `half_sums`; changes `sums`.

    All go to at (columns, ranks), and to preceded (columns, items, ranks) for each member of the
    half set. Members are taken off from the last on, and their sums moved to what is left.
    """
    n_ranks, n_sets, n_columns = sums.shape
    for rank in range(n_ranks):
        rest = n_sets // 2
        member = start + int(np.round(np.log2(n_sets))) - 1
        while rest > 0:
            totals = np.zeros(n_columns)
            for others in range(rest):
                for column in range(n_columns):
                    totals[column] += sums[rank, others | rest, column]
                    sums[rank, others, column] += sums[rank, others | rest, column]
            preceded[:, member, rank] += totals
            rest, member = rest // 2, member - 1
        at[:, rank] += sums[rank, 0]


@kernel
def _backward(logs: Floats) -> tuple[Floats, Floats]:
    n_sets, n_items = logs.shape
    log_after, nexts = np.zeros(n_sets), np.zeros(logs.shape)
    items, terms = np.zeros(n_items + 1, dtype=np.int64), np.zeros(n_items)
    for placed in range(n_sets - 2, -1, -1):
        n_open = open_items(placed, n_items, items)
        largest = -np.inf
        for nth in range(n_open):
            item = items[nth]
            terms[nth] = logs[placed, item] + log_after[placed | 1 << item]
            largest = max(largest, terms[nth])
        total = 0.0
        for nth in range(n_open):
            terms[nth] = np.exp(terms[nth] - largest)
            total += terms[nth]
        log_after[placed] = largest + np.log(total)
        for nth in range(n_open):
            nexts[placed, items[nth]] = terms[nth] / total
    return log_after, nexts


@kernel
def _forward(nexts: Floats) -> tuple[Floats, Floats]:
    n_sets, n_items = nexts.shape
    reached = np.zeros(n_sets)
    reached[0] = 1.0
    chances = np.zeros(nexts.shape)
    items = np.zeros(n_items + 1, dtype=np.int64)
    for placed in range(n_sets - 1):
        for nth in range(open_items(placed, n_items, items)):
            item = items[nth]
            chances[placed, item] = reached[placed] * nexts[placed, item]
            reached[placed | 1 << item] += chances[placed, item]
    return reached, chances

"""Orders proposed by a dynamic program over the sets of items placed so far.

Theory: docs/theory/exact-sampling.md.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hushrank.aggregators.private.exponential.proposals import (
    SLACK,
    Proposals,
    chosen_place,
    word_shares,
)
from hushrank.arrays import Counts, Orders, Words
from hushrank.kernels import kernel
from hushrank.randomness import Randomness

MOST_ITEMS_OF_SETS = 22
"""2^22 sets take 32 MB and a second or two; every item more doubles both."""
NEGLIGIBLE = 45.0
"""Terms this many nats below the largest do not count: e^-45 is less than SLACK by far."""


@dataclass(frozen=True, eq=False, repr=False)
class SetProposal:
    """Propose orders item by item, by the summed weights of all that may follow.

        Z(S) = sum over i not in S of  e^-(rate * sum_{j in S} costs[j, i])  Z(S + i)

    costs[j, i] pairs are lost where j comes before i; S holds the items placed so far. The floats
    log_sums (2^items,) = log Z only guide the draw: `kept_order` makes up for their errors. The
    bound is log Z of nothing placed, plus SLACK for each step: by so much may each step be wrong.
    Cost: O(items 2^items).
    """

    rate: Fraction
    lower: Counts
    upper: Counts
    log_sums: NDArray[np.float64]
    log_bound: float

    @classmethod
    def of(cls, margins: Counts, rate: Fraction) -> "SetProposal":
        """Sum the weights; a pair's cheaper side costs nothing, which all orders have in common."""
        costs = np.maximum(-margins, 0)
        half = (len(costs) + 1) // 2
        lower, upper = _set_sums(costs[:half]), _set_sums(costs[half:])
        log_sums = _log_sums(lower, upper, float(rate))
        return cls(rate, lower, upper, log_sums, float(log_sums[0]) + len(costs) * SLACK)

    def propose(self, size: int, *, rng: Randomness) -> Proposals:
        """Draw `size` orders."""
        n_items = self.lower.shape[1]
        orders = np.zeros((size, n_items), dtype=np.int64)
        shares = np.ones((size, n_items - 1), dtype=np.uint64)
        words = rng.words(shares.size).reshape(shares.shape)
        tables = (self.lower, self.upper, self.log_sums, float(self.rate))
        return Proposals(orders, shares, _draw_orders(*tables, words, orders, shares))


def _set_sums(rows: Counts) -> Counts:
    """Return the sums (2^rows, items) of all sets of rows."""
    sums = np.zeros((1, rows.shape[1]), dtype=np.int64)
    for row in rows:
        sums = np.vstack([sums, sums + row])
    return sums


@kernel
def _log_sums(lower: Counts, upper: Counts, rate: float) -> NDArray[np.float64]:
    n_items = lower.shape[1]
    log_sums = np.zeros(lower.shape[0] * upper.shape[0])
    terms, items = np.zeros(n_items + 1), np.zeros(n_items + 1, dtype=np.int64)
    for placed in range(len(log_sums) - 2, -1, -1):
        n_open, largest = _terms(placed, lower, upper, rate, log_sums, terms, items)
        total = 0.0
        for place in range(n_open):
            if terms[place] > largest - NEGLIGIBLE:
                total += np.exp(terms[place] - largest)
        log_sums[placed] = largest + np.log(total)
    return log_sums


@kernel
def _terms(
    placed: int,
    lower: Counts,
    upper: Counts,
    rate: float,
    log_sums: NDArray[np.float64],
    terms: NDArray[np.float64],
    items: Counts,
) -> tuple[int, float]:
    """Fill in the items that may come next and their log-terms; return how many, and the largest.

    No branch: an item that is placed already is overwritten by the next.
    """
    low, high = placed & (len(lower) - 1), placed // len(lower)
    n_open, largest = 0, -np.inf
    for item in range(lower.shape[1]):
        term = log_sums[placed | (1 << item)] - rate * (lower[low, item] + upper[high, item])
        terms[n_open], items[n_open] = term, item
        is_open = 1 - ((placed >> item) & 1)
        n_open += is_open
        largest = max(largest, term if is_open else -np.inf)
    return n_open, largest


@kernel
def _draw_orders(
    lower: Counts,
    upper: Counts,
    log_sums: NDArray[np.float64],
    rate: float,
    words: Words,
    orders: Orders,
    chosen: Words,
) -> Counts:
    """Fill in orders and the shares of their steps; return their costs."""
    size, n_items = orders.shape
    costs = np.zeros(size, dtype=np.int64)
    terms, items = np.zeros(n_items + 1), np.zeros(n_items + 1, dtype=np.int64)
    shares = np.zeros(n_items, dtype=np.uint64)
    for row in range(size):
        placed = 0
        for step in range(n_items):
            n_open, _ = _terms(placed, lower, upper, rate, log_sums, terms, items)
            place = 0
            if n_open > 1:
                word_shares(terms[:n_open], shares[:n_open])
                place = chosen_place(words[row, step], shares[:n_open])
                chosen[row, step] = shares[place]
            item = items[place]
            low, high = placed & (len(lower) - 1), placed // len(lower)
            costs[row] += lower[low, item] + upper[high, item]
            orders[row, step] = item
            placed |= 1 << item
    return costs

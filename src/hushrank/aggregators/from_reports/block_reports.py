"""Noisy answers to "in which order do you put these few items?": what they say of pairs.

Theory: docs/theory/one-order.md.
"""

from collections.abc import Sequence
from functools import cache
from math import factorial

import numpy as np
from numpy.typing import NDArray

from hushrank.aggregators.from_reports.pair_estimates import (
    PairReports,
    PairValues,
    estimate_pairs,
)
from hushrank.arrays import Floats
from hushrank.errors import require
from hushrank.mechanisms.local import Tally
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.questions.relative_order import RelativeOrder
from hushrank.rankings.coding import orders_at


def reports_of_blocks(
    n_items: int,
    blocks: Sequence[RelativeOrder],
    mechanism: GeneralizedRandomizedResponse,
    tallies: Sequence[Tally],
    n_people: int,
) -> PairReports:
    """Take a tally of reported orders for each block of s items, and count each order's pairs.

    A report is the true order with probability p - q, else any of s! with the same: so a pair is
    told the right way round by p - q oftener than not, as by randomised response of that gap.
    `n_people` = of how many those who answered are a part, drawn at random.
    Raises HushrankError unless there is a tally for each block, and all are of one size.
    """
    sizes = {len(block.items) for block in blocks}
    require(len(sizes) == 1, "expected blocks of one size")
    require(len(tallies) == len(blocks), f"expected {len(blocks)} tallies, got {len(tallies)}")
    supports = np.array([tally.support for tally in tallies], dtype=np.float64)
    by_place = supports @ _precedes(sizes.pop()).reshape(supports.shape[1], -1)
    items = np.array([block.items for block in blocks])
    wins = np.zeros((1, n_items, n_items))
    first, second = (np.repeat(items, items.shape[1], axis=1), np.tile(items, items.shape[1]))
    np.add.at(wins[0], (first, second), by_place)
    return PairReports(wins, np.array([mechanism.rates.reach]), np.array([float(n_people)]))


def shared_noise(
    n_items: int, blocks: Sequence[RelativeOrder], reports: PairReports, n_answered: float
) -> float:
    """Return the variance that estimated margins owe to what one report says of an item at once.

        cov(margin[a, b], margin[a, c]) = (1 - gap^2 M^2) / 3 * R_abc / (gap R_ab)^2

    R = how many reports hold both, or all three; M^2 = the mean squared margin, less its noise. In
    the mean over the items; 0 for pairs, of which each is told apart.
    """
    size = len(blocks[0].items)
    if size == 2 or n_answered == 0:
        return 0.0
    estimates, gap = estimate_pairs(reports), float(reports.gaps[0])
    squared = _mean_of_pairs(estimates.margins**2 - estimates.variances)
    of_pair = size * (size - 1) / (n_items * (n_items - 1)) * n_answered
    of_three = of_pair * (size - 2) / (n_items - 2)
    return (1 - gap**2 * min(max(squared, 0.0), 1.0)) / 3 * of_three / (gap * of_pair) ** 2


def _mean_of_pairs(values: PairValues) -> float:
    above = values[np.triu_indices(len(values), 1)]
    known = np.isfinite(above)
    return float(above[known].mean()) if known.any() else 0.0


@cache
def _precedes(size: int) -> NDArray[np.float64]:
    """Whether each order, by its index, puts one place's item before another's (orders, s, s)."""
    orders = orders_at(np.arange(factorial(size)), size).astype(np.intp)
    ranks = np.argsort(orders, axis=1)
    before: Floats = (ranks[:, :, None] < ranks[:, None, :]).astype(np.float64)
    return before

"""How far what was learnt is from what people said."""

from typing import Literal

import numpy as np

from hushrank.aggregators.borda import borda
from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.arrays import Order, Shares
from hushrank.rankings.distances import PairCounts, kendall_cost
from hushrank.rankings.marginals import (
    majority,
    second_order_marginals,
)
from hushrank.rankings.profile import Rankings


def q2_distance(learnt: Rankings, true: Rankings) -> float:
    """Return the total variation of second-order marginals, averaged over pairs: in [0, 1].

    Source: Yang et al. (ICDE 2019), section IV, over the unordered pairs of items.
    """
    return marginal_distance(second_order_marginals(learnt), second_order_marginals(true))


def marginal_distance(learnt: Shares, true: Shares) -> float:
    """Return the mean total variation distance of marginals (marginals, ...), each summing to 1."""
    return float(np.abs(learnt - true).sum() / (2 * len(true)))


def uniform_second_order_marginals(n_items: int) -> Shares:
    """Return the second-order marginals (pairs, ranks, ranks) of equally likely orders."""
    cells = (1 - np.eye(n_items)) / (n_items * (n_items - 1))
    return np.broadcast_to(cells, (n_items * (n_items - 1) // 2, n_items, n_items))


def mean_rank_order(rankings: Rankings) -> Order:
    """Return the items by ascending mean rank, best first (Borda); ties by item number."""
    rankings.require_complete_strict("mean ranks")
    return borda(majority(rankings))


def average_kendall_tau(counts: PairCounts, order: Order, n_people: int) -> float:
    """Return the mean Kendall tau distance of the people from `order`, normalised: in [0, 1].

    sum of distances / (people items (items - 1) / 2)
    """
    n_items = len(order)
    return kendall_cost(counts, order) / (n_people * n_items * (n_items - 1) / 2)


def kendall_excess(
    true: Rankings,
    order: Order,
    *,
    time_limit: float,
    unranked: Literal["unknown", "last"] = "unknown",
) -> float | None:
    """Return by how much the average Kendall tau of `order` exceeds the exact Kemeny optimum.

    Pairs that a ranking leaves open count for nobody, see `majority`.
    None where no optimum is proven within `time_limit` seconds.
    """
    counts = majority(true, unranked=unranked)
    best = kemeny(counts, time_limit=time_limit)
    if not best.is_optimal:
        return None
    n_people = true.n_people
    excess = average_kendall_tau(counts, order, n_people)
    return excess - average_kendall_tau(counts, best.order, n_people)

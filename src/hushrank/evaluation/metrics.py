"""How far what was learnt is from what people said."""

import numpy as np

from hushrank.arrays import Order, Shares
from hushrank.rankings.marginals import first_order_marginals, second_order_marginals
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
    marginals = first_order_marginals(rankings)
    mean_ranks = marginals @ np.arange(rankings.n_items)
    return tuple(int(item) for item in np.argsort(mean_ranks, kind="stable"))

"""Borda: items by how many pairs they win."""

import numpy as np

from hushrank.aggregators.pairwise import pair_margins
from hushrank.arrays import Order
from hushrank.rankings.distances import PairCounts


def borda(majority: PairCounts) -> Order:
    """Return the items by descending sum of their margins, best first; ties by item number.

    For complete strict rankings the order of ascending mean rank.
    Source: Borda (1781); with margins, for partial rankings and ties: Young (J. Econ. Theory 1974).
    """
    scores = pair_margins(majority).sum(axis=1)
    return tuple(int(item) for item in np.argsort(-scores, kind="stable"))

"""KwikSort: quicksort by majorities around random pivots."""

import numpy as np

from hushrank.aggregators.pairwise import pair_margins
from hushrank.arrays import Order
from hushrank.rankings.distances import PairCounts


def kwiksort(majority: PairCounts, *, rng: np.random.Generator) -> Order:
    """Sort the items around random pivots, best first; a tied pair falls to a random side.

    For complete strict rankings the expected Kendall cost is at most twice the optimum.
    Cost: O(items log items) comparisons, expected.
    Source: Ailon, Charikar, Newman (J. ACM 2008), KwikSort.
    """
    margins = pair_margins(majority)
    order: list[int] = []
    waiting = [np.arange(len(margins))]
    while waiting:
        items = waiting.pop()
        if len(items) <= 1:
            order += items.tolist()
            continue
        pivot = rng.choice(items)
        others = items[items != pivot]
        ahead = margins[others, pivot]
        is_left = np.where(ahead == 0, rng.random(len(others)) < 0.5, ahead > 0)
        waiting += [others[~is_left], np.array([pivot]), others[is_left]]
    return tuple(order)

"""Which whole orders are worth testing: all of few items, of more those that begin likely."""

from math import factorial, sqrt

import numpy as np

from hushrank.estimators.popular.hash_supports import HashedReports
from hushrank.questions.top_order import TopOrder

MOST_ITEMS_LISTED = 7
"""All orders of up to 7 items are candidates: 5,040."""
LEAST_DEVIATE_OF_A_PREFIX, MOST_PREFIXES = 2.5, 40


def n_prefix_places(n_items: int) -> int | None:
    """Return how many first places a prefix has, or None where all orders can be candidates."""
    return None if n_items <= MOST_ITEMS_LISTED else (n_items + 1) // 2 - 1


def candidate_orders(n_items: int, prefixes: HashedReports | None) -> tuple[range, ...]:
    """Return the candidates' lexicographic numbers, in runs: every completion of likely prefixes.

    Likely are the prefixes with most support, where it is 2.5 standard deviations above what a
    prefix that nobody holds has; without `prefixes`, all orders are candidates.
    """
    if prefixes is None:
        return (range(factorial(n_items)),)
    asked = TopOrder(n_items, n_prefix_places(n_items) or n_items)
    least = support_at(prefixes, LEAST_DEVIATE_OF_A_PREFIX)
    numbers, support = prefixes.supported([range(asked.n_categories)], least)
    kept = numbers[np.argsort(-support, kind="stable")[:MOST_PREFIXES]]
    size = factorial(n_items) // asked.n_categories
    return tuple(range(number * size, (number + 1) * size) for number in sorted(kept.tolist()))


def support_at(reports: HashedReports, deviate: float) -> float:
    """Return the support, so many standard deviations above that of an order that nobody holds.

    At least 1: nobody's reports support nothing.
    """
    mean = reports.n_reports * reports.false_support
    return max(1.0, mean + deviate * sqrt(mean * (1 - reports.false_support)))

"""Orders that are as good as the one that is shown, in words."""

from collections.abc import Sequence
from itertools import pairwise
from math import factorial, prod

from hushrank.workflows.results.words import listed

MOST_NAMED = 12
"""So many tied items are named."""


def order_in_words(
    items: Sequence[str], tied: Sequence[Sequence[str]], n_orders: int | None
) -> str:
    """Return items best first, with = where any order of neighbours is as good, else >."""
    group_of = {name: number for number, group in enumerate(tied) for name in group}
    is_free = n_orders == _free_orders(tied)
    words = list(items[:1])
    for before, item in pairwise(items):
        same = is_free and item in group_of and group_of[item] == group_of.get(before)
        words += ["=" if same else ">", item]
    return " ".join(words)


def ties_in_words(tied: Sequence[Sequence[str]], n_orders: int | None) -> dict[str, str]:
    """Return a row of a table that says which items are tied; none where no order is as good."""
    if not tied:
        return {}
    groups = "; ".join(_group(group) for group in tied)
    if n_orders is None:
        return {"tied": f"{groups}: other orders are as good"}
    if n_orders == _free_orders(tied):
        return {"tied": f"{groups}: {n_orders:,} orders are as good"}
    return {"tied": f"{n_orders:,} orders are as good, in which these stand otherwise: {groups}"}


def _group(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMED:
        return f"{', '.join(names[:MOST_NAMED])} and {len(names) - MOST_NAMED} more"
    return listed(names)


def _free_orders(tied: Sequence[Sequence[str]]) -> int:
    """Return how many orders there are where tied items may stand in any."""
    return prod(factorial(len(group)) for group in tied)

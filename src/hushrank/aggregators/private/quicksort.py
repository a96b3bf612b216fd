"""Quicksort by a trusted curator: noise on each comparison, until the budget is used up.

Theory: docs/theory/curators-noise.md.
"""

from dataclasses import replace
from itertools import pairwise
from math import exp, floor, isnan, log, log2
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hushrank.accounting.composition import share_of
from hushrank.aggregators.private.order import (
    ComparedMargins,
    PrivateOrder,
    ballot_margins,
    central_spend,
)
from hushrank.arrays import Counts, Order
from hushrank.errors import require
from hushrank.mechanisms.curator.laplace import DiscreteLaplace
from hushrank.randomness import Randomness

Logarithm = Literal["natural", "binary"]


def p_sort(
    majority: Counts, *, epsilon: float, rng: Randomness, logarithm: Logarithm = "binary"
) -> PrivateOrder:
    """Sort the items around random pivots by noisy margins: P-SORT.

    The first M = floor((m - 1) log m) comparisons get Laplace(M / ε), the rest are coins. Ties and
    unranked items are welcome: one ballot moves one margin by at most 1.
    Privacy: ε-DP, one ballot added or removed.   Cost: O(m log m) comparisons, expected.
    Source: Hay, Elagina, Miklau (SDM 2017), def. 9, where the logarithm is natural and runs out
    of comparisons.   Differs from the source: binary by default; M is whole; discrete noise.
    """
    margins = ballot_margins(majority)
    n_noisy = noisy_comparisons(len(margins), logarithm)
    mechanism = DiscreteLaplace(1, share_of(epsilon, n_noisy))
    spend = central_spend("p-sort", f"{n_noisy} times DiscreteLaplace", epsilon)
    noise = mechanism.release(np.zeros(n_noisy, dtype=np.int64), rng=rng)
    order, seen = _quicksort(margins, noise, rng=rng)
    right = tuple(_confidence(float(seen[pair]), mechanism.epsilon) for pair in pairwise(order))
    compared = ComparedMargins(seen, 1 / mechanism.epsilon, right)
    return PrivateOrder(order, "p-sort", spend, rng.is_private, compared)


def dp_kwiksort(majority: Counts, *, epsilon: float, rng: Randomness) -> PrivateOrder:
    """Sort as P-SORT does with the natural logarithm, under the name of its users: DP-KwikSort.

    Everybody answers all pairs, so that the curator knows the exact margins.
    Privacy: ε-DP, one ballot added or removed.
    Source: Yan, Li, Liu (arXiv 2019), section 6.1.1, who mean P-SORT of Hay, Elagina, Miklau.
    Differs from the source: it adds Laplace((m - 1) log m / ε) to every comparison, however many
    quicksort makes, which can cost more than ε; here those after the first M are coins.
    """
    sorted_order = p_sort(majority, epsilon=epsilon, rng=rng, logarithm="natural")
    spend = replace(sorted_order.spend, release="dp-kwiksort")
    return replace(sorted_order, method="dp-kwiksort", spend=spend)


def noisy_comparisons(n_items: int, logarithm: Logarithm) -> int:
    """Return M = floor((m - 1) log m), at least 1: how many comparisons P-SORT pays for."""
    known = logarithm in ("natural", "binary")
    require(known, f"expected the logarithm natural or binary, got {logarithm}")
    require(n_items >= 2, f"expected at least 2 items, got {n_items}")
    return max(1, floor((n_items - 1) * (log if logarithm == "natural" else log2)(n_items)))


def _quicksort(
    margins: Counts, noise: Counts, *, rng: Randomness
) -> tuple[Order, NDArray[np.float64]]:
    """Sort around the first item of each part, one noise a comparison; then coins decide.

    Returns the noisy margins that were looked at, too; nan = none. Parts keep the random order of
    all items, so that pivots are uniform and no item is more likely to be left to a coin.
    The best part comes first: coins order the end.
    """
    n_items, used = len(margins), 0
    order, seen = np.zeros(n_items, dtype=np.intp), np.full(margins.shape, np.nan)
    waiting = [(0, np.argsort(rng.words(n_items), kind="stable"))]
    while waiting:
        start, items = waiting.pop()
        if items.size == 0:
            continue
        pivot, others = items[0], items[1:]
        asked = others[: len(noise) - used]
        seen[asked, pivot] = margins[asked, pivot] + noise[used : used + asked.size]
        seen[pivot, asked] = -seen[asked, pivot]
        used += asked.size
        is_left = _sides(seen[others, pivot], rng=rng)
        place = start + int(is_left.sum())
        order[place] = pivot
        waiting += [(place + 1, others[~is_left]), (start, others[is_left])]
    return tuple(int(item) for item in order), seen


def _sides(margins: NDArray[np.float64], *, rng: Randomness) -> NDArray[np.bool_]:
    """Return who goes before the pivot; coins, always drawn, decide on ties and for nan."""
    coins = rng.words(margins.size) < 2**63
    return np.where((margins == 0) | np.isnan(margins), coins, margins > 0)


def _confidence(margin: float, epsilon: float) -> float:
    """Return P(noise < margin) + P(noise = margin) / 2 of one comparison: exact for whole >= 0."""
    return 0.5 if isnan(margin) else 1 - exp(-epsilon * margin) / 2

"""Choose how to order noisy pair reports by how well each way foretells reports it did not see."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hushrank.aggregators.from_reports.pair_estimates import PairReports, PairValues, estimate_pairs
from hushrank.arrays import Counts, Order
from hushrank.errors import require

Aggregate: TypeAlias = Callable[[PairReports], Order]
"""Orders the items by reports."""

N_FOLDS = 4
MOST_EXACT = 10**9
CLEARLY = 2.0
"""Standard errors; at 1 a worse candidate is taken in one collection of ten."""


def split_reports(
    reports: PairReports, n_folds: int, *, rng: np.random.Generator
) -> tuple[PairReports, ...]:
    """Deal the reports of each pair out to folds, of equal size but for one report, at random.

    Reports of one pair and layer are exchangeable: how many wins fall into a fold, given its size,
    is hypergeometric, so the tallies alone are enough. Expected tallies are rounded.
    Privacy: none is lost, the reports are already noisy.
    Raises HushrankError when there are fewer than 2 folds.
    """
    require(n_folds >= 2, f"expected at least 2 folds, got {n_folds}")
    n_items = reports.n_items
    first, second = np.triu_indices(n_items, k=1)
    told = np.stack([reports.wins[:, first, second], reports.wins[:, second, first]])
    left = np.rint(told).astype(np.int64)
    folds = []
    for size in _fold_sizes(left.sum(axis=0), n_folds, rng=rng):
        won = _won_of(size, left, rng=rng)
        dealt = np.stack([won, size - won])
        left -= dealt
        wins = np.zeros_like(reports.wins, dtype=np.float64)
        wins[:, first, second], wins[:, second, first] = dealt
        folds.append(PairReports(wins, reports.gaps, reports.n_people))
    return tuple(folds)


def _won_of(size: Counts, left: Counts, *, rng: np.random.Generator) -> Counts:
    """Draw how many wins are among `size` reports, of left[0] wins and left[1] defeats.

    Where there are a billion, which numpy refuses, by the normal law, which differs by 10^-4 then.
    """
    is_many = left.max(axis=0) >= MOST_EXACT
    few, some = np.where(is_many, 0, left), np.where(is_many, 0, size)
    won: Counts = rng.hypergeometric(few[0], few[1], some)
    if is_many.any():
        n = np.maximum(left.sum(axis=0), 1.0)
        wins = left[0] / n
        spread = np.sqrt(size * wins * (1 - wins) * (n - size) / n)
        near = np.rint(size * wins + spread * rng.standard_normal(n.shape)).astype(np.int64)
        near = np.clip(near, np.maximum(size - left[1], 0), np.minimum(size, left[0]))
        won = np.where(is_many, near, won)
    return won


def choose_by_cross_validation(
    reports: PairReports, candidates: Mapping[str, Aggregate], *, rng: np.random.Generator
) -> str:
    """Return the name of the first candidate, or of one that is better by more than its error.

    Each candidate orders the reports outside a fold; the reports inside, which are independent of
    the others given the people, estimate without bias how much cheaper its order is than the
    first one's. The largest gain in standard errors wins if it is above 2.
    """
    folds = split_reports(reports, N_FOLDS, rng=rng)
    gains = {name: np.zeros(2) for name in candidates}  # what is gained, and its variance
    for fold in folds:
        rest = PairReports(reports.wins - fold.wins, reports.gaps, reports.n_people)
        orders = {name: aggregate(rest) for name, aggregate in candidates.items()}
        for name, order in orders.items():
            gains[name] += _gain(fold, next(iter(orders.values())), order)
    deviates = {name: gain / np.sqrt(max(doubt, 1e-300)) for name, (gain, doubt) in gains.items()}
    best = max(deviates, key=lambda name: deviates[name])
    return best if deviates[best] > CLEARLY else next(iter(candidates))


def _gain(held_out: PairReports, usual: Order, other: Order) -> NDArray[np.float64]:
    """Return by how much `other` is cheaper than `usual`, in margins, and the variance of that."""
    estimates = estimate_pairs(held_out)
    turned = (_precedence(other) - _precedence(usual)) / 2
    gain = (turned * estimates.margins).sum() / 2
    known = np.where(np.isfinite(estimates.variances), estimates.variances, 0.0)
    return np.array([gain, np.triu(turned**2 * known).sum()])


def _precedence(order: Order) -> PairValues:
    """Return 1 where a comes before b, -1 where after (items, items)."""
    places = np.argsort(order)
    precedence: PairValues = np.sign(places - places[:, None]).astype(np.float64)
    return precedence


def _fold_sizes(counts: Counts, n_folds: int, *, rng: np.random.Generator) -> Counts:
    """Return how many of `counts` (...) reports each fold gets (folds, ...), the rest at random."""
    ticket = rng.random((n_folds, *counts.shape)).argsort(axis=0)
    return counts // n_folds + (ticket < counts % n_folds)

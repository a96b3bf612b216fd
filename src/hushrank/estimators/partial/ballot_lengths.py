"""How many items people rank, judged by noisy reports: shares of ballots by their length."""

import numpy as np

from hushrank.arrays import Floats

ENOUGH, ENOUGH_OF_A_REPORT = 1e-9, 1e-12
"""How little log-density the next step may still gain, in all and besides for each report."""
IMAGINED = 0.25
"""Ballots of each length that are imagined, seen without noise.

One would weigh as much as hundreds of noisy reports: among 500 people at an epsilon of 1 it makes
complete ballots a third where three quarters are.
"""
MOST_STEPS = 200
FARTHEST = 0.95
"""How much of the way to a share of 0 one step may go."""


def most_likely_lengths(counts: Floats, chances: Floats) -> Floats:
    """Return the most likely shares of ballots of each length (lengths,), which sum to 1.

        sum_cells counts log(chances @ shares) + IMAGINED sum_lengths log shares

    counts (cells,) of reports; chances (cells, lengths) = P(report | length) > 0: a mixture, so the
    sum is concave. Prior: a quarter of an imagined ballot of each length. By Newton's
    method from equal shares, with a line search.
    """
    reported = counts > 0
    counts, chances = counts[reported], chances[reported]
    shares = np.full(chances.shape[1], 1 / chances.shape[1])
    for _ in range(MOST_STEPS):
        step, gain = _newton_step(counts, chances, shares)
        if gain <= ENOUGH + ENOUGH_OF_A_REPORT * counts.sum():
            break
        shares = _line_search(counts, chances, shares, step, gain)
    return shares


def _log_density(counts: Floats, chances: Floats, shares: Floats) -> float:
    return float(counts @ np.log(chances @ shares) + IMAGINED * np.log(shares).sum())


def _newton_step(counts: Floats, chances: Floats, shares: Floats) -> tuple[Floats, float]:
    """Return the step within the simplex, and the slope along it."""
    ratios = chances / (chances @ shares)[:, None]
    slopes = ratios.T @ counts + IMAGINED / shares
    curvature = (ratios * counts[:, None]).T @ ratios + np.diag(IMAGINED * shares**-2.0)
    both = np.column_stack([slopes, np.ones(len(shares))])
    free, even = np.linalg.solve(curvature, both).T
    step: Floats = free - even * (free.sum() / even.sum())
    return step, float(slopes @ step)


def _line_search(
    counts: Floats, chances: Floats, shares: Floats, step: Floats, gain: float
) -> Floats:
    """Halve the step until it gains a quarter of what its slope promises: shares stay above 0."""
    length = min(1.0, FARTHEST / max(float((-step / shares).max()), FARTHEST))
    before = _log_density(counts, chances, shares)
    while length > 1e-9:
        moved: Floats = shares + length * step
        if _log_density(counts, chances, moved) >= before + length * gain / 4:
            return np.asarray(moved / moved.sum())
        length /= 2
    return shares

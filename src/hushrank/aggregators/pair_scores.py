"""One number for each item, learnt from noisy pair reports: a Bradley-Terry model of the people."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushrank.aggregators.pair_estimates import (
    PairReports,
    PairValues,
    PairVariances,
    estimate_pairs,
)
from hushrank.arrays import Order

MOST_ROUNDS = 30
LEAST_VARIANCE = 1e-12
"""Of a pair that everybody answered without noise."""
TOLERANCE = 1e-4
FLATTEST = 1e-3
"""Where the model is sure its slope is taken as this, so that contradicting reports still count."""


@dataclass(frozen=True, eq=False, repr=False)
class PairScores:
    """Scores (items,), higher = better; margin of a over b = tanh(score_a - score_b)."""

    scores: NDArray[np.float64]

    @property
    def order(self) -> Order:
        """The items by descending score, best first; ties by item number."""
        return tuple(int(item) for item in np.argsort(-self.scores, kind="stable"))

    @property
    def margins(self) -> PairValues:
        """The margins (items, items) that the model gives."""
        margins: PairValues = np.tanh(self.scores[:, None] - self.scores)
        return margins

    @classmethod
    def fit(cls, reports: PairReports) -> "PairScores":
        """Weigh each pair by the variance of its estimate and find the likeliest scores.

        minimise sum (margin - tanh(s_a - s_b))^2 / variance + sum s^2 / spread

        The spread is the scores' own, estimated along (empirical Bayes), so that neither a crowd
        that nearly agrees nor pure noise is pulled wrongly. Deterministic. Cost: O(items^3).
        Source: Bradley, Terry (Biometrika 1952), by Gauss-Newton; our own weights.
        """
        margins, variances = estimate_pairs(reports).margins, PairVariances.of(reports)
        scores, spread = np.zeros(reports.n_items), 1.0
        for _ in range(MOST_ROUNDS):
            step, doubt = _newton_step(margins, variances, scores, spread)
            scores = scores + np.clip(step, -1, 1)
            spread = float(np.mean(scores**2 + doubt))
            if np.abs(step).max() < TOLERANCE:
                break
        return cls(scores)


def _newton_step(
    margins: PairValues, variances: PairVariances, scores: NDArray[np.float64], spread: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the step (items,) towards the best scores, and the variance (items,) of each score."""
    model = np.tanh(scores[:, None] - scores)
    known = np.maximum(variances.at(model), LEAST_VARIANCE)
    weights = 1 / np.where(np.eye(len(scores)) > 0, np.inf, known)
    slope = np.maximum(1 - model**2, FLATTEST)
    information = weights * slope**2
    curvature = np.diag(information.sum(axis=1) + 1 / spread) - information
    gradient = (weights * slope * (margins - model)).sum(axis=1) - scores / spread
    inverse = np.linalg.inv(curvature)
    return inverse @ gradient, np.diag(inverse)

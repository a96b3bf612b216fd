"""One number for each item, learnt from noisy pair reports: a Bradley-Terry model of the people."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hushrank.aggregators.bradley_terry import likeliest_scores
from hushrank.aggregators.from_reports.pair_estimates import (
    PairEstimates,
    PairReports,
    PairValues,
    PairVariances,
    estimate_pairs,
)
from hushrank.arrays import Order

LEAST_VARIANCE = 1e-12
"""Of a pair that everybody answered without noise."""


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
        """Weigh each pair by the variance of its estimate where the model is, and fit the scores.

        Deterministic.   Source: `likeliest_scores`.
        """
        variances = PairVariances.of(reports)

        def precisions_at(model: PairValues) -> PairValues:
            known = np.maximum(variances.at(model), LEAST_VARIANCE)
            precisions: PairValues = 1 / np.where(np.eye(len(model)) > 0, np.inf, known)
            return precisions

        return cls(likeliest_scores(estimate_pairs(reports).margins, precisions_at))


def estimate_pairs_together(reports: PairReports) -> PairEstimates:
    """Estimate all margins, with the variances that they have where the model puts them.

    The few reports of one pair may all agree, and would then be believed to have hardly any noise.
    Otherwise as `estimate_pairs`.
    """
    variances = PairVariances.of(reports).at(PairScores.fit(reports).margins)
    np.fill_diagonal(variances, 0.0)
    return replace(estimate_pairs(reports), variances=variances)

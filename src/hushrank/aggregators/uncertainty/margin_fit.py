"""Margins as differences of scores and a rest, given noisy estimates: one normal belief.

Theory: docs/theory/one-order.md.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from hushrank.aggregators.bradley_terry import laplacian
from hushrank.aggregators.uncertainty.estimated_margins import EstimatedMargins, EstimatedScores
from hushrank.aggregators.uncertainty.posterior import Belief
from hushrank.aggregators.uncertainty.straight_line import Line, contrasts
from hushrank.arrays import Floats


@dataclass(frozen=True, eq=False, repr=False)
class MarginFit:
    """What estimates say of margins whose scores and rests have these spreads.

    Unknown are factors: a score of each item and, where noise is shared, each item's part in it;
    and the rest of each margin, which is independent of all others.
    """

    known: EstimatedMargins
    line: Line
    score_spread: float
    rest_spread: float

    @property
    def log_evidence(self) -> float:
        """The log-probability of the estimates, without a constant. Pairs stand twice in arrays."""
        answered, n_items = self.known.is_known > 0, len(self.known.margins)
        pairs = np.log(self._information[answered]).sum()
        pairs -= (self._information * self._responses**2).sum()
        evidence = pairs / 4 + self._pull @ self._factors / 2
        evidence -= np.log(np.diag(self._precision[0])).sum() + n_items * np.log(self.score_spread)
        if self.known.scores is not None:
            factor, surprise = self._foretold(self.known.scores)
            evidence -= surprise @ cho_solve(factor, surprise) / 2
            evidence -= np.log(np.diag(factor[0])).sum()
        return float(evidence)

    def belief(self, weight: float) -> Belief:
        """Return the posterior of scores, which are sums of margins, and of margins."""
        margins, variances, covariance = self._margins, self._variances, self._score_covariance
        if self.known.scores is not None:
            factor, surprise = self._foretold(self.known.scores)
            reach = self._covariance_with_scores
            gain: Floats = cho_solve(factor, np.eye(len(surprise)))
            margins = margins + reach @ (gain @ surprise)
            variances = np.maximum(variances - ((reach @ gain) * reach).sum(axis=2), 0.0)
            covariance = covariance - covariance @ gain @ covariance
        return Belief(weight, margins.sum(axis=1), covariance, margins, variances)

    def _foretold(self, scores: EstimatedScores) -> tuple[Any, Floats]:
        """Return the Cholesky factor of what estimated scores vary by, and how far off they are.

        Given all else. Nothing is to be known of the sum of all scores: it gets its own variance.
        """
        of_sum = np.full_like(scores.covariance, np.trace(scores.covariance) / len(scores.values))
        surprise = scores.values - self._margins.sum(axis=1)
        factor = cho_factor(self._score_covariance + scores.covariance + of_sum)
        return factor, surprise - surprise.mean()

    @cached_property
    def _rest_variance(self) -> Floats:
        rest: Floats = self.rest_spread**2 * self.line.slopes + self.line.bends
        return rest

    @cached_property
    def _information(self) -> Floats:
        """What an estimate tells of the line: 0 where nobody answered."""
        return self.known.is_known / (self._rest_variance + self.known.own_noise)

    @cached_property
    def _responses(self) -> Floats:
        return self.known.is_known * (self.known.estimates - self.line.offsets)

    @cached_property
    def _reaches(self) -> list[Floats]:
        """How an estimate moves with the difference of each kind of factor."""
        shared = [np.ones_like(self.line.slopes)] if self.known.shared else []
        return [self.line.slopes, *shared]

    @cached_property
    def _pull(self) -> Floats:
        weighed = self._information * self._responses
        return np.concatenate([(weighed * reach).sum(axis=1) for reach in self._reaches])

    @cached_property
    def _precision(self) -> Any:
        """The Cholesky factor of the factors' precision (factors, factors)."""
        rows = [
            [laplacian(self._information * a * b) for b in self._reaches] for a in self._reaches
        ]
        prior = [self.score_spread**-2, 1 / self.known.shared if self.known.shared else 0.0]
        diagonal = np.repeat(prior[: len(rows)], len(self.known.margins))
        return cho_factor(np.block(rows) + np.diag(diagonal))

    @cached_property
    def _factors(self) -> Floats:
        """The factors' posterior mean, before scores."""
        factors: Floats = cho_solve(self._precision, self._pull)
        return factors

    @cached_property
    def _factor_covariance(self) -> Floats:
        covariance: Floats = cho_solve(self._precision, np.eye(len(self._factors)))
        return covariance

    @cached_property
    def _kept(self) -> Floats:
        """The share of a residual that is no noise."""
        return self._rest_variance * self._information

    @cached_property
    def _rest_left(self) -> Floats:
        rest = self._rest_variance * (1 - self._kept)
        np.fill_diagonal(rest, 0.0)
        return rest

    @cached_property
    def _loads(self) -> list[Floats]:
        """How a margin moves with the difference of each kind of factor, given its estimate."""
        shared = [-self._kept] if self.known.shared else []
        return [(1 - self._kept) * self.line.slopes, *shared]

    @cached_property
    def _score_loads(self) -> Floats:
        """How scores move with the factors (items, factors)."""
        return np.hstack([laplacian(load) for load in self._loads])

    @cached_property
    def _margins(self) -> Floats:
        kept, parts = self._kept, self._factors.reshape(len(self._loads), -1)
        margins = (1 - kept) * self.line.offsets + kept * self.known.estimates
        for load, part in zip(self._loads, parts, strict=True):
            margins = margins + load * (part[:, None] - part)
        return margins

    @cached_property
    def _score_covariance(self) -> Floats:
        by_factors = self._score_loads @ self._factor_covariance @ self._score_loads.T
        covariance: Floats = by_factors + laplacian(self._rest_left)
        return covariance

    @property
    def _variances(self) -> Floats:
        n, covariance = len(self.known.margins), self._factor_covariance
        variances = self._rest_left.copy()
        for nth, one in enumerate(self._loads):
            for mth, other in enumerate(self._loads):
                part = covariance[nth * n : (nth + 1) * n, mth * n : (mth + 1) * n]
                variances += one * other * contrasts(part)
        return np.maximum(variances, 0.0)

    @property
    def _covariance_with_scores(self) -> Floats:
        """The covariances of margins with scores (items, items, items)."""
        n = len(self.known.margins)
        by_factors = (self._factor_covariance @ self._score_loads.T).reshape(-1, n, n)
        rest = np.eye(n)
        reach = self._rest_left[:, :, None] * (rest[:, None] - rest)
        for load, part in zip(self._loads, by_factors, strict=True):
            reach += load[:, :, None] * (part[:, None] - part)
        return reach

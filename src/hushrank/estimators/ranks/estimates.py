"""Rank shares and precedences of a population, each with its standard error.

Theory: docs/theory/max-entropy.md.
"""

from dataclasses import dataclass, replace

import numpy as np

from hushrank.arrays import Floats
from hushrank.estimators.ranks.fit import RankFit


@dataclass(frozen=True, eq=False, repr=False)
class RankEstimates:
    """What the reports say of a population that follows the family, as a normal distribution.

    at (items, ranks) = P(rank of a = r); precedences (items, items) = P(a before b), 1/2 on the
    diagonal; scores (items,) = sums of an item's margins, 2 P - 1, over the others.
    Standard errors of at and precedences, in shares; the covariance (items, items) of scores.
    """

    at: Floats
    at_errors: Floats
    precedences: Floats
    precedence_errors: Floats
    scores: Floats
    score_covariance: Floats

    @classmethod
    def of(cls, fit: RankFit) -> "RankEstimates":
        """Take the wider of the two fits."""
        point = fit.wide.point
        return cls.linear(point.features.n_items, point.statistics, point.changes, fit.covariance)

    @classmethod
    def linear(
        cls, n_items: int, statistics: Floats, changes: Floats, covariance: Floats
    ) -> "RankEstimates":
        """Take statistics (statistics,) as linear in normal parameters.

        changes (parameters, statistics) = their derivatives; covariance (parameters, parameters).
        """
        at, precedences = _ranks_and_precedences(statistics[None], n_items)
        at_changes, precedence_changes = _ranks_and_precedences(changes, n_items)
        score_changes = 2 * precedence_changes.sum(axis=2)
        np.fill_diagonal(precedences[0], 0.5)
        return cls(
            at[0],
            _errors(at_changes, covariance),
            precedences[0],
            _errors(precedence_changes, covariance),
            (2 * precedences[0] - 1).sum(axis=1),
            score_changes.T @ covariance @ score_changes,
        )

    def widened(self, factor: float) -> "RankEstimates":
        """Return the same estimates, all standard errors multiplied by a factor."""
        return replace(
            self,
            at_errors=factor * self.at_errors,
            precedence_errors=factor * self.precedence_errors,
            score_covariance=factor**2 * self.score_covariance,
        )

    @property
    def margins(self) -> Floats:
        """By how large a share more people put a before b than b before a: (items, items)."""
        return 2 * self.precedences - 1


def _ranks_and_precedences(rows: Floats, n_items: int) -> tuple[Floats, Floats]:
    """Return at (rows, items, ranks) and the sums of preceded over ranks (rows, items, items)."""
    at, preceded = rows[:, : n_items**2], rows[:, n_items**2 :]
    by_pair = preceded.reshape(-1, n_items, n_items, n_items).sum(axis=3)
    return at.reshape(-1, n_items, n_items), by_pair.transpose(0, 2, 1).copy()


def _errors(changes: Floats, covariance: Floats) -> Floats:
    """Return the standard errors (...) of what has derivatives `changes` (features, ...)."""
    flat = changes.reshape(len(changes), -1)
    variances = (flat * (covariance @ flat)).sum(axis=0)
    errors: Floats = np.sqrt(np.maximum(variances, 0.0)).reshape(changes.shape[1:])
    return errors

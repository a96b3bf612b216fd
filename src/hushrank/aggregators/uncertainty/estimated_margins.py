"""What noisy reports estimate: margins, and scores besides, with the noise of both."""

from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from hushrank.arrays import Floats

LEAST_OWN_NOISE = 0.05
"""The part of a variance that is at least no shared noise: shared noise is known near uniform."""


@dataclass(frozen=True, eq=False, repr=False)
class EstimatedScores:
    """Estimated sums (items,) of each item's margins over the others, and the noise's covariance.

    The covariance (items, items) is singular: sums of all margins are 0.
    """

    values: Floats
    covariance: Floats


@dataclass(frozen=True, eq=False, repr=False)
class EstimatedMargins:
    """Estimated margins (items, items), in shares of people, with their variances.

        estimate[a, b] = margin[a, b] + u[a] - u[b] + v[a, b]

    Variance inf: nobody answered. u (items,) has the variance `shared`: what reports on more than
    two items add to all their pairs at once. The variances include it twice. scores: estimated
    besides, from reports of other people. n_people: whose margins they are; inf where that is not
    known.
    """

    margins: Floats
    variances: Floats
    shared: float = 0.0
    scores: EstimatedScores | None = None
    n_people: float = np.inf

    @cached_property
    def is_known(self) -> Floats:
        """1 where somebody answered, else 0; 0 on the diagonal."""
        known = np.isfinite(self.variances).astype(np.float64)
        np.fill_diagonal(known, 0.0)
        return known

    @property
    def by_chance(self) -> float:
        """The standard deviation of scores of people who prefer nothing.

        A margin of n of them has the variance 1 / n, and the covariance 1 / (3 n) with another of
        one of its items: two scores and a rest, of 1 / (3 n) each.
        """
        return 1 / sqrt(3 * self.n_people)

    @cached_property
    def estimates(self) -> Floats:
        """The margins, 0 where nobody answered."""
        return np.where(self.is_known > 0, self.margins, 0.0)

    @cached_property
    def own_noise(self) -> Floats:
        """The variances of v; anything where nobody answered."""
        least = LEAST_OWN_NOISE * self._finite if self.shared else 0.0
        return np.maximum(np.maximum(self._finite - 2 * self.shared, least), 1e-12)

    @property
    def _finite(self) -> Floats:
        return np.where(self.is_known > 0, self.variances, 1.0)

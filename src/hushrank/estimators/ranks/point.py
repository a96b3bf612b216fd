"""A maximum-entropy model at given coefficients: its statistics, and how they move.

Theory: docs/theory/max-entropy.md.
"""

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from hushrank.arrays import Floats
from hushrank.estimators.cell_weights import statistics_of
from hushrank.models.max_entropy.rank_features import RankFeatures, rank_features
from hushrank.models.max_entropy.rank_potentials import RankPotentials


@dataclass(frozen=True, eq=False, repr=False)
class RankPoint:
    """The model whose potentials are `features.potentials(coefficients)`, exactly.

    Cost: O(items 2^items) for the statistics, and for each direction in which they are moved.
    """

    features: RankFeatures
    coefficients: Floats

    @cached_property
    def model(self) -> RankPotentials:
        """The distribution over orders."""
        return RankPotentials.from_coefficients(self.features, self.coefficients)

    @cached_property
    def statistics(self) -> Floats:
        """All P(rank), then all P(rank and precedence): (statistics,), see `statistics_of`."""
        return statistics_of(*self.model.marginals)

    def gradient(self, slopes: Floats) -> Floats:
        """Return the derivative by each coefficient of what has `slopes` (statistics,).

        It is the covariance of the features with one function of the order, which takes one pass.
        """
        n = self.features.n_items
        own, before = slopes[: n**2].reshape(n, n), slopes[n**2 :].reshape(n, n, n)
        return self.features.inner(*self.model.covariance_product(own, before))

    @cached_property
    def changes(self) -> Floats:
        """The derivatives of all statistics by each coefficient: (features, statistics)."""
        moved = self.model.covariance_product(self.features.own, self.features.before)
        return np.hstack([each.reshape(len(each), -1) for each in moved])


@cache
def uniform_point(n_items: int) -> RankPoint:
    """Return the model of equally likely orders, with what it has computed before."""
    features = rank_features(n_items)
    return RankPoint(features, np.zeros(len(features.spreads)))

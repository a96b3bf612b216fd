"""A maximum-entropy model of many items at given coefficients, known by draws from it.

Theory: docs/theory/max-entropy.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array

from hushrank.arrays import Floats, Ranks
from hushrank.estimators.cell_weights import statistics_of
from hushrank.estimators.chains.uniform_orders import uniform_statistics
from hushrank.models.max_entropy.rank_features import RankFeatures
from hushrank.models.max_entropy.sampled_potentials import SampledPotentials
from hushrank.models.max_entropy.swap_moves import collect_orders, order_logs
from hushrank.rankings.coding import inverse

UNIFORM_DRAWS = 2.0
"""So many draws of equally likely orders are added, in the mean: nothing is then impossible."""

MODEL_SEED = 2
"""The draws' coins are public, and always the same: a model is a function of its coefficients."""


@dataclass(frozen=True, eq=False, repr=False)
class ChainPoint:
    """The model whose potentials are `features.potentials(coefficients)`, by draws from it.

    orders (draws, items), int64, all of one weight. What `RankPoint` knows exactly is a mean over
    them, and errs by chance.   Cost: O(items^2) a draw.
    """

    features: RankFeatures
    coefficients: Floats
    orders: NDArray[np.int64]

    @cached_property
    def model(self) -> SampledPotentials:
        """The distribution over orders, by new draws of its own."""
        potentials = self.features.potentials(self.coefficients)
        return SampledPotentials.of(*potentials, rng=np.random.default_rng(MODEL_SEED))

    @cached_property
    def statistics(self) -> Floats:
        """All P(rank), then all P(rank and precedence): (statistics,), see `statistics_of`."""
        n_draws = len(self.orders)
        drawn = statistics_of(*collect_orders(self.orders, np.full(n_draws, 1 / n_draws)))
        even = uniform_statistics(self.features.n_items)
        smoothed: Floats = (n_draws * drawn + UNIFORM_DRAWS * even) / (n_draws + UNIFORM_DRAWS)
        return smoothed

    def gradient(self, slopes: Floats) -> Floats:
        """Return the derivative by each coefficient of what has `slopes` (statistics,).

        It is the covariance, over the draws, of the features with one function of the order.
        """
        n = self.features.n_items
        own, before = slopes[: n**2].reshape(n, n), slopes[n**2 :].reshape(n, n, n)
        by_rank = np.ascontiguousarray(before.transpose(2, 0, 1))
        logs = order_logs(self.orders, own, by_rank)
        centred = (logs - logs.mean()) / len(logs)
        return self.features.inner(*collect_orders(self.orders, centred))

    def information(self, weights: csr_array, roots: Floats) -> Floats:
        """Return the information (features, features) of cells with these roots of theirs.

        Chance adds to the squares of derivatives that are means over draws: that is taken off.
        """
        changes = self.changes_of(weights) * roots.astype(np.float32)[:, None]
        shares = weights @ self.statistics
        by_chance = roots**2 @ (shares * (1 - shares)) / len(self.orders)
        found: Floats = (changes.T @ changes).astype(np.float64)
        found -= by_chance * self.feature_covariance
        return found

    @cached_property
    def feature_covariance(self) -> Floats:
        """The covariance (features, features) of the features."""
        covariance: Floats = (self._centred.T @ self._centred / len(self.orders)).astype(np.float64)
        return covariance

    def changes_of(self, weights: csr_array) -> NDArray[np.float32]:
        """Return the derivatives (cells, features) of cells (cells, statistics) by coefficients.

        Cost: O(items^2) a draw and a feature; no array of all statistics by all features is made.
        """
        by_statistic = csc_array(weights)
        changes = np.zeros((weights.shape[0], self.features.spreads.size), dtype=np.float32)
        for columns, moved in self._changes_of_items():
            some = csr_array(by_statistic[:, columns])
            cells = np.flatnonzero(np.diff(some.indptr))
            changes[cells] += some[cells].astype(np.float32) @ moved
        return changes

    def _changes_of_items(self) -> Iterator[tuple[NDArray[np.intp], NDArray[np.float32]]]:
        """Yield, item by item, numbers of statistics and their derivatives (statistics, features).

        Draws in which the item has a rank are taken together: what precedes it is a matrix product.
        """
        n = self.features.n_items
        for item in range(n):
            by_rank = np.argsort(self.ranks[:, item], kind="stable")
            ends = np.searchsorted(self.ranks[by_rank, item], np.arange(n + 1))
            at = np.zeros((n, self.features.spreads.size), dtype=np.float32)
            preceded = np.zeros((n, *at.shape), dtype=np.float32)
            for rank in range(n):
                draws = by_rank[ends[rank] : ends[rank + 1]]
                features = self._centred[draws] / np.float32(len(self.orders))
                at[rank] = features.sum(axis=0)
                preceded[:, rank] = (self.ranks[draws] < rank).T.astype(np.float32) @ features
            columns = item * n + np.arange(n), n**2 + item * n**2 + np.arange(n**2)
            yield np.concatenate(columns), np.concatenate([at, preceded.reshape(n**2, -1)])

    @cached_property
    def ranks(self) -> Ranks:
        """The ranks (draws, items) of the draws."""
        return inverse(self.orders)

    @cached_property
    def _centred(self) -> NDArray[np.float32]:
        values = self.features.values(self.ranks)
        values -= values.mean(axis=0, dtype=np.float64).astype(np.float32)
        return values

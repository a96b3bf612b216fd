"""Equally likely orders of many items: how answers move with the coefficients there, exactly.

Theory: docs/theory/max-entropy.md.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.arrays import Floats
from hushrank.estimators.cell_weights import preceded_at, statistics_of
from hushrank.models.max_entropy.pair_features import cells_of
from hushrank.models.max_entropy.rank_features import RankFeatures


@dataclass(frozen=True, eq=False, repr=False)
class UniformOrders:
    """The model at coefficients 0, as `ChainPoint`, without draws: for `wide_features`.

    What depends on the ranks of two items moves with the coefficients of these two, and with those
    of all others as what must sum to 0: derivatives are `_sparse`, and then `centred`.
    """

    features: RankFeatures

    @property
    def coefficients(self) -> Floats:
        """Zeros (features,)."""
        return np.zeros(self.features.spreads.size)

    @cached_property
    def statistics(self) -> Floats:
        """All P(rank), then all P(rank and precedence): (statistics,), see `statistics_of`."""
        return uniform_statistics(self.features.n_items)

    def gradient(self, slopes: Floats) -> Floats:
        """Return the derivative by each coefficient of what has `slopes` (statistics,)."""
        return self.centred(self._sparse.T @ slopes)

    def information(self, weights: csr_array, roots: Floats) -> Floats:
        """Return the information (features, features) of cells with these roots of theirs."""
        cells = csr_array(weights @ self._sparse).multiply(roots[:, None]).tocsr()
        return self.centred(self.centred((cells.T @ cells).toarray()).T)

    def moments(self, weights: csr_array, squares: Floats) -> tuple[Floats, float]:
        """Return the information of cells, of squared roots, where all items are asked alike.

        It is one matrix (degrees, degrees) and one number: of the features of every item's rank,
        and of every pair, within what can move.
        """
        n, n_degrees = self.features.n_items, len(self.features.polynomials)
        moved = self.centred((weights @ self._sparse).T.toarray())
        own = moved[: n * n_degrees].reshape(n, n_degrees, -1)
        of_degrees = np.einsum("nkc,nlc,c->kl", own, own, squares) / (n - 1)
        of_pairs = (moved[n * n_degrees :] ** 2 @ squares).sum() / (n * (n - 3) / 2)
        return of_degrees, float(of_pairs)

    def centred(self, rows: Floats) -> Floats:
        """Project (features, ...) on what can move: sums over items, and over partners, are 0."""
        n, n_degrees = self.features.n_items, len(self.features.polynomials)
        own = rows[: n * n_degrees].reshape(n, n_degrees, -1)
        own = (own - own.mean(axis=0)).reshape(n * n_degrees, -1)
        pairs = rows[n * n_degrees :].reshape(-1, own.shape[1])
        first, second = self.features.kinds[0].pairs
        by_item = np.zeros((n, own.shape[1]))
        np.add.at(by_item, first, pairs)
        np.add.at(by_item, second, pairs)
        mean = pairs.mean(axis=0)
        by_item = (by_item - (n - 1) * mean) / (n - 2)
        pairs = pairs - mean - by_item[first] - by_item[second]
        return np.concatenate([own, pairs]).reshape(rows.shape)

    @cached_property
    def _sparse(self) -> csr_array:
        """Derivatives (statistics, features), before they are centred."""
        polynomials = self.features.polynomials
        n, n_degrees = self.features.n_items, len(polynomials)
        ranks = np.arange(n)
        kind = self.features.kinds[0]
        items, others = np.nonzero(~np.eye(n, dtype=np.bool_))
        of_item, of_other = _known_of_two(polynomials)
        of_pair = np.tril(cells_of(kind.parts)).sum(axis=1) / (n - 3)
        preceded = preceded_at(items[:, None], others[:, None], ranks, n)
        at = ranks[:, None] * n + ranks
        entries = (
            _entries(at[:, :, None], _own(ranks, n_degrees), polynomials.T * n / (n - 1)),
            _entries(preceded[:, :, None], _own(items, n_degrees), of_item.T),
            _entries(preceded[:, :, None], _own(others, n_degrees), of_other.T),
            _entries(preceded, n * n_degrees + kind.numbers[items, others][:, None], of_pair),
        )
        rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
        shape = (n**2 + n**3, self.features.spreads.size)
        return csr_array((values / n, (rows, columns)), shape=shape)


def _known_of_two(polynomials: Floats) -> tuple[Floats, Floats]:
    """Return d E[B_k; other before item | rank of item] of item and other: (degrees, ranks).

    Each less what every third item has on average, so that `centred` gives all three.
    """
    n = polynomials.shape[1]
    before = np.hstack([np.zeros((len(polynomials), 1)), polynomials.cumsum(axis=1)[:, :-1]])
    of_item, of_other = polynomials * np.arange(n) / (n - 1), before / (n - 1)
    of_third = -(of_item + of_other) / (n - 2)
    return of_item - of_third, of_other - of_third


def _own(items: NDArray[np.intp], n_degrees: int) -> NDArray[np.intp]:
    """Return the numbers of the features of items' ranks: (items, 1, degrees)."""
    return items[:, None, None] * n_degrees + np.arange(n_degrees)


def _entries(
    rows: NDArray[np.intp], columns: NDArray[np.intp], values: Floats
) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats]:
    """Return entries of a sparse matrix, from arrays that are stretched to one shape."""
    row, column, value = np.broadcast_arrays(rows, columns, values)
    return row.ravel(), column.ravel(), value.ravel()


def uniform_statistics(n_items: int) -> Floats:
    """Return the statistics of equally likely orders, see `statistics_of`."""
    at = np.full((n_items, n_items), 1 / n_items)
    preceded = np.tile(np.arange(n_items) / (n_items * max(n_items - 1, 1)), (n_items, n_items, 1))
    preceded[np.arange(n_items), np.arange(n_items)] = 0.0
    return statistics_of(at, preceded)

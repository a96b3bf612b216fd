"""Statistics of an order that a maximum-entropy model fits: ranks, precedences, their products.

Theory: docs/theory/max-entropy.md.
"""

from dataclasses import dataclass, replace
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import block_diag, cholesky, solve_triangular

from hushrank.arrays import Floats, Ranks
from hushrank.errors import require
from hushrank.models.max_entropy.pair_features import PairKind, cells_of, projected, swapped

FIRST_ORDER_SPREADS = (1.0, 0.6)
HIGHER_SPREAD = 0.39
PRECEDENCE_SPREAD = 0.12
INTERACTION_SPREADS = (0.25, 0.06)
"""How widely the coefficients of each kind vary from population to population, to a common scale.

From theory and simulation, not from any input: ranks matter most, in low degrees.
"""
SAME_PARITY = 0.5
"""Prior correlation of degrees k and k + 2 of one item's rank; of k and k + 2 j its j-th power."""
MIRRORED = (0.7, 0.4)
"""Prior correlations of the interactions of (a, b) with those of (b, a), by degree.

Public constants. The evidence of public rankings, each data set judged by the others, is for .65 to
.75, .98 and .8 (`benchmarks/prior_constants.py`): most of what two items have to do with each other
is how far apart they are, whichever is called the first. These are nearer to independence: as good
there, and better where many people hold one exact order, which no smooth family follows.
"""

WIDE_DEGREES = 6
"""Of the ranks of many items: what is smoother than that is left to the prior's zero."""


@dataclass(frozen=True, eq=False, repr=False)
class RankFeatures:
    """Features of orders: polynomials of each item's rank, and functions of the ranks of two items.

    Numbered by item and degree, then kind by kind, by pair. spreads (features,): prior standard
    deviations of the coefficients, to a common scale; see `prior_root`. Under equally likely orders
    every feature has mean 0 and variance 1, and those of later kinds are uncorrelated with those of
    earlier ones.
    """

    polynomials: Floats
    kinds: tuple[PairKind, ...]
    same_parity: float = SAME_PARITY

    @property
    def n_items(self) -> int:
        """How many items there are."""
        n_items: int = self.polynomials.shape[1]
        return n_items

    @cached_property
    def spreads(self) -> Floats:
        """Prior standard deviations (features,), to a common scale."""
        by_degree = HIGHER_SPREAD / np.arange(1, len(self.polynomials) + 1)
        n_low = min(len(FIRST_ORDER_SPREADS), len(by_degree))
        by_degree[:n_low] = FIRST_ORDER_SPREADS[:n_low]
        of_pairs = [np.full(len(kind.pairs[0]), kind.spread) for kind in self.kinds]
        return np.concatenate([np.tile(by_degree, self.n_items), *of_pairs])

    @cached_property
    def prior_root(self) -> Floats:
        """Lower triangle A (features, features) with A A^T = prior covariance at scale 1."""
        own: Floats = cholesky(self._of_one_item, lower=True)
        blocks = [own] * self.n_items
        blocks += [cholesky(kind.prior_covariance(), lower=True) for kind in self.kinds]
        spreads = self.spreads[: self.polynomials.size, None]
        root: Floats = block_diag(*blocks)
        root[: self.polynomials.size] *= spreads
        return root

    @property
    def _of_one_item(self) -> Floats:
        """The prior correlations (degrees, degrees) of one item's coefficients."""
        degrees = np.arange(1, len(self.polynomials) + 1)
        apart = np.abs(degrees[:, None] - degrees)
        correlations: Floats = np.where(apart % 2 == 0, self.same_parity ** (apart / 2), 0.0)
        return correlations

    @cached_property
    def prior_precision(self) -> Floats:
        """Inverse of the prior covariance at scale 1 (features, features)."""
        inverse = solve_triangular(self.prior_root, np.eye(len(self.spreads)), lower=True)
        precision: Floats = inverse.T @ inverse
        return precision

    def potentials(self, coefficients: Floats) -> tuple[Floats, Floats]:
        """Return the potentials own (items, ranks) and before (items, items, ranks).

        own[a, r] counts where item a has the rank r; before[a, b, r] where b precedes it, too.
        """
        n, shape = self.n_items, self.spreads.shape
        require(coefficients.shape == shape, f"expected coefficients of shape {shape}")
        first, *of_kinds = np.split(coefficients, self._starts)
        own, before = first.reshape(n, -1) @ self.polynomials, np.zeros((n, n, n))
        for kind, of_pairs in zip(self.kinds, of_kinds, strict=True):
            kind.add_potentials(of_pairs, own, before)
        return own, before

    def inner(self, own: Floats, before: Floats) -> Floats:
        """Return each feature's sum over given weights of the potentials: (..., features).

        own (..., items, ranks), before (..., items, items, ranks). The transpose of `potentials`.
        """
        first = (own @ self.polynomials.T).reshape(*own.shape[:-2], -1)
        return np.concatenate([first, *(kind.inner(own, before) for kind in self.kinds)], axis=-1)

    def values(self, ranks: Ranks) -> NDArray[np.float32]:
        """Return the features (people, features) of ranks (people, items)."""
        polynomials = self.polynomials.T.astype(np.float32)
        of_items = polynomials[ranks].reshape(len(ranks), self.polynomials.size)
        return np.hstack([of_items, *(kind.values(ranks) for kind in self.kinds)])

    @property
    def own(self) -> Floats:
        """The own potentials of each feature alone: (features, items, ranks)."""
        return self._alone[0]

    @property
    def before(self) -> Floats:
        """The other potentials of each feature alone: (features, items, items, ranks); large."""
        return self._alone[1]

    @cached_property
    def _alone(self) -> tuple[Floats, Floats]:
        n, n_features = self.n_items, len(self.spreads)
        own, before = np.empty((n_features, n, n)), np.empty((n_features, n, n, n))
        for number, only in enumerate(np.eye(n_features)):
            own[number], before[number] = self.potentials(only)
        return own, before

    @cached_property
    def _starts(self) -> NDArray[np.intp]:
        sizes = [self.polynomials.size, *(len(kind.pairs[0]) for kind in self.kinds)]
        starts: NDArray[np.intp] = np.cumsum(sizes)[:-1]
        return starts


def rank_polynomials(n_items: int) -> Floats:
    """Return the discrete Chebyshev polynomials (degree, rank) of degree 1..d-1, mean square 1.

        (r + 1) (d - 1 - r) (p(r + 1) - p(r)) = r (d - r) (p(r) - p(r - 1)) - k (k + 1) p(r)

    This difference equation of the polynomial p of degree k runs from either end to the middle,
    the way in which its solution grows: no rounding error is magnified, and every polynomial is
    positive at the last rank by construction. Its other half follows by symmetry.
    Source: Nikiforov, Suslov, Uvarov (1991), Classical Orthogonal Polynomials of a Discrete
    Variable, chapter 2.
    """
    degrees = np.arange(1, n_items)
    is_odd = degrees % 2 == 1
    last_half = np.ones((n_items - 1, n_items - n_items // 2))  # from the last rank downwards
    flow = np.zeros(n_items - 1)
    for r in range(1, last_half.shape[1]):
        flow -= degrees * (degrees + 1) * last_half[:, r - 1]
        last_half[:, r] = last_half[:, r - 1] + flow / (r * (n_items - r))
    if n_items % 2:
        last_half[is_odd, -1] = 0.0  # the middle rank
    first_half = np.where(is_odd[:, None], -last_half, last_half)[:, : n_items // 2]
    polynomials = np.hstack([first_half, last_half[:, ::-1]])
    scaled: Floats = polynomials / np.sqrt((polynomials**2).mean(axis=1, keepdims=True))
    return scaled


@cache
def rank_features(n_items: int) -> RankFeatures:
    """Return first-order, precedence and interaction features of `n_items` items.

        B_k(rank a);   [a before b] - [b before a], a < b;   B_k(rank a) [b before a], k = 1, 2

    Of each kind its regression, under equally likely orders, on all kinds before it is taken off,
    and what is left is scaled to variance 1; a kind of which nothing is left is dropped. The
    regression of a function of two items' ranks is a function of the same two ranks: what other
    items add is a sum over all items, which depends on those ranks alone. So it is found among
    functions of one pair.
    """
    require(n_items >= 1, f"expected at least 1 item, got {n_items}")
    polynomials, nothing = rank_polynomials(n_items), np.zeros(n_items)
    earlier = [np.stack([row, nothing, nothing, nothing]) for row in polynomials]
    earlier += [swapped(each) for each in earlier]
    kinds = []
    for raw in _raw_kinds(polynomials):
        left = projected(raw.parts, earlier)
        if left is not None:
            kinds.append(replace(raw, parts=left))
            earlier += [left, swapped(left)]
    return RankFeatures(polynomials, tuple(kinds))


@cache
def wide_features(n_items: int) -> RankFeatures:
    """Return few features, for more items than sums by sets allow: ranks, and how far apart.

        B_k(rank a), k = 1..6;   g(a, b) = |rank a - rank b|, a < b, as `rank_features` leaves it

    g is the half of the interactions of degree 1 that is the same for (a, b) and (b, a):
    B_1(rank a) [b before a] + B_1(rank b) [a before b] is linear in max(rank a, rank b), which is
    (rank a + rank b + |rank a - rank b|) / 2. Its spread is what it has in `rank_features`.
    """
    whole = rank_features(n_items)
    require(len(whole.kinds) > 1, f"expected at least 3 items, got {n_items}")
    mirrored = whole.kinds[1]
    both = mirrored.parts + swapped(mirrored.parts)
    scale = np.sqrt(np.square(cells_of(both)).sum() / (n_items * (n_items - 1)))
    spread = scale * mirrored.spread * np.sqrt((1 + mirrored.mirrored) / 2)
    apart = PairKind(both / scale, float(spread), False)
    return RankFeatures(whole.polynomials[:WIDE_DEGREES], (apart,))


def _raw_kinds(polynomials: Floats) -> list[PairKind]:
    """Return what pairs of items add to ranks, before anything is taken off."""
    nothing, ones = np.zeros(polynomials.shape[1]), np.ones(polynomials.shape[1])
    kinds = [PairKind(np.stack([nothing, nothing, -ones, ones]), PRECEDENCE_SPREAD, False)]
    for row, spread, mirrored in zip(polynomials, INTERACTION_SPREADS, MIRRORED, strict=False):
        parts = np.stack([nothing, nothing, row, nothing])
        kinds.append(PairKind(parts, spread, True, mirrored))
    return kinds

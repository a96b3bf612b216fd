"""Records of users as points: how records are compared when users are clustered."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.arrays import Floats
from hushrank.errors import require

Points: TypeAlias = Any
"""(users, dimensions), an array or a csr_array: no type covers what both can do."""

Labels: TypeAlias = NDArray[np.integer[Any]]
"""(users,) or (points,): which cluster each is in, 0, 1, .."""

MOST_LEARNT_FROM = 10_000
"""Users that the directions are learnt from: more of them hardly turn these."""
N_SPARE, N_ROUNDS = 10, 3
"""Further directions, and rounds, with which random ones settle on the first components."""
ROWS_AT_ONCE = 2**13


@dataclass(frozen=True, eq=False, repr=False)
class RecordSpace:
    """Points are log(1 + score) times basis (items, dimensions), or without it the scores."""

    basis: Floats | None = None

    def points(self, scores: csr_array) -> Points:
        """Return the points (users, dimensions) of scores (users, items)."""
        if self.basis is None:
            return scores.astype(np.float64)
        return _damped(scores) @ self.basis


def component_space(
    scores: csr_array, n_components: int, *, rng: np.random.Generator
) -> RecordSpace:
    """Return the space of the first right singular vectors of log(1 + scores) (users, items).

    Approximate, by randomised subspace iteration, from at most 10,000 users drawn at random.
    Source: Halko, Martinsson, Tropp (SIAM Review 2011), Alg. 4.4.
    """
    some = learnt_from(scores.shape[0], rng=rng)
    n_kept = min(n_components, *scores.shape)
    return space_of_sample(scores[some], n_kept, rng=rng)


def learnt_from(n_users: int, *, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return the users, by number, that a space is learnt from: all, or 10,000 at random."""
    if n_users <= MOST_LEARNT_FROM:
        return np.arange(n_users)
    return np.sort(rng.choice(n_users, MOST_LEARNT_FROM, replace=False))


def space_of_sample(scores: csr_array, n_kept: int, *, rng: np.random.Generator) -> RecordSpace:
    """Return the space of so many directions that `component_space` learns from these users."""
    require(n_kept >= 1, f"expected 1 or more components, got {n_kept}")
    sample = _damped(scores)
    n_items = scores.shape[1]
    axes = rng.standard_normal((n_items, min(n_kept + N_SPARE, n_items)))
    for _ in range(N_ROUNDS):
        axes, _ = np.linalg.qr(sample.T @ (sample @ axes))
    rotation = np.linalg.svd(sample @ axes, full_matrices=False)[2]
    return RecordSpace(axes @ rotation[:n_kept].T)


def distinct(points: Points) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the first user of each point (points,), and which point each user has (users,)."""
    numbers: dict[Any, int] = {}
    of_users = [numbers.setdefault(key, len(numbers)) for key in _keys(points)]
    which = np.array(of_users, dtype=np.intp)
    return np.unique(which, return_index=True)[1], which


def nearest_centres(points: Points, centres: Floats) -> NDArray[np.intp]:
    """Return the number (users,) of the nearest of centres (centres, dimensions), by Euclid."""
    halves = (centres**2).sum(axis=1) / 2
    starts = range(0, points.shape[0], ROWS_AT_ONCE)
    blocks = (points[start : start + ROWS_AT_ONCE] @ centres.T for start in starts)
    return np.concatenate([(block - halves).argmax(axis=1) for block in blocks])


def _damped(scores: csr_array) -> csr_array:
    """Return log(1 + scores): a hundred visits are not a hundred times one."""
    logarithms = np.log1p(scores.data.astype(np.float64))
    return csr_array((logarithms, scores.indices, scores.indptr), shape=scores.shape)


def _keys(points: Points) -> list[Any]:
    """Return what is equal for users of equal points, and only for them."""
    if isinstance(points, np.ndarray):
        return [row.tobytes() for row in points + 0.0]  # -0.0 is 0.0
    rows, items, data = pairwise(points.indptr.tolist()), points.indices, points.data
    return [(items[start:end].tobytes(), data[start:end].tobytes()) for start, end in rows]

"""Records of users as points: how records are compared when users are clustered."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.arrays import Floats, Words
from hushrank.errors import require
from hushrank.kernels import kernel

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
    if isinstance(points, np.ndarray):
        which = _numbered(np.ascontiguousarray(points, dtype=np.float64))
    else:
        numbers: dict[Any, int] = {}
        of_users = [numbers.setdefault(key, len(numbers)) for key in _keys(points)]
        which = np.array(of_users, dtype=np.intp)
    before = np.maximum.accumulate(np.concatenate([[-1], which[:-1]]))
    return np.flatnonzero(which > before), which


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
    rows, items, data = pairwise(points.indptr.tolist()), points.indices, points.data
    return [(items[start:end].tobytes(), data[start:end].tobytes()) for start, end in rows]


@kernel
def _numbered(points: Floats) -> NDArray[np.intp]:
    """Number the rows (users,): equal ones alike, in the order in which they come first.

    A table of at least twice as many places as rows holds the first row of each kind.
    """
    n_rows, n_places = len(points), 16
    while n_places < 2 * n_rows:
        n_places *= 2
    last, bits = np.uint64(n_places - 1), points.view(np.uint64)
    first_at = np.full(n_places, -1, dtype=np.intp)
    numbers, n_known = np.empty(n_rows, dtype=np.intp), 0
    for row in range(n_rows):
        place = _hash(points, bits, row) & last
        while first_at[place] >= 0 and not _are_equal(points, row, first_at[place]):
            place = (place + np.uint64(1)) & last
        if first_at[place] < 0:
            first_at[place], numbers[row] = row, n_known
            n_known += 1
        else:
            numbers[row] = numbers[first_at[place]]
    return numbers


@kernel
def _hash(points: Floats, bits: Words, row: int) -> np.uint64:
    """Return a hash of a row, in which -0.0 is 0.0."""
    mixed = np.uint64(0)
    for column in range(points.shape[1]):
        if points[row, column] != 0:
            mixed ^= bits[row, column]
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed


@kernel
def _are_equal(points: Floats, one: int, other: int) -> bool:
    column = 0
    while column < points.shape[1] and points[one, column] == points[other, column]:
        column += 1
    return bool(column == points.shape[1])

"""Functions of the ranks of two items, and of which is first: one form for every pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Floats, Ranks

LEAST_SINGULAR = 1e-7
LEAST_VARIANCE = 1e-9
"""What is left of a function beside earlier ones below this is rounding: it is dropped."""


@dataclass(frozen=True, eq=False, repr=False)
class PairKind:
    """One function of each pair (a, b): ordered pairs, or those with a < b.

        f = parts[0, rank a] + parts[1, rank b] + [b before a] parts[2, rank a]
            + [a before b] parts[3, rank b]

    parts (4, ranks). spread: prior standard deviation of the coefficients; mirrored: their prior
    correlation with those of the pair the other way round, if pairs are ordered.
    """

    parts: Floats
    spread: float
    is_ordered: bool
    mirrored: float = 0.0

    @cached_property
    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The items a and the items b (pairs,), in lexicographic order."""
        is_other = ~np.eye(self.parts.shape[1], dtype=np.bool_)
        first, second = np.nonzero(is_other if self.is_ordered else np.triu(is_other))
        return first, second

    @cached_property
    def mirror_images(self) -> NDArray[np.intp]:
        """The number of each pair's mirror image (pairs,): of ordered pairs only."""
        first, second = self.pairs
        images: NDArray[np.intp] = self.numbers[second, first]
        return images

    @cached_property
    def numbers(self) -> NDArray[np.intp]:
        """The number of each pair (items, items), in either order unless pairs are ordered."""
        first, second = self.pairs
        numbers = np.zeros((self.parts.shape[1],) * 2, dtype=np.intp)
        if not self.is_ordered:
            numbers[second, first] = np.arange(len(first))
        numbers[first, second] = np.arange(len(first))
        return numbers

    def prior_covariance(self) -> Floats:
        """Return the prior covariance (pairs, pairs) of the coefficients, to a common scale."""
        covariance = self.spread**2 * np.eye(len(self.pairs[0]))
        if self.is_ordered:
            covariance[np.arange(len(covariance)), self.mirror_images] = (
                self.spread**2 * self.mirrored
            )
        return covariance

    def add_potentials(self, coefficients: Floats, own: Floats, before: Floats) -> None:
        """Add coefficients (pairs,) times the functions to the potentials own and before."""
        by_items = np.zeros(own.shape)
        by_items[self.pairs] = coefficients
        of_first, of_second, first_later, second_later = self.parts
        own += np.outer(by_items.sum(axis=1), of_first) + np.outer(by_items.sum(axis=0), of_second)
        before += by_items[:, :, None] * first_later + by_items.T[:, :, None] * second_later

    def inner(self, own: Floats, before: Floats) -> Floats:
        """Return each function's sum over weights of the potentials (..., pairs): the transpose."""
        of_first, of_second, first_later, second_later = self.parts
        first, second = self.pairs
        by_ranks: Floats = (own @ of_first)[..., first] + (own @ of_second)[..., second]
        by_ranks += (before @ first_later)[..., first, second]
        by_ranks += (before @ second_later)[..., second, first]
        return by_ranks

    def values(self, ranks: Ranks) -> NDArray[np.float32]:
        """Return the function of each pair (people, pairs) of ranks (people, items)."""
        table = cells_of(self.parts).astype(np.float32)
        first, second = self.pairs
        values: NDArray[np.float32] = table[ranks[:, first], ranks[:, second]]
        return values


def cells_of(parts: Floats) -> Floats:
    """Return the function (ranks, ranks) of each rank of a and rank of b; 0 where they are one."""
    of_first, of_second, first_later, second_later = parts
    ranks = np.arange(parts.shape[1])
    is_later = ranks[:, None] > ranks
    values: Floats = of_first[:, None] + of_second
    values += np.where(is_later, first_later[:, None], 0.0)
    values += np.where(is_later.T, second_later, 0.0)
    np.fill_diagonal(values, 0.0)
    return values


def swapped(parts: Floats) -> Floats:
    """Return the parts (4, ranks) of the same function of the pair the other way round."""
    return parts[[1, 0, 3, 2]]


def projected(parts: Floats, earlier: Sequence[Floats]) -> Floats | None:
    """Take off the mean and the regression on earlier functions, and scale to variance 1.

    Everything by parts (4, ranks), under equally likely orders; None where nothing is left.
    """
    n_ranks = parts.shape[1]
    constant = np.zeros(parts.shape)
    constant[0] = 1
    basis = np.stack([constant, *earlier]).reshape(-1, 4 * n_ranks)
    values_of = _cells(n_ranks)
    slopes = np.linalg.lstsq(values_of @ basis.T, values_of @ parts.ravel(), LEAST_SINGULAR)[0]
    left = parts.ravel() - slopes @ basis
    variance = np.mean((values_of @ left) ** 2) if n_ranks > 1 else 0.0
    return (left / np.sqrt(variance)).reshape(4, -1) if variance > LEAST_VARIANCE else None


def _cells(n_ranks: int) -> Floats:
    """Return which entries of the parts each pair of distinct ranks adds: (cells, 4 ranks)."""
    first, second = np.nonzero(~np.eye(n_ranks, dtype=np.bool_))
    of_first, of_second = np.eye(n_ranks)[first], np.eye(n_ranks)[second]
    is_later = (second < first)[:, None]
    return np.hstack([of_first, of_second, of_first * is_later, of_second * ~is_later])

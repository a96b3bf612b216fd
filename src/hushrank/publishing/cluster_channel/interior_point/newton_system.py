"""The linear system of one interior-point step, and how its structure is used.

A column ĝ of the channel meets the others only through the sums of the rows and the budget. Within
a column, flows answer to changes of the levels by a diagonal matrix less a product of values - 1
columns (Woodbury's identity), so that one matrix (sources, sources) remains to be factored.
Theory: docs/theory/cluster-channel.md
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.linalg import LinAlgError
from scipy.linalg.lapack import dpotrf, dpotrs

from hushrank.arrays import Floats, Integers
from hushrank.kernels import kernel
from hushrank.publishing.cluster_channel.arcs import Arcs

RIDGE = 1e-14


def contrasts(n_values: int) -> Floats:
    """Return orthonormal columns (values, values - 1) that sum to 0 (Helmert's)."""
    columns = np.triu(np.ones((n_values, n_values - 1)))
    counts = np.arange(1, n_values)
    columns[counts, counts - 1] = -counts
    return np.asarray(columns / np.sqrt(counts * (counts + 1)))


class ColumnBlocks(NamedTuple):
    """The columns as the kernel takes them, with the arcs' starts and sources beside."""

    weights: Floats
    features: Floats
    starts: Integers
    sources: Integers
    hessians: Floats


@dataclass(frozen=True, eq=False, repr=False)
class NewtonSystem:
    """How flows answer to levels and price: factored once, solved for several right-hand sides.

    weights (arcs,) are flow / reduced cost, features (arcs, c) the posterior less the column's
    direction, as contrasts. factors (arcs, c) and inverses (groups, c, c) come of the Cholesky
    factors of the columns, schur (sources, sources) is that of the rows.
    """

    arcs: Arcs
    weights: Floats
    features: Floats
    factors: Floats
    inverses: Floats
    schur: Floats

    @classmethod
    def of(cls, arcs: Arcs, weights: Floats, features: Floats, hessians: Floats) -> "NewtonSystem":
        """Factor the columns, then what is left of them for the rows."""
        schur = np.zeros((arcs.n_sources, arcs.n_sources))
        columns = ColumnBlocks(weights, features, arcs.starts, arcs.sources, hessians)
        factors, inverses = _factored(columns, schur)
        diagonal = np.diag_indices(arcs.n_sources)
        schur[diagonal] = (schur[diagonal] + arcs.by_source(weights)) * (1 + RIDGE)
        factored, failed = dpotrf(schur.T, lower=0, overwrite_a=1)
        if failed:
            raise LinAlgError("the matrix of the rows is singular")
        return cls(arcs, weights, features, factors, inverses, factored)

    def flows(self, changes: Floats) -> Floats:
        """Return the flows' answer (arcs,) to changes (arcs,) of the reduced costs' right side."""
        sums = self.arcs.by_target(changes[:, None] * self.factors)
        return self.weights * changes - self.on_arcs(sums)

    def on_arcs(self, columns: Floats) -> Floats:
        """Return factors times columns (groups, c): (arcs,)."""
        return np.asarray(np.einsum("ac,ac->a", self.factors, columns[self.arcs.targets]))

    def whitened(self, columns: Floats) -> Floats:
        """Return the inverse factor of each column times columns (groups, c)."""
        return np.asarray(np.einsum("gcd,gd->gc", self.inverses, columns))

    def unwhitened(self, columns: Floats) -> Floats:
        """Return the transposed inverse factor of each column times columns (groups, c)."""
        return np.asarray(np.einsum("gcd,gc->gd", self.inverses, columns))

    def levels(self, right_side: Floats) -> Floats:
        """Solve the matrix of the rows for right_side (sources,)."""
        return np.asarray(dpotrs(self.schur, right_side, lower=0)[0])


@kernel
def _factored(columns: ColumnBlocks, schur: Floats) -> tuple[Floats, Floats]:
    """Return factors and inverses, and subtract the columns from the lower half of schur."""
    weights, features, starts, sources, hessians = columns
    factors, inverses = np.empty_like(features), np.empty_like(hessians)
    for column in range(len(starts) - 1):
        first, last = starts[column], starts[column + 1]
        block = hessians[column].copy()
        _add_outer_products(block, weights[first:last], features[first:last])
        inverse = _inverse_lower(np.linalg.cholesky(block))
        inverses[column] = inverse
        for arc in range(first, last):
            _apply_lower(inverse, weights[arc], features[arc], factors[arc])
        _subtract(schur, factors[first:last], sources[first:last])
    return factors, inverses


@kernel
def _add_outer_products(block: Floats, weights: Floats, features: Floats) -> None:
    """Add the sum of weights x x^T to block, where x = the rows of features."""
    for arc in range(len(weights)):
        for a in range(len(block)):
            scaled = weights[arc] * features[arc, a]
            for b in range(len(block)):
                block[a, b] += scaled * features[arc, b]


@kernel
def _inverse_lower(lower: Floats) -> Floats:
    """Invert a lower triangular matrix."""
    inverse = np.zeros_like(lower)
    for a in range(len(lower)):
        inverse[a, a] = 1 / lower[a, a]
        for b in range(a):
            total = 0.0
            for c in range(b, a):
                total += lower[a, c] * inverse[c, b]
            inverse[a, b] = -total / lower[a, a]
    return inverse


@kernel
def _apply_lower(lower: Floats, weight: float, feature: Floats, factor: Floats) -> None:
    """Set factor to weight times lower times feature."""
    for a in range(len(lower)):
        total = 0.0
        for b in range(a + 1):
            total += lower[a, b] * feature[b]
        factor[a] = weight * total


@kernel
def _subtract(schur: Floats, factors: Floats, sources: Integers) -> None:
    """Subtract factors factors^T from the lower half of schur at `sources`, which ascend."""
    for arc in range(len(sources)):
        row = schur[sources[arc]]
        for other in range(arc + 1):
            product = 0.0
            for c in range(factors.shape[1]):
                product += factors[arc, c] * factors[other, c]
            row[sources[other]] -= product

"""The optimal order as an integer program; triangle inequalities are added where they fail."""

from dataclasses import dataclass
from functools import cached_property
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Floats, Order
from hushrank.rankings.distances import improved_order, is_over, kendall_cost

if TYPE_CHECKING:
    from scipy.sparse import csr_array

TOLERANCE = 1e-6
MOST_CUTS_AT_ONCE = 20_000
MOST_CUTS_KEPT = 1_000_000
"""Of the broken triangles found so far; then all but the worst are forgotten."""


@dataclass(frozen=True, eq=False, repr=False)
class OrderingSolution:
    """What one call of the solver says: values of the pairs, if any, and a proven lower bound.

    `is_optimal`: the values are the best under the triangles that were given.
    """

    values: Floats | None
    bound: float
    is_optimal: bool


@dataclass(frozen=True, eq=False, repr=False)
class LinearOrdering:
    """Minimise the Kendall cost over x[a, b] = 1 if a comes before b, a < b.

        0 <= x[a, b] + x[b, c] - x[a, c] <= 1 for a < b < c

    Source: Grötschel, Jünger, Reinelt (Operations Research 1984); HiGHS solves.
    """

    majority: Floats

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return len(self.majority)

    @cached_property
    def pairs(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The items a and b of all pairs a < b."""
        return np.triu_indices(self.n_items, k=1)

    @cached_property
    def costs(self) -> Floats:
        """What x[a, b] = 1 adds to the cost of x[a, b] = 0."""
        return self.majority.T[self.pairs] - self.majority[self.pairs]

    @property
    def constant(self) -> float:
        """The cost of all x = 0."""
        return float(self.majority[self.pairs].sum())

    def solve(
        self, triangles: "csr_array | None", *, is_integer: bool, seconds: float
    ) -> OrderingSolution:
        """Solve under the given triangles, as a relaxation or exactly.

        A pair that no triangle holds takes the cheaper way round: the solver sees only the others.
        """
        from scipy.optimize import Bounds, LinearConstraint, milp  # slow to load, seldom needed

        values = (self.costs < 0).astype(np.float64)
        alone = self.constant + float(np.minimum(self.costs, 0).sum())
        if triangles is None:
            return OrderingSolution(values, alone, is_optimal=True)
        held = np.unique(triangles.indices)
        solved = milp(
            self.costs[held],
            integrality=np.full(held.size, int(is_integer)),
            bounds=Bounds(0, 1),
            constraints=[LinearConstraint(triangles[:, held], 0, 1)],
            options={"mip_rel_gap": 0.0, "time_limit": seconds},
        )
        is_optimal = solved.status == 0
        proven = solved.fun if is_optimal else solved.get("mip_dual_bound")
        others = alone - float(np.minimum(self.costs[held], 0).sum())
        bound = -np.inf if proven is None else others + float(proven)
        if solved.x is None:
            return OrderingSolution(None, bound, is_optimal)
        values[held] = solved.x
        return OrderingSolution(values, bound, is_optimal)

    def broken_triangles(self, values: Floats, *, end: float | None = None) -> "csr_array | None":
        """Return the triangles that `values` break most, if any; of those found until `end`.

        Cost: O(items^3).
        """
        matrix = np.zeros((self.n_items, self.n_items))
        matrix[self.pairs] = values
        found: list[tuple[NDArray[np.intp], Floats]] = []
        for a in range(self.n_items - 2):
            if is_over(end):
                break
            found.append(self._broken(matrix, a))
            if sum(excess.size for _, excess in found) > MOST_CUTS_KEPT:
                found = [_worst(found)]
        triples, _ = _worst(found)
        return self._rows(triples) if len(triples) else None

    def order_near(self, values: Floats) -> Order:
        """Return the items by how many others they precede in `values`."""
        first, second = self.pairs
        wins = np.bincount(first, values, self.n_items)
        wins += np.bincount(second, 1 - values, self.n_items)
        return tuple(int(item) for item in np.argsort(-wins, kind="stable"))

    def _broken(self, matrix: Floats, a: int) -> tuple[NDArray[np.intp], Floats]:
        """Return the broken triangles (found, 3) that begin with item a, and by how much."""
        after = slice(a + 1, self.n_items)
        sums = matrix[a, after, None] + matrix[after, after] - matrix[a, None, after]
        excess = np.triu(np.maximum(sums - 1, -sums), k=1)
        b, c = np.nonzero(excess > TOLERANCE)
        return np.column_stack([np.full(b.size, a), b + a + 1, c + a + 1]), excess[b, c]

    def _rows(self, triples: NDArray[np.intp]) -> "csr_array":
        from scipy.sparse import csr_array

        number = np.zeros((self.n_items, self.n_items), dtype=np.intp)
        number[self.pairs] = np.arange(len(self.costs))
        a, b, c = triples.T
        columns = np.column_stack([number[a, b], number[b, c], number[a, c]])
        signs = np.tile([1.0, 1.0, -1.0], len(triples))
        starts = np.arange(0, 3 * len(triples) + 1, 3)
        shape = (len(triples), len(self.costs))
        return csr_array((signs, columns.ravel(), starts), shape=shape)


def best_by_integer_program(
    majority: Floats, start: Order, *, end: float | None
) -> tuple[Order, float]:
    """Return the cheapest order found, never dearer than `start`, and a proven lower bound.

    Stops when the two meet, or at the time `end` of the monotonic clock.
    """
    program, triangles, is_integer = LinearOrdering(majority), None, False
    best = improved_order(majority, start, end=end)
    bound = program.constant + float(np.minimum(program.costs, 0).sum())
    while not is_over(end):
        seconds = np.inf if end is None else max(end - monotonic(), 0.01)
        solution = program.solve(triangles, is_integer=is_integer, seconds=seconds)
        bound = max(bound, _whole(solution.bound, majority))
        if solution.values is None:
            break
        near = improved_order(majority, program.order_near(solution.values), end=end)
        best = min(best, near, key=lambda order: kendall_cost(majority, order))
        if kendall_cost(majority, best) <= bound + TOLERANCE:
            return best, kendall_cost(majority, best)
        broken = program.broken_triangles(solution.values, end=end)
        if is_over(end):  # not all triangles may have been looked at
            break
        if broken is not None:
            triangles = _one_below_the_other(triangles, broken)
        elif is_integer:  # an order; the solver's tolerance may leave the bound a hair below it
            return best, kendall_cost(majority, best) if solution.is_optimal else bound
        else:
            is_integer = True
    return best, bound


def _one_below_the_other(rows: "csr_array | None", more: "csr_array") -> "csr_array":
    from scipy.sparse import vstack  # slow to load

    return more if rows is None else vstack([rows, more], format="csr")


def _worst(found: list[tuple[NDArray[np.intp], Floats]]) -> tuple[NDArray[np.intp], Floats]:
    """Return the most broken triangles, and by how much; of equally broken ones the first."""
    triples = np.concatenate([np.zeros((0, 3), dtype=np.intp), *(each for each, _ in found)])
    excess = np.concatenate([np.zeros(0), *(each for _, each in found)])
    worst = np.argsort(-excess, kind="stable")[:MOST_CUTS_AT_ONCE]
    return triples[worst], excess[worst]


def _whole(bound: float, majority: Floats) -> float:
    """Round a bound up where every cost is a whole number."""
    is_whole = np.isfinite(bound) and bool((majority == np.round(majority)).all())
    return float(np.ceil(bound - TOLERANCE)) if is_whole else bound

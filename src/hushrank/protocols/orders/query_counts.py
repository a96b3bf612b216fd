"""How many pairs to ask each person: more answers, each at a smaller share of the budget."""

from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from hushrank.errors import require
from hushrank.mechanisms.local import require_parameters

Solution: TypeAlias = Literal["rr", "lap"]
"""Randomised response, or the Laplace mechanism cut at one half."""


def require_solution(solution: Solution) -> None:
    """Raise HushrankError unless it is one."""
    require(solution in get_args(Solution), f"expected rr or lap as the solution, got {solution}")


def paper_queries(epsilon: float, n_pairs: int, solution: Solution = "rr") -> int:
    """Return the better of the two whole numbers around epsilon / 2, within 1..n_pairs.

        rr: K epsilon^2 / (epsilon + 2K)^2         lap: K (1 - exp(-epsilon / 2K))^2

    Source: Yan, Li, Liu (arXiv 2019), section 6.2.   Differs from the source: which calls the
    largest value of these a minimum.
    """
    _require_query_parameters(epsilon, n_pairs, solution)
    around = np.unique(np.clip([np.floor(epsilon / 2), np.ceil(epsilon / 2)], 1, n_pairs))
    signal = (epsilon / (epsilon + 2 * around)) ** 2 if solution == "rr" else None
    worth = around * signal if signal is not None else information(around, epsilon, solution)
    return int(around[worth.argmax()])


def best_queries(epsilon: float, n_pairs: int, solution: Solution = "rr") -> int:
    """Return the number of queries, 1..n_pairs, that tells most of the margins near 0: exactly.

    Maximises `information`; for randomised response at about epsilon / 2.18.   Cost: O(n_pairs).
    """
    _require_query_parameters(epsilon, n_pairs, solution)
    every = np.arange(1, n_pairs + 1)
    return int(every[information(every, epsilon, solution).argmax()])


def information(
    n_queries: NDArray[np.number], epsilon: float, solution: Solution
) -> NDArray[np.float64]:
    """Return K (p - q)^2: one over the noise of all K answers together.

    rr: K tanh^2(epsilon / 2K)      lap: K (1 - exp(-epsilon / 2K))^2, epsilon nominal
    """
    share = epsilon / (2 * n_queries)
    gap = np.tanh(share) if solution == "rr" else -np.expm1(-share)
    return np.asarray(n_queries * gap**2, dtype=np.float64)


def _require_query_parameters(epsilon: float, n_pairs: int, solution: Solution) -> None:
    require_parameters(2, epsilon)
    require(n_pairs >= 1, f"expected at least 1 pair, got {n_pairs}")
    require_solution(solution)

"""Several epsilons: whose budget each of them serves."""

from collections.abc import Sequence
from itertools import pairwise
from math import inf
from typing import TypeAlias

from hushrank.errors import require
from hushrank.mechanisms.local import require_parameters
from hushrank.surveys.survey import EVERY_BUDGET

Level: TypeAlias = tuple[float, tuple[float, float]]
"""An epsilon, and the budgets low <= budget < high that it serves."""


def budget_levels(epsilon: float | Sequence[float]) -> tuple[Level, ...]:
    """Return the epsilons, ascending, each with the budgets from itself to the next.

    One number serves everybody, whatever their budget.
    Raises HushrankError unless the epsilons are distinct, and such as a mechanism takes.
    """
    is_personal = isinstance(epsilon, Sequence)
    epsilons = tuple(sorted(epsilon)) if isinstance(epsilon, Sequence) else (epsilon,)
    require(len(epsilons) >= 1, "expected at least 1 epsilon, got 0")
    for each in epsilons:
        require_parameters(2, each)
    require(len(set(epsilons)) == len(epsilons), "expected distinct epsilons, some are repeated")
    budgets = list(pairwise((*epsilons, inf))) if is_personal else [EVERY_BUDGET]
    return tuple(zip(epsilons, budgets, strict=True))

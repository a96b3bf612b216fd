"""The best channel between items for a private attribute of two values.

Theory: docs/theory/item-channel.md
"""

from typing import TypeAlias

import numpy as np

from hushrank.errors import require
from hushrank.publishing.item_channel.binary.dual import binned, no_leakage_dual, smoothed_dual
from hushrank.publishing.item_channel.binary.newton import (
    COOLING,
    SmoothedDual,
    maximise,
)
from hushrank.publishing.item_channel.binary.rounding import channel_at
from hushrank.publishing.item_channel.binary.warm_start import WarmStart
from hushrank.publishing.item_channel.dual_point import DualPoint
from hushrank.publishing.item_channel.problem import ItemChannelProblem
from hushrank.publishing.item_channel.solution import (
    ItemChannelSolution,
    judged,
    unchanged,
    within_budget,
    without_search,
)

FIRST_TEMPERATURE = 0.1  # of the leakage of activities released unchanged
LIKELY_FREE = 0.25  # of the constant cost: above, a channel without leakage is likely
STARTED = 0.03  # of the same: the temperature at which a cold start ends
WARM = 10.0  # times the gap: the temperature from which a warm start goes on
AIM = 1.5  # times the gap: the temperature at which a solution is looked for first
MOST_ATTEMPTS = 6
EXACTLY = 1e-7  # what a Newton step may promise: the channel's cost depends on it

FREE_TEMPERATURE, FREE_WARM, FREE_LAST = 0.3, 3e-3, 1e-3  # without leakage; of the constant cost
BALANCED = 1e-12  # what the last Newton step may promise: what it leaves unbalanced leaks
LEAST_CHANCE = 1e-14
NOTHING = 1e-9  # of the leakage of activities released unchanged

BinarySolution: TypeAlias = ItemChannelSolution[WarmStart | None]


def solve_binary(
    problem: ItemChannelProblem, *, gap: float = 1e-3, warm: WarmStart | None = None
) -> BinarySolution:
    """Return the best channel for a private attribute of 2 values, to within `gap`.

    gap: how far from the least leakage, relative to that of activities released unchanged; what is
    certified is in the solution. warm: the warm start of an earlier solution, with other counts.
    Below 1e-9 of the cost of a constant channel a budget changes nothing.
    Privacy: as `ItemChannelSolution`; no differential privacy.
    Cost: O(items classes) a Newton step.
    Raises HushrankError unless there are 2 private values and the gap is in (0, 1).
    Source: Yang, Qu, Cudre-Mauroux (IEEE TKDE 2019), Algorithm 3.   Differs from the source: the
    dual is solved, smoothed, in 2 tilts a class, and the channel is its soft minimum.
    """
    require(problem.population.n_values == 2, "expected a private attribute of 2 values")
    require(0 < gap < 1, f"expected a gap in (0, 1), got {gap}")
    found_at_once = without_search(problem)
    if found_at_once is not None:
        return found_at_once
    leakage = problem.population.leakage
    likely_free = (
        problem.budget >= (LIKELY_FREE if warm is None else 1) * problem.constant_cost_bound
    )
    if likely_free or (warm is not None and warm.price == 0):
        free = without_leakage(problem, warm)
        return _leaking(problem, None, gap, is_refused=warm is None) if free is None else free
    found = _leaking(problem, warm, gap)
    if warm is not None and found.certified_gap > gap * leakage:
        return _leaking(problem, None, gap)
    return found


def _leaking(
    problem: ItemChannelProblem, warm: WarmStart | None, gap: float, *, is_refused: bool = False
) -> BinarySolution:
    """Solve where something may have to leak; is_refused: where it has to, as was tried."""
    dual, leakage = smoothed_dual(problem), problem.population.leakage
    coarse = binned(dual)
    point = _start(coarse, leakage) if warm is None else warm.point(problem.cost, dual.columns)
    is_proven = dual.values(point, STARTED * leakage)[1] > 0  # by weak duality something leaks
    free = None if is_proven or is_refused else without_leakage(problem)
    if free is not None:
        return free
    first = STARTED * COOLING if warm is None else WARM * gap
    point, _ = maximise(coarse, point, first * leakage, AIM * gap * leakage)
    return _cooled(problem, dual, point, gap * leakage)


def _cooled(
    problem: ItemChannelProblem, dual: SmoothedDual, point: DualPoint, gap: float
) -> BinarySolution:
    """Lower the temperature until the certified gap is at most `gap`; return the best solution."""
    temperature = AIM * gap
    best: BinarySolution = unchanged(problem)
    for _ in range(MOST_ATTEMPTS):
        point, _ = maximise(dual, point, temperature, temperature, close=EXACTLY)
        found = _solution(problem, dual, point, temperature)
        best = min(best, found, key=lambda solution: solution.certified_gap)
        if best.certified_gap <= gap:
            break
        temperature *= COOLING
    return best


def _start(dual: SmoothedDual, leakage: float) -> DualPoint:
    """Return a maximum so smooth that Newton's method finds it from anywhere."""
    price = leakage * min(2.0, 1 / (2 * dual.budget))
    nowhere = DualPoint(np.zeros(len(dual.columns.kinds)), price)
    return maximise(dual, nowhere, FIRST_TEMPERATURE * leakage, STARTED * leakage)[0]


def _solution(
    problem: ItemChannelProblem, dual: SmoothedDual, point: DualPoint, temperature: float
) -> BinarySolution:
    """Return the channel of the soft minimum, moved back into the budget, and its certificate."""
    channel = channel_at(dual.items, dual.columns, dual.prices(point, temperature))
    channel = within_budget(problem, channel)
    found = WarmStart.of_point(problem.cost, dual.columns, point)
    return judged(problem, channel, found.potentials(problem), found.price, found)


def without_leakage(
    problem: ItemChannelProblem, warm: WarmStart | None = None
) -> BinarySolution | None:
    """Return the cheapest channel whose released items all have the prior as their posterior.

    None when the budget does not allow it, or it was not found. Its leakage is 0 up to rounding,
    which certifies it; its cost is the least up to about 0.2 % of that of a constant channel. warm:
    the warm start of an earlier channel without leakage.
    Each item's excess P(item) (P(value | item) - P(value)) is transported to items that lack it,
    by the smoothed dual of that linear program.   Source: ours.
    """
    dual, scale = no_leakage_dual(problem), problem.constant_cost_bound / problem.cost.largest
    temperature, point = FREE_TEMPERATURE, DualPoint(np.zeros(len(dual.columns.kinds)), 1.0)
    if warm is not None and warm.price == 0:
        tilts = warm.point(problem.cost, dual.columns).tilts
        temperature, point = FREE_WARM, DualPoint(tilts, 1.0)
    coarse = binned(dual)
    while temperature > FREE_LAST:
        point, _ = maximise(coarse, point, temperature * scale, temperature * scale)
        if dual.values(point, scale)[1] > problem.budget / problem.cost.largest:
            return None  # by weak duality, no such channel is within the budget
        temperature *= COOLING
    last = FREE_LAST * scale
    point, _ = maximise(coarse, point, last, last)
    point, _ = maximise(dual, point, last, last, close=BALANCED)
    return _balanced(problem, dual, point, last)


def _balanced(
    problem: ItemChannelProblem, dual: SmoothedDual, point: DualPoint, temperature: float
) -> BinarySolution | None:
    """Return the channel of the soft minimum; None if something leaks, or it costs too much."""
    prices = dual.prices(point, temperature)
    channel = channel_at(dual.items, dual.columns, prices, LEAST_CHANCE)
    found = WarmStart.of_point(problem.cost, dual.columns, DualPoint(point.tilts, 0.0))
    solution = judged(problem, channel, found.potentials(problem), 0.0, found)
    leaks_nothing = solution.leakage <= NOTHING * problem.population.leakage
    return solution if leaks_nothing and solution.distortion <= problem.budget else None

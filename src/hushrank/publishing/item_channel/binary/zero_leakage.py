"""The cheapest channel of single activities that tells nothing of a binary private attribute."""

import numpy as np

from hushrank.publishing.item_channel.binary.dual import binned, linear_dual
from hushrank.publishing.item_channel.binary.newton import (
    COOLING,
    DualPoint,
    SmoothedDual,
    maximise,
)
from hushrank.publishing.item_channel.binary.rounding import channel_at
from hushrank.publishing.item_channel.binary.warm_start import BinaryDual
from hushrank.publishing.item_channel.problem import OnlineProblem
from hushrank.publishing.item_channel.solution import OnlineSolution, judged

FIRST_TEMPERATURE, WARM_TEMPERATURE, LAST_TEMPERATURE = 0.3, 3e-3, 1e-3  # of the pooling cost
BALANCED = 1e-12  # what the last Newton step may promise: what it leaves unbalanced leaks
LEAST_CHANCE = 1e-14
NOTHING = 1e-9  # of the leakage of activities released unchanged


def zero_leakage(problem: OnlineProblem, warm: BinaryDual | None = None) -> OnlineSolution | None:
    """Return the cheapest channel whose released items all have the prior as their posterior.

    None when the budget does not allow it, or it was not found. Its leakage is 0 up to rounding,
    which certifies it; its cost is the least up to about 0.2 % of the pooling cost. warm: an
    earlier dual of price 0.
    Each item's excess P(item) (P(value | item) - P(value)) is transported to items that lack it,
    by the smoothed dual of that transport.   Source: ours.
    """
    dual, scale = linear_dual(problem), problem.pooling_cost / problem.cost.largest
    temperature, point = FIRST_TEMPERATURE, DualPoint(np.zeros(len(dual.columns.kinds)), 1.0)
    if warm is not None and warm.price == 0:
        tilts = warm.point(problem.cost, dual.columns).tilts
        temperature, point = WARM_TEMPERATURE, DualPoint(tilts, 1.0)
    coarse = binned(dual)
    while temperature > LAST_TEMPERATURE:
        point, _ = maximise(coarse, point, temperature * scale, temperature * scale)
        if dual.values(point, scale)[1] > problem.budget / problem.cost.largest:
            return None  # by weak duality, no such channel is within the budget
        temperature *= COOLING
    last = LAST_TEMPERATURE * scale
    point, _ = maximise(coarse, point, last, last)
    point, _ = maximise(dual, point, last, last, close=BALANCED)
    return _solution(problem, dual, point, last)


def _solution(
    problem: OnlineProblem, dual: SmoothedDual, point: DualPoint, temperature: float
) -> OnlineSolution | None:
    prices = dual.prices(point, temperature)
    channel = channel_at(dual.items, dual.columns, prices, LEAST_CHANCE)
    found = BinaryDual.of_point(problem.cost, dual.columns, DualPoint(point.tilts, 0.0))
    solution = judged(problem, channel, found.potentials(problem), 0.0, found)
    leaks_nothing = solution.leakage <= NOTHING * problem.population.leakage
    return solution if leaks_nothing and solution.distortion <= problem.budget else None

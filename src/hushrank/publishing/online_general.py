"""The best channel of single activities for any number of private values."""

import numpy as np

from hushrank.arrays import Shares
from hushrank.errors import require
from hushrank.publishing.general_channel import channel_of_cells
from hushrank.publishing.general_kernel import Chances, Sources, potentials_of, released_of
from hushrank.publishing.general_lift import lifted
from hushrank.publishing.general_newton import GeneralDual, Tilted
from hushrank.publishing.online_cells import Cells, Numbers, cells_of, similar_items
from hushrank.publishing.online_problem import OnlineProblem
from hushrank.publishing.online_solution import (
    OnlineSolution,
    judged,
    leakages,
    pooled,
    unchanged,
    within_budget,
)

N_GROUPS = (400, 900)  # of items that tell nearly the same: tried until the gap is certified
SOFTENING = 1e-4  # of the prior is mixed into posteriors, so that none is 0
TEMPERATURES = (0.5, 0.1, 0.02, 0.005)  # of the leakage
MOST_STEPS = 30
SLACK = 0.1  # of the gap is given up for a price that is never 0
ENOUGH = 0.55  # of the gap: what cells may leak to need no better solution


def solve_general(problem: OnlineProblem, *, gap: float = 1e-2) -> OnlineSolution:
    """Return a channel within the budget for a private attribute of any number of values.

    gap: as in `solve_binary`; it is aimed at, and what is reached is certified in the solution.
    Privacy: as `OnlineSolution`; no differential privacy.   Cost: O(items^2 values), in bounding.
    Source: Yang, Qu, Cudre-Mauroux (IEEE TKDE 2019), Algorithm 3.   Differs from the source: items
    that tell nearly the same are first solved as one, by the smoothed dual, then each for itself.
    """
    require(0 < gap < 1, f"expected a gap in (0, 1), got {gap}")
    population = problem.population
    if problem.budget >= problem.pooling_cost:
        return pooled(problem)
    if population.leakage <= 1e-14 or problem.budget <= 1e-9 * problem.pooling_cost:
        return unchanged(problem)
    best = None
    for n_groups in N_GROUPS:
        found = _solved(problem, n_groups, gap * population.leakage)
        best = found if best is None or found.certified_gap < best.certified_gap else best
        if best.certified_gap <= gap * population.leakage or n_groups >= population.n_items:
            break
    return best or unchanged(problem)


def _solved(problem: OnlineProblem, n_groups: int, gap: float) -> OnlineSolution:
    """Solve with this many groups of items, aiming at a gap in nats."""
    population, cost = problem.population, problem.cost
    cells = cells_of(problem, similar_items(population, n_groups))
    items = _sources(population.joint, cost.of_items / cost.largest, cost.classes, cells.within)
    coarse = _sources(cells.joint, cells.parts, cells.classes, cells.within)
    point, chances = _coarse(problem, cells, coarse, gap)
    tied = potentials_of(point.tilts, population.prior)[0].T[cells.of_items]
    potentials = lifted(items, population.prior, tied, point.price)
    moves = chances, cells.of_items, point.price, cells.budget
    channel = within_budget(problem, channel_of_cells(items, coarse, *moves))
    return judged(problem, channel, potentials, point.price / cost.largest, None)


def _coarse(
    problem: OnlineProblem, cells: Cells, coarse: Sources, gap: float
) -> tuple[Tilted, Chances]:
    """Solve the problem of the cells; stop early where next to nothing leaks."""
    leakage, prior = problem.population.leakage, problem.population.prior
    dual = GeneralDual(coarse, prior, cells.budget, SLACK * gap)
    price = leakage * min(2.0, 1 / (2 * cells.budget))
    point = Tilted(np.zeros(cells.joint.shape), price)
    for temperature in TEMPERATURES:
        point, chances = dual.climb(point, temperature * leakage, MOST_STEPS)
        if leakages(released_of(coarse, chances))[0] < ENOUGH * gap:
            break
    return point, chances


def _sources(joint: Shares, parts: Shares, classes: Numbers, within: float) -> Sources:
    """Return what the kernels need, with posteriors that are nowhere 0."""
    weights, prior = joint.sum(axis=1), joint.sum(axis=0)
    known = weights[:, None] > 0
    posteriors = np.where(known, joint / np.where(known, weights[:, None], 1), prior)
    return Sources(
        (1 - SOFTENING) * posteriors + SOFTENING * prior, weights, parts, classes, within
    )

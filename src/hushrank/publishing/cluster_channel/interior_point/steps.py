"""The interior-point method: Mehrotra's steps on flows and potentials.

Theory: docs/theory/cluster-channel.md
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.linalg import LinAlgError

from hushrank.arrays import Floats
from hushrank.publishing.cluster_channel.interior_point.iterate import (
    Iterate,
    Linearisation,
    Program,
    linearise,
    mean_product,
)
from hushrank.publishing.cluster_channel.interior_point.newton_system import NewtonSystem, contrasts

STEADY = 1e-12
"""The part of the prior's curvature that keeps columns of few arcs from being singular."""
MISMATCH = 1e-6
"""How much, summed, columns may differ from their responses where these bound the ratio."""
TO_THE_EDGE = 0.98
"""How much of the way to the first flow or reduced cost of 0 a step goes."""


@dataclass(frozen=True, eq=False, repr=False)
class SolverResult:
    """The cheapest flows (sources, groups) found, and the potentials of the best bound."""

    flows: Floats
    potentials: Floats
    price: float
    value: float
    bound: float
    iterations: int

    def with_flows(self, flows: Floats) -> "SolverResult":
        """Return the same result with other flows (sources, groups)."""
        return replace(self, flows=flows)


class Step(NamedTuple):
    """Changes of flows, reduced costs, potentials, levels, price and slack."""

    flows: Floats
    reduced: Floats
    potentials: Floats
    levels: Floats
    price: float
    slack: float


class Aim(NamedTuple):
    """What a step is to change: products w z, price times slack, mismatches and scales."""

    products: Floats
    last_product: float
    mismatch: Floats
    scales: Floats


@np.errstate(divide="raise", invalid="raise", over="raise", under="ignore")
def interior_point(program: Program, start: Iterate) -> SolverResult:
    """Follow the central path until the certified gap is within the program's tolerance.

    The certificate is computed anew from the potentials at every step, over all pairs of groups:
    pairs that would be used and are not among the arcs are taken in on the way.
    Cost: O(sources^3 + arcs^2 / groups + sources groups values) a step.
    """
    iterate, barrier = start, 1.0
    best = SolverResult(np.empty((0, 0)), iterate.potentials, iterate.price, np.inf, -np.inf, 0)
    for iteration in range(program.most_steps):
        try:
            iterate = iterate.with_missing_arcs(program.sources, barrier) if iteration else iterate
            linear = linearise(program, iterate, barrier)
            barrier = linear.barrier
            best = _improved(program, best, linear, iteration)
            if best.value - best.bound <= program.tolerance:
                break
            iterate = _advance(program, linear)
        except (LinAlgError, FloatingPointError):  # no further: the caller sees the gap
            break
    return best


def _improved(
    program: Program, best: SolverResult, linear: Linearisation, iteration: int
) -> SolverResult:
    """Keep what is better than before: flows by value, potentials by bound."""
    iterate = linear.iterate
    bound = program.bound(iterate.potentials, iterate.price)
    if bound > best.bound:
        best = replace(best, potentials=iterate.potentials, price=iterate.price, bound=bound)
    value = program.value(iterate.arcs, iterate.flows, iterate.price)
    fits = not program.responder.bounds_ratio or np.abs(linear.mismatch).sum() <= MISMATCH
    if fits and value < best.value:
        best = replace(best, flows=iterate.arcs.on_all(iterate.flows), value=value)
    return replace(best, iterations=iteration)


def _advance(program: Program, linear: Linearisation) -> Iterate:
    """Predict with the pure Newton step, then aim at the centre, second order included."""
    iterate, system = linear.iterate, newton_system(program, linear)
    products, last = -iterate.flows * linear.reduced, -iterate.price * iterate.slack
    pure = Aim(products, last, linear.mismatch, linear.response.scales)
    guess = newton_step(program, linear, system, pure)
    centre = _centring(program, linear, guess) * linear.barrier
    q = linear.response.directions
    bend = ((q * guess.potentials**2).sum(1) - (q * guess.potentials).sum(1) ** 2) / 2
    aim = Aim(
        products + centre - guess.flows * guess.reduced,
        last + centre - guess.price * guess.slack,
        linear.mismatch,
        linear.response.scales + bend,
    )
    step = newton_step(program, linear, system, aim)
    return _moved(iterate, step, _length(program, linear, step))


def newton_system(program: Program, linear: Linearisation) -> NewtonSystem:
    """Factor the linear system; a trace of the prior's curvature keeps it from being singular."""
    arcs, prior = linear.iterate.arcs, program.sources.prior
    basis = contrasts(len(prior))
    steady = STEADY * (np.diag(prior) - np.outer(prior, prior))
    bends = linear.masses[:, None, None] * (linear.response.curvatures + steady)
    features = (arcs.posteriors - linear.response.directions[arcs.targets]) @ basis
    weights = linear.iterate.flows / linear.reduced
    return NewtonSystem.of(arcs, weights, features, basis.T @ bends @ basis)


def newton_step(program: Program, linear: Linearisation, system: NewtonSystem, aim: Aim) -> Step:
    """Solve for the step that reaches the aim to first order.

    The changes of flows restore the sums of the rows and the budget; each column's potentials
    change by what the aim says of its scale and of its mismatch.
    """
    iterate, arcs, basis = (
        linear.iterate,
        linear.iterate.arcs,
        contrasts(len(program.sources.prior)),
    )
    pushed = (aim.products + iterate.flows * aim.scales[arcs.targets]) / linear.reduced
    inner = aim.mismatch @ basis + arcs.by_target(pushed[:, None] * system.features)
    inner = system.whitened(inner)
    flows = pushed - system.on_arcs(inner)
    levels, price, slack = _rows(program, linear, system, flows, aim.last_product)
    changes = levels[arcs.sources] - price * arcs.costs
    inner = inner + arcs.by_target(changes[:, None] * system.factors)
    potentials = system.unwhitened(inner) @ basis.T
    means = (linear.response.directions * potentials).sum(axis=1)
    potentials -= (means + aim.scales)[:, None]
    reduced = arcs.mean_over_values(potentials) - changes
    return Step(flows + system.flows(changes), reduced, potentials, levels, price, slack)


def _rows(
    program: Program,
    linear: Linearisation,
    system: NewtonSystem,
    flows: Floats,
    last_product: float,
) -> tuple[Floats, float, float]:
    """Return the changes of levels, price and slack that mend the rows and the budget."""
    iterate, arcs = linear.iterate, linear.iterate.arcs
    missing = program.sources.shares - arcs.by_source(iterate.flows) - arcs.by_source(flows)
    levels = system.levels(missing)
    if program.budget is None:
        return levels, 0.0, 0.0
    answer = system.flows(arcs.costs)
    per_price = arcs.by_source(answer)
    lent = system.levels(per_price)
    missing_cost = program.budget - float(arcs.costs @ (iterate.flows + flows)) - iterate.slack
    lacking = missing_cost - last_product / iterate.price - per_price @ levels
    stiffness = per_price @ lent - arcs.costs @ answer - iterate.slack / iterate.price
    price = float(lacking / stiffness)
    return levels + price * lent, price, (last_product - iterate.slack * price) / iterate.price


def _centring(program: Program, linear: Linearisation, guess: Step) -> float:
    """Return how much of the barrier to keep: little where the pure step reaches far."""
    iterate, length = linear.iterate, _length(program, linear, guess)
    flows, reduced = iterate.flows + length * guess.flows, linear.reduced + length * guess.reduced
    price, slack = iterate.price + length * guess.price, iterate.slack + length * guess.slack
    left = mean_product(program, flows, reduced, price, slack)
    return float(np.clip((left / linear.barrier) ** 3, 1e-3, 0.8))


def _length(program: Program, linear: Linearisation, step: Step) -> float:
    """Return the part of a step, at most 1, that keeps flows and reduced costs positive."""
    iterate = linear.iterate
    shrinking = [(-step.flows / iterate.flows).max(), (-step.reduced / linear.reduced).max()]
    if program.budget is not None:
        shrinking += [-step.price / iterate.price, -step.slack / iterate.slack]
    return float(min(1.0, TO_THE_EDGE / max(*shrinking, 1e-300)))


def _moved(iterate: Iterate, step: Step, length: float) -> Iterate:
    return replace(
        iterate,
        flows=iterate.flows + length * step.flows,
        potentials=iterate.potentials + length * step.potentials,
        levels=iterate.levels + length * step.levels,
        price=iterate.price + length * step.price,
        slack=iterate.slack + length * step.slack,
    )

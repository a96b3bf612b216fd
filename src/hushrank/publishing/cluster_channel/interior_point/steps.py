"""The structured interior-point method: Mehrotra's steps on flows and potentials."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.linalg import LinAlgError

from hushrank.arrays import Floats
from hushrank.publishing.cluster_channel.interior_point.newton_system import NewtonSystem, contrasts
from hushrank.publishing.cluster_channel.interior_point.state import (
    Point,
    State,
    Task,
    look,
    mean_product,
)

STEADY = 1e-12
"""The part of the prior's curvature that keeps columns of few arcs from being singular."""
MISMATCH = 1e-6
"""How much, summed, columns may differ from their responses where these bound the ratio."""
TO_THE_EDGE = 0.98
"""How much of the way to the first flow or reduced cost of 0 a step goes."""


@dataclass(frozen=True, eq=False, repr=False)
class Outcome:
    """The cheapest flows (sources, groups) found, and the best proof of a bound."""

    flows: Floats
    potentials: Floats
    price: float
    value: float
    bound: float
    iterations: int

    def with_flows(self, flows: Floats) -> "Outcome":
        """Return the same outcome with other flows (sources, groups)."""
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
    """What a step is to change: products of pairs, price times slack, mismatches, scales."""

    products: Floats
    last_product: float
    mismatch: Floats
    scales: Floats


@np.errstate(divide="raise", invalid="raise", over="raise", under="ignore")
def interior_point(task: Task, start: State) -> Outcome:
    """Follow the central path until the certified gap is within the task's tolerance.

    The certificate is computed anew from the potentials at every step, over all pairs of groups:
    pairs that would be used and are not among the arcs are taken in on the way.
    Cost: O(sources^3 + arcs^2 / groups + sources groups values) a step.
    """
    state, barrier = start, 1.0
    best = Outcome(np.empty((0, 0)), state.potentials, state.price, np.inf, -np.inf, 0)
    for iteration in range(task.most_steps):
        try:
            state = state.with_missing_arcs(task.sources, barrier) if iteration else state
            point = look(task, state, barrier)
            barrier = point.barrier
            best = _improved(task, best, point, iteration)
            if best.value - best.bound <= task.tolerance:
                break
            state = _advance(task, point)
        except (LinAlgError, FloatingPointError):  # no further: the caller sees the gap
            break
    return best


def _improved(task: Task, best: Outcome, point: Point, iteration: int) -> Outcome:
    """Keep what is better than before: flows by value, potentials by bound."""
    state = point.state
    bound = task.bound(state.potentials, state.price)
    if bound > best.bound:
        best = replace(best, potentials=state.potentials, price=state.price, bound=bound)
    value = task.value(state.arcs, state.flows, state.price)
    fits = not task.responder.bounds_ratio or np.abs(point.mismatch).sum() <= MISMATCH
    if fits and value < best.value:
        best = replace(best, flows=state.arcs.on_all(state.flows), value=value)
    return replace(best, iterations=iteration)


def _advance(task: Task, point: Point) -> State:
    """Predict with the pure Newton step, then aim at the centre, second order included."""
    state, system = point.state, newton_system(task, point)
    products, last = -state.flows * point.reduced, -state.price * state.slack
    pure = Aim(products, last, point.mismatch, point.response.scales)
    guess = newton_step(task, point, system, pure)
    centre = _centring(task, point, guess) * point.barrier
    q = point.response.directions
    bend = ((q * guess.potentials**2).sum(1) - (q * guess.potentials).sum(1) ** 2) / 2
    aim = Aim(
        products + centre - guess.flows * guess.reduced,
        last + centre - guess.price * guess.slack,
        point.mismatch,
        point.response.scales + bend,
    )
    step = newton_step(task, point, system, aim)
    return _moved(state, step, _length(task, point, step))


def newton_system(task: Task, point: Point) -> NewtonSystem:
    """Build the linear system at a point; a trace of the prior's curvature steadies the columns."""
    arcs, prior = point.state.arcs, task.sources.prior
    basis = contrasts(len(prior))
    steady = STEADY * (np.diag(prior) - np.outer(prior, prior))
    bends = point.masses[:, None, None] * (point.response.curvatures + steady)
    features = (arcs.posteriors - point.response.directions[arcs.targets]) @ basis
    weights = point.state.flows / point.reduced
    return NewtonSystem.of(arcs, weights, features, basis.T @ bends @ basis)


def newton_step(task: Task, point: Point, system: NewtonSystem, aim: Aim) -> Step:
    """Solve for the step that reaches the aim to first order.

    Flows keep the rows' sums and the budget; each column's scale and mismatch go to 0.
    """
    state, arcs, basis = point.state, point.state.arcs, contrasts(len(task.sources.prior))
    pushed = (aim.products + state.flows * aim.scales[arcs.targets]) / point.reduced
    inner = aim.mismatch @ basis + arcs.by_target(pushed[:, None] * system.features)
    inner = system.whitened(inner)
    flows = pushed - system.on_arcs(inner)
    levels, price, slack = _rows(task, point, system, flows, aim.last_product)
    changes = levels[arcs.sources] - price * arcs.costs
    inner = inner + arcs.by_target(changes[:, None] * system.factors)
    potentials = system.unwhitened(inner) @ basis.T
    means = (point.response.directions * potentials).sum(axis=1)
    potentials -= (means + aim.scales)[:, None]
    reduced = arcs.mean_over_values(potentials) - changes
    return Step(flows + system.flows(changes), reduced, potentials, levels, price, slack)


def _rows(
    task: Task, point: Point, system: NewtonSystem, flows: Floats, last_product: float
) -> tuple[Floats, float, float]:
    """Return the changes of levels, price and slack that mend the rows and the budget."""
    state, arcs = point.state, point.state.arcs
    missing = task.sources.shares - arcs.by_source(state.flows) - arcs.by_source(flows)
    levels = system.levels(missing)
    if task.budget is None:
        return levels, 0.0, 0.0
    answer = system.flows(arcs.costs)
    per_price = arcs.by_source(answer)
    lent = system.levels(per_price)
    missing_cost = task.budget - float(arcs.costs @ (state.flows + flows)) - state.slack
    lacking = missing_cost - last_product / state.price - per_price @ levels
    stiffness = per_price @ lent - arcs.costs @ answer - state.slack / state.price
    price = float(lacking / stiffness)
    return levels + price * lent, price, (last_product - state.slack * price) / state.price


def _centring(task: Task, point: Point, guess: Step) -> float:
    """Return how much of the barrier to keep: little where the pure step reaches far."""
    state, length = point.state, _length(task, point, guess)
    flows, reduced = state.flows + length * guess.flows, point.reduced + length * guess.reduced
    price, slack = state.price + length * guess.price, state.slack + length * guess.slack
    left = mean_product(task, flows, reduced, price, slack)
    return float(np.clip((left / point.barrier) ** 3, 1e-3, 0.8))


def _length(task: Task, point: Point, step: Step) -> float:
    """Return the part of a step, at most 1, that keeps flows and reduced costs positive."""
    state = point.state
    shrinking = [(-step.flows / state.flows).max(), (-step.reduced / point.reduced).max()]
    if task.budget is not None:
        shrinking += [-step.price / state.price, -step.slack / state.slack]
    return float(min(1.0, TO_THE_EDGE / max(*shrinking, 1e-300)))


def _moved(state: State, step: Step, length: float) -> State:
    return replace(
        state,
        flows=state.flows + length * step.flows,
        potentials=state.potentials + length * step.potentials,
        levels=state.levels + length * step.levels,
        price=state.price + length * step.price,
        slack=state.slack + length * step.slack,
    )

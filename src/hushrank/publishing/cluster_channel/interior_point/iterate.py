"""Where an interior-point solver starts and stands: flows on arcs, prices that prove a bound."""

from dataclasses import dataclass, replace

import numpy as np

from hushrank.arrays import Floats
from hushrank.publishing.cluster_channel.arcs import REACH, Arcs, SourceGroups, missing_arcs
from hushrank.publishing.cluster_channel.interior_point.columns import Responder, Response
from hushrank.publishing.cluster_channel.problem import ROUNDING
from hushrank.publishing.leakage.information import mutual_information

LOWEST = -60.0
"""The least log of the start's middle, as a part of the budget."""


@dataclass(frozen=True, eq=False, repr=False)
class Program:
    """What is solved: the least leakage within a budget or, without one, at a fixed price.

    At a fixed price the objective is leakage + price times distortion. `most_smoothing`, in
    barriers, limits how far the response of a column that is hardly used may be from the exact one.
    """

    sources: SourceGroups
    responder: Responder
    budget: float | None
    tolerance: float
    most_steps: int = 150
    most_smoothing: float = np.inf

    def value(self, arcs: Arcs, flows: Floats, price: float) -> float:
        """Return the objective of flows (arcs,) once their rows and their budget are repaired."""
        mended = flows * (self.sources.shares / arcs.by_source(flows))[arcs.sources]
        distortion = float(arcs.costs @ mended)
        joint = arcs.by_target(mended[:, None] * arcs.posteriors)
        if self.budget is None:
            return price * distortion + mutual_information(joint, self.sources.prior)
        if distortion > self.budget * (1 + ROUNDING) and self.responder.bounds_ratio:
            return np.inf  # mixed with the identity, it would break the ratio
        kept = 1.0 if self.responder.bounds_ratio else min(1.0, self.budget / distortion)
        joint *= kept
        joint[self.sources.numbers] += (1 - kept) * self._own_joint()
        return mutual_information(joint, self.sources.prior)

    def bound(self, potentials: Floats, price: float) -> float:
        """Return what any channel costs at least, by potentials (groups, values) and a price."""
        normalised = potentials - self.responder.bounds(potentials)[:, None]
        costs = self.sources.posteriors @ normalised.T + price * self.sources.distances
        least = float(self.sources.shares @ costs.min(axis=1))
        return least if self.budget is None else least - price * self.budget

    def _own_joint(self) -> Floats:
        return self.sources.shares[:, None] * self.sources.posteriors


@dataclass(frozen=True, eq=False, repr=False)
class Iterate:
    """Where the solver stands: w, a, u, lambda and s of the theory page.

    flows (arcs,) > 0, potentials (groups, values), levels (sources,), price > 0, and slack > 0
    of the budget. Every arc's reduced cost z, mean potential + price cost - level, stays positive.
    """

    arcs: Arcs
    flows: Floats
    potentials: Floats
    levels: Floats
    price: float
    slack: float

    def reduced_costs(self) -> Floats:
        """Return the reduced costs (arcs,)."""
        means = self.arcs.mean_over_values(self.potentials)
        return means + self.price * self.arcs.costs - self.levels[self.arcs.sources]

    def with_missing_arcs(self, sources: SourceGroups, barrier: float) -> "Iterate":
        """Take in the arcs that the potentials would use, and lower levels to keep z positive."""
        means = sources.posteriors @ self.potentials.T + self.price * sources.distances
        reduced = means - self.levels[:, None]
        origins, targets = missing_arcs(self.arcs, reduced, REACH * barrier / sources.shares)
        if not origins.size:
            return self
        levels = self.levels.copy()
        np.minimum.at(levels, origins, means[origins, targets] - barrier / sources.shares[origins])
        allowed, flows = self.arcs.allowed, self.arcs.on_all(self.flows)
        allowed[origins, targets] = True
        carried = barrier / (means[origins, targets] - levels[origins])
        flows[origins, targets] = np.minimum(carried, sources.shares[origins] / REACH)
        arcs = Arcs.among(sources, allowed)
        return replace(self, arcs=arcs, flows=flows[arcs.sources, arcs.targets], levels=levels)


@dataclass(frozen=True, eq=False, repr=False)
class Linearisation:
    """An iterate with all that the linear system of the next step is made from.

    response and reduced (arcs,) are the columns' responses and the reduced costs; masses (groups,)
    is P(ĝ); mismatch (groups, values) is P(ĝ, y) less what the response says it should be; barrier
    is the mean product of a flow and its reduced cost.
    """

    iterate: Iterate
    response: Response
    reduced: Floats
    masses: Floats
    mismatch: Floats
    barrier: float


def linearise(program: Program, iterate: Iterate, barrier: float) -> Linearisation:
    """Linearise at an iterate; the barrier of the one before it smooths the columns."""
    arcs = iterate.arcs
    joint = arcs.by_target(iterate.flows[:, None] * arcs.posteriors)
    masses = joint.sum(axis=1)
    smoothing = np.minimum(barrier * np.minimum(1 / masses, program.most_smoothing), 1)
    response = program.responder.respond(iterate.potentials, smoothing)
    mismatch = joint - masses[:, None] * response.directions
    reduced = iterate.reduced_costs()
    barrier = mean_product(program, iterate.flows, reduced, iterate.price, iterate.slack)
    return Linearisation(iterate, response, reduced, masses, mismatch, barrier)


def mean_product(
    program: Program, flows: Floats, reduced: Floats, price: float, slack: float
) -> float:
    """Return the barrier: the mean of all products, price times slack among them."""
    if program.budget is None:
        return float(flows @ reduced) / flows.size
    return (float(flows @ reduced) + price * slack) / (flows.size + 1)


def first_iterate(sources: SourceGroups, arcs: Arcs, price: float, budget: float) -> Iterate:
    """Start in the middle of the channels within the budget, without regard to what leaks.

        flow = middle / (cost + offset of the source),   rows that sum to the shares

    This is the central path of distortion alone. The middle is the largest for which flow times
    cost, summed, plus the middle is within the budget; and for which the offsets cost no more
    than the budget, because with few arcs products would else start far from equal.
    """
    flows, offsets = _central_flows(sources, arcs, budget)
    joint = arcs.by_target(flows[:, None] * arcs.posteriors)
    directions = joint / joint.sum(axis=1, keepdims=True)
    potentials = np.log(0.99 * directions / sources.prior + 0.01)  # finite where P(y|ĝ) = 0
    lowest = np.full(arcs.n_sources, np.inf)
    np.minimum.at(lowest, arcs.sources, arcs.mean_over_values(potentials) + price * arcs.costs)
    levels = np.minimum(-price * offsets, lowest - 1e-3 * price * offsets)
    return Iterate(arcs, flows, potentials, levels, price, budget - float(flows @ arcs.costs))


def uniform_iterate(sources: SourceGroups, arcs: Arcs, price: float, barrier: float) -> Iterate:
    """Start where every source is released as every group alike, so that nothing leaks.

    All likelihood ratios are 1, inside any bound; the distortion may exceed the budget.
    """
    flows = (sources.shares / sources.n_groups)[arcs.sources]
    potentials = np.zeros((sources.n_groups, len(sources.prior)))
    levels = -barrier * sources.n_groups / sources.shares
    return Iterate(arcs, flows, potentials, levels, price, barrier / price)


def _central_flows(sources: SourceGroups, arcs: Arcs, budget: float) -> tuple[Floats, Floats]:
    low, high = LOWEST, 0.0  # log of middle / budget
    while high - low > 0.02:
        middle = budget * float(np.exp((low + high) / 2))
        flows, offsets = _flows_of_middle(sources, arcs, middle)
        fits = max(flows @ arcs.costs + middle, sources.shares @ offsets) <= budget
        low, high = ((low + high) / 2, high) if fits else (low, (low + high) / 2)
    return _flows_of_middle(sources, arcs, budget * float(np.exp(low)))


def _flows_of_middle(sources: SourceGroups, arcs: Arcs, middle: float) -> tuple[Floats, Floats]:
    """Return flows = middle / (cost + offset) whose rows are the shares, and the offsets.

    Newton's method starts below, at the offset with which an arc of cost 0 would carry the share.
    """
    offsets = middle / sources.shares
    for _ in range(60):
        flows = middle / (arcs.costs + offsets[arcs.sources])
        excess = arcs.by_source(flows) - sources.shares
        if np.all(np.abs(excess) <= 1e-12 * sources.shares):
            break
        offsets = offsets + excess * middle / arcs.by_source(flows**2)
    return flows, offsets

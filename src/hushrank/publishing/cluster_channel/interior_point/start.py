"""Where an interior-point solver starts: in the middle of what is allowed."""

import numpy as np

from hushrank.arrays import Floats
from hushrank.publishing.cluster_channel.arcs import Arcs, Sources
from hushrank.publishing.cluster_channel.interior_point.state import State

LOWEST = -60.0
"""The least log of the start's middle, as a part of the budget."""


def first_state(sources: Sources, arcs: Arcs, price: float, budget: float) -> State:
    """Start in the middle of the channels within the budget, blind to what leaks.

    flow = middle / (cost + offset), rows = shares; the largest middle with sum of flow cost +
    middle <= budget, and sum of share offset <= budget, lest few arcs start far from centred
    """
    flows, offsets = _central_flows(sources, arcs, budget)
    joint = arcs.by_target(flows[:, None] * arcs.posteriors)
    directions = joint / joint.sum(axis=1, keepdims=True)
    potentials = np.log(0.99 * directions / sources.prior + 0.01)  # finite where P(y|ĝ) = 0
    lowest = np.full(arcs.n_sources, np.inf)
    np.minimum.at(lowest, arcs.sources, arcs.mean_over_values(potentials) + price * arcs.costs)
    levels = np.minimum(-price * offsets, lowest - 1e-3 * price * offsets)
    return State(arcs, flows, potentials, levels, price, budget - float(flows @ arcs.costs))


def silent_state(sources: Sources, arcs: Arcs, price: float, barrier: float) -> State:
    """Start where every source is released as every group alike, so that nothing leaks.

    Its likelihood ratios are all 1, inside any bound; its distortion may exceed the budget.
    """
    flows = (sources.shares / sources.n_groups)[arcs.sources]
    potentials = np.zeros((sources.n_groups, len(sources.prior)))
    levels = -barrier * sources.n_groups / sources.shares
    return State(arcs, flows, potentials, levels, price, barrier / price)


def _central_flows(sources: Sources, arcs: Arcs, budget: float) -> tuple[Floats, Floats]:
    low, high = LOWEST, 0.0  # log of middle / budget
    while high - low > 0.02:
        middle = budget * float(np.exp((low + high) / 2))
        flows, offsets = _flows_of_middle(sources, arcs, middle)
        fits = max(flows @ arcs.costs + middle, sources.shares @ offsets) <= budget
        low, high = ((low + high) / 2, high) if fits else (low, (low + high) / 2)
    return _flows_of_middle(sources, arcs, budget * float(np.exp(low)))


def _flows_of_middle(sources: Sources, arcs: Arcs, middle: float) -> tuple[Floats, Floats]:
    """Return flows = middle / (cost + offset) whose rows are the shares, and the offsets.

    Newton's method from below, where the cheapest arc, at cost 0, alone would carry the share.
    """
    offsets = middle / sources.shares
    for _ in range(60):
        flows = middle / (arcs.costs + offsets[arcs.sources])
        excess = arcs.by_source(flows) - sources.shares
        if np.all(np.abs(excess) <= 1e-12 * sources.shares):
            break
        offsets = offsets + excess * middle / arcs.by_source(flows**2)
    return flows, offsets

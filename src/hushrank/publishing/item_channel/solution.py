"""A solved channel between items, with all that is stated of it.

Theory: docs/theory/item-channel.md
"""

from dataclasses import dataclass, replace
from math import log
from typing import Generic, TypeVar

import numpy as np
from scipy.special import rel_entr

from hushrank.accounting.words import loss_in_words
from hushrank.arrays import Shares
from hushrank.publishing.distances.activity_cost import ActivityCost
from hushrank.publishing.item_channel.channel import (
    CompactChannel,
    compact_channel,
    rows_of,
    thresholds,
)
from hushrank.publishing.item_channel.problem import (
    ActivityPopulation,
    ItemChannelProblem,
    lower_bound,
)

Start = TypeVar("Start")
Start_co = TypeVar("Start_co", covariant=True)
"""What the next solution may start from: only the solver that made it looks inside."""


@dataclass(frozen=True, eq=False, repr=False)
class ItemChannelSolution(Generic[Start_co]):
    """A channel within the budget, what it leaks and how far from the least possible that is.

    leakage: I(released; value) of one activity; worst_leakage: max over values y of the divergence
    of P(released | y) from P(released), an upper bound of the leakage under every prior;
    certified_gap: leakage less `lower_bound(problem, potentials, price)`; all in nats.
    distortion: the expected cost. warm_start: what the next solution may start from, if anything.
    Privacy: hides the private attribute in the mean, as far as stated, from whoever believes the
    population's probabilities; it is not differential privacy.
    """

    channel: CompactChannel
    leakage: float
    worst_leakage: float
    distortion: float
    certified_gap: float
    potentials: Shares
    price: float
    warm_start: Start_co

    def __repr__(self) -> str:
        """Say what is stated, nothing of the channel."""
        told, gap = loss_in_words(self.leakage, 3), loss_in_words(self.certified_gap, 2)
        return f"ItemChannelSolution(leakage {told}, gap {gap} nats)"

    @property
    def leakage_bits(self) -> float:
        """The leakage of one activity in bits."""
        return self.leakage / log(2)


def judged(
    problem: ItemChannelProblem,
    channel: CompactChannel,
    potentials: Shares,
    price: float,
    warm_start: Start,
) -> ItemChannelSolution[Start]:
    """Return the solution with everything computed from the channel's words and the potentials."""
    released = channel.pushforward(problem.population.joint)
    leakage, worst = leakages(released)
    distortion = expected_cost(problem.population, problem.cost, channel)
    gap = leakage - max(0.0, lower_bound(problem, potentials, price))
    return ItemChannelSolution(
        channel, leakage, worst, distortion, gap, potentials, price, warm_start
    )


def without_search(problem: ItemChannelProblem) -> ItemChannelSolution[None] | None:
    """Return the solution where the budget pays for all that tells, or for nothing; else None."""
    if problem.budget >= problem.constant_cost * (1 + 1e-9):
        return constant(problem)
    tells_nothing = problem.population.leakage <= 1e-14
    if tells_nothing or problem.budget <= 1e-9 * problem.constant_cost_bound:
        return unchanged(problem)
    return None


def unchanged(problem: ItemChannelProblem) -> ItemChannelSolution[None]:
    """Return the channel that changes nothing."""
    n_items = problem.population.n_items
    none = np.empty(0, dtype=np.intp)
    channel = compact_channel(np.zeros(n_items + 1, np.intp), none, np.empty(0), [])
    own = np.log(np.maximum(problem.population.posteriors, 1e-12) / problem.population.prior)
    price = problem.population.leakage / (problem.cost.largest or 1.0)
    return judged(problem, channel, own, price, None)


def constant(problem: ItemChannelProblem) -> ItemChannelSolution[None]:
    """Return the constant channel: it releases one item whatever was done, and so leaks nothing."""
    n_items = problem.population.n_items
    to, surely = np.zeros(n_items, np.intp), np.ones(n_items)
    spread = np.array([problem.cheapest_item]), np.ones(1)
    channel = compact_channel(np.arange(n_items + 1), to, surely, [spread])
    nothing = np.zeros(problem.population.joint.shape)
    return judged(problem, channel, nothing, 0.0, None)


def within_budget(problem: ItemChannelProblem, channel: CompactChannel) -> CompactChannel:
    """Return the channel, mixed with staying as far as the budget demands."""
    cost = expected_cost(problem.population, problem.cost, channel)
    if cost <= problem.budget:
        return channel
    kept = channel.move_shares() * (problem.budget / cost * (1 - 1e-12))
    bounds = thresholds(kept, channel.starts)
    return replace(channel, bounds=bounds)


def leakages(released: Shares) -> tuple[float, float]:
    """Return the mean and the largest divergence of P(released | y), from a joint, in nats."""
    prior, shares = released.sum(axis=0), released.sum(axis=1)
    divergences = rel_entr(released / prior, shares[:, None]).sum(axis=0)
    return max(0.0, float(prior @ divergences)), max(0.0, float(divergences.max()))


def expected_cost(
    population: ActivityPopulation, cost: ActivityCost, channel: CompactChannel
) -> float:
    """Return the expected cost of the channel under the population's items."""
    items, shares = rows_of(channel.starts), channel.move_shares()
    columns, good_shares = rows_of(channel.good_starts), channel.good_shares()
    parts, masses = cost.of_items, population.weights[items] * shares
    arriving = np.bincount(columns, good_shares * parts[channel.goods], channel.n_columns)
    total = float(masses @ (parts[items] + arriving[channel.columns]))
    if cost.within > 0:
        total += cost.within * _within(cost, channel, masses)
    return total - _returned(cost, channel, masses)


def _within(cost: ActivityCost, channel: CompactChannel, masses: Shares) -> float:
    """Return the mass of activities that are released as an item of their own class."""
    table = np.zeros((channel.n_columns, len(cost.parts)))
    of_goods = (rows_of(channel.good_starts), cost.classes[channel.goods])
    np.add.at(table, of_goods, channel.good_shares())
    items = rows_of(channel.starts)
    return float(masses @ table[channel.columns, cost.classes[items]])


def _returned(cost: ActivityCost, channel: CompactChannel, masses: Shares) -> float:
    """Return the cost that was counted for activities that a column releases unchanged: it is 0."""
    items, n_items = rows_of(channel.starts), channel.n_items
    released = rows_of(channel.good_starts) * n_items + channel.goods
    places, of_place = np.unique(released, return_inverse=True)
    shares = np.append(np.bincount(of_place, channel.good_shares()), 0.0)
    own = channel.columns * np.intp(n_items) + items
    place = np.searchsorted(places, own)
    is_released = np.append(places, -1)[place] == own
    each = 2 * cost.of_items[items] + cost.within
    return float((masses * shares[place] * each)[is_released].sum())

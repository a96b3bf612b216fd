"""The item-channel problem for two private values, as the arrays that the kernels take.

A class holds all items that cost the same, also where their counts differ. That loses nothing: if
both counts get the wider of their two intervals, moves are worth what they were, and items may stay
nearer to their own posterior.
Theory: docs/theory/item-channel.md
"""

from dataclasses import replace

import numpy as np
from scipy.special import logit

from hushrank.arrays import Indices, Shares
from hushrank.publishing.distances.activity_cost import ActivityCost
from hushrank.publishing.item_channel.binary.newton import SmoothedDual
from hushrank.publishing.item_channel.binary.options import (
    HIGHEST,
    LOWEST,
    ONLY,
    Items,
    OptionColumns,
)
from hushrank.publishing.item_channel.problem import ActivityPopulation, ItemChannelProblem

WIDEST_TILT = 40.0  # beyond, a posterior is 0 or 1 in floating point
BIN = 0.05  # nats of tilt: items of one class that are as near are first solved as one


def smoothed_dual(problem: ItemChannelProblem) -> SmoothedDual:
    """Return the smoothed dual of the problem, with costs in units of the largest."""
    population, unit = problem.population, problem.cost.largest
    items = _items(problem, item_tilts(population), population.own_leakages)
    prior = float(population.prior[1])
    return SmoothedDual(items, class_columns(problem.cost), prior, problem.budget / unit)


def no_leakage_dual(problem: ItemChannelProblem) -> SmoothedDual:
    """Return the dual of the least cost at which nothing leaks: the limit of small tilts."""
    population = problem.population
    prior = float(population.prior[1])
    excess = population.posteriors[:, 1] - prior
    tells = np.abs(excess) > 1e-13
    tilts = np.where(tells, np.copysign(np.inf, excess), 0.0)
    items = _items(problem, tilts, np.where(tells, np.inf, 0.0))
    return SmoothedDual(items, class_columns(problem.cost), prior, 0.0, linear=True)


def binned(dual: SmoothedDual) -> SmoothedDual:
    """Return nearly the same dual of fewer items: one for those of a class and a BIN of tilts."""
    items, used = dual.items, np.flatnonzero(dual.items.weights > 0)
    _, firsts, bins = np.unique(_bins(dual, used), return_index=True, return_inverse=True)
    weights: Shares = np.bincount(bins, items.weights[used]).astype(np.float64)
    shares = items.weights[used] / weights[bins]

    def means(values: Shares) -> Shares:
        return np.bincount(bins, shares * values[used]).astype(np.float64)

    posteriors, tilts, leakages = map(means, (items.posteriors, items.tilts, items.leakages))
    kept = used[firsts]
    merged = Items(posteriors, weights, tilts, leakages, items.classes[kept], items.parts[kept])
    return replace(dual, items=merged)


def _bins(dual: SmoothedDual, used: Indices) -> Shares:
    """Return the bin (used,) of each item: its class, step of tilt, and if it tells anything."""
    posteriors = np.clip(dual.items.posteriors[used], 1e-17, 1 - 1e-16)
    steps = np.floor((logit(posteriors) - logit(dual.prior)) / BIN)
    steps -= steps.min()
    numbers: Shares = dual.items.classes[used] + len(dual.columns.of_class) * steps
    return 2 * numbers + (dual.items.leakages[used] > 0)


def item_tilts(population: ActivityPopulation) -> Shares:
    """Return logit P(value 1 | item) - logit P(value 1), (items,), within +-WIDEST_TILT."""
    with np.errstate(divide="ignore"):
        logs = np.log(population.posteriors) - np.log(population.prior)
        tilts: Shares = np.clip(logs[:, 1] - logs[:, 0], -WIDEST_TILT, WIDEST_TILT)
    return tilts


def _items(problem: ItemChannelProblem, tilts: Shares, leakages: Shares) -> Items:
    population, cost = problem.population, problem.cost
    posteriors = np.ascontiguousarray(population.posteriors[:, 1])
    parts = cost.of_items / cost.largest
    return Items(posteriors, population.weights, tilts, leakages, cost.classes, parts)


def class_columns(cost: ActivityCost) -> OptionColumns:
    """Return the columns of all classes: both ends of the interval, or one for a single item."""
    sizes = np.bincount(cost.classes, minlength=len(cost.parts))
    single = sizes == 1
    n_columns = np.where(single, 1, 2)
    classes = np.repeat(np.arange(len(sizes)), n_columns)
    second = np.append(False, classes[1:] == classes[:-1])
    kinds = np.where(single[classes], ONLY, np.where(second, HIGHEST, LOWEST))
    of_class = np.full((len(sizes), 2), -1)
    of_class[classes, second.astype(np.intp)] = np.arange(len(classes))
    parts, within = cost.parts[classes] / cost.largest, cost.within / cost.largest
    return OptionColumns(classes, kinds.astype(np.intp), parts, of_class, within)

"""Cells of items that tell nearly the same: a coarse online problem for many private values."""

from dataclasses import dataclass
from heapq import heapify, heappop, heappush

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Shares
from hushrank.publishing.online_problem import ActivityPopulation, OnlineProblem

Numbers = NDArray[np.intp]


@dataclass(frozen=True, eq=False, repr=False)
class Cells:
    """Items of one class and nearly equal posteriors, as one; costs in units of the largest.

    of_items (items,): the cell of each; groups (cells,): which group of similar items it is of;
    classes, parts, joint (cells, values) as the items'.
    """

    of_items: Numbers
    groups: Numbers
    classes: Numbers
    parts: Shares
    joint: Shares
    within: float
    budget: float

    @property
    def n_cells(self) -> int:
        """How many cells there are."""
        return len(self.groups)


def cells_of(problem: OnlineProblem, groups: Numbers) -> Cells:
    """Return the cells of a problem, given the group of each item (items,)."""
    cost = problem.cost
    keys = cost.classes * (groups.max() + 1) + groups
    _, first, of_items = np.unique(keys, return_index=True, return_inverse=True)
    joint = np.zeros((len(first), problem.population.n_values))
    np.add.at(joint, of_items, problem.population.joint)
    unit = cost.largest
    of_cells = cost.classes[first], cost.of_items[first] / unit
    scale = cost.within / unit, problem.budget / unit
    return Cells(of_items, groups[first], *of_cells, joint, *scale)


def similar_items(population: ActivityPopulation, n_groups: int) -> Numbers:
    """Return the group (items,) of each item: groups of items with similar posteriors.

    The group with the largest weighted squares of P(value | item) / sqrt(P(value)) is halved at its
    mean, along the value that differs most, until there are `n_groups`. Deterministic.
    """
    places = population.posteriors / np.sqrt(population.prior)
    groups = np.zeros(population.n_items, dtype=np.intp)
    heap = [(0.0, 0, np.arange(population.n_items))]
    heapify(heap)
    n_made = 1
    while heap and n_made < n_groups:
        _, group, members = heappop(heap)
        upper = _upper_half(places[members], population.weights[members])
        if upper.any() and not upper.all():
            groups[members[upper]] = n_made
            for number, half in ((group, members[~upper]), (n_made, members[upper])):
                heappush(heap, (-_squares(places[half], population.weights[half]), number, half))
            n_made += 1
    return groups


def _spread(places: Shares, weights: Shares) -> tuple[Shares, Shares]:
    total = weights.sum()
    means = weights @ places / total if total > 0 else places.mean(axis=0)
    return means, weights @ (places - means) ** 2


def _squares(places: Shares, weights: Shares) -> float:
    return float(_spread(places, weights)[1].sum())


def _upper_half(places: Shares, weights: Shares) -> NDArray[np.bool_]:
    means, squares = _spread(places, weights)
    value = int(squares.argmax())
    return (
        places[:, value] > means[value] if squares[value] > 1e-18 else np.zeros(len(places), bool)
    )

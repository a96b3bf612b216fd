"""Which groups may be released in place of which: the arcs that a solver works on.

Column generation works on few arcs, prices all the others, and takes in those that would be used.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Floats, Integers, Shares
from hushrank.publishing.cluster_channel.problem import ChannelProblem

NEIGHBOURS = 16
"""A group starts with the arcs to and from its nearest ones, this many each."""
REACH = 3.0
"""An arc is taken in when it would carry more than about 1 / REACH of its source's users."""


@dataclass(frozen=True, eq=False, repr=False)
class SourceGroups:
    """The groups that have users, and how far they are from what they may be released as.

    numbers (sources,) says which groups these are, shares (sources,) is P(g), posteriors (sources,
    values) is P(y | g). The distances (sources, groups) and the budget are divided by `unit`, the
    largest distance, so that no distance is above 1.
    """

    numbers: Integers
    shares: Floats
    posteriors: Shares
    prior: Shares
    distances: Floats
    budget: float
    unit: float

    @classmethod
    def of(cls, problem: ChannelProblem) -> "SourceGroups":
        """Leave out the groups without users, who are never a source."""
        numbers = np.flatnonzero(problem.shares > 0)
        shares = problem.shares[numbers]
        distances = problem.distances[numbers]
        unit = float(distances.max()) or 1.0
        posteriors = problem.joint[numbers] / shares[:, None]
        scaled = (distances / unit, problem.budget / unit, unit)
        return cls(numbers, shares, posteriors, problem.prior, *scaled)

    @property
    def n_sources(self) -> int:
        """How many groups have users."""
        return len(self.numbers)

    @property
    def n_groups(self) -> int:
        """How many groups there are."""
        return int(self.distances.shape[1])


@dataclass(frozen=True, eq=False, repr=False)
class Arcs:
    """Pairs of a source and a group that it may be released as, by that group, then by source.

    Every group has an arc. Of each arc, sources and targets (arcs,) are its two ends, costs (arcs,)
    is their distance, and posteriors (arcs, values) is P(y | g) of its source.
    """

    sources: Integers
    targets: Integers
    costs: Floats
    posteriors: Shares
    n_sources: int
    n_groups: int

    @classmethod
    def among(cls, sources: SourceGroups, allowed: NDArray[np.bool_]) -> "Arcs":
        """Take the pairs that `allowed` (sources, groups) marks."""
        targets, origins = np.nonzero(allowed.T)
        costs, posteriors = sources.distances[origins, targets], sources.posteriors[origins]
        return cls(origins, targets, costs, posteriors, *allowed.shape)

    @cached_property
    def starts(self) -> Integers:
        """Where the arcs of each group begin, and where the last ones end: (groups + 1,)."""
        return np.searchsorted(self.targets, np.arange(self.n_groups + 1))

    @property
    def allowed(self) -> NDArray[np.bool_]:
        """The arcs as marks (sources, groups)."""
        marks = np.zeros((self.n_sources, self.n_groups), dtype=bool)
        marks[self.sources, self.targets] = True
        return marks

    def by_target(self, values: Floats) -> Floats:
        """Add values (arcs, ...) up for each group released: (groups, ...)."""
        return np.asarray(np.add.reduceat(values, self.starts[:-1], axis=0))

    def by_source(self, values: Floats) -> Floats:
        """Add values (arcs,) up for each source."""
        sums: Floats = np.bincount(self.sources, values, self.n_sources).astype(np.float64)
        return sums

    def mean_over_values(self, potentials: Floats) -> Floats:
        """Return the mean of potentials (groups, values) of each arc's target under its source."""
        return np.asarray(np.einsum("ay,ay->a", self.posteriors, potentials[self.targets]))

    def on_all(self, values: Floats) -> Floats:
        """Spread values (arcs,) over a matrix (sources, groups), 0 elsewhere."""
        spread = np.zeros((self.n_sources, self.n_groups))
        spread[self.sources, self.targets] = values
        return spread


def nearest_arcs(sources: SourceGroups, n_neighbours: int = NEIGHBOURS) -> NDArray[np.bool_]:
    """Mark (sources, groups) the arcs to the nearest groups and from the nearest sources."""
    allowed = np.zeros(sources.distances.shape, dtype=bool)
    for axis, marks in ((1, allowed), (0, allowed)):
        count = min(n_neighbours, allowed.shape[axis])
        near = np.argpartition(sources.distances, count - 1, axis=axis)
        np.put_along_axis(marks, np.take(near, np.arange(count), axis=axis), True, axis=axis)
    allowed[np.arange(sources.n_sources), sources.numbers] = True
    return allowed


def missing_arcs(
    arcs: Arcs, reduced_costs: Floats, thresholds: Floats
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the sources and targets of the arcs outside whose reduced cost is below its limit.

    reduced_costs (sources, groups), thresholds (sources,). The bound cannot certify while such
    an arc is left out.
    """
    cheap = reduced_costs < thresholds[:, None]
    cheap[arcs.sources, arcs.targets] = False
    origins, targets = np.nonzero(cheap)
    return origins, targets


def all_arcs(sources: SourceGroups) -> Arcs:
    """Return the arcs from every source to every group."""
    return Arcs.among(sources, np.ones(sources.distances.shape, dtype=bool))


def few_arcs(sources: SourceGroups) -> Arcs:
    """Return the arcs between near groups: where column generation starts."""
    return Arcs.among(sources, nearest_arcs(sources))

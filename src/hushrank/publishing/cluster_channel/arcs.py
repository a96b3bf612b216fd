"""Which groups may be released in place of which: the arcs that a solver works on."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Floats, Integers, Shares
from hushrank.publishing.cluster_channel.problem import ChannelProblem


@dataclass(frozen=True, eq=False, repr=False)
class Sources:
    """The groups that have users, and what they may be released as; distances at most 1.

    numbers (sources,) = which groups these are; posteriors (sources, values) = P(y | g); distances
    (sources, groups) and budget are divided by `unit`, the largest distance.
    """

    numbers: Integers
    shares: Floats
    posteriors: Shares
    prior: Shares
    distances: Floats
    budget: float
    unit: float

    @classmethod
    def of(cls, problem: ChannelProblem) -> "Sources":
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
    """Pairs of a source and the group it may be released as, ordered by that group, then source.

    Every group has an arc. sources, targets, costs, posteriors: (arcs,), (arcs,), (arcs,) and
    (arcs, values) of the sources.
    """

    sources: Integers
    targets: Integers
    costs: Floats
    posteriors: Shares
    n_sources: int
    n_groups: int

    @classmethod
    def among(cls, sources: Sources, allowed: NDArray[np.bool_]) -> "Arcs":
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

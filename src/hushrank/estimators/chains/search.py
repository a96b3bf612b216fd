"""The most likely model of many items, by Markov chains that follow it as it changes.

Theory: docs/theory/max-entropy.md.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from hushrank.arrays import Floats
from hushrank.estimators.chains.point import ChainPoint
from hushrank.estimators.chains.uniform_orders import UniformOrders
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.prior_scale import ScaleEvidence
from hushrank.models.max_entropy.rank_features import RankFeatures
from hushrank.models.max_entropy.tempered_draws import move_orders

Point = TypeVar("Point", bound=ChainPoint | UniformOrders)

N_CHAINS = 4000
N_SNAPSHOTS = 5
"""Of all chains: the draws of a point."""
ROUNDS_APART = 4
"""Rounds of exchanges between snapshots, and before the first step of a search."""
N_STEPS = 24
FULL_STEPS = 4
SHRINKAGE = 0.35
LEAST_SHARE = 0.1
"""Of the newest draws in the statistics that the search goes by."""
LONGEST_STEP = 0.5
FARTHEST_START = 1.5


@dataclass(frozen=True, eq=False, repr=False)
class ChainParabola(Generic[Point]):
    """The log-likelihood of reports near one model, as `Parabola`, in directions of its own.

    In the directions `basis` (features, directions) the prior at scale 1 is round, and the
    information of the reports is diagonal: `weights` (directions,). All that depends on the scale
    is then a division, so that one decomposition serves every scale that is tried.
    """

    likelihood: ReportLikelihood
    point: Point

    @cached_property
    def weights(self) -> Floats:
        """The information of the reports on each direction."""
        return self._directions[0]

    @cached_property
    def basis(self) -> Floats:
        """The directions, as coefficients (features, directions)."""
        basis: Floats = self.point.features.prior_root @ self._directions[1]
        return basis

    @cached_property
    def evidence(self) -> ScaleEvidence:
        """What the reports say of the prior's scale, if the parabola is right."""
        statistics = self.point.statistics
        slopes = self.point.gradient(self.likelihood.slopes(statistics))
        root = self.point.features.prior_root
        here = solve_triangular(root, self.point.coefficients, lower=True)
        along = self._directions[1].T @ here
        return ScaleEvidence(self.weights, self.basis.T @ slopes + self.weights * along)

    def start(self, scale: float) -> Floats:
        """Return where to begin a search: here, or from 0 at the parabola's peak, brought near."""
        if isinstance(self.point, ChainPoint):
            return self.point.coefficients
        peak = self.basis @ (self.evidence.pulls / (self.weights + scale**-2))
        near: Floats = peak * (FARTHEST_START / max(np.abs(peak).max(), FARTHEST_START))
        return near

    def newton_step(self, slope: Floats, scale: float) -> Floats:
        """Return the step (features,) to the peak from where the posterior has this slope."""
        step: Floats = self.basis @ ((self.basis.T @ slope) / (self.weights + scale**-2))
        return step

    def standard_errors(self, slope: Floats, scale: float) -> float:
        """Return the length of the Newton step in standard errors: root mean square."""
        along = self.basis.T @ slope
        return float(np.sqrt(np.mean(along**2 / (self.weights + scale**-2))))

    def covariance(self, scale: float) -> Floats:
        """Return the covariance (features, features) of the coefficients, given the reports."""
        covariance: Floats = (self.basis / (self.weights + scale**-2)) @ self.basis.T
        return covariance

    @cached_property
    def _directions(self) -> tuple[Floats, Floats]:
        root = self.point.features.prior_root
        cells = self.likelihood.weights, self.likelihood.roots(self.point.statistics)
        weights, directions = np.linalg.eigh(root.T @ self.point.information(*cells) @ root)
        return np.maximum(weights, 0.0), directions


@dataclass(frozen=True, eq=False, repr=False)
class Chains:
    """Markov chains over orders, in place: orders (chains, items) of one model after the other.

    `patience`: how many rounds of exchanges they take where others take one.
    """

    features: RankFeatures
    orders: NDArray[np.int64]
    rng: np.random.Generator
    patience: int = 1

    @classmethod
    def of(cls, features: RankFeatures, *, rng: np.random.Generator, patience: int = 1) -> "Chains":
        """Start chains from equally likely orders."""
        each = np.tile(np.arange(features.n_items), (N_CHAINS, 1))
        return cls(features, rng.permuted(each, axis=1), rng, patience)

    def move(self, coefficients: Floats, n_rounds: int) -> ChainPoint:
        """Move the chains on under a model; return it by where they stand, until they move on."""
        potentials = self.features.potentials(coefficients)
        n_rounds *= self.patience
        move_orders(self.orders, *potentials, 1.0, n_rounds, rng=self.rng)
        return ChainPoint(self.features, coefficients, self.orders)

    def point(self, coefficients: Floats) -> ChainPoint:
        """Return a model by snapshots of the chains."""
        moved = (self.move(coefficients, ROUNDS_APART) for _ in range(N_SNAPSHOTS))
        orders = np.concatenate([each.orders.copy() for each in moved])
        return ChainPoint(self.features, coefficients, orders)


def posterior_slope(
    likelihood: ReportLikelihood, point: ChainPoint, statistics: Floats, scale: float
) -> Floats:
    """Return the slope (features,) of the log-posterior at a point, by these statistics of it."""
    drawn_back = point.features.prior_precision @ point.coefficients / scale**2
    return point.gradient(likelihood.slopes(statistics)) - drawn_back


def most_likely(
    near: ChainParabola[ChainPoint | UniformOrders], scale: float, chains: Chains
) -> Floats:
    """Return the most likely coefficients under the prior at this scale: stochastic approximation.

    Newton steps of a slope that is a mean over the chains, which follow the model; shorter and
    shorter ones. Returned is the mean of the later half of the places.
    Source: Robbins, Monro (Annals of Mathematical Statistics 1951); Younes (Stochastics 1999),
    persistent chains; Polyak, Juditsky (SIAM Journal on Control and Optimization 1992), the mean.
    """
    at = near.start(scale)
    statistics = chains.move(at, ROUNDS_APART).statistics
    places = []
    for nth in range(N_STEPS):
        gain = 1 / (1 + SHRINKAGE * max(0, nth + 1 - FULL_STEPS))
        here = chains.move(at, 1)
        statistics = statistics + max(gain, LEAST_SHARE) * (here.statistics - statistics)
        step = near.newton_step(posterior_slope(near.likelihood, here, statistics, scale), scale)
        at = at + gain * (LONGEST_STEP / max(np.abs(step).max(), LONGEST_STEP)) * step
        places.append(at)
    mean: Floats = np.mean(places[N_STEPS // 2 :], axis=0)
    return mean

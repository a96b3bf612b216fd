"""How a column, a released group's share of each private value, answers to its potentials."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from hushrank.arrays import Floats, Shares
from hushrank.publishing.cluster_channel.certificate import log_normalisers

STAGES = 9
STEPS_A_STAGE = 6
FIRST_SMOOTHING = 1.0
SHRINK = 0.1
TO_THE_EDGE = 0.9


@dataclass(frozen=True, eq=False, repr=False)
class Response:
    """The support function of a column of mass 1 at its potentials, and its derivatives.

    scales (groups,) are its values, directions (groups, values), which sum to 1, its gradients, and
    curvatures (groups, values, values) its Hessians. The direction is what P(y | ĝ) should be.
    """

    scales: Floats
    directions: Shares
    curvatures: Floats


class Responder(Protocol):
    """A rule for what P(y | ĝ) of a column may be, by its support function."""

    @property
    def bounds_ratio(self) -> bool:
        """Whether flows break the rule unless the columns match their responses."""

    def respond(self, potentials: Floats, smoothing: Floats) -> Response:
        """Return the response to potentials (groups, values)."""

    def bounds(self, potentials: Floats) -> Floats:
        """Return the support function (groups,) exactly, as the certificate takes it."""


@dataclass(frozen=True, repr=False)
class LeakageResponder:
    """P(y | ĝ) of a column may be anything: the support function is that of the leakage."""

    prior: Shares
    bounds_ratio: bool = False

    def respond(self, potentials: Floats, smoothing: Floats) -> Response:
        """Return log-sum-exp, softmax and its covariance, weighted by the prior."""
        scales = self.bounds(potentials)
        directions = np.exp(potentials - scales[:, None]) * self.prior
        return Response(scales, directions, covariances(directions))

    def bounds(self, potentials: Floats) -> Floats:
        """Return log-sum-exp."""
        return log_normalisers(potentials, self.prior)


def covariances(directions: Shares) -> Floats:
    """Return diag(q) - q q^T for each row q of directions (groups, values)."""
    eye = np.eye(directions.shape[1])
    return directions[:, :, None] * (eye - directions[:, None, :])


class _Column(NamedTuple):
    """likelihoods (groups, values) = P(ĝ | y) / P(ĝ), and the least of their window (groups,)."""

    likelihoods: Floats
    least: Floats


@dataclass(frozen=True, repr=False)
class RatioResponder:
    """A column's likelihoods P(ĝ | y) may differ by a factor of max_ratio > 1 at most.

        maximise sum p (e (a - log e) + smoothing log((e - t) (max_ratio t - e)))
        over e and t with sum p e = 1

    Here e are the likelihoods and t the least that any of them may be. The second term keeps them
    within the bound and makes the response smooth. It vanishes with the barrier of the interior
    point, and never enters the certificate.
    """

    prior: Shares
    max_ratio: float
    bounds_ratio: bool = True

    def bounds(self, potentials: Floats) -> Floats:
        """Return the exact support function (groups,)."""
        return log_normalisers(potentials, self.prior, self.max_ratio)

    def respond(self, potentials: Floats, smoothing: Floats) -> Response:
        """Return the smoothed support function, its maximiser and its curvature."""
        smoothing = np.maximum(smoothing, FIRST_SMOOTHING * SHRINK ** (STAGES - 1))
        start = 2 / (1 + self.max_ratio)
        column = _Column(np.ones_like(potentials), np.full(len(potentials), start))
        for stage in range(STAGES):
            eta = np.maximum(smoothing, FIRST_SMOOTHING * SHRINK**stage)
            for _ in range(STEPS_A_STAGE):
                column = self._step(column, potentials, eta)
        directions = self.prior * column.likelihoods
        scales = self._objective(column, potentials, smoothing)
        return Response(scales, directions, self._curvatures(column, smoothing))

    def _slacks(self, column: _Column) -> tuple[Floats, Floats]:
        least = column.least[:, None]
        return column.likelihoods - least, self.max_ratio * least - column.likelihoods

    def _objective(self, column: _Column, potentials: Floats, eta: Floats) -> Floats:
        above, below = self._slacks(column)
        middle = (self.max_ratio - 1) / (self.max_ratio + 1)  # each slack where all are equal
        barrier = np.log(above * below / middle**2) @ self.prior
        e = column.likelihoods
        gained = (self.prior * e * (potentials - np.log(e))).sum(axis=1)
        return np.asarray(gained + eta * barrier)

    def _inverse(self, column: _Column, eta: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the inverse of the negated Hessian in e, t eliminated: diag + u u^T / rest.

        rest is written as a sum of positive terms: near the bound its differences cancel.
        """
        above, below = self._slacks(column)
        weights = eta[:, None] * self.prior
        low, high, bend = weights * above**-2, weights * below**-2, self.prior / column.likelihoods
        diagonal = 1 / (bend + low + high)
        mixed = low + self.max_ratio * high
        corner = bend * (low + self.max_ratio**2 * high) + low * high * (self.max_ratio - 1) ** 2
        return diagonal, diagonal * mixed, (diagonal * corner).sum(axis=1)

    def _curvatures(self, column: _Column, eta: Floats) -> Floats:
        diagonal, tilt, rest = self._inverse(column, eta)
        full = np.eye(len(self.prior)) * diagonal[:, None, :]
        full = full + tilt[:, :, None] * tilt[:, None, :] / rest[:, None, None]
        pull = full @ self.prior
        full = full - pull[:, :, None] * pull[:, None, :] / (pull @ self.prior)[:, None, None]
        return np.asarray(self.prior[:, None] * full * self.prior)

    def _step(self, column: _Column, potentials: Floats, eta: Floats) -> _Column:
        """Take one Newton step, shortened where it would leave the window."""
        e, weights = column.likelihoods, eta[:, None] * self.prior
        above, below = self._slacks(column)
        diagonal, tilt, rest = self._inverse(column, eta)
        slope = self.prior * (potentials - np.log(e) - 1) + weights * (1 / above - 1 / below)
        slope_least = (weights * (self.max_ratio / below - 1 / above)).sum(axis=1)
        free = self._solve(diagonal, tilt, rest, slope, slope_least)
        along = self._solve(diagonal, tilt, rest, np.tile(self.prior, (len(e), 1)), 0 * rest)
        factor = (free[0] @ self.prior) / (along[0] @ self.prior)
        move, move_least = free[0] - factor[:, None] * along[0], free[1] - factor * along[1]
        length = self._length(column, move, move_least)
        return _Column(e + length[:, None] * move, column.least + length * move_least)

    def _solve(
        self, diagonal: Floats, tilt: Floats, rest: Floats, slope: Floats, slope_least: Floats
    ) -> tuple[Floats, Floats]:
        """Solve [H, -g; -g^T, c] (move, move_least) = (slope, slope_least)."""
        least = (slope_least + (tilt * slope).sum(axis=1)) / rest
        return diagonal * slope + tilt * least[:, None], least

    def _length(self, column: _Column, move: Floats, move_least: Floats) -> Floats:
        above, below = self._slacks(column)
        rise = move - move_least[:, None]
        fall = self.max_ratio * move_least[:, None] - move
        shrinking = np.maximum(-rise / above, -fall / below).max(axis=1)
        shrinking = np.maximum(shrinking, (-move / column.likelihoods).max(axis=1))
        return np.asarray(np.minimum(1, TO_THE_EDGE / np.maximum(shrinking, 1e-300)))

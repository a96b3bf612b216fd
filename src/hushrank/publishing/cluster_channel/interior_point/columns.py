"""How a released group's share of each private value answers to its potentials."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hushrank.arrays import Floats, Shares
from hushrank.publishing.cluster_channel.certificate import log_normalisers


@dataclass(frozen=True, eq=False, repr=False)
class Response:
    """The support function of what a column may hold, with its gradient and its Hessian.

    scales (groups,), directions (groups, values) that sum to 1, curvatures (groups, values,
    values): at the potentials, of a column of mass 1.
    """

    scales: Floats
    directions: Shares
    curvatures: Floats


class Responder(Protocol):
    """What the columns of a channel may hold."""

    @property
    def bounds_ratio(self) -> bool:
        """Whether flows are no use before the columns match their responses."""

    def respond(self, potentials: Floats, smoothing: Floats) -> Response:
        """Return the response to potentials (groups, values)."""

    def bounds(self, potentials: Floats) -> Floats:
        """Return the exact support function (groups,), free of smoothing."""


@dataclass(frozen=True)
class LeakageResponder:
    """A column may hold anything, and costs what it leaks."""

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

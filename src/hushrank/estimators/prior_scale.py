"""How far a population is from uniform, judged by its noisy reports: one scale of the prior.

Theory: docs/theory/max-entropy.md.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from hushrank.arrays import Floats
from hushrank.errors import require

Prior: TypeAlias = Literal["safe", "typical"]
"""What is believed of the scale before: `safe` expects nothing, `typical` a usual population."""

STEP = 0.15
LEAST_SCALE, LARGEST_SCALE = 0.01, 2.0
SAFE_SCALE = 0.2
TYPICAL_SCALE, TYPICAL_SPREAD = 0.3, 0.6
LEAST_SCALE_OF_INTERVALS = 0.1
QUANTILE_OF_INTERVALS = 0.8


def require_prior(prior: Prior) -> None:
    """Raise HushrankError unless it is one: protocols ask before anybody has answered."""
    require(prior in get_args(Prior), f"expected safe or typical as the prior, got {prior}")


@dataclass(frozen=True, eq=False, repr=False)
class ScaleEvidence:
    """The log-likelihood near a point as a parabola, in directions that the prior leaves apart.

    In coordinates in which the prior at scale 1 is round, the eigenvectors of the information are
    the directions: weights (directions,) is the information on each, pulls (directions,) the slope
    that the parabola has at 0 along it. Coefficients have the prior N(0, scale^2 A A^T).
    """

    weights: Floats
    pulls: Floats

    @classmethod
    def of(cls, information: Floats, pull: Floats, root: Floats) -> "ScaleEvidence":
        """Take the information F (features, features), the slope at 0 and the prior's root A."""
        weights, directions = np.linalg.eigh(root.T @ information @ root)
        return cls(np.maximum(weights, 0.0), directions.T @ (root.T @ pull))

    def log_evidence(self, scales: Floats) -> Floats:
        """Return the log-probability of the reports at each scale, without a constant.

        1/2 sum pull^2 s^2 / (1 + s^2 weight) - 1/2 sum log(1 + s^2 weight)
        """
        squares = scales[:, None] ** 2
        shrunk = 1 + squares * self.weights
        terms = self.pulls**2 * squares / shrunk - np.log(shrunk)
        evidence: Floats = terms.sum(axis=1) / 2
        return evidence

    def point_scale(self, prior: Prior) -> float:
        """Return the posterior median of the scale, by which the model is fitted and published."""
        require_prior(prior)
        scales = _grid(LEAST_SCALE)
        return _quantile(scales, self.log_evidence(scales) + _log_prior(scales, prior), 0.5)

    def interval_scale(self) -> float:
        """Return the posterior's upper quantile under a flat prior: wide enough for errors."""
        scales = _grid(LEAST_SCALE_OF_INTERVALS)
        return _quantile(scales, self.log_evidence(scales), QUANTILE_OF_INTERVALS)


def _grid(least: float) -> Floats:
    n_steps = int(np.ceil(np.log(LARGEST_SCALE / least) / STEP))
    return np.geomspace(least, LARGEST_SCALE, n_steps + 1)


def _log_prior(scales: Floats, prior: Prior) -> Floats:
    """Return the log-density by the logarithm of the scale, without a constant."""
    if prior == "safe":
        return -np.log1p((scales / SAFE_SCALE) ** 2)
    deviates: Floats = np.log(scales / TYPICAL_SCALE) / TYPICAL_SPREAD
    return -(deviates**2) / 2


def _quantile(scales: Floats, log_density: Floats, share: float) -> float:
    """Interpolate the quantile, by trapezoids over even steps of the logarithm."""
    density = np.exp(log_density - log_density.max())
    below = np.concatenate([[0.0], (density[1:] + density[:-1]).cumsum()])
    return float(np.exp(np.interp(share * below[-1], below, np.log(scales))))

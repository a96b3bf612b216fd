"""Fit a maximum-entropy model of rankings to noisy reports, by its most likely coefficients.

Theory: docs/theory/max-entropy.md.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from hushrank.arrays import Floats
from hushrank.estimators.likelihood import ReportLikelihood
from hushrank.estimators.partial.likelihood import PartialLikelihood
from hushrank.estimators.prior_scale import Prior, ScaleEvidence, require_prior
from hushrank.estimators.ranks.point import RankPoint, uniform_point

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

Likelihood: TypeAlias = ReportLikelihood | PartialLikelihood

FALLEN = 0.9
"""A scale that falls by more, when it is judged again, must have the larger evidence."""
FARTHEST_START = 1.5
"""How far from 0 a parabola's peak is believed to begin a search."""
PRECISION = 1e-9
STEPS_OF_A_LAP, MOST_LAPS = 100, 20
"""A lap of a search ends after so many steps; of 16 items a new parabola takes as long as 150."""


@dataclass(frozen=True, eq=False, repr=False)
class Parabola:
    """The log-likelihood of reports near one model, by its slopes and its expected curvature.

    The log-likelihood is not concave in the coefficients; the expected curvature is, at any model.
    """

    likelihood: Likelihood
    point: RankPoint

    @cached_property
    def information(self) -> Floats:
        """The expected Fisher information of the reports (features, features)."""
        return self.likelihood.information(self.point.statistics, self.point.changes)

    @cached_property
    def pull(self) -> Floats:
        """The slope (features,) of the parabola at coefficients 0: F x plus the gradient at x."""
        statistics = self.point.statistics
        slopes = self.likelihood.given(statistics).slopes(statistics)
        return self.information @ self.point.coefficients + self.point.gradient(slopes)

    @cached_property
    def evidence(self) -> ScaleEvidence:
        """What the reports say of the prior's scale, if the parabola is right."""
        return ScaleEvidence.of(self.information, self.pull, self.point.features.prior_root)

    def precision(self, scale: float) -> Floats:
        """Return the inverse covariance (features, features) of the coefficients, given reports."""
        return self.information + self.point.features.prior_precision / scale**2

    def evidence_beyond(self, scale: float) -> float:
        """Return by how much the log-evidence at a scale exceeds the log-likelihood here.

        The log-probability of the reports, the coefficients being integrated out.
        """
        at = self.point.coefficients
        fall = at @ (self.information @ at / 2 - self.pull)
        return float(fall + self.evidence.log_evidence(np.array([scale]))[0])

    def log_evidence(self, scale: float) -> float:
        """Return the log-probability of the reports at a scale, by the parabola here."""
        statistics = self.point.statistics
        here = self.likelihood.given(statistics).log_likelihood(statistics)
        return here + self.evidence_beyond(scale)

    def at(self, scale: float) -> "Parabola":
        """Return the parabola at the most likely model under the prior at this scale, by L-BFGS.

        The better of two searches: from the parabola's peak, brought near, and from 0.
        Cost: two passes over the model a step, some tens to hundreds of steps.
        """
        lower: Floats = cholesky(self.precision(scale), lower=True)
        peak = _rounded(lower, solve_triangular(lower, self.pull, lower=True))
        far = float(np.abs(peak).max())
        starts = (peak * min(1.0, FARTHEST_START / max(far, FARTHEST_START)), np.zeros(len(peak)))
        found = (self._search(scale, start) for start in starts)
        return min(found, key=lambda loss_and_parabola: loss_and_parabola[0])[1]

    def _search(self, scale: float, start: Floats) -> tuple[float, "Parabola"]:
        """Return the least loss that is found from a start (features,), and the parabola there.

        In coordinates in which the parabola is round, here at first, then wherever a lap ended:
        few steps lead on where it is not.
        """
        near, coefficients = self, start
        for _ in range(MOST_LAPS):
            lower: Floats = cholesky(near.precision(scale), lower=True)
            found = self._lap(scale, lower, lower.T @ coefficients)
            coefficients = _rounded(lower, found.x)
            near = Parabola(self.likelihood, RankPoint(self.point.features, coefficients))
            if found.nit < STEPS_OF_A_LAP:
                break
        return float(found.fun), near

    def _lap(self, scale: float, lower: Floats, start: Floats) -> "OptimizeResult":
        prior = self.point.features.prior_precision / scale**2

        def loss(round_coefficients: Floats) -> tuple[float, Floats]:
            at = RankPoint(self.point.features, _rounded(lower, round_coefficients))
            drawn_back = prior @ at.coefficients
            near = self.likelihood.given(at.statistics)
            gain = near.log_likelihood(at.statistics) - at.coefficients @ drawn_back / 2
            slopes = at.gradient(near.slopes(at.statistics)) - drawn_back
            turned: Floats = solve_triangular(lower, slopes, lower=True, check_finite=False)
            return -float(gain), -turned

        from scipy.optimize import minimize  # costs half a second, which only a fit should pay

        options: Any = {"ftol": PRECISION, "gtol": 0.0, "maxiter": STEPS_OF_A_LAP}
        return minimize(loss, start, method="L-BFGS-B", jac=True, options=options)


@dataclass(frozen=True, eq=False, repr=False)
class RankFit:
    """The model to publish, and a wider one for its errors, each with the scale of its prior.

    An error that is stated for a prior's scale is honest only while no true coefficient is larger
    than the prior expects. The scale that foretells best is smaller than that half of the time.
    """

    point: RankPoint
    scale: float
    wide: Parabola
    wide_scale: float

    @cached_property
    def log_evidence(self) -> float:
        """The log-probability of the reports at `scale`, by the parabola of `wide`."""
        return self.wide.log_evidence(self.scale)

    @cached_property
    def covariance(self) -> Floats:
        """The covariance (features, features) of the coefficients around those of `wide`."""
        return covariance_of(self.wide.precision(self.wide_scale))


def covariance_of(precision: Floats) -> Floats:
    """Return the inverse (parameters, parameters) of a positive precision, positive itself."""
    lower = cholesky(precision, lower=True)
    root = solve_triangular(lower, np.eye(len(lower)), lower=True)
    covariance: Floats = root.T @ root
    return covariance


def fit_ranks(likelihood: Likelihood, *, prior: Prior) -> RankFit:
    """Fit a model to reports, with one scale of the prior by their evidence, in two rounds.

    The evidence is first taken at the uniform model, then at the fit. Few, weak reports of people
    who agree may say less at the fit: a scale that falls there must make the reports likelier.
    Without a report: the uniform model.
    Privacy: post-processing, costs nothing.   Cost: whatever the number of people; exponential in
    the items.
    """
    require_prior(prior)
    judged = Parabola(likelihood, uniform_point(likelihood.n_items))
    scale = judged.evidence.point_scale(prior)
    near = judged.at(scale)
    point, again = near.point, near.evidence.point_scale(prior)
    other = near.at(again)
    fell = again < FALLEN * scale and near.log_evidence(scale) > other.log_evidence(again)
    if not fell:
        judged, point, scale = near, other.point, again
    wide_scale = judged.evidence.interval_scale()
    return RankFit(point, scale, near.at(wide_scale), wide_scale)


def _rounded(lower: Floats, round_coefficients: Floats) -> Floats:
    """Return coefficients from those in which the parabola is round."""
    coefficients: Floats = solve_triangular(
        lower, round_coefficients, lower=True, trans="T", check_finite=False
    )
    return coefficients

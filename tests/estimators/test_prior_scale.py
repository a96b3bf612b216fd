from math import log

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from hushrank.errors import HushrankError
from hushrank.estimators.prior_scale import ScaleEvidence, require_prior

RNG = np.random.default_rng(1)
SPREADS = np.array([1.0, 0.6, 0.39, 0.12])
TOLD = RNG.normal(size=(4, 6)) * 3
INFORMATION = TOLD @ TOLD.T
ROOT = SPREADS[:, None] * np.array(
    [[1, 0, 0, 0], [0, 1, 0, 0], [0.6, 0, 0.8, 0], [0, 0.28, 0, 0.96]]
)
SILENCE = ScaleEvidence.of(np.zeros((4, 4)), np.zeros(4), ROOT)


@pytest.mark.linear_algebra
def test_the_evidence_is_that_of_normal_coefficients():
    """The slope at 0 is F x + noise of covariance F: normal, whatever the scale."""
    pull = RNG.normal(size=4) * 5
    scales = np.array([0.05, 0.3, 1.7])
    evidence = ScaleEvidence.of(INFORMATION, pull, ROOT).log_evidence(scales)
    exact = [
        multivariate_normal.logpdf(
            pull, cov=INFORMATION + s**2 * INFORMATION @ ROOT @ ROOT.T @ INFORMATION
        )
        for s in scales
    ]
    assert np.diff(evidence) == pytest.approx(np.diff(exact), rel=1e-9)


def test_without_reports_the_scale_is_what_was_believed_before():
    logs = np.linspace(log(0.01), log(2), 100_001)
    safe = 1 / (1 + (np.exp(logs) / 0.2) ** 2)
    median = np.exp(np.interp(0.5, safe.cumsum() / safe.sum(), logs))
    assert SILENCE.point_scale("safe") == pytest.approx(median, rel=0.02)
    cut = norm.cdf([(log(0.01) - log(0.3)) / 0.6, 0.5, (log(2) - log(0.3)) / 0.6])
    typical = np.exp(log(0.3) + 0.6 * norm.ppf((cut[0] + cut[2]) / 2))
    assert SILENCE.point_scale("typical") == pytest.approx(typical, rel=0.02)
    assert SILENCE.interval_scale() == pytest.approx(0.1 * 20**0.8)


@pytest.mark.parametrize("scale", [0.03, 0.2, 1.0])
def test_many_strong_reports_tell_the_scale(scale):
    n_features = 400
    spreads = RNG.uniform(0.1, 1, n_features)
    weight = 1e6  # information on each coefficient
    pull = weight * scale * spreads * RNG.normal(size=n_features)
    evidence = ScaleEvidence.of(weight * np.eye(n_features), pull, np.diag(spreads))
    for prior in ("safe", "typical"):
        assert evidence.point_scale(prior) == pytest.approx(scale, rel=0.2)


def test_intervals_are_wider_than_the_model_to_publish():
    pull = INFORMATION @ (0.3 * SPREADS)
    evidence = ScaleEvidence.of(INFORMATION, pull, ROOT)
    assert evidence.point_scale("safe") < evidence.point_scale("typical")
    assert evidence.point_scale("typical") < evidence.interval_scale()


def test_only_two_priors_are_known():
    with pytest.raises(HushrankError, match="safe or typical"):
        require_prior("flat")
    with pytest.raises(HushrankError, match="safe or typical"):
        SILENCE.point_scale("flat")

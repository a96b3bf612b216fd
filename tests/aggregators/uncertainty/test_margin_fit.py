import numpy as np
import pytest
from scipy.stats import multivariate_normal

from hushrank.aggregators.uncertainty.estimated_margins import EstimatedMargins, EstimatedScores
from hushrank.aggregators.uncertainty.margin_fit import MarginFit
from hushrank.aggregators.uncertainty.straight_line import Line

N_ITEMS = 5
FIRST, SECOND = np.triu_indices(N_ITEMS, 1)
CONTRASTS = np.eye(N_ITEMS)[FIRST] - np.eye(N_ITEMS)[SECOND]
SEEN = np.arange(1, len(FIRST))  # the first pair is unanswered


def antisymmetric(upper):
    matrix = np.zeros((N_ITEMS, N_ITEMS))
    matrix[FIRST, SECOND] = upper
    return matrix - matrix.T


def symmetric(upper):
    return np.abs(antisymmetric(upper))


class Case:
    """Random estimates, and all that is to be known of them by dense formulas over all pairs."""

    def __init__(self, shared, has_scores):
        rng = np.random.default_rng(3)
        self.slopes = rng.uniform(0.2, 1, len(FIRST))
        self.offsets = rng.normal(0, 0.2, len(FIRST))
        self.bends = rng.uniform(0, 0.02, len(FIRST))
        self.noise, self.shared = rng.uniform(0.05, 0.2, len(FIRST)) + 2 * shared, shared
        self.estimates = rng.normal(0, 0.5, len(FIRST))
        self.scores = rng.normal(0, 1, N_ITEMS) if has_scores else None
        self.of_scores = 0.3 * (np.eye(N_ITEMS) - 1 / N_ITEMS)

    def fit(self, score_spread, rest_spread):
        variances = symmetric(self.noise)
        variances[0, 1] = variances[1, 0] = np.inf
        scores = None
        if self.scores is not None:
            scores = EstimatedScores(self.scores - self.scores.mean(), self.of_scores)
        known = EstimatedMargins(antisymmetric(self.estimates), variances, self.shared, scores)
        line = Line(antisymmetric(self.offsets), symmetric(self.slopes), symmetric(self.bends))
        return MarginFit(known, line, score_spread, rest_spread)

    def exact(self, score_spread, rest_spread):
        """Return mean and covariance of all margins, and the log-density of what was seen."""
        steep = self.slopes[:, None] * CONTRASTS
        rests = rest_spread**2 * self.slopes + self.bends
        prior = score_spread**2 * steep @ steep.T + np.diag(rests)
        noise = np.diag(self.noise - 2 * self.shared) + self.shared * CONTRASTS @ CONTRASTS.T
        reach, values = np.eye(len(FIRST))[SEEN], self.estimates[SEEN]
        of_seen = noise[np.ix_(SEEN, SEEN)]
        if self.scores is not None:  # the last score follows from the others
            reach = np.vstack([reach, CONTRASTS.T[:-1]])
            values = np.concatenate([values, (self.scores - self.scores.mean())[:-1]])
            zeros = np.zeros((len(SEEN), N_ITEMS - 1))
            of_seen = np.block([[of_seen, zeros], [zeros.T, self.of_scores[:-1, :-1]]])
        observed = reach @ prior @ reach.T + of_seen
        gain = prior @ reach.T @ np.linalg.inv(observed)
        mean = self.offsets + gain @ (values - reach @ self.offsets)
        density = multivariate_normal.logpdf(values, reach @ self.offsets, observed)
        return mean, prior - gain @ reach @ prior, density


@pytest.mark.linear_algebra
@pytest.mark.parametrize("has_scores", [False, True])
@pytest.mark.parametrize("shared", [0.0, 0.02])
@pytest.mark.parametrize("spreads", [(0.3, 0.1), (0.05, 0.4)])
def test_the_belief_is_the_exact_conditional_normal(spreads, shared, has_scores):
    case = Case(shared, has_scores)
    mean, covariance, density = case.exact(*spreads)
    fit = case.fit(*spreads)
    belief = fit.belief(0.5)
    assert belief.weight == 0.5
    assert belief.margins[FIRST, SECOND] == pytest.approx(mean)
    assert belief.margins == pytest.approx(-belief.margins.T)
    assert belief.variances[FIRST, SECOND] == pytest.approx(np.diag(covariance))
    assert belief.scores == pytest.approx(CONTRASTS.T @ mean)
    assert belief.covariance == pytest.approx(CONTRASTS.T @ covariance @ CONTRASTS)
    other = (0.2, 0.2)
    gained = density - case.exact(*other)[2]
    assert fit.log_evidence - case.fit(*other).log_evidence == pytest.approx(gained)


def test_noise_that_is_all_shared_leaves_some_of_its_own():
    variances = np.full((3, 3), 0.02)
    known = EstimatedMargins(np.zeros((3, 3)), variances, shared=0.05)
    assert known.own_noise[0, 1:] == pytest.approx([0.001, 0.001])

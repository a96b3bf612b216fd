"""From estimates with known noise to a posterior: a hierarchical normal model."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from hushrank.aggregators.bradley_terry import laplacian, likeliest_scores, slopes_at
from hushrank.aggregators.uncertainty.posterior import Belief, Posterior
from hushrank.arrays import Floats

SPREADS: Floats = np.exp2(np.arange(-10, 4, dtype=np.float64))
"""The prior's standard deviations of scores, and of what scores leave over."""
REST_SPREADS = SPREADS[SPREADS <= 0.5]
LEAST_WEIGHT = 1e-3


def posterior_of_margins(margins: Floats, variances: Floats) -> Posterior:
    """Return what estimated margins (items, items) with their variances leave open.

        margin[a, b] = tanh(score[a] - score[b]) + rest[a, b]
        score ~ N(0, t^2)      rest ~ N(0, w^2 slope)      slope = 1 - tanh^2

    Margins in shares of people, independent between pairs; variance inf: nobody answered. The
    curve is straightened at its best fit; the spreads t and w are weighed by the evidence.
    Cost: O(items^3) for each of 140 pairs of spreads.   Source: Bradley, Terry (Biometrika 1952),
    as a hierarchical normal model with flat spreads, Gelman (Bayesian Analysis 2006).
    """
    precisions = np.where(np.isfinite(variances), 1 / np.maximum(variances, 1e-12), 0.0)
    np.fill_diagonal(precisions, 0.0)
    observed = np.where(precisions > 0, margins, 0.0)
    line = _straightened(observed, precisions)
    spreads = list(product(SPREADS, REST_SPREADS))
    beliefs = [_margin_belief(observed, precisions, line, *pair) for pair in spreads]
    flat = np.array([t * w for t, w in spreads], dtype=np.float64)
    return Posterior(tuple(_likely(beliefs, flat)))


def posterior_of_scores(scores: Floats, covariance: Floats) -> Posterior:
    """Return what estimated scores (items,) with their covariance (items, items) leave open.

    The prior is N(0, t^2) for each score, in any unit; its spread is weighed by the evidence.
    Who leads whom is judged by the scores.
    """
    noise = float(np.sqrt(np.trace(covariance) / len(scores)))
    unit = max(noise, float(np.abs(scores).max()), np.finfo(float).tiny)
    beliefs = [_score_belief(scores, covariance, unit * spread) for spread in SPREADS]
    return Posterior(tuple(_likely(beliefs, SPREADS)))


@dataclass(frozen=True, eq=False, repr=False)
class Line:
    """A straight line (items, items) for each pair: offset + slope (score[a] - score[b])."""

    offsets: Floats
    slopes: Floats


def _straightened(margins: Floats, precisions: Floats) -> Line:
    """Return the tangents of tanh at the likeliest scores, whose spread is learnt along.

    With too wide a prior noise would look like agreement, and flatten the curve.
    """
    scores = likeliest_scores(margins, lambda model: precisions)
    gaps = scores[:, None] - scores
    slopes = slopes_at(np.tanh(gaps))
    return Line(np.tanh(gaps) - slopes * gaps, slopes)


def _margin_belief(
    margins: Floats, precisions: Floats, line: Line, score_spread: float, rest_spread: float
) -> tuple[float, Belief]:
    """Return the log-evidence of the spreads, and the belief under them."""
    slopes, rest_variance = line.slopes, rest_spread**2 * line.slopes
    answered = precisions > 0
    noise = 1 / np.where(answered, precisions, 1.0)
    information = np.where(answered, 1 / (rest_variance + noise), 0.0)
    evidence, scores, covariance = _scores_on(line, margins, information, score_spread)

    kept = rest_variance * information  # the share of a residual that is no noise
    rest = rest_variance * (1 - kept)
    np.fill_diagonal(rest, 0.0)
    expected = line.offsets + slopes * (scores[:, None] - scores)
    believed = (1 - kept) * expected + kept * margins
    reach = laplacian((1 - kept) * slopes)
    spread = reach @ covariance @ reach + laplacian(rest)
    variances = ((1 - kept) * slopes) ** 2 * _contrasts(covariance) + rest
    return evidence, Belief(0.0, believed.sum(axis=1), spread, believed, variances)


def _scores_on(
    line: Line, margins: Floats, information: Floats, spread: float
) -> tuple[float, Floats, Floats]:
    """Return the log-evidence of the spread, and mean and covariance of the scores."""
    answered, identity = information > 0, np.eye(len(margins))
    responses = np.where(answered, margins - line.offsets, 0.0)
    factor = cho_factor(laplacian(information * line.slopes**2) + identity / spread**2)
    pull = (information * line.slopes * responses).sum(axis=1)
    scores = cho_solve(factor, pull)
    evidence = _log_evidence(information[answered], responses[answered], pull @ scores)
    evidence -= np.log(np.diag(factor[0])).sum() + len(margins) * np.log(spread)
    return evidence, scores, cho_solve(factor, identity)


def _log_evidence(information: Floats, margins: Floats, explained: float) -> float:
    """Return the part of the log-evidence that the pairs add, each counted twice in the arrays."""
    pairs = np.log(information).sum() - (information * margins**2).sum()
    return float(pairs / 4 + explained / 2)


def _score_belief(scores: Floats, covariance: Floats, spread: float) -> tuple[float, Belief]:
    prior = spread**2 * np.eye(len(scores))
    factor = cho_factor(prior + covariance)
    shrunk = spread**2 * cho_solve(factor, scores)
    remaining = prior - spread**2 * cho_solve(factor, np.eye(len(scores))) * spread**2
    evidence = -0.5 * scores @ cho_solve(factor, scores) - np.log(np.diag(factor[0])).sum()
    gaps = shrunk[:, None] - shrunk
    return float(evidence), Belief(0.0, shrunk, remaining, gaps, _contrasts(remaining))


def _likely(beliefs: list[tuple[float, Belief]], prior: Floats) -> Iterator[Belief]:
    """Weigh the beliefs by prior and log-evidence, and keep those that matter.

    A prior in proportion to the spreads is flat in them: the grid is one of logarithms.
    """
    evidence = np.array([each for each, _ in beliefs])
    weights = prior * np.exp(evidence - evidence.max())
    weights = np.where(weights >= LEAST_WEIGHT * weights.max(), weights, 0.0)
    for weight, (_, belief) in zip(weights / weights.sum(), beliefs, strict=True):
        if weight > 0:
            yield replace(belief, weight=float(weight))


def _contrasts(covariance: Floats) -> Floats:
    """Return the variances (items, items) of all differences of two scores."""
    own = np.diag(covariance)
    contrasts: Floats = np.maximum(own[:, None] + own - 2 * covariance, 0.0)
    return contrasts

"""From estimates with known noise to a posterior: a hierarchical normal model."""

from dataclasses import replace
from itertools import product

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from hushrank.aggregators.uncertainty.margin_fit import EstimatedMargins, Line, MarginFit, contrasts
from hushrank.aggregators.uncertainty.posterior import Belief, Posterior
from hushrank.arrays import Floats

SPREADS: Floats = np.exp2(np.arange(-10, 4, dtype=np.float64))
"""The prior's standard deviations of scores, and of what scores leave over."""
REST_SPREADS = SPREADS[SPREADS <= 0.5]
LEAST_WEIGHT = 1e-3


def posterior_of_margins(margins: Floats, variances: Floats) -> Posterior:
    """Return what estimated margins (items, items) with their variances leave open.

    Margins in shares of people, independent between pairs; variance inf: nobody answered.
    Otherwise as `posterior_of`.
    """
    return posterior_of(EstimatedMargins(margins, variances))


def posterior_of(known: EstimatedMargins, *, rests_may_be_small: bool = False) -> Posterior:
    """Return what noisy margins, and scores if there are any, leave open.

        margin[a, b] = tanh(score[a] - score[b]) + rest[a, b]
        score ~ N(0, t^2)      rest ~ N(0, w^2 slope)      slope = 1 - tanh^2

    The curve is straightened at its best fit; the spreads t and w are weighed by the evidence, from
    flat ones; w from one flat in its logarithm where rests may be small, so that little is made of
    circles that few reports show.
    Cost: O(items^3) for each of 140 pairs of spreads.   Source: Bradley, Terry (Biometrika 1952),
    as a hierarchical normal model with flat spreads, Gelman (Bayesian Analysis 2006).
    """
    line = Line.tangent(known)
    fits = [MarginFit(known, line, *pair) for pair in product(SPREADS, REST_SPREADS)]
    power = 0 if rests_may_be_small else 1
    prior = np.array([fit.score_spread * fit.rest_spread**power for fit in fits], dtype=np.float64)
    weights = _weights(np.array([fit.log_evidence for fit in fits]), prior)
    likely = [(fit, weight) for fit, weight in zip(fits, weights, strict=True) if weight > 0]
    return Posterior(tuple(fit.belief(float(weight)) for fit, weight in likely))


def posterior_of_scores(scores: Floats, covariance: Floats) -> Posterior:
    """Return what estimated scores (items,) with their covariance (items, items) leave open.

    The prior is N(0, t^2) for each score, in any unit; its spread is weighed by the evidence.
    Who leads whom is judged by the scores.
    """
    noise = float(np.sqrt(np.trace(covariance) / len(scores)))
    unit = max(noise, float(np.abs(scores).max()), np.finfo(float).tiny)
    beliefs = [_score_belief(scores, covariance, unit * spread) for spread in SPREADS]
    weights = _weights(np.array([evidence for evidence, _ in beliefs]), SPREADS)
    weighed = zip(beliefs, weights, strict=True)
    return Posterior(tuple(replace(each, weight=float(w)) for (_, each), w in weighed if w > 0))


def _score_belief(scores: Floats, covariance: Floats, spread: float) -> tuple[float, Belief]:
    prior = spread**2 * np.eye(len(scores))
    factor = cho_factor(prior + covariance)
    shrunk = spread**2 * cho_solve(factor, scores)
    remaining = prior - spread**2 * cho_solve(factor, np.eye(len(scores))) * spread**2
    evidence = -0.5 * scores @ cho_solve(factor, scores) - np.log(np.diag(factor[0])).sum()
    gaps = shrunk[:, None] - shrunk
    return float(evidence), Belief(0.0, shrunk, remaining, gaps, contrasts(remaining))


def _weights(log_evidence: Floats, prior: Floats) -> Floats:
    """Return the weights of beliefs by prior and log-evidence, 0 for those that do not matter.

    A prior in proportion to the spreads is flat in them: the grid is one of logarithms.
    """
    weights = prior * np.exp(log_evidence - log_evidence.max())
    weights = np.where(weights >= LEAST_WEIGHT * weights.max(), weights, 0.0)
    likely: Floats = weights / weights.sum()
    return likely

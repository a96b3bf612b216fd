"""From estimates with known noise to a posterior: a hierarchical normal model."""

from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import numpy as np
from scipy.linalg import cho_factor, cho_solve, helmert
from scipy.special import erfcx, log_ndtr

from hushrank.aggregators.uncertainty.estimated_margins import EstimatedMargins
from hushrank.aggregators.uncertainty.margin_fit import MarginFit
from hushrank.aggregators.uncertainty.posterior import Belief, Posterior
from hushrank.aggregators.uncertainty.straight_line import contrasts, straightened
from hushrank.arrays import Floats

SPREADS: Floats = np.exp2(np.arange(-10, 4, dtype=np.float64))
"""The prior's standard deviations of scores, and of what scores leave over.

The least is where the prior ends: people who differ by less than a thousandth prefer nothing.
"""
REST_SPREADS = SPREADS[SPREADS <= 0.5]
LEAST_WEIGHT = 1e-3


def posterior_of_margins(margins: Floats, variances: Floats, n_people: float = np.inf) -> Posterior:
    """Return what estimated margins (items, items) with their variances leave open.

    Margins in shares of `n_people`, independent between pairs; variance inf: nobody answered.
    Otherwise as `posterior_of`.
    """
    return posterior_of(EstimatedMargins(margins, variances, n_people=n_people))


def posterior_of(known: EstimatedMargins) -> Posterior:
    """Return what noisy margins, and scores if there are any, leave open.

        margin[a, b] = tanh(score[a] - score[b]) + rest[a, b]
        score ~ N(0, t^2)      rest ~ N(0, w^2 slope)      slope = 1 - tanh^2

    For each t the curve is straightened where the scores are believed to be. The spreads are
    weighed by the evidence, from priors flat in their logarithms: of t from what chance alone makes
    of so many people, of w up to t, as chance makes both of the same size.
    Errors of margins are those of a prior flat in t and w themselves, see `Posterior.variances`.
    Cost: O(items^3) for each of at most 95 pairs of spreads.   Why these priors: decision 22.
    Source: Bradley, Terry (Biometrika 1952), as a hierarchical normal model.
    """
    fits, log_prior = [], []
    spreads = SPREADS[SPREADS * sqrt(2) >= known.by_chance]
    for spread, line in zip(spreads, straightened(known, spreads), strict=True):
        rests = REST_SPREADS[spread >= REST_SPREADS]
        fits += [MarginFit(known, line, spread, rest) for rest in rests]
        log_prior += [-np.log(len(rests))] * len(rests)
    evidence = [replace(fit).log_evidence for fit in fits]  # of copies: arrays kept go with them
    log_weights = np.array(evidence) + log_prior
    log_spreads = np.log([fit.score_spread * fit.rest_spread for fit in fits])
    weights, cautious = _weights(log_weights), _weights(log_weights + log_spreads)
    likely = np.flatnonzero((weights > 0) | (cautious > 0))
    beliefs = [replace(fits[nth]).belief(0.0) for nth in likely]
    return Posterior(_weighed(beliefs, weights[likely]), _weighed(beliefs, cautious[likely]))


def posterior_of_fit(margins: Floats, variances: Floats, covariance: Floats) -> Posterior:
    """Return what fitted margins (items, items) leave open, whose sums have this covariance.

        margin[a, b] = (score[a] - score[b]) / items + rest[a, b]

    The scores are believed as by `posterior_of_scores`, and of the rest what is estimated. Not as
    by `posterior_of`: a fit makes a common error of an item's pairs as it makes a preference, along
    its own curve; taken for a shift beside tanh it would be told apart by how the curve bends.
    """
    n_items, scores = len(margins), margins.sum(axis=1)
    rest = margins - (scores[:, None] - scores) / n_items
    of_rest = np.maximum(variances - contrasts(covariance) / n_items**2, 0.0)
    beliefs = [
        replace(
            each,
            margins=each.margins / n_items + rest,
            variances=each.variances / n_items**2 + of_rest,
        )
        for each in posterior_of_scores(scores, covariance).beliefs
    ]
    return Posterior(tuple(beliefs))


def posterior_of_scores(scores: Floats, covariance: Floats) -> Posterior:
    """Return what estimated scores (items,) with their covariance (items, items) leave open.

    The prior is N(0, t^2) for each score, in any unit; t is weighed by the evidence, from a prior
    flat in its logarithm. Nothing is known of the mean of all scores, and what is estimated of it
    says nothing of t: a common shift changes nothing.
    Who leads whom is judged by the scores.
    """
    basis = helmert(len(scores))
    known, noise = basis @ scores, basis @ covariance @ basis.T
    largest = float(np.abs(scores - scores.mean()).max())
    unit = max(sqrt(np.trace(noise) / len(known)), largest, np.finfo(float).tiny)
    found = [_score_belief(known, noise, basis, unit * spread) for spread in SPREADS]
    weights = _weights(np.array([evidence for evidence, _ in found]))
    return Posterior(_weighed([each for _, each in found], weights))


def chances_of_comparisons(margins: Floats, scale: float) -> Floats:
    """Return how likely each of some margins (pairs,) truly has the sign that it shows, or 1/2.

        margins = true margins + Laplace(scale)      true margins ~ N(0, t^2), independent

    In any unit; t is weighed by the evidence of all, from a prior flat in its logarithm: among
    margins as small as the noise a large one is mostly noise.
    """
    gaps = np.abs(margins)
    unit = max(sqrt(2) * scale, float(gaps.max(initial=0.0)))
    spreads = unit * SPREADS[:, None]
    far, width = gaps / spreads, spreads / scale
    near = _log_tail(far - width) - far**2 / 2
    evidence = np.logaddexp(near, _log_tail(-far - width) - far**2 / 2)
    wrong = np.exp(_log_tail(-width) - far * width - evidence)
    likely: Floats = 1 - _weights(evidence.sum(axis=1)) @ wrong
    return likely


def _log_tail(z: Floats) -> Floats:
    """Return the logarithm of P(N(0, 1) < z) e^(z^2 / 2), where z is far below 0, too."""
    below = np.log(erfcx(-np.minimum(z, 0.0) / sqrt(2)) / 2)
    tail: Floats = np.where(z < 0, below, log_ndtr(z) + z**2 / 2)
    return tail


def _score_belief(
    known: Floats, noise: Floats, basis: Floats, spread: float
) -> tuple[float, Belief]:
    """Return the evidence and the belief: of what differs, along the rows of an orthonormal basis.

    basis (items - 1, items): each of its rows sums to 0.
    """
    prior = spread**2 * np.eye(len(known))
    factor = cho_factor(prior + noise)
    kept = spread**2 * cho_solve(factor, np.eye(len(known)))
    scores, remaining = basis.T @ (kept @ known), basis.T @ (prior - spread**2 * kept) @ basis
    evidence = -0.5 * known @ cho_solve(factor, known) - np.log(np.diag(factor[0])).sum()
    gaps = scores[:, None] - scores
    return float(evidence), Belief(0.0, scores, remaining, gaps, contrasts(remaining))


def _weights(log_weights: Floats) -> Floats:
    """Return weights that sum to 1, 0 for those that do not matter."""
    weights = np.exp(log_weights - log_weights.max())
    weights = np.where(weights >= LEAST_WEIGHT * weights.max(), weights, 0.0)
    likely: Floats = weights / weights.sum()
    return likely


def _weighed(beliefs: Sequence[Belief], weights: Floats) -> tuple[Belief, ...]:
    """Return the beliefs that matter, with their weights."""
    pairs = zip(beliefs, weights.tolist(), strict=True)
    return tuple(replace(each, weight=weight) for each, weight in pairs if weight > 0)

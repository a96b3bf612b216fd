"""Scores of items from noisy margins: margin = tanh(score_a - score_b)."""

from collections.abc import Callable

import numpy as np

from hushrank.arrays import Floats

MOST_ROUNDS = 30
TOLERANCE = 1e-4
FLATTEST = 1e-3
"""Where all agree the slope is taken as this, so that contradicting answers still count."""


def likeliest_scores(margins: Floats, precisions_at: Callable[[Floats], Floats]) -> Floats:
    """Return the scores (items,), higher = better, that fit margins (items, items) best.

        minimise sum precision (margin - tanh(s_a - s_b))^2 + sum s^2 / spread^2

    `precisions_at` maps the model's margins to the precisions of the given ones, 0 on the diagonal.
    The spread is the scores' own, learnt along (empirical Bayes), so that neither a crowd that
    nearly agrees nor pure noise is pulled wrongly. Deterministic. Cost: O(items^3).
    Source: Bradley, Terry (Biometrika 1952), by Gauss-Newton; our own weights.
    """
    scores, variance = np.zeros(len(margins)), 1.0
    for _ in range(MOST_ROUNDS):
        model = np.tanh(scores[:, None] - scores)
        slopes = slopes_at(model)
        weights = precisions_at(model) * slopes
        doubt = np.linalg.inv(laplacian(weights * slopes) + np.eye(len(scores)) / variance)
        step = doubt @ ((weights * (margins - model)).sum(axis=1) - scores / variance)
        scores = scores + np.clip(step, -1, 1)
        variance = float(np.mean(scores**2 + np.diag(doubt)))
        if np.abs(step).max() < TOLERANCE:
            break
    return scores


def slopes_at(model: Floats) -> Floats:
    """Return how steeply the model's margins (items, items) rise with the difference of scores."""
    slopes: Floats = np.maximum(1 - model**2, FLATTEST)
    return slopes


def laplacian(weights: Floats) -> Floats:
    """Return diag(row sums) - weights, for symmetric weights (items, items); no own weight."""
    off = weights.copy()
    np.fill_diagonal(off, 0.0)
    difference: Floats = np.diag(off.sum(axis=1)) - off
    return difference

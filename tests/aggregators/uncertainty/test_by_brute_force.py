"""The belief of three items' margins beside the same model, integrated on a grid of scores.

    margin = tanh(score - score) + rest      estimate = margin + noise

Nothing is straightened there: what differs is what the straight line of each spread leaves out.
"""

import numpy as np
import pytest
from scipy.special import ndtr

from hushrank.aggregators.uncertainty.estimated_margins import EstimatedMargins
from hushrank.aggregators.uncertainty.shrinkage import REST_SPREADS, SPREADS, posterior_of

FIRST, SECOND = np.triu_indices(3, 1)
N_POINTS, WIDEST = 61, 7.0
UNASKED = np.inf


def tiny(noise):
    return [noise**2] * 3


def matrix(upper, sign):
    """Return a matrix (3, 3) of what stands above its diagonal."""
    full = np.zeros((3, 3))
    full[FIRST, SECOND], full[SECOND, FIRST] = upper, sign * np.array(upper)
    return full


def believed(estimates, variances):
    """Return mean, standard deviation and chance to be positive of each of the three margins."""
    found = posterior_of(EstimatedMargins(matrix(estimates, -1), matrix(variances, 1)))
    pairs = zip(FIRST.tolist(), SECOND.tolist(), strict=True)
    positive = [found.pair_probabilities(pair)[0] for pair in pairs]
    deviations = np.sqrt(found.variances[FIRST, SECOND])
    return np.array([found.margins[FIRST, SECOND], deviations, positive])


def integrated(estimates, variances):
    """Return the same by numbers: over two differences of scores, and all spreads."""
    parts = [
        (evidence, -np.log((spread >= REST_SPREADS).sum()), moments)
        for spread in SPREADS
        for rest in REST_SPREADS[spread >= REST_SPREADS]
        for evidence, moments in [at_spreads(estimates, variances, spread, rest)]
    ]
    evidence, prior, moments = (np.array(each) for each in zip(*parts, strict=True))
    weights = np.exp(evidence + prior - (evidence + prior).max())
    mean, square, positive = np.tensordot(weights / weights.sum(), moments, 1)
    return np.array([mean, np.sqrt(square - mean**2), positive])


def at_spreads(estimates, variances, spread, rest):
    """Return the log-evidence of two spreads, and E[M], E[M^2] and P(M > 0) of each pair."""
    box = np.array([[-WIDEST, WIDEST], [-WIDEST, WIDEST]])
    for _ in range(3):  # each time nearer to where the mass is
        axes = [np.linspace(*side, N_POINTS) for side in box]
        one, other = np.meshgrid(*axes, indexing="ij")
        to_second = spread * np.sqrt(2) * one
        to_third = spread * (one + np.sqrt(3) * other) / np.sqrt(2)
        model = np.tanh([to_second, to_third, to_third - to_second])
        rests = rest**2 * (1 - model**2)
        density = -(one**2 + other**2) / 2
        for margin, own, estimate, noise in zip(model, rests, estimates, variances, strict=True):
            if noise < UNASKED:
                density -= (estimate - margin) ** 2 / (own + noise) / 2 + np.log(own + noise) / 2
        mass = np.exp(density - density.max())
        steps = np.array([axis[1] - axis[0] for axis in axes])
        cell = np.log(steps).sum()
        inside = [np.flatnonzero(mass.max(axis=1 - way) > 1e-9)[[0, -1]] for way in (0, 1)]
        ends = [axis[each] for axis, each in zip(axes, inside, strict=True)]
        box = np.clip(np.array(ends) + steps[:, None] * [-1, 1], -WIDEST, WIDEST)
    evidence, mass = density.max() + np.log(mass.sum()) + cell, mass / mass.sum()
    kept = rests / (rests + np.array(variances)[:, None, None])
    mean = model + kept * (np.array(estimates)[:, None, None] - model)
    left = rests * (1 - kept)
    each = np.array([mean, left + mean**2, ndtr(mean / np.sqrt(np.maximum(left, 1e-300)))])
    return evidence, (mass * each).sum(axis=(2, 3))


CASES = {
    "few reports": ([0.3, 0.5, 0.2], tiny(0.2)),
    "many": ([0.3, 0.5, 0.2], tiny(0.03)),
    "next to no noise": ([0.01, 0.02, 0.01], tiny(0.001)),
    "a circle": ([0.3, -0.3, 0.3], tiny(0.03)),
    "much noise": ([0.1, -0.2, 0.4], tiny(1.0)),
    "next to no signal": ([3.0, -9.0, 14.0], tiny(20.0)),
    "unequal numbers, one pair unasked": ([0.3, 0.5, 0.0], [0.001, 0.1, UNASKED]),
    "one report": ([2.0, 0.0, 0.0], [4.0, UNASKED, UNASKED]),
    "none": ([0.0] * 3, [UNASKED] * 3),
    "all agree": ([1.0, 1.0, 1.0], tiny(0.1)),
    "all agree beyond 1": ([1.1, 1.3, 0.9], tiny(0.3)),
    "as much noise as margins can be": ([1.2, 1.5, 0.3], tiny(0.5)),
    "chance in a line": ([3.0, 3.0, 3.0], tiny(1.0)),
    "chance in no line": ([1.0, 3.0, -1.0], tiny(1.0)),
    "chance in a circle": ([6.0, -6.0, 6.0], tiny(2.0)),
    "fifty reports each at a gap of .05": ([4.0, 12.0, 2.4], tiny(8**0.5)),
    "fewer reports": ([4.0, 12.0, 9.0], tiny(4.0)),
}

NEAR = {
    "all agree beyond 1": (0.05, 0.12),
    "as much noise as margins can be": (0.09, 0.2),
    "chance in no line": (0.08, 0.12),
}
"""Where a straight line is further from the curve: of who leads, and of a margin."""


@pytest.mark.linear_algebra
@pytest.mark.parametrize("name", CASES)
def test_the_belief_is_near_the_integral(name):
    """Who leads within .05, a margin within a quarter of its deviation, or .11; but see `NEAR`.

    Nobody is said to lead more surely than by the integral, by more than .03. Where all agree the
    curve is flat: margins are told as less than they are. Deviations are hardly less than the
    integral's, and more where noise is half of what margins can be.
    """
    estimates, variances = CASES[name]
    mean, deviation, positive = believed(estimates, variances)
    exact, exact_deviation, exact_positive = integrated(estimates, variances)
    of_sign, of_margin = NEAR.get(name, (0.05, 0.11))
    assert positive == pytest.approx(exact_positive, abs=of_sign)
    assert (np.abs(positive - 0.5) < np.abs(exact_positive - 0.5) + 0.03).all()
    assert (np.abs(mean - exact) < np.maximum(0.25 * exact_deviation, of_margin)).all()
    assert (deviation > 0.8 * exact_deviation).all()


@pytest.mark.parametrize("noise", [0.5, 1.0, 4.0, 40.0])
def test_no_more_than_all_people_are_expected_to_agree(noise):
    """Few noisy reports of a pair may estimate twelve times as many as there are people."""
    estimates = np.array([[0, 3 * noise], [-3 * noise, 0]])
    found = posterior_of(EstimatedMargins(estimates, np.full((2, 2), noise**2)))
    assert 0 < found.margins[0, 1] <= 1 + 1e-12
    assert (found.margins**2 <= 1 + 1e-12).all()

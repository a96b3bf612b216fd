"""What a curator's release leaves open."""

import numpy as np

from hushrank.aggregators.private.order import NoisyMargins, NoisyScores, PrivateOrder
from hushrank.aggregators.uncertainty.posterior import Posterior
from hushrank.aggregators.uncertainty.shrinkage import posterior_of_margins, posterior_of_scores
from hushrank.arrays import Floats

LEAST_NOISE = 1e-6
"""Of the largest score or margin: where the noise is all but none."""


def posterior_of_release(released: PrivateOrder) -> Posterior | None:
    """Return what is left open of the exact scores or margins: from what was released alone.

    The noise is taken as normal, with its own standard deviation. None where a release does not
    tell: an order alone, or margins of some pairs only.
    """
    match released.evidence:
        case NoisyMargins(margins, noise_sd):
            return _of_margins(margins, noise_sd)
        case NoisyScores(scores, noise_sd):
            return _of_scores(scores, noise_sd)
    return None


def _of_margins(margins: Floats, noise_sd: float) -> Posterior:
    """Take the largest margin for everybody: how many people there are is not known."""
    unit = max(1.0, float(np.abs(margins).max()))
    spread = max(noise_sd / unit, LEAST_NOISE)
    return posterior_of_margins(margins / unit, np.full_like(margins, spread**2))


def _of_scores(scores: Floats, noise_sd: float) -> Posterior:
    spread = max(noise_sd, LEAST_NOISE * max(1.0, float(np.abs(scores).max())))
    return posterior_of_scores(scores, spread**2 * np.eye(len(scores)))

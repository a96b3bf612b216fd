"""What a curator's release leaves open."""

from itertools import pairwise

import numpy as np

from hushrank.aggregators.private.order import (
    ComparedMargins,
    NoisyMargins,
    NoisyScores,
    PrivateOrder,
)
from hushrank.aggregators.uncertainty.drawn_ranks import DrawnRanks, Rule
from hushrank.aggregators.uncertainty.posterior import Posterior
from hushrank.aggregators.uncertainty.shrinkage import (
    chances_of_comparisons,
    posterior_of_margins,
    posterior_of_scores,
)
from hushrank.arrays import Floats, Order

LEAST_NOISE = 1e-6
"""Of the largest score or margin: where the noise is all but none."""


def posterior_of_release(released: PrivateOrder) -> Posterior | None:
    """Return what is left open of the exact scores or margins: from what was released alone.

    The noise is taken as normal, with its own standard deviation. None where a release does not
    tell: an order alone, or margins of some pairs only. Of all margins orders are drawn by
    `pairs`, of scores by `scores`.
    """
    match released.evidence:
        case NoisyMargins(margins, noise_sd):
            return _of_margins(margins, noise_sd)
        case NoisyScores(scores, noise_sd):
            return _of_scores(scores, noise_sd)
    return None


def ranks_of_release(released: PrivateOrder) -> DrawnRanks | None:
    """Draw the ranks that the exact ballots may have, by the rule of the order itself."""
    posterior = posterior_of_release(released)
    rule: Rule = "pairs" if isinstance(released.evidence, NoisyMargins) else "scores"
    return None if posterior is None else posterior.drawn_ranks(rule)


def confidence_of_release(released: PrivateOrder) -> tuple[float, ...] | None:
    """Return how likely each two neighbours are the right way round in the exact ballots.

    By the same belief as `ranks_of_release`; of pairs that were compared on the way, by one about
    all that were, of normal margins. None where nothing was released that tells.
    """
    if isinstance(released.evidence, NoisyScores):
        posterior = posterior_of_release(released)
        return None if posterior is None else posterior.pair_probabilities(released.order)
    if isinstance(released.evidence, ComparedMargins):
        return _of_comparisons(released.evidence, released.order)
    drawn = ranks_of_release(released)
    return released.confidence if drawn is None else drawn.ahead(released.order)


def _of_margins(margins: Floats, noise_sd: float) -> Posterior:
    """Take the largest margin for everybody: how many people there are is not known."""
    unit = max(1.0, float(np.abs(margins).max()))
    spread = max(noise_sd / unit, LEAST_NOISE)
    return posterior_of_margins(margins / unit, np.full_like(margins, spread**2))


def _of_scores(scores: Floats, noise_sd: float) -> Posterior:
    spread = max(noise_sd, LEAST_NOISE * max(1.0, float(np.abs(scores).max())))
    return posterior_of_scores(scores, spread**2 * np.eye(len(scores)))


def _of_comparisons(compared: ComparedMargins, order: Order) -> tuple[float, ...]:
    """Say of each two neighbours how likely the first is ahead; 1/2 where they were not compared.

    The order has no two neighbours against their margin.
    """
    asked = np.triu(~np.isnan(compared.margins), 1)
    chances = np.full(asked.shape, 0.5)
    chances[asked] = chances_of_comparisons(compared.margins[asked], compared.noise_scale)
    right = np.maximum(chances, chances.T)
    return tuple(float(right[pair]) for pair in pairwise(order))

"""The least Kendall cost by a trusted curator: an optimum of noisy margins, or a drawn order.

Theory: docs/theory/exact-sampling.md. Theory: docs/theory/curators-noise.md.
"""

from math import comb

import numpy as np
from scipy.special import ndtr

from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.aggregators.private.exponential import p_sample as private_sample
from hushrank.aggregators.private.order import (
    DrawnByCost,
    NoisyMargins,
    PrivateOrder,
    ballot_margins,
    central_spend,
)
from hushrank.arrays import Counts, Shares
from hushrank.errors import require
from hushrank.mechanisms.curator.gaussian import DiscreteGaussian
from hushrank.randomness import Randomness

LEAST_SMOOTH_SIGMA = 16.0
REACH = 40  # standard deviations: what lies beyond is less than any float


def p_sample(majority: Counts, *, epsilon: float, rng: Randomness) -> PrivateOrder:
    """Draw an order with probability ~ exp(-ε Kendall cost / C(m, 2)), exactly: P-SAMPLE.

    Ties and unranked items are welcome. Only how large a lead must be to show is known.
    Privacy: ε-DP, one ballot added or removed: it adds 0 to C(m, 2) to the cost of each order.
    Source: Hay, Elagina, Miklau (SDM 2017), def. 10.
    """
    ballot_margins(majority)
    spend = central_spend("p-sample", "exponential mechanism", epsilon)
    order = private_sample.p_sample(majority, epsilon=epsilon, rng=rng)
    drawn = DrawnByCost(epsilon / comb(len(majority), 2))
    return PrivateOrder(order, "p-sample", spend, rng.is_private, drawn)


def gaussian_kemeny(
    majority: Counts,
    *,
    epsilon: float,
    delta: float,
    rng: Randomness,
    time_limit: float | None = None,
) -> PrivateOrder:
    """Return the Kemeny order of the margins plus Gaussian noise, one for each pair of items.

    Ties and unranked items are welcome: one ballot moves each of the C(m, 2) margins by at most 1.
    Privacy: (ε, δ)-DP, one ballot added or removed. `time_limit`, in seconds, as in `kemeny`; it
    sees the noisy margins alone. Confidence is that of the pair's own margin.
    Source: Canonne, Kamath, Steinke (NeurIPS 2020), discrete Gaussian noise.
    """
    margins = ballot_margins(majority)
    in_time = time_limit is None or time_limit > 0
    require(in_time, f"expected a positive time limit, got {time_limit}")
    mechanism = DiscreteGaussian(comb(len(margins), 2), epsilon, delta)
    noisy = _noisy_margins(margins, mechanism, rng=rng)
    mixed = np.argsort(rng.words(len(margins)), kind="stable")  # ties favour no item
    best = kemeny(np.maximum(noisy, 0)[np.ix_(mixed, mixed)], time_limit=time_limit)
    order = tuple(int(item) for item in mixed[list(best.order)])
    spend = central_spend("gaussian-kemeny", "DiscreteGaussian", epsilon, delta)
    right = _probability_below(noisy[list(order[:-1]), list(order[1:])], mechanism.sigma)
    seen = NoisyMargins(noisy.astype(np.float64), mechanism.sigma, tuple(right.tolist()))
    return PrivateOrder(order, "gaussian-kemeny", spend, rng.is_private, seen)


def _noisy_margins(margins: Counts, mechanism: DiscreteGaussian, *, rng: Randomness) -> Counts:
    """Add noise to the margin (items, items) of each pair, once for both its directions."""
    pairs = np.triu_indices(len(margins), k=1)
    noisy = np.zeros(margins.shape, dtype=np.int64)
    noisy[pairs] = mechanism.release(margins[pairs], rng=rng)
    return noisy - noisy.T


def _probability_below(margins: Counts, sigma: float) -> Shares:
    """Return P(noise < margin) + P(noise = margin) / 2, for the noise on one margin."""
    if sigma >= LEAST_SMOOTH_SIGMA:
        smooth: Shares = ndtr(margins / sigma)
        return smooth
    reach = int(REACH * sigma) + 1
    law = np.exp(-((np.arange(-reach, reach + 1) / sigma) ** 2) / 2)
    law /= law.sum()
    below: Shares = (law.cumsum() - law / 2)[np.clip(margins, -reach, reach) + reach]
    return below

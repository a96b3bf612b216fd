"""Borda by a trusted curator: noise on the items' scores, then their order.

Theory: docs/theory/curators-noise.md.
"""

from collections.abc import Callable
from functools import lru_cache, partial
from math import sqrt
from typing import Literal

import numpy as np

from hushrank.accounting.spend import Spend
from hushrank.aggregators.private.order import (
    ItemScores,
    NoisyScores,
    PrivateOrder,
    ballot_margins,
    central_spend,
    confidence_in,
    order_by_scores,
    require_complete_strict_ballots,
)
from hushrank.arrays import Counts, Shares
from hushrank.mechanisms.curator.gaussian import DiscreteGaussian
from hushrank.mechanisms.curator.k_norm import PermutohedronMechanism
from hushrank.mechanisms.curator.laplace import DiscreteLaplace
from hushrank.randomness import Randomness

N_DIFFERENCES = 2**16

LAPLACE = "DiscreteLaplace"
SIDES: tuple[Literal["left", "right"], ...] = ("left", "right")


def p_borda(majority: Counts, *, epsilon: float, rng: Randomness) -> PrivateOrder:
    """Order the items by their sums of ranks, each plus Laplace(m (m - 1) / (2 ε)): P-BORDA.

    majority (items, items): pair counts of complete strict ballots. The noisy scores are the
    negative sums, so that more is better.
    Privacy: ε-DP, one ballot added or removed: its ranks add up to m (m - 1) / 2.
    Raises HushrankError, before anything is drawn, when not all decided as many pairs: the refusal
    is no release of this mechanism, and tells that some ballot is partial.
    Source: Hay, Elagina, Miklau (SDM 2017), def. 8.   Differs from the source: discrete noise.
    """
    n_items = len(ballot_margins(majority))
    require_complete_strict_ballots(majority, "P-BORDA")
    mechanism = DiscreteLaplace(n_items * (n_items - 1) // 2, epsilon)
    scores = -majority.sum(axis=0).astype(np.int64)
    noisy = mechanism.release(scores, rng=rng).astype(np.float64)
    below, sd = mechanism.probability_below, sqrt(mechanism.variance)
    return _ordered(noisy, below, sd, central_spend("p-borda", LAPLACE, epsilon), rng=rng)


def p_borda_centred(majority: Counts, *, epsilon: float, rng: Randomness) -> PrivateOrder:
    """Order the items by their sums of margins, each plus Laplace(2 floor(m^2 / 4) / ε).

    Ties and unranked items are welcome. One ballot adds to the scores, for each of its pairs, x to
    one item and -x to the other, |x| <= 1. The sum of absolute values is convex in all x, so
    largest for a strict ballot, |m - 1| + |m - 3| + ... + |1 - m|: in units of ranks half the
    sensitivity of P-BORDA, because the order ignores a common shift.
    Privacy: ε-DP, one ballot added or removed.   Source: as P-BORDA, with a tighter sensitivity.
    """
    scores = ballot_margins(majority).sum(axis=1)
    mechanism = DiscreteLaplace(2 * (len(scores) ** 2 // 4), epsilon)
    noisy = mechanism.release(scores, rng=rng).astype(np.float64)
    below, sd = mechanism.probability_below, sqrt(mechanism.variance)
    return _ordered(noisy, below, sd, central_spend("p-borda-centred", LAPLACE, epsilon), rng=rng)


def p_borda_knorm(majority: Counts, *, epsilon: float, rng: Randomness) -> PrivateOrder:
    """Order the items by their sums of margins plus noise shaped like what one ballot can add.

    Ties and unranked items are welcome. The confidence is by simulation of the noise, with a
    standard error of 0.004 at most.
    Privacy: ε-DP, one ballot added or removed, at 1 / 2.3 to 1 / 2.65 of P-BORDA's noise.
    Source: Hardt, Talwar (STOC 2010), K-norm; Joseph, Yu (arXiv 2309.15790), permutohedron.
    """
    scores = ballot_margins(majority).sum(axis=1)
    mechanism = PermutohedronMechanism(len(scores), epsilon)
    noisy = mechanism.release(scores, rng=rng) / mechanism.resolution
    below, sd = partial(share_below, knorm_differences(mechanism)), knorm_noise(mechanism)
    spend = central_spend("p-borda-knorm", "PermutohedronMechanism", epsilon)
    return _ordered(noisy, below, sd, spend, rng=rng)


def gaussian_borda(
    majority: Counts, *, epsilon: float, delta: float, rng: Randomness
) -> PrivateOrder:
    """Order the items by their sums of margins plus Gaussian noise.

    Ties and unranked items are welcome. The sum of squares of what one ballot adds is at most
    that of a strict ballot, by convexity: (m - 1)^2 + (m - 3)^2 + ... = m (m^2 - 1) / 3.
    Privacy: (ε, δ)-DP, one ballot added or removed.
    Source: Canonne, Kamath, Steinke (NeurIPS 2020), discrete Gaussian noise.
    """
    scores = ballot_margins(majority).sum(axis=1)
    n_items = len(scores)
    mechanism = DiscreteGaussian(n_items * (n_items**2 - 1) // 3, epsilon, delta)
    noisy = mechanism.release(scores, rng=rng).astype(np.float64)
    spend = central_spend("gaussian-borda", "DiscreteGaussian", epsilon, delta)
    return _ordered(noisy, mechanism.probability_below, mechanism.sigma, spend, rng=rng)


@lru_cache(maxsize=16)
def knorm_differences(mechanism: PermutohedronMechanism) -> ItemScores:
    """Return simulated differences of two items' noise, ascending and symmetric around 0."""
    n_draws = N_DIFFERENCES // mechanism.n_items
    noise = mechanism.simulate_noise(n_draws, rng=np.random.default_rng(0))  # protects nobody
    differences = np.diff(noise, axis=1).ravel() / mechanism.resolution
    return np.sort(np.concatenate([differences, -differences]))


def share_below(simulated: ItemScores, gaps: ItemScores) -> Shares:
    """Return which share of ascending simulated numbers is below each gap; equal ones half."""
    lower, upper = (np.searchsorted(simulated, gaps, side) for side in SIDES)
    shares: Shares = (lower + upper) / (2 * len(simulated))
    return shares


def knorm_noise(mechanism: PermutohedronMechanism) -> float:
    """Return the sd of independent noise on scores whose differences vary as much."""
    return float(knorm_differences(mechanism).std()) / sqrt(2)


def _ordered(
    noisy: ItemScores,
    probability_below: Callable[[ItemScores], Shares],
    noise_sd: float,
    spend: Spend,
    *,
    rng: Randomness,
) -> PrivateOrder:
    """Order the items by noisy scores; this costs nothing more."""
    order = order_by_scores(noisy, rng=rng)
    confidence = confidence_in(order, noisy, probability_below)
    seen = NoisyScores(noisy, noise_sd, confidence)
    return PrivateOrder(order, spend.release, spend, rng.is_private, seen)

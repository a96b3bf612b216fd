"""One order by the method of a trusted curator that a first, cheap release expects most of.

Theory: docs/theory/curators-noise.md.
"""

from dataclasses import replace
from functools import lru_cache, partial
from math import comb, sqrt
from typing import TypeAlias

import numpy as np
from scipy.special import expit, ndtr, ndtri

from hushrank.accounting.composition import rest_of, share_of
from hushrank.accounting.spend import Spend
from hushrank.aggregators.private.borda import knorm_differences, share_below
from hushrank.aggregators.private.exponential.by_sets import MOST_ITEMS_OF_SETS
from hushrank.aggregators.private.exponential.p_sample import sampled_costs
from hushrank.aggregators.private.kemeny import gaussian_kemeny, p_sample
from hushrank.aggregators.private.order import (
    ItemScores,
    NoisyScores,
    PrivateOrder,
    ballot_margins,
    central_spend,
    confidence_in,
    order_by_scores,
)
from hushrank.arrays import Counts
from hushrank.mechanisms.curator.gaussian import DiscreteGaussian
from hushrank.mechanisms.curator.k_norm import PermutohedronMechanism
from hushrank.mechanisms.curator.noise import require_epsilon
from hushrank.randomness import Randomness

PARTS = 20
"""One part of epsilon is for looking: where scores decide, their noise is only 5 % larger."""
BORDA_FLOOR = 0.002
"""Excess of exact Borda over exact Kemeny that is expected, as a share of all margins.

Of 38 public elections and surveys more than half have none; Sushi has 0.0012.
"""
N_QUANTILES = 2**15
SECONDS_OF_KEMENY = 10.0

ScoreMechanism: TypeAlias = PermutohedronMechanism | DiscreteGaussian


def auto(
    majority: Counts, *, epsilon: float, delta: float | None = None, rng: Randomness
) -> PrivateOrder:
    """Look at noisy scores, for a 20th of epsilon, then release by what promises the least cost.

    That is more scores, weighed with the first ones; or, where noise matters less than Borda's own
    error, an order by P-SAMPLE (up to 22 items) or, given `delta`, by noisy margins. Given `delta`
    the further scores have Gaussian noise if that is smaller. Ties and unranked items are welcome.
    Privacy: ε-DP, or (ε, δ)-DP, one ballot added or removed: the choice depends on m, ε, δ and the
    first release alone. After P-SAMPLE nothing tells how sure the order is: it is not by scores.
    Raises HushrankError before anything is drawn, also for what only one of the methods refuses.
    Source: ours.
    """
    require_epsilon(epsilon)
    scores = ballot_margins(majority).sum(axis=1)
    look = PermutohedronMechanism(len(scores), share_of(epsilon, PARTS))
    rest = rest_of(epsilon, look.epsilon)
    more = _least_noisy(len(scores), rest, delta)
    spend = central_spend("auto", "K-norm, then the best", epsilon, delta or 0.0)
    _require_room(majority, scores, more)
    seen = _release(look, scores, rng=rng)
    method = _promising(seen, look, more, delta)
    if method == "p-sample":
        found = p_sample(majority, epsilon=rest, rng=rng)
    elif method == "gaussian-kemeny" and delta is not None:
        found = gaussian_kemeny(
            majority, epsilon=rest, delta=delta, rng=rng, time_limit=SECONDS_OF_KEMENY
        )
    else:
        return _by_both(seen, _release(more, scores, rng=rng), look, more, spend, rng=rng)
    return replace(found, method=f"auto: {method}", spend=spend)


def _require_room(majority: Counts, scores: Counts, more: ScoreMechanism) -> None:
    """Refuse what a later method would refuse: that refusal would come after the first release."""
    if isinstance(more, PermutohedronMechanism):
        more.checked(scores)
    if len(scores) <= MOST_ITEMS_OF_SETS:
        sampled_costs(majority, more.epsilon)


def _least_noisy(n_items: int, epsilon: float, delta: float | None) -> ScoreMechanism:
    choices: list[ScoreMechanism] = [PermutohedronMechanism(n_items, epsilon)]
    if delta is not None:
        choices.append(DiscreteGaussian(n_items * (n_items**2 - 1) // 3, epsilon, delta))
    return min(choices, key=_variance)


def _release(mechanism: ScoreMechanism, scores: Counts, *, rng: Randomness) -> ItemScores:
    unit = mechanism.resolution if isinstance(mechanism, PermutohedronMechanism) else 1
    noisy: ItemScores = mechanism.release(scores, rng=rng) / unit
    return noisy


@lru_cache(maxsize=16)
def _differences(mechanism: ScoreMechanism) -> ItemScores:
    """Return N_QUANTILES ascending numbers spread like the difference of two items' noise."""
    levels = (np.arange(N_QUANTILES) + 0.5) / N_QUANTILES
    if isinstance(mechanism, DiscreteGaussian):
        normal: ItemScores = ndtri(levels) * sqrt(2) * mechanism.sigma
        return normal
    simulated = knorm_differences(mechanism)
    return simulated[(levels * len(simulated)).astype(np.intp)]


@lru_cache(maxsize=16)
def _variance(mechanism: ScoreMechanism) -> float:
    return float(np.var(_differences(mechanism)))


def _promising(
    seen: ItemScores, look: ScoreMechanism, more: ScoreMechanism, delta: float | None
) -> str:
    """Return the method of the least expected excess; where nothing is expected, more scores."""
    expected = _expected_excess(seen, look, more, delta)
    return min(expected, key=expected.__getitem__)


def _expected_excess(
    seen: ItemScores, look: ScoreMechanism, more: ScoreMechanism, delta: float | None
) -> dict[str, float]:
    """Return the excess that each method is expected to have, on margins that suit the scores seen.

    Margins (s_a - s_b) / m have the scores s; a pair turned round costs its margin. Scores seen
    are first shrunk by the noise's share of their sum of squares (James, Stein 1961), taken four
    times: what noise alone shows would look like a clear signal to the larger second release.
    """
    n_items, epsilon = len(seen), more.epsilon
    noise = (n_items - 1) * _variance(look) / 2
    kept = max(0.0, 1 - 4 * noise / max(float(seen @ seen), noise))
    gaps = kept * np.abs(np.subtract.outer(seen, seen)[np.triu_indices(n_items, k=1)])
    margins = gaps / n_items
    spread = (1 / _variance(look) + 1 / _variance(more)) ** -0.5
    turned = {"borda": ndtr(-gaps / spread) + BORDA_FLOOR}
    if n_items <= MOST_ITEMS_OF_SETS:
        turned["p-sample"] = expit(-epsilon / comb(n_items, 2) * margins)
    if delta is not None:
        sigma = DiscreteGaussian(comb(n_items, 2), epsilon, delta).sigma
        turned["gaussian-kemeny"] = ndtr(-margins / sigma)
    return {method: float(margins @ shares) for method, shares in turned.items()}


def _by_both(
    first: ItemScores,
    second: ItemScores,
    look: ScoreMechanism,
    more: ScoreMechanism,
    spend: Spend,
    *,
    rng: Randomness,
) -> PrivateOrder:
    """Order by both releases, weighed by precision."""
    weight = _variance(more) / (_variance(look) + _variance(more))
    noisy = weight * first + (1 - weight) * second
    apart = np.random.default_rng(0).permutation(_differences(look))  # protects nobody
    joint = np.sort(weight * apart + (1 - weight) * _differences(more))
    order = order_by_scores(noisy, rng=rng)
    right = confidence_in(order, noisy, partial(share_below, joint))
    sd = float(joint.std()) / sqrt(2)
    return PrivateOrder(order, "auto: borda", spend, rng.is_private, NoisyScores(noisy, sd, right))

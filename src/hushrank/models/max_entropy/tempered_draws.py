"""Orders drawn from a model of too many items for sets: from equally likely ones, step by step."""

from dataclasses import dataclass
from math import lgamma

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from hushrank.arrays import Floats
from hushrank.models.max_entropy.swap_moves import order_logs, swap_items

LEAST_EFFECTIVE = 0.7
"""A step is as long as leaves this share of the draws effective."""
OFFERS_OF_A_PLACE = 2
"""Exchanges offered at each step, for each item."""
LAST_ROUNDS = 4
"""So many times as many are offered in the end, so that draws part that came from one."""
DRAWS_AT_ONCE = 2**12
N_COOLED, ROUNDS_OF_A_STEP = 400, 3
COOLER = np.geomspace(0.5, 60, 16)
"""Powers at which orders are cooled: with potentials whose sums vary by 1 when all are alike."""


@dataclass(frozen=True, eq=False, repr=False)
class TemperedDraws:
    """orders (draws, items), all of one weight; the log of the estimated sum over all orders."""

    orders: NDArray[np.int64]
    log_total: float


def tempered_draws(
    own: Floats, before: Floats, n_draws: int, *, rng: np.random.Generator
) -> TemperedDraws:
    """Raise the potentials from 0 to their height, resampling the draws and moving them each time.

    exp(log_total) is unbiased for the sum over all orders; means over the draws err by O(1 / draws)
    and at random.   Cost: O(items^2) a draw and a step; steps grow with the height.
    Source: Del Moral, Doucet, Jasra (Journal of the Royal Statistical Society B 2006), section 3.
    Differs from the source: the next height is chosen by the draws, which biases by O(1 / draws).
    """
    n_items = len(own)
    orders = rng.permuted(np.tile(np.arange(n_items), (n_draws, 1)), axis=1)
    by_rank = np.ascontiguousarray(before.transpose(2, 0, 1))
    height, log_total = 0.0, lgamma(n_items + 1)
    while height < 1:
        logs = order_logs(orders, own, by_rank)
        step = _next_step(logs, 1 - height)
        height = 1.0 if step == 1 - height else height + step
        log_total += float(logsumexp(step * logs)) - np.log(n_draws)
        orders = orders[systematic_draws(step * logs, n_draws, rng=rng)]
        move_orders(orders, own, before, height, 1 if height < 1 else LAST_ROUNDS, rng=rng)
    return TemperedDraws(orders, log_total)


def move_orders(
    orders: NDArray[np.int64],
    own: Floats,
    before: Floats,
    height: float,
    n_rounds: int,
    *,
    rng: np.random.Generator,
) -> None:
    """Exchange items of orders (rows, items), in place, as leaves exp(height * ...) as it is.

    Cost: O(items^2) a row and a round.
    """
    n_items = len(own)
    by_rank = np.ascontiguousarray(before.transpose(2, 0, 1))
    for start in range(0, len(orders), DRAWS_AT_ONCE):
        block = orders[start : start + DRAWS_AT_ONCE]
        for _ in range(n_rounds):
            shape = (len(block), OFFERS_OF_A_PLACE * n_items)
            places = rng.integers(n_items, size=(*shape, 2))
            swap_items(block, own, by_rank, height, places, -rng.standard_exponential(shape))


def cooled_orders(
    own: Floats, before: Floats, n_best: int, *, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Return different orders (orders, items) of much weight, the heaviest first, as found.

    What `best_orders` finds exactly, for more items than sets allow: draws that are exchanged at a
    growing power. At most `n_best`.   Cost: O(items^2) a draw and a round.
    Source: Kirkpatrick, Gelatt, Vecchi (Science 1983), simulated annealing.
    """
    by_rank = np.ascontiguousarray(before.transpose(2, 0, 1))
    orders = rng.permuted(np.tile(np.arange(len(own)), (N_COOLED, 1)), axis=1)
    spread = max(float(order_logs(orders, own, by_rank).std()), np.finfo(np.float64).tiny)
    for power in COOLER / spread:
        move_orders(orders, own, before, float(power), ROUNDS_OF_A_STEP, rng=rng)
    different = np.unique(orders, axis=0)
    heaviest = np.argsort(-order_logs(different, own, by_rank), kind="stable")
    found: NDArray[np.int64] = different[heaviest[:n_best]]
    return found


def systematic_draws(
    log_weights: Floats, n_draws: int, *, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draw indices (n_draws,) in proportion to exp(log_weights), evenly spread, ascending.

    Source: Kitagawa (Journal of Computational and Graphical Statistics 1996), systematic.
    """
    ends = np.exp(log_weights - log_weights.max()).cumsum()
    places = (np.arange(n_draws) + rng.random()) * (ends[-1] / n_draws)
    found: NDArray[np.intp] = ends[:-1].searchsorted(places, side="right")
    return found


def effective_share(log_weights: Floats) -> float:
    """Return how many equal weights are worth as much, as a share of their number."""
    weights = np.exp(log_weights - log_weights.max())
    return float(weights.sum() ** 2 / (weights @ weights) / len(weights))


def _next_step(logs: Floats, longest: float) -> float:
    """Return how far the height may rise."""
    from scipy.optimize import brentq  # slow to load

    def spare(step: float) -> float:
        return effective_share(step * logs) - LEAST_EFFECTIVE

    return longest if spare(longest) >= 0 else float(brentq(spare, 0, longest, xtol=1e-9))

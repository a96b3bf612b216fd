"""Exact rejection: orders are proposed with chances known exactly, and kept by exact coins.

Theory: docs/theory/exact-sampling.md.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts, Order, Orders, Words
from hushrank.kernels import kernel
from hushrank.randomness import Randomness
from hushrank.samplers.certified_coin import certified_coins

SLACK = 2.0**-8
"""What each step's normaliser is raised by, in nats: far more than floats can err (2^-15)."""


@dataclass(frozen=True, eq=False, repr=False)
class Proposals:
    """Orders (size, items) with the chance of every step, and the cost that is still to be paid.

    shares (size, steps): of 2^64 words, how many choose the step. costs (size,): in lost pairs.
    """

    orders: Orders
    shares: Words
    costs: Counts

    def factor(self, row: int) -> Fraction:
        """Return 1 / the chance with which this order was proposed, exactly."""
        shares = self.shares[row].tolist()
        return Fraction(2 ** (64 * len(shares)), prod(shares))


def kept_order(
    proposals: Proposals, rate: Fraction, log_bound: float, *, rng: Randomness
) -> Order | None:
    """Return the first of the proposed orders that its coin keeps, if any.

        P(kept | order) = e^-(rate * cost + log_bound) / P(proposed)

    Every order is then proposed and kept with the chance e^-(rate * cost), times a constant. That
    is exactly the stated law, whatever the chances of the proposal: they only decide how many tries
    a draw takes. `log_bound` is so large that no such ratio exceeds 1.
    """
    for row, order in enumerate(proposals.orders):
        exponent = rate * int(proposals.costs[row]) + Fraction(log_bound)
        if certified_coins(proposals.factor(row), exponent, 1, rng=rng)[0]:
            return tuple(int(item) for item in order)
    return None


@kernel
def word_shares(log_weights: NDArray[np.float64], shares: Words) -> None:
    """Fill `shares` with whole numbers of sum 2^64 that are near e^log_weights, scaled.

    Each is at least 1, and at least (1 - 2^-39) of its part: the largest takes what is left over.
    """
    weights = np.exp(log_weights - log_weights.max())
    scale = (1 - 2.0**-40) * 2.0**64 / weights.sum()
    total = np.uint64(0)
    for place in range(len(weights)):
        shares[place] = np.uint64(weights[place] * scale) + np.uint64(1)
        total += shares[place]
    shares[weights.argmax()] += np.uint64(0) - total  # modulo 2^64, the sum of all words


@kernel
def chosen_place(word: np.uint64, shares: Words) -> int:
    """Return the place whose run of words holds `word`."""
    place = 0
    while word >= shares[place]:
        word -= shares[place]
        place += 1
    return place

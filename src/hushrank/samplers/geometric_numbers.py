"""Geometric numbers, exactly, from whole numbers only: no probability is rounded.

Theory: docs/theory/exact-sampling.md.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np

from hushrank.arrays import Counts
from hushrank.errors import require
from hushrank.randomness import Randomness
from hushrank.samplers.certified_coin import coins_of_each

WORD_BITS = 64
SPARE, COINS_AT_ONCE = 16, 3
"""What is seldom too little, so that few numbers take few steps."""
MOST_WHOLE_SCALE = 2**52
"""Numbers far beyond any that is ever drawn, 2^10 times as large, fit into 64 bits."""


def geometric(numerator: int, denominator: int, *, rng: Randomness) -> int:
    """Draw k = 0, 1, ... with probability proportional to exp(-k numerator / denominator), exactly.

    k = (u + t v) // s of rate s/t: u below t is kept with exp(-u / t), v counts coins of e^-1.
    Any whole numbers of at least 1. Cost: constant, however small the rate.
    Raises HushrankError, before anything is drawn, when the rate is not such a number.
    Source: Canonne, Kamath, Steinke (NeurIPS 2020), Algorithm 2 without the sign.
    """
    _require_rate(numerator, denominator)
    low = uniform_below(denominator, rng=rng)
    while not _coin_of_at_most_one(low, denominator, rng=rng):
        low = uniform_below(denominator, rng=rng)
    high = 0
    while _coin_of_at_most_one(1, 1, rng=rng):
        high += 1
    return (low + denominator * high) // numerator


def geometric_many(scale: int, size: int, *, rng: Randomness) -> Counts:
    """Draw `size` numbers k (size,) with P(k) ~ exp(-k / scale), exactly, as `geometric` draws one.

    A whole scale of 1 to 2^52.   Cost: .2 us a number, 50 us in all.
    """
    fits = isinstance(scale, int) and 1 <= scale <= MOST_WHOLE_SCALE
    require(fits, f"expected a whole scale of 1..{MOST_WHOLE_SCALE}")

    def low_parts(n: int) -> Counts:
        drawn = rng.below(scale, n).astype(np.int64)
        return drawn[coins_of_each(drawn / scale, partial(_ratio, drawn, scale), rng=rng)]

    return first_kept(low_parts, size) + scale * _heads_in_a_row(size, rng=rng)


def first_kept(try_some: Callable[[int], Counts], size: int) -> Counts:
    """Return the first `size` numbers that are kept; try_some(n) = those of n proposals, in order.

    However many are proposed at once, the law is that of one after the other.
    """
    kept = np.empty(0, np.int64)
    while (missing := size - kept.size) > 0:
        kept = np.append(kept, try_some(3 * missing // 2 + SPARE))
    return kept[:size]


def uniform_below(bound: int, *, rng: Randomness) -> int:
    """Draw an integer of 0..bound-1 uniformly; the bound, at least 1, may exceed 2^64.

    Above 2^64, words joined (the first is the least significant) and cut to the bound's bits are
    drawn again until they are below it: fewer than 2 times on average.
    """
    require(bound >= 1, "expected a bound of at least 1")
    if bound <= 2**WORD_BITS:
        return rng.one_below(bound)
    n_bits = (bound - 1).bit_length()
    while (drawn := _joined_words(n_bits, rng=rng)) >= bound:
        pass
    return drawn


def _joined_words(n_bits: int, *, rng: Randomness) -> int:
    words = rng.words(-(-n_bits // WORD_BITS))
    joined = int.from_bytes(words.astype("<u8").tobytes(), "little")
    return joined % (1 << n_bits)


def _coin_of_at_most_one(numerator: int, denominator: int, *, rng: Randomness) -> bool:
    """Toss a coin of exp(-x), x = numerator / denominator at most 1, exactly.

    It counts the coins of x/1, x/2, x/3, ... up to the first tail: the exponential's series.
    Source: Canonne, Kamath, Steinke (NeurIPS 2020), Algorithm 1.
    """
    n_tossed = 1
    while uniform_below(denominator * n_tossed, rng=rng) < numerator:
        n_tossed += 1
    return n_tossed % 2 == 1


def _ratio(numerators: Counts, denominator: int, place: int) -> Fraction:
    return Fraction(int(numerators[place]), denominator)


def _heads_in_a_row(size: int, *, rng: Randomness) -> Counts:
    """Return how many coins of e^-1 are heads before the first tail, `size` times."""
    heads, going = np.zeros(size, np.int64), np.arange(size)
    while going.size:
        near = np.ones(going.size * COINS_AT_ONCE)
        coins = coins_of_each(near, lambda _: Fraction(1), rng=rng).reshape(-1, COINS_AT_ONCE)
        heads[going] += coins.cumprod(axis=1).sum(axis=1)
        going = going[coins.all(axis=1)]
    return heads


def _require_rate(numerator: int, denominator: int) -> None:
    whole = isinstance(numerator, int) and isinstance(denominator, int)
    require(whole, "expected a numerator and a denominator of type int")
    require(numerator >= 1, f"expected a numerator of at least 1, got {numerator}")
    require(denominator >= 1, f"expected a denominator of at least 1, got {denominator}")

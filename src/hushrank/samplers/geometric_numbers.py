"""Geometric numbers, exactly, from whole numbers only: no probability is rounded.

Theory: docs/theory/exact-sampling.md.
"""

from hushrank.errors import require
from hushrank.randomness import Randomness

WORD_BITS = 64


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


def _require_rate(numerator: int, denominator: int) -> None:
    whole = isinstance(numerator, int) and isinstance(denominator, int)
    require(whole, "expected a numerator and a denominator of type int")
    require(numerator >= 1, f"expected a numerator of at least 1, got {numerator}")
    require(denominator >= 1, f"expected a denominator of at least 1, got {denominator}")

"""Coins of a rational number times a power of e, decided by certified bounds, not by floats.

Theory: docs/theory/exact-sampling.md.
"""

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from hushrank.errors import require
from hushrank.randomness import Randomness

WORD_BITS = 64
DIGITS = 40
DIGITS_A_WORD = 20
DOUBT = 2.0**-40
"""Within this of a probability floats decide nothing: they err by 2^-48, whatever processor."""


def certified_coins(
    factor: Fraction, exponent: Fraction, size: int, *, rng: Randomness
) -> NDArray[np.bool_]:
    """Toss `size` coins (size,) of probability factor * e^-exponent, exactly.

    A coin is a uniform real number, of which as many bits are drawn as it takes to tell on which
    side of the probability it lies; the probability is known between bounds that narrow likewise.
    One 64-bit word decides but for one coin in 2^63.
    Raises HushrankError when the probability exceeds 1.
    """
    low, high = probability_bounds(factor, exponent, DIGITS)
    require(low <= 1, "expected a probability of at most 1")
    words = rng.words(size)
    is_below = words < _word(low)
    for place in np.flatnonzero(~is_below & (words <= _word(high))):
        is_below[place] = _settled(int(words[place]), factor, exponent, rng=rng)
    return is_below


def coins_of_each(
    exponents: NDArray[np.float64], exact: Callable[[int], Fraction], *, rng: Randomness
) -> NDArray[np.bool_]:
    """Toss a coin of probability e^-x for each x (n,), exactly; exact(place) is its very x, >= 0.

    `exponents` are near: e^-x by floats is less than half of DOUBT from the probability. So a word
    that lies further from it is decided, and any other as in `certified_coins`: one in 2^39.
    """
    words = rng.words(len(exponents))
    chances, drawn = np.exp(-exponents), words * 2.0**-WORD_BITS
    is_below: NDArray[np.bool_] = drawn < chances
    for place in np.flatnonzero(np.abs(drawn - chances) <= DOUBT).tolist():
        is_below[place] = _settled(int(words[place]), Fraction(1), exact(place), rng=rng)
    return is_below


def probability_bounds(
    factor: Fraction, exponent: Fraction, digits: int
) -> tuple[Fraction, Fraction]:
    """Return rational bounds around factor * e^-exponent, 10^(6 - digits) of it apart.

    Two quotients, an exponential and a product are each rounded once, by at most 10^-precision;
    the exponential also magnifies the error of the exponent, which `precision` makes up for.
    """
    precision = digits + len(str(abs(int(exponent))))
    with localcontext(prec=precision, Emax=MAX_EMAX, Emin=MIN_EMIN):
        power = (-Decimal(exponent.numerator) / exponent.denominator).exp()
        near = Fraction(power * (Decimal(factor.numerator) / factor.denominator))
    margin = Fraction(1, 10 ** (digits - 5))
    return near * (1 - margin), near * (1 + margin)


def _settled(word: int, factor: Fraction, exponent: Fraction, *, rng: Randomness) -> bool:
    """Draw more bits of a uniform number that begins with `word` until its side is certain."""
    drawn, n_bits, digits = word, WORD_BITS, DIGITS
    while True:
        low, high = probability_bounds(factor, exponent, digits)
        if drawn + 1 <= low * 2**n_bits:
            return True
        if drawn >= high * 2**n_bits:
            return False
        drawn = drawn << WORD_BITS | int(rng.words(1)[0])
        n_bits, digits = n_bits + WORD_BITS, digits + DIGITS_A_WORD


def _word(probability: Fraction) -> np.uint64:
    words = probability.numerator * 2**WORD_BITS // probability.denominator
    return np.uint64(min(words, 2**WORD_BITS - 1))

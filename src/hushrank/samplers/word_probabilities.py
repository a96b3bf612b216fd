"""Probabilities as whole numbers of 64-bit words, rounded to the private side.

Theory: docs/theory/local-mechanisms.md.
"""

from decimal import ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from functools import cache

WORDS = 2**64
"""How many equally likely 64-bit words there are: thresholds count them."""


@cache
def exp_below(exponent: float, divisor: int = 1) -> Fraction:
    """Return a rational number in (e^x (1 - 1e-49), e^x], where x = exponent / divisor exactly.

    The result has 60 digits, which cost microseconds: no floating-point exp decides a threshold,
    so every platform and language that copies the algorithm gets the same integer.
    """
    with localcontext(prec=60, rounding=ROUND_FLOOR, Emax=10**6, Emin=-(10**6)):
        power = (Decimal(exponent) / divisor).exp()  # decimal rounds exp half-even, in any context
        return Fraction(power * (1 - Decimal("1e-50")))


def words_above(probability: Fraction) -> int:
    """Return the smallest whole number of words whose probability is at least `probability`."""
    return -(-probability.numerator * WORDS // probability.denominator)

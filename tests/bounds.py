"""Rational bounds of exponentials and logarithms, to 80 digits: no float decides a test."""

from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction

DIGITS = 100
MARGIN = Fraction(1, 10**80)


def exponential_below(exponent: Fraction | float) -> Fraction:
    """Return a number just below e^exponent; `decimal` rounds exp and ln correctly."""
    with localcontext(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN):
        return Fraction(_decimal(exponent).exp()) * (1 - MARGIN)


def logarithm_above(number: Fraction | float) -> Fraction:
    """Return a number just above ln(number)."""
    with localcontext(prec=DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN):
        return Fraction(_decimal(number).ln()) + MARGIN


def _decimal(number: Fraction | float) -> Decimal:
    exact = Fraction(number)
    return Decimal(exact.numerator) / exact.denominator

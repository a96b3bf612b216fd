"""Exact losses as floats, never on the wrong side."""

from fractions import Fraction
from math import inf, nextafter


def float_below(number: Fraction) -> float:
    """Return the largest float that is at most `number`."""
    nearest = float(number)
    return nearest if Fraction(nearest) <= number else nextafter(nearest, -inf)


def float_above(number: Fraction) -> float:
    """Return the smallest float that is at least `number`."""
    nearest = float(number)
    return nearest if Fraction(nearest) >= number else nextafter(nearest, inf)

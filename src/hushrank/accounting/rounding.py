"""Losses as floats and as numerals, never on the wrong side.

A float is one number, its shortest numeral another: that of 0.1 is a tenth, and the float is above.
What a person writes down is kept by a float that is `within` it; what we write down again is
`at_most` a numeral that is not below. Theory: docs/theory/many-answers.md.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from math import inf, isfinite, nextafter

DIGITS = 15
"""A float keeps a numeral of so many decimal digits: it is read, and written again, as it was."""
PRECISE = 60
"""Digits of powers of e."""
LONGEST = 400
"""More digits than the largest float has before the point, and any table behind it."""


def float_below(number: Fraction) -> float:
    """Return the largest float that is at most `number`."""
    nearest = float(number)
    return nearest if Fraction(nearest) <= number else nextafter(nearest, -inf)


def float_above(number: Fraction) -> float:
    """Return the smallest float that is at least `number`."""
    nearest = float(number)
    return nearest if Fraction(nearest) >= number else nextafter(nearest, inf)


def numeral_above(number: float | Decimal | Fraction, digits: int) -> Decimal:
    """Return the least numeral of so many digits that is at least `number`, exactly."""
    exact = Fraction(number)
    rounded = Context(prec=digits, rounding=ROUND_CEILING)
    return rounded.divide(Decimal(exact.numerator), Decimal(exact.denominator))


def two_digits_above(number: float) -> str:
    """Return the least numeral of two digits that is at least `number`, but for what floats err by.

    So 100 times .07, which is 7.000000000000001, is 7.
    """
    return f"{float(numeral_above(number * (1 - 1e-12), 2)):g}"


def numeral_below(number: float | Decimal | Fraction, digits: int) -> Decimal:
    """Return the largest numeral of so many digits that is at most `number`, exactly."""
    return -numeral_above(-Fraction(number), digits)


def places_above(number: float, places: int) -> str:
    """Return the least number of so many decimal places that is at least `number`; inf as it is."""
    return _in_places(number, places, ROUND_CEILING)


def places_below(number: float, places: int) -> str:
    """Return the largest number of so many decimal places that is at most `number`."""
    return _in_places(number, places, ROUND_FLOOR)


def within(written: float) -> float:
    """Return the largest float that is at most what was written: less than 0.1 for 0.1.

    What takes more digits than a float keeps stands for the float itself.
    """
    numeral = Decimal(repr(float(written)))
    is_kept = numeral.is_finite() and len(numeral.as_tuple().digits) <= DIGITS
    return float_below(Fraction(numeral)) if is_kept else written


def at_most(loss: float) -> float:
    """Return the float whose own numeral is the least of 15 digits that is at least a loss.

    at_most(within(x)) is x where x has no more digits. Below 10^-308 floats have fewer digits, and
    so has the numeral.
    """
    written = float(numeral_above(loss, DIGITS))
    while Fraction(repr(written)) < Fraction(loss):
        written = nextafter(written, inf)
    return written


def as_kept(loss: float) -> float:
    """Return the float whose own numeral `within` keeps as this very loss: what is written of it.

    That of `at_most`, or the loss itself, where it takes more digits than are rounded. No numeral
    is kept as a float that is above its own, such as 0.1: then it is that of `at_most`.
    """
    written = at_most(loss)
    return loss if within(loss) == loss != within(written) else written


def exp_above(exponent: float) -> Decimal:
    """Return a number above e^exponent, of 60 digits and nearer to it than 2 of the last."""
    with localcontext(prec=PRECISE):
        return Decimal(exponent).exp().next_plus()


def log_above(ratio: Fraction) -> float:
    """Return the least float that is at least the logarithm of a ratio above 1, to 58 digits."""
    with localcontext(prec=PRECISE):
        above = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).next_plus()
        return float_above(Fraction(above.ln().next_plus()))


def _in_places(number: float, places: int, rounding: str) -> str:
    if not isfinite(number):
        return str(number)
    with localcontext(prec=LONGEST):
        return f"{Decimal(number).quantize(Decimal(1).scaleb(-places), rounding):f}"

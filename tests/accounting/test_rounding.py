from fractions import Fraction
from math import inf, nextafter

from hypothesis import given
from hypothesis import strategies as st

from hushrank.accounting.rounding import float_above, float_below

NUMBERS = st.fractions(-10, 10) | st.floats(-1e300, 1e300).map(Fraction)


@given(NUMBERS)
def test_the_float_above_is_the_smallest_that_is_not_below(number):
    above = float_above(number)
    assert Fraction(nextafter(above, -inf)) < number <= Fraction(above)


@given(NUMBERS)
def test_the_float_below_is_the_largest_that_is_not_above(number):
    below = float_below(number)
    assert Fraction(below) <= number < Fraction(nextafter(below, inf))

from decimal import Decimal, localcontext
from fractions import Fraction
from math import inf, nan, nextafter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hushrank.accounting.rounding import (
    DIGITS,
    as_kept,
    at_most,
    exp_above,
    float_above,
    float_below,
    log_above,
    numeral_above,
    numeral_below,
    places_above,
    places_below,
    two_digits_above,
    within,
)

TINY = Fraction(5e-324)
NUMBERS = st.fractions(-10, 10) | st.floats(-1e300, 1e300).map(Fraction)


@given(NUMBERS)
def test_the_float_above_is_the_smallest_that_is_not_below(number):
    above = float_above(number)
    assert Fraction(nextafter(above, -inf)) < number <= Fraction(above)


@given(NUMBERS)
def test_the_float_below_is_the_largest_that_is_not_above(number):
    below = float_below(number)
    assert Fraction(below) <= number < Fraction(nextafter(below, inf))


def test_a_number_below_all_floats_is_not_nothing():
    assert float_above(Fraction(1, 2**1100)) == nextafter(0.0, inf)


LOSSES = st.floats(1e-300, 1e300)
WRITTEN = st.builds(
    lambda digits, exponent: float(f"{digits}e{exponent}"),
    st.integers(1, 10**DIGITS - 1),
    st.integers(-40, 40),
)


@given(LOSSES, st.integers(1, 20))
def test_a_numeral_is_the_least_of_its_digits_that_is_not_below(loss, digits):
    numeral = numeral_above(loss, digits)
    assert len(numeral.as_tuple().digits) <= digits
    least = Decimal(1).scaleb(numeral.adjusted() - digits + 1)
    with localcontext(prec=1000):
        assert Fraction(numeral - least) < Fraction(loss) <= Fraction(numeral)


@given(LOSSES, st.integers(1, 20))
def test_a_numeral_below_is_the_largest_of_its_digits_that_is_not_above(loss, digits):
    numeral = numeral_below(loss, digits)
    least = Decimal(1).scaleb(numeral.adjusted() - digits + 1)
    with localcontext(prec=1000):
        assert Fraction(numeral) <= Fraction(loss) < Fraction(numeral + least)


@given(WRITTEN)
@example(0.100000000000003)  # 15 digits, and the float is above them
def test_what_is_written_down_is_not_exceeded(written):
    kept = within(written)
    assert Fraction(kept) <= Fraction(repr(written)) < Fraction(nextafter(kept, inf))
    assert within(kept) in (kept, written)
    assert at_most(kept) == written


def test_a_tenth_as_a_float_is_more_than_a_tenth():
    assert Fraction(0.1) > Fraction(1, 10) > Fraction(within(0.1))
    assert (within(0.5), within(4), within(inf)) == (0.5, 4, inf)
    assert within(nan) != within(nan)


@given(st.floats(1e-300, 1e6) | st.integers(1, 10**6).map(lambda n: nextafter(n / 1000, inf)))
@example(0.1)
@example(2.2)
def test_what_is_written_of_a_loss_is_kept_as_no_less_and_as_the_loss_itself_where_it_can_be(loss):
    kept = within(as_kept(loss))
    assert kept >= loss
    assert kept == loss or within(loss) < loss


@given(LOSSES)
def test_the_numeral_of_a_told_loss_is_not_below_it(loss):
    told = at_most(loss)
    assert Fraction(loss) <= Fraction(repr(told)) <= Fraction(loss) * (1 + Fraction(1, 10**14))


@given(st.integers(1, 2**54))
@example(2045)
def test_nor_is_that_of_a_delta_below_all_normal_floats(units):
    """Of fewer digits: the nearest float to a numeral above may have one that is below."""
    delta = units * 5e-324
    told = at_most(delta)
    assert Fraction(delta) <= Fraction(repr(told))
    assert Fraction(told) <= max(Fraction(delta) * (1 + Fraction(1, 10**14)), (units + 1) * TINY)


@given(st.floats(5e-324, 1000))
def test_powers_of_e_are_not_below(exponent):
    with localcontext(prec=400):
        exact = Decimal(exponent).exp()
        assert exact <= exp_above(exponent) <= exact * (1 + Decimal("3e-59"))


@given(st.fractions(1, 1000).filter(lambda ratio: ratio > 1))
@example(Fraction(10**30 + 1, 10**30))
def test_logarithms_are_not_below_and_the_least_float_that_is_not(ratio):
    found = log_above(ratio)
    with localcontext(prec=400):
        exact = Fraction((Decimal(ratio.numerator) / Decimal(ratio.denominator)).ln())
    assert nextafter(found, 0.0) < exact <= found


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (13.2965, "14"),
        (4.5208, "4.6"),
        (100 * 0.07, "7"),
        (0.1234, "0.13"),
        (99.5, "100"),
        (0, "0"),
    ],
)
def test_two_digits_are_rounded_up(number, said):
    assert two_digits_above(number) == said


@pytest.mark.parametrize("power", [100, 150, 200, 250, 500, 1000])
def test_the_logarithm_of_what_is_hardly_above_1_is_not_below(power):
    """Of more digits than are computed with: ln(1 + x) is between x - x^2 / 2 and x."""
    x = Fraction(1, 2**power)
    assert Fraction(log_above(1 + x)) >= x - x**2 / 2


@pytest.mark.parametrize("kept", [0.1 + 0.2, 2.0748531436346203, nextafter(1.0, 2.0)])
def test_what_takes_more_digits_than_a_float_keeps_stands_for_itself(kept):
    assert within(kept) == kept


@given(st.floats(-1e6, 1e6) | st.floats(-1.7e308, 1.7e308), st.integers(0, 6))
def test_places_are_rounded_to_the_side_that_was_asked_for(number, places):
    unit = Fraction(1, 10**places)
    below, above = Fraction(places_below(number, places)), Fraction(places_above(number, places))
    assert below <= Fraction(number) < below + unit
    assert above - unit < Fraction(number) <= above

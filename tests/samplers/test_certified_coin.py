"""Coins of a rational number times a power of e: exact, by bounds that enclose it."""

from decimal import Decimal, localcontext
from fractions import Fraction
from math import exp, floor

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.randomness import Randomness
from hushrank.samplers.certified_coin import (
    DOUBT,
    certified_coins,
    coins_of_each,
    probability_bounds,
)
from tests.statistics import assert_follows, draws_needed, random_seed

TOO_MUCH = 1.05
"""The wrong probability that a test must catch is this much higher."""


def test_certified_coins_have_their_probability():
    factor, exponent = Fraction(10, 3), Fraction(9, 4)
    stated = float(factor) * exp(-9 / 4)
    size = draws_needed([1 - stated, stated], [1 - TOO_MUCH * stated, TOO_MUCH * stated])
    tossed = certified_coins(factor, exponent, size, rng=Randomness.seeded(random_seed()))
    assert_follows(tossed.astype(int), [1 - stated, stated])


def test_each_of_many_coins_has_a_word_of_its_own():
    words = np.random.default_rng(random_seed()).integers(2**64, size=30_000, dtype=np.uint64)
    rng = Randomness.replayed(words.astype("<u8").tobytes())
    tossed = certified_coins(Fraction(1, 3), Fraction(0), len(words), rng=rng)
    assert (tossed == (words <= np.uint64(2**64 // 3))).all()


@pytest.mark.parametrize(
    ("words", "is_heads"),
    [
        ([0x5555555555555554], True),
        ([0x5555555555555556], False),
        ([0x5555555555555555, 0x5555555555555554], True),
        ([0x5555555555555555, 0x5555555555555556], False),
        ([0x5555555555555555] * 4 + [0], True),
        ([0x5555555555555555] * 4 + [2**64 - 1], False),
    ],
)
def test_a_word_that_meets_the_probability_is_settled_by_more_bits(words, is_heads):
    """One third in binary is 0.010101...; the tape must be read to its end and not beyond."""
    rng = Randomness.replayed(np.array(words, dtype="<u8").tobytes())
    assert certified_coins(Fraction(1, 3), Fraction(0), 1, rng=rng)[0] == is_heads
    with pytest.raises(EOFError):
        rng.words(1)


@pytest.mark.parametrize("more", [[0x5555555555555554, 2**63], [2**63, 0x5555555555555554]])
def test_each_of_several_words_that_meet_the_probability_is_settled(more):
    third = 0x5555555555555555
    rng = Randomness.replayed(np.array([third, 0, third, *more], dtype="<u8").tobytes())
    settled = [word < third for word in more]
    tossed = certified_coins(Fraction(1, 3), Fraction(0), 3, rng=rng).tolist()
    assert tossed == [settled[0], True, settled[1]]
    with pytest.raises(EOFError):
        rng.words(1)


def test_however_many_words_meet_the_probability_each_is_settled():
    words = [0x5555555555555555] * 300 + [0, 2**63] * 150
    rng = Randomness.replayed(np.array(words, dtype="<u8").tobytes())
    tossed = certified_coins(Fraction(1, 3), Fraction(0), 300, rng=rng)
    assert tossed.tolist() == [True, False] * 150


@pytest.mark.parametrize(("words", "is_heads"), [([2**62, 0, 0], True), ([2**62, 1], False)])
def test_a_probability_a_hair_above_a_word_is_told_from_it(words, is_heads):
    """The first bounds hold the word between them: only more bits tell on which side it is."""
    rng = Randomness.replayed(np.array(words, dtype="<u8").tobytes())
    hair = Fraction(1, 2**64 * 10**25)
    assert certified_coins(Fraction(1, 4) + hair, Fraction(0), 1, rng=rng)[0] == is_heads
    with pytest.raises(EOFError):
        rng.words(1)


def test_bounds_enclose_the_probability_and_narrow():
    exponents = (Fraction(1, 7), Fraction(1000) + Fraction(1, 3), Fraction(-50))
    for exponent in (*exponents, 10**6 + Fraction(1, 3)):
        low, high = probability_bounds(Fraction(22, 7), exponent, 40)
        inner_low, inner_high = probability_bounds(Fraction(22, 7), exponent, 60)
        assert low < inner_low < inner_high < high
        assert high - low < low / 10**33
    low, high = probability_bounds(Fraction(3), Fraction(-2), 20)
    assert float(low) == pytest.approx(3 * exp(2), rel=1e-12)


@pytest.mark.parametrize("exponent", [Fraction(1, 7), Fraction(3001, 3), Fraction(-50)])
@pytest.mark.parametrize("digits", [20, 40, 60])
def test_the_probability_lies_between_its_bounds_and_not_far_from_them(exponent, digits):
    """By an exponential of 200 digits; 10^(6 - digits) of it apart."""
    with localcontext(prec=200):
        power = (-Decimal(exponent.numerator) / exponent.denominator).exp()
    exact = Fraction(22, 7) * Fraction(power)
    low, high = probability_bounds(Fraction(22, 7), exponent, digits)
    assert low < exact < high
    assert high - low < exact / 10 ** (digits - 6)


@pytest.mark.parametrize("numerator", [1, 2, 5, 8, 40, 3001, 10**6 + 1])
@pytest.mark.parametrize("digits", [20, 40, 60])
def test_roundings_are_a_small_part_of_what_the_bounds_leave(numerator, digits):
    """So that no probability happens to lie on the other side of a bound."""
    with localcontext(prec=200):
        exact = Fraction(22, 7) * Fraction((Decimal(-numerator) / 3).exp())
    low, high = probability_bounds(Fraction(22, 7), Fraction(numerator, 3), digits)
    assert 100 * abs(high + low - 2 * exact) < high - low


def test_a_probability_of_1_is_one_and_more_is_refused():
    rng = Randomness.seeded(random_seed())
    assert certified_coins(Fraction(1), Fraction(0), 1000, rng=rng).all()
    last_word = Randomness.replayed(np.array([2**64 - 1, 0], dtype="<u8").tobytes())
    assert certified_coins(Fraction(1), Fraction(0), 1, rng=last_word).all()
    with pytest.raises(HushrankError, match="at most 1"):
        certified_coins(Fraction(2), Fraction(0), 1, rng=Randomness.seeded(random_seed()))


def exactly(exponent):
    """Return e^-exponent to 60 digits."""
    with localcontext(prec=60):
        return Fraction((-Decimal(exponent.numerator) / exponent.denominator).exp())


def near(exponents):
    return np.array([float(each) for each in exponents])


@pytest.mark.parametrize("doubt", [DOUBT, 1.0])
def test_each_coin_of_many_has_its_own_probability(doubt, monkeypatch):
    """Whether floats decide it or bounds do, whose place is then asked for."""
    monkeypatch.setattr("hushrank.samplers.certified_coin.DOUBT", doubt)
    exponents = [Fraction(n % 37, 7) for n in range(600)]
    words = np.random.default_rng(random_seed()).integers(2**64, size=600, dtype=np.uint64)
    rng = Randomness.replayed(words.astype("<u8").tobytes())
    tossed = coins_of_each(near(exponents), exponents.__getitem__, rng=rng)
    stated = [exactly(each) * 2**64 for each in exponents]
    assert tossed.tolist() == [word < p for word, p in zip(words.tolist(), stated, strict=True)]
    with pytest.raises(EOFError):
        rng.words(1)


@pytest.mark.parametrize("error", [0.0, 2.0**-44, -(2.0**-44)])
@pytest.mark.parametrize("exponent", [Fraction(1), Fraction(1, 1000), Fraction(20)])
def test_a_word_near_the_probability_is_settled_exactly_whatever_floats_say(exponent, error):
    edge = floor(exactly(exponent) * 2**64)
    words = [edge - 1, edge + 1, edge - 2**20, edge + 2**20]
    rng = Randomness.replayed(np.array(words, dtype="<u8").tobytes())
    tossed = coins_of_each(np.full(4, float(exponent) + error), lambda _: exponent, rng=rng)
    assert tossed.tolist() == [True, False, True, False]


@pytest.mark.parametrize(("more", "is_heads"), [(0, True), (2**64 - 1, False)])
def test_of_many_a_word_that_meets_the_probability_is_settled_by_more_bits(more, is_heads):
    edge = floor(exactly(Fraction(1)) * 2**64)
    rng = Randomness.replayed(np.array([5, edge, more], dtype="<u8").tobytes())
    tossed = coins_of_each(np.ones(2), lambda _: Fraction(1), rng=rng)
    assert tossed.tolist() == [True, is_heads]


def test_floats_err_by_far_less_than_what_is_in_doubt():
    exponents = [Fraction(n * n, 97) for n in range(1, 80)] + [Fraction(1, 2**60), Fraction(10**6)]
    errors = [abs(Fraction(np.exp(-float(each))) - exactly(each)) for each in exponents]
    assert max(errors) < DOUBT / 2**8


def test_certain_coins_are_heads_and_impossible_ones_tails():
    """Of words at either end, which no float tells from a probability of 1, or of nothing."""
    rng = Randomness.replayed(np.array([2**64 - 1, 1, 0], dtype="<u8").tobytes())
    exponents = [Fraction(0), Fraction(10**6)]
    assert coins_of_each(near(exponents), exponents.__getitem__, rng=rng).tolist() == [True, False]

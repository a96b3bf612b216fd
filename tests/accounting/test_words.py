from decimal import Decimal, localcontext
from fractions import Fraction
from math import inf, log
from typing import get_args

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hushrank.accounting.rounding import within
from hushrank.accounting.words import (
    ASKED,
    SOLVED,
    best_guess,
    bits_in_words,
    epsilon_in_words,
    finely,
    guess_in_words,
    loss_in_words,
    nats_in_words,
    odds_in_words,
    price_in_words,
)
from hushrank.protocols.distributions.question_kinds import QuestionKind

WHOLE = "whole ranking", "whole order", "orders"


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        (1.0, "1"),
        (0.1, "0.100001"),
        (within(0.1), "0.1"),
        (Fraction(1, 10), "0.1"),
        (20.0, "20"),
        (1.0000049, "1.00001"),
        (2.0748531, "2.07486"),
        (0.1 + 0.2, "0.300001"),
        (1e-9, "1.00001e-09"),
        (within(1e-9), "1e-09"),
        (0.0, "0"),
        (100000.0, "100000"),
    ],
)
def test_a_loss_reads_as_it_was_given_or_a_little_more(loss, said):
    assert loss_in_words(loss) == said


@given(st.floats(1e-3, 40))
def test_what_exceeds_a_limit_is_not_said_to_be_the_limit(limit):
    assert float(finely(limit * (1 + 1e-14))) > limit
    assert Fraction(finely(limit)) >= Fraction(limit)


@given(st.floats(1e-12, 1e6), st.integers(2, 8))
def test_no_loss_is_said_to_be_less_than_it_is(loss, digits):
    said, exact = Fraction(loss_in_words(loss, digits)), Fraction(loss)
    assert exact <= said <= exact * (1 + Fraction(10) ** (1 - digits))


@given(st.floats(5e-324, 1e-290), st.integers(2, 15))
@example(1e-323, 6)
@example(2.5e-320, 6)
def test_no_loss_too_small_for_all_digits_of_a_float_is_said_to_be_less(loss, digits):
    said, exact = Fraction(loss_in_words(loss, digits)), Fraction(loss)
    assert exact <= said <= exact * (1 + Fraction(10) ** (1 - digits))


@pytest.mark.parametrize(
    ("epsilon", "delta", "said"),
    [
        (1.0, 0.0, "from 1 in 2 to 73.2 in 100 at most (e^epsilon is 2.72)"),
        (1.0, 0.1, "from 1 in 2 to 75.8 in 100 at most (e^epsilon is 2.72)"),
        (4.0, 1e-9, "from 1 in 2 to 98.3 in 100 at most (e^epsilon is 54.6)"),
        (8.0, 0.0, "from 1 in 2 to 99.967 in 100 at most (e^epsilon is 2,990)"),
        (1000.0, 0.0, "from 1 in 2 to 100 in 100 at most (e^epsilon is 2e+434)"),
    ],
)
def test_what_a_guess_becomes(epsilon, delta, said):
    assert guess_in_words(epsilon, delta) == said
    assert said in epsilon_in_words(epsilon, delta)


@given(st.floats(1e-6, 600), st.floats(0, 0.5))
def test_no_guess_is_said_to_be_worse_than_it_can_be(epsilon, delta):
    said = Decimal(guess_in_words(epsilon, delta).split()[5])
    with localcontext(prec=1000):  # the least epsilon that was drawn moves the 17th digit
        odds = Decimal(epsilon).exp()
        exact = 100 * (odds + Decimal(delta)) / (1 + odds)
        assert exact <= said <= min(100, exact + Decimal("0.11"))


@given(st.floats(1e-6, 600), st.integers(2, 8))
def test_no_sentence_says_less_than_a_loss(loss, digits):
    said = (
        nats_in_words(loss, digits).split()[0],
        price_in_words("pairs", loss).split()[0],
        epsilon_in_words(loss, 0.1).split()[1].rstrip(","),
        epsilon_in_words(0.5, min(loss, 0.9)).split("delta ")[1].split(":")[0],
    )
    true = (loss, loss, loss, min(loss, 0.9))
    for words, exact in zip(said, true, strict=True):
        assert Fraction(words) >= Fraction(exact)


@given(st.floats(1e-6, 600))
def test_no_answer_is_said_to_be_less_likely_than_it_can_look(epsilon):
    said = Decimal(odds_in_words(epsilon).replace(",", ""))
    with localcontext(prec=1000):
        odds = Decimal(epsilon).exp()
        assert odds <= said <= odds * (Decimal("1.01") if odds < 10**6 else 2)


def test_the_smallest_loss_moves_a_guess():
    assert best_guess(5e-324) == "50.1"
    assert odds_in_words(5e-324) == "1.01"


def test_one_nat_is_one():
    assert [nats_in_words(loss) for loss in (1.0, 0.5, 2.0)] == ["1 nat", "0.5 nats", "2 nats"]
    assert nats_in_words(2.0748531) == "2.07486 nats"
    assert epsilon_in_words(2.0748531).startswith("Epsilon 2.075: ")


@pytest.mark.parametrize("delta", [1e-5, 1e-10, 1e-300])
def test_however_small_a_delta_is_said(delta):
    assert epsilon_in_words(1.0, delta).startswith(f"Epsilon 1, delta {loss_in_words(delta)}: ")


@pytest.mark.parametrize("said", [best_guess, guess_in_words, epsilon_in_words])
def test_without_a_delta_there_is_none(said):
    assert said(0.5) == said(0.5, 0.0) != said(0.5, 0.1)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("ranks-and-pairs", "4 to say the rank of one item, and whether another is before it"),
        ("3 two-of-first", "4 to say two of the first 3 items in order, or of the last 3"),
        ("2 two-of-first", "4 to say the first two items in order, or the last two"),
        ("1 first", "4 to say which item is first, or which is last"),
        ("2 first", "4 to say one of the first 2 items, or of the last 2"),
        (
            "2 first-and-later",
            "4 to say one of the first 2 items and one after them, or one of the last 2 and one"
            " before them",
        ),
        (
            "1 first-and-later",
            "4 to say the first item and one after it, or the last and one before it",
        ),
        ("pairs", "4 to say which of two items comes first"),
        ("extremes", "4 to say whether one item is near either end"),
        ("3 levels", "4 to say in which of 3 parts of the order one item is"),
        (
            "3 levels-and-pairs",
            "4 to say in which of 3 parts of the order one item is, and whether another is"
            " before it",
        ),
        ("structure", "4 to say the rank of one item, and which of two others is first"),
        ("parameters", "4 to say the order of a few items, or how groups of them mix"),
        ("blocks", "4 to say the order of a few items"),
        *((name, "4 to say the whole order") for name in WHOLE),
        ("first places", "4 to say the order of the first places"),
        ("a plug-in's {round}", "4 for a plug-in's {round}"),
    ],
)
def test_what_a_round_asked_is_said_in_plain_words(name, said):
    assert price_in_words(name, 4.0) == said


def test_every_kind_of_question_has_plain_words():
    assert set(get_args(QuestionKind)) <= set(ASKED)


@example(SOLVED, 3)
@given(st.floats(-1, 100), st.integers(2, 6))
def test_no_leakage_is_said_to_be_less_than_it_is(bits, digits):
    said = Fraction(bits_in_words(bits, digits))
    solved = Fraction(SOLVED) + Fraction(1, 10**13)  # and what a float of that size lacks
    assert Fraction(bits) - solved <= said
    assert said <= Fraction(bits) + Fraction(1, 10**6) + abs(Fraction(bits)) / 10 ** (digits - 1)


def test_what_a_solver_errs_by_is_no_leakage():
    said = [bits_in_words(each) for each in (0.0, -1e-17, 3e-10, 2e-9, 0.12345)]
    assert said == ["0", "0", "0", "1e-06", "0.124"]
    assert bits_in_words(0.1 * log(2) / log(2)) == "0.1"
    assert bits_in_words(inf) == "inf"

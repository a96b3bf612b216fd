"""A privacy loss in words, never less than it is; and what people were asked for it."""

import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from math import ceil, isfinite

from hushrank.accounting.rounding import DIGITS, exp_above, numeral_above, places_above

MOST_DECIMALS = 6
SOLVED = 1e-9
"""Bits to which leakages are computed."""
ASKED: Mapping[str, str] = {
    "pairs": "which of two items comes first",
    "extremes": "whether one item is near either end",
    "levels": "in which of {n} parts of the order one item is",
    "levels-and-pairs": "in which of {n} parts of the order one item is, and whether another is"
    " before it",
    "ranks-and-pairs": "the rank of one item, and whether another is before it",
    "first": "one of the first {n} items, or of the last {n}",
    "first-and-later": "one of the first {n} items and one after them, or one of the last {n} and"
    " one before them",
    "two-of-first": "two of the first {n} items in order, or of the last {n}",
    "1 first": "which item is first, or which is last",
    "1 first-and-later": "the first item and one after it, or the last and one before it",
    "2 two-of-first": "the first two items in order, or the last two",
    "structure": "the rank of one item, and which of two others is first",
    "parameters": "the order of a few items, or how groups of them mix",
    "blocks": "the order of a few items",
    "whole ranking": "the whole order",
    "whole order": "the whole order",
    "orders": "the whole order",
    "first places": "the order of the first places",
}
"""What people say in a round of this name, which is for technicians."""


def loss_in_words(loss: float | Fraction, digits: int = 6) -> str:
    """Return an epsilon or delta in decimal, exactly or rounded up to so many digits.

    loss: as it is spent, no numeral by `at_most`, whose float can be above it: that of 0.1 is above
    a tenth, and is 0.100001 here. Of a numeral that was asked for, or read, take what is `within`.
    """
    shown = numeral_above(loss, digits).normalize()
    is_plain = shown == 0 or -5 < shown.adjusted() < 16
    mantissa, power = f"{shown:e}".split("e")  # of no float, which may be below what is shown
    return f"{shown:f}" if is_plain else f"{mantissa}e{int(power):+03d}"


def finely(loss: float | Fraction) -> str:
    """Return an epsilon rounded up to 15 digits: what it exceeds may have the same six."""
    return loss_in_words(loss, DIGITS)


def nats_in_words(loss: float, digits: int = 6) -> str:
    """Return a loss with its unit: 1 nat, 4 nats."""
    shown = loss_in_words(loss, digits)
    return f"{shown} nat{'' if shown == '1' else 's'}"


def bits_in_words(bits: float, digits: int = 3) -> str:
    """Return a leakage in decimal, rounded up to millionths, but for what solvers err by."""
    shown = places_above(bits - SOLVED, MOST_DECIMALS)
    return loss_in_words(Fraction(shown), digits) if isfinite(bits) else shown


def as_given(number: float) -> str:
    """Return a budget or another bound to its last digit, as it was given: neither up nor down."""
    return repr(float(number)).removesuffix(".0")


def best_guess(epsilon: float, delta: float = 0.0) -> str:
    """Return how often of 100 an even guess about one person can become right: "73.2".

        (e^ε + δ) / (1 + e^ε), rounded up; it is 100 where no more digits are worth reading

    Of two answers that a person may have given; whatever else the guesser knows.
    """
    wrong = 100 * (1 - Fraction(float(delta))) / (1 + Fraction(exp_above(float(epsilon))))
    digits = max(1, 1 - Decimal(float(wrong)).adjusted()) if wrong > 0 else 0
    unit = 10 ** min(digits, MOST_DECIMALS)
    shown = Decimal(ceil((100 - wrong) * unit)) / unit
    return f"{shown.normalize():f}"


def guess_in_words(epsilon: float, delta: float = 0.0) -> str:
    """Return what an even guess about one person can become: "from 1 in 2 to 73.2 in 100 at most".

    See `best_guess`. `e^ε` is how many times likelier one answer can look than another.
    """
    guess, likelier = best_guess(epsilon, delta), odds_in_words(epsilon)
    return f"from 1 in 2 to {guess} in 100 at most (e^epsilon is {likelier})"


def odds_in_words(epsilon: float) -> str:
    """Return how many times likelier one answer can look than another: e^ε, rounded up."""
    odds = exp_above(float(epsilon))
    is_plain = odds.adjusted() < MOST_DECIMALS
    shown = numeral_above(odds, 3 if is_plain else 1)
    return f"{shown:,f}" if is_plain else f"{shown:.0e}"


def epsilon_in_words(epsilon: float, delta: float = 0.0) -> str:
    """Return what an epsilon lets others find out about one person, as a sentence."""
    but_for = f", delta {loss_in_words(delta)}" if delta else ""
    guess = f"an even guess about a person's ranking can go {guess_in_words(epsilon, delta)}"
    return f"Epsilon {loss_in_words(epsilon, 4)}{but_for}: {guess}."


def asked_in_words(name: str) -> str:
    """Return what people say in a round, for a lay reader: "3 first" is its kind with a number.

    The name itself where it is not ours, such as a plug-in's.
    """
    numbered = re.fullmatch(r"(\d+) (.+)", name)
    number, kind = (numbered[1], numbered[2]) if numbered else ("", name)
    known = ASKED.get(name) or ASKED.get(kind)
    return name if known is None else known.format(n=number)


def price_in_words(name: str, epsilon: float) -> str:
    """Return what a round cost, and for what: "4 to say the whole order"."""
    asked = asked_in_words(name)
    return f"{loss_in_words(epsilon)} {'for' if asked == name else 'to say'} {asked}"

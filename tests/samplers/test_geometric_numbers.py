"""Geometric numbers, and the coins of exactly exponential probability that make them."""

from fractions import Fraction
from itertools import chain, count, islice, repeat

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.randomness import Randomness
from hushrank.samplers.geometric_numbers import (
    MOST_WHOLE_SCALE,
    _coin_of_at_most_one,
    first_kept,
    geometric,
    geometric_many,
    uniform_below,
)
from hushrank.samplers.word_probabilities import exp_below
from tests.conformance import bytes_of_words
from tests.statistics import assert_follows, draws_needed, random_seed

WORD = 2**64
ROUNDING = Fraction(1, 10**45)
"""What `exp_below` may lack."""


class Scripted:
    """Draws below a bound as the script says, and tells the bound at which the script ends."""

    def __init__(self, script):
        self.script, self.likelihood, self.bound = list(script), Fraction(1), None

    def one_below(self, bound):
        if not self.script:
            self.bound = bound
            raise EOFError
        self.likelihood /= bound
        return self.script.pop(0)


def law_of(draw, depth):
    """Return the probabilities of the outcomes decided within `depth` draws, and the rest.

    Every value of every draw is tried, so that nothing is sampled.
    """
    law, open_scripts = {}, [()]
    for _ in range(depth + 1):
        scripts, open_scripts = open_scripts, []
        for script in scripts:
            rng = Scripted(script)
            try:
                outcome = draw(rng)
                law[outcome] = law.get(outcome, 0) + rng.likelihood
            except EOFError:
                open_scripts += [(*script, value) for value in range(rng.bound)]
    return law, 1 - sum(law.values())


@pytest.mark.parametrize(("numerator", "denominator", "depth"), [
    (0, 1, 1), (1, 5, 5), (1, 2, 7), (3, 4, 6), (1, 1, 6)
])  # fmt: skip
def test_a_coin_has_exactly_its_probability(numerator, denominator, depth):
    law, rest = law_of(lambda rng: _coin_of_at_most_one(numerator, denominator, rng=rng), depth)
    probability = exp_below(-float(numerator), denominator)
    assert rest < Fraction(1, 100)
    assert law[True] - ROUNDING <= probability <= law[True] + rest + ROUNDING


def test_a_coin_counts_to_its_end_however_far_that_is():
    for n_heads in (*range(1, 66), 1000):
        rng = Scripted([*[0] * n_heads, 1])
        assert _coin_of_at_most_one(1, 1, rng=rng) == (n_heads % 2 == 0)
        assert not rng.script


@pytest.mark.parametrize(("numerator", "denominator"), [(2, 3), (1, 4)])
def test_geometric_numbers_follow_their_law(numerator, denominator):
    """A rate a tenth too large is caught."""
    rate = numerator / denominator
    stated, wrong = (_geometric_law(each, 4) for each in (rate, 1.1 * rate))
    rng = Randomness.seeded(random_seed())
    draws = range(draws_needed(stated, wrong))
    numbers = [min(geometric(numerator, denominator, rng=rng), 3) for _ in draws]
    assert_follows(np.array(numbers), stated)


def _geometric_law(rate, n_cells):
    below = 1 - np.exp(-rate * np.arange(n_cells))
    return np.append(np.diff(below), 1 - below[-1])


@pytest.mark.parametrize("high", [0, 1, 30, 63, 64, 65, 1000])
def test_the_tail_of_geometric_numbers_has_no_end(high):
    """Where it ended, a number that one data set can give would be impossible for a neighbour."""
    kept, head, tail = [3, 4], [0, 0, 1], [0, 1]  # the first, 3 of 5, is kept by one draw
    rng = Scripted([*kept, *(head * high), *tail])
    assert geometric(1, 5, rng=rng) == 3 + 5 * high
    assert not rng.script


def test_small_rates_give_large_numbers():
    """A rate a tenth too large is caught, and the lowest bits of the numbers are uniform."""
    quarters = -np.log([0.75, 0.5, 0.25])
    stated, wrong = [0.25] * 4, -np.diff([1, *np.exp(-1.1 * quarters), 0])
    rng = Randomness.seeded(random_seed())
    numbers = [geometric(3, 2**50, rng=rng) for _ in range(draws_needed(stated, wrong))]
    assert_follows(np.searchsorted(quarters, np.array(numbers) * 3 / 2**50), stated)
    assert_follows(np.array(numbers) % 4, stated)


@pytest.mark.parametrize("factor", [1, 10**40])
def test_huge_denominators_make_the_same_coins(factor):
    """A probability of exp(-0.55) instead of exp(-0.5) is caught."""
    stated, wrong = ([1 - p, p] for p in np.exp([-0.5, -0.55]))
    rng = Randomness.seeded(random_seed())
    draws = range(draws_needed(stated, wrong))
    coins = [_coin_of_at_most_one(factor, 2 * factor, rng=rng) for _ in draws]
    assert_follows(np.array(coins, dtype=int), stated)


def test_a_certain_coin_is_true():
    rng = Randomness.seeded(random_seed())
    assert all(
        _coin_of_at_most_one(0, denominator, rng=rng) for denominator in (1, 7, WORD, 10**50)
    )


@pytest.mark.parametrize(("bound", "words", "drawn"), [
    (1, [3], 0),
    (WORD, [WORD - 1], WORD - 1),
    (WORD + 1, [0, 1], WORD),
    (WORD + 1, [0, 3], WORD),  # bits above the bound's are cut off
    (WORD + 1, [1, 1, 7, 2], 7),  # 2^64 + 1 is drawn again
    (2**65, [WORD - 1, WORD - 1], 2**65 - 1),
    (2**128, [5, 6], 5 + 6 * WORD),
    (2**128 + 1, [5, 6, 1, 5, 6, 2], 5 + 6 * WORD),
])  # fmt: skip
def test_integers_below_a_bound_join_words(bound, words, drawn):
    rng = Randomness.replayed(bytes_of_words(words))
    assert uniform_below(bound, rng=rng) == drawn
    with pytest.raises(EOFError):
        rng.words(1)


@pytest.mark.parametrize("n_words", [2, 3, 12, 13, 64, 256, 1000])
def test_integers_below_a_bound_of_however_many_words_are_made_of_each(n_words):
    words = list(range(1, n_words + 1))
    joined = sum(word * WORD**place for place, word in enumerate(words))
    for bound, tape in ((WORD**n_words, words), (joined, [*words, *words[:-1], n_words - 1])):
        rng = Randomness.replayed(bytes_of_words(tape))
        assert uniform_below(bound, rng=rng) == joined - (bound == joined) * WORD ** (n_words - 1)
        with pytest.raises(EOFError):
            rng.words(1)


def test_a_bound_may_have_more_digits_than_python_writes_out():
    words = Randomness.replayed(bytes_of_words([7] + [0] * 255))
    assert uniform_below(2**16384, rng=words) == 7


def test_integers_below_a_large_bound_are_uniform():
    """Remainders of two words would hit the lower half of 3 2^126 twice as often as a third."""
    stated, wrong = [1 / 3] * 3, [1 / 2, 1 / 4, 1 / 4]
    rng = Randomness.seeded(random_seed())
    draws = range(draws_needed(stated, wrong))
    thirds = [uniform_below(3 * 2**126, rng=rng) >> 126 for _ in draws]
    assert_follows(np.array(thirds), stated)


@pytest.mark.parametrize(
    ("numerator", "denominator"),
    [(-1, 1), (1, 0), (1, -1), (1.0, 1), (1, 2.0), (np.int64(1), 1), (float("nan"), 1), ("1", 1)],
)
def test_other_rates_are_refused_before_anything_is_drawn(numerator, denominator):
    with pytest.raises(HushrankError, match=r"a (numerator|denominator) "):
        geometric(numerator, denominator, rng=Randomness.replayed(b""))


def test_a_whole_rate_is_one():
    """Of denominator 1, as of any other."""
    assert geometric(1, 1, rng=Randomness.seeded(1)) >= 0


def test_a_geometric_number_needs_a_rate():
    with pytest.raises(HushrankError, match="at least 1, got 0"):
        geometric(0, 1, rng=Randomness.replayed(b""))


def test_nothing_is_below_0():
    with pytest.raises(HushrankError, match="a bound of at least 1"):
        uniform_below(0, rng=Randomness.replayed(b""))


def test_a_bound_of_one_word_is_drawn_by_one_remainder():
    """Cut to its bits, as larger ones are, 1023 would be drawn again."""
    rng = Randomness.replayed(bytes_of_words([1023]))
    assert uniform_below(1000, rng=rng) == 23


@pytest.mark.parametrize("scale", [1, 3, 40])
def test_many_geometric_numbers_follow_their_law(scale):
    """A scale a tenth too large is caught."""
    edges = np.unique(np.ceil(scale * -np.log([0.75, 0.5, 0.25])))
    below = [1 - np.exp(-edges / each) for each in (scale, 1.1 * scale)]
    stated, wrong = (np.diff([0, *each, 1]) for each in below)
    rng = Randomness.seeded(random_seed())
    numbers = geometric_many(scale, draws_needed(stated, wrong), rng=rng)
    assert numbers.dtype == np.int64
    assert_follows(np.searchsorted(edges, numbers, side="right"), stated)


def test_each_of_many_is_a_low_part_that_was_kept_and_heads_in_a_row(monkeypatch):
    """Exactly: which coins are tossed, and what their sides make of which number."""
    kept = [0, 1, 1] * 7  # of 3 * 3 // 2 + 16 low parts, of which the first three are taken
    heads = [1, 1, 1, *[0, 1, 1], *[1, 0, 1], *[1, 1, 0]]  # of three numbers, and the first again
    tosses, tossed = [kept[:20], heads[:9], heads[9:]], []

    def toss(exponents, exact, *, rng):
        exacts = [exact(place) for place in range(exponents.size)]
        tossed.append(exacts)
        assert exponents.tolist() == [float(each) for each in exacts]
        return np.array(tosses.pop(0), dtype=bool)

    monkeypatch.setattr("hushrank.samplers.geometric_numbers.coins_of_each", toss)
    rng = Randomness.replayed(bytes_of_words(range(20)))
    assert geometric_many(5, 3, rng=rng).tolist() == [1 + 5 * 5, 2, 4 + 5]
    assert tossed == [[Fraction(n % 5, 5) for n in range(20)], [1] * 9, [1] * 3]


@pytest.mark.parametrize("size", [0, 1, 2, 100, 12_345])
@pytest.mark.parametrize("part", [1, 3, 50])
def test_the_first_that_are_kept_are_taken_however_many_are_proposed_at_once(size, part):
    proposals = count()

    def some_kept(n):
        tried = np.array(list(islice(proposals, n)))
        return tried[tried % part == 0]

    assert first_kept(some_kept, size).tolist() == list(range(0, size * part, part))


@pytest.mark.parametrize("high", [30, 63, 64, 65, 1000])
def test_the_tail_of_each_of_many_has_no_end(high, monkeypatch):
    sides = chain([True] * 17, [True] * high, repeat(False))  # of one low part, and 16 to spare
    coins = "hushrank.samplers.geometric_numbers.coins_of_each"
    monkeypatch.setattr(coins, lambda x, exact, *, rng: np.array(list(islice(sides, x.size))))
    rng = Randomness.replayed(bytes_of_words([3] * 17))
    assert geometric_many(5, 1, rng=rng).tolist() == [3 + 5 * high]


@pytest.mark.parametrize("scale", [0, -1, 2.0, MOST_WHOLE_SCALE + 1])
def test_many_take_whole_scales_alone(scale):
    with pytest.raises(HushrankError, match="whole scale"):
        geometric_many(scale, 1, rng=Randomness.replayed(b""))


def test_none_of_many_is_drawn_for_two():
    """Not to the last bits: of the widest law, 3 twins come in 10^-13 of all runs."""
    numbers = geometric_many(MOST_WHOLE_SCALE, 499_500, rng=Randomness.seeded(random_seed()))
    assert np.unique(numbers).size > numbers.size - 3

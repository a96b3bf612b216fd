"""Numbers below a bound, from a tape of words: as likely as each other, exactly."""

from math import exp

import numpy as np
import pytest

from hushrank.randomness import Randomness
from hushrank.samplers.coins_from_tape import exponential_coin, uniform_below
from tests.conformance import WORDS
from tests.statistics import assert_follows, draws_needed, random_seed


def drawn(bound, words):
    """Return the number below the bound, and how many words were read."""
    read = np.zeros(1, dtype=np.int64)
    number = uniform_below(np.uint64(bound), np.array(words, dtype=np.uint64), read)
    return int(number), int(read[0])


@pytest.mark.parametrize("bound", [1, 2, 3, 10, 2**32 + 1, 2**63 - 25, 2**63 + 1])
def test_words_beyond_whole_turns_are_passed_over_and_no_others(bound):
    whole = WORDS - WORDS % bound
    for word in {0, bound - 1, whole - bound, whole - 1}:
        assert drawn(bound, [word, 0]) == (word % bound, 1)
    for word in {whole, WORDS - 1} - {whole - 1, WORDS}:
        assert drawn(bound, [word, 0]) == (0, 2)


def test_where_the_tape_ends_there_is_no_number():
    assert drawn(3, [WORDS - 1]) == (3, 2)
    assert drawn(3, []) == (3, 1)


def tossed(numerator, denominator, words):
    """Return a coin of e^-(numerator / denominator), and how many words were read."""
    read = np.zeros(1, dtype=np.int64)
    tape = np.array(words, dtype=np.uint64)
    return bool(exponential_coin(numerator, denominator, tape, read)), int(read[0])


@pytest.mark.parametrize(
    ("words", "is_head"),
    [
        ([1], True),
        ([0, 1], False),
        ([0, 0, 1], False),
        ([0, 0, 0, 1], True),
        ([0, 0, 0, 2], True),
        ([0, 0, 0, 0, 1], True),
        ([0, 0, 0, 0, 0, 3], False),
    ],
)
def test_a_coin_of_one_half_counts_heads_up_to_the_first_tail(words, is_head):
    """A toss of x/k is one of x, a word below 2, and one of 1/k, a word below k."""
    assert tossed(1, 2, words) == (is_head, len(words))


def test_a_coin_counts_however_many_heads_there_are():
    """After an even number of zeros the tail is one of x, else it is one of 1/k."""
    for n_zeros in range(400):
        n_tossed = n_zeros // 2 + 1 + n_zeros % 2
        assert tossed(1, 2, [0] * n_zeros + [1]) == (n_tossed % 2 == 1, n_zeros + 1)


def test_a_coin_beyond_one_tosses_each_whole_nat_and_the_rest():
    head, tail = [7, 0, 7, 1], [7, 1]  # of e^-1: every first word is a head
    assert tossed(1, 1, head) == (True, 4)
    assert tossed(1, 1, tail) == (False, 2)
    assert tossed(2, 1, [*head, *head]) == (True, 8)
    assert tossed(3, 1, [*head, *tail, 9]) == (False, 6)
    assert tossed(5, 2, [*head, *head, 1]) == (True, 9)
    assert tossed(5, 2, [*head, *head, 0, 1]) == (False, 10)
    assert tossed(0, 3, []) == (True, 0)


@pytest.mark.parametrize("nats", [1, 2, 3, 4, 7, 64, 100])
def test_every_whole_nat_has_a_coin_of_its_own(nats):
    """Where some had none, orders far from the ballots would be too likely."""
    head, tail = [7, 0, 7, 1], [7, 1]
    assert tossed(nats, 1, head * nats) == (True, 4 * nats)
    assert tossed(nats, 1, [*(head * (nats - 1)), *tail]) == (False, 4 * nats - 2)
    assert tossed(3 * nats + 1, 3, [*(head * nats), 1]) == (True, 4 * nats + 1)


@pytest.mark.parametrize("words", [[7, 0, 7, 1] * 2, [7, 0, 7, 1], [7, 1]])
def test_coins_are_those_that_are_written(words):
    """And not compiled, which does not ask for bounds."""
    read, tape = np.zeros(1, dtype=np.int64), np.array(words, dtype=np.uint64)
    head = exponential_coin.py_func(2, 1, tape, read)
    assert (bool(head), int(read[0])) == tossed(2, 1, words)


def test_a_tape_that_ends_between_two_nats_decides_nothing():
    """What was begun is discarded: read says more words than there are."""
    head = [7, 0, 7, 1]
    assert tossed(2, 1, head)[1] > len(head)
    assert tossed(3, 2, head)[1] > len(head)
    assert tossed(2, 1, [])[1] > 0


@pytest.mark.parametrize(
    ("numerator", "denominator"), [(1, 3), (1, 1), (5, 3), (3 * 2**60, 2**61), (7, 2**62)]
)
def test_coins_of_the_kernel_are_exponential(numerator, denominator):
    heads = exp(-numerator / denominator)
    size = 20_000 if heads > 0.99 else draws_needed(*coin_laws(numerator / denominator))
    tape, read = Randomness.seeded(random_seed()).words(20 * size), np.zeros(1, dtype=np.int64)
    tossed = np.array([exponential_coin(numerator, denominator, tape, read) for _ in range(size)])
    assert read[0] <= len(tape)
    if heads > 0.99:
        assert tossed.all()
    else:
        assert_follows(tossed.astype(int), coin_laws(numerator / denominator)[0])


def coin_laws(exponent):
    return [[1 - exp(-each), exp(-each)] for each in (exponent, 1.05 * exponent)]

"""Shuffles of a fixed number of words are uniform, accepted by distance and a coin alone."""

from itertools import permutations
from math import factorial, prod

import numpy as np
import pytest

from hushrank.samplers.shuffles import MOST_OF_A_WORD, accept_shuffles, words_of_a_shuffle
from hushrank.samplers.word_probabilities import WORDS


def accepted(words, n_items, radius, far_words):
    shuffles = np.zeros((len(words), n_items), dtype=np.uint8)
    n = accept_shuffles(np.array(words, dtype=np.uint64), shuffles, radius, far_words)
    return [tuple(row) for row in shuffles[:n].tolist()]


@pytest.mark.parametrize("n_items", [2, 3, 16, 19, 20, 100, 254])
def test_the_draws_of_a_shuffle_share_as_few_words_as_the_surplus_allows(n_items):
    groups = words_of_a_shuffle(n_items)
    assert [bound for draws, _ in groups for bound in draws] == list(range(n_items, 1, -1))
    products = [prod(draws) for draws, _ in groups]
    assert all(each <= MOST_OF_A_WORD == WORDS // 256 for each in products)
    for (draws, last), product in zip(groups, products, strict=True):
        assert (last + 1) % product == 0
        assert 0 <= WORDS - (last + 1) < product
        assert draws[-1] == 2 or product * (draws[-1] - 1) > MOST_OF_A_WORD


@pytest.mark.parametrize("n_items", [2, 3, 4, 5])
def test_words_in_a_row_are_all_orders_once_each(n_items):
    orders = accepted([[word, 0] for word in range(factorial(n_items))], n_items, 0, 1)
    assert sorted(orders) == list(permutations(range(n_items)))


def test_a_word_of_the_surplus_spoils_a_shuffle_whatever_its_coin():
    ((_, last),) = words_of_a_shuffle(3)
    assert last < WORDS - 1
    assert len(accepted([[last, 0], [last + 1, 0], [WORDS - 1, 0]], 3, 10, WORDS)) == 1


def test_each_word_of_a_shuffle_may_spoil_it():
    lasts = [last for _, last in words_of_a_shuffle(20)]
    assert len(lasts) == 2
    spoilt = [[*(last + (nth == place) for nth, last in enumerate(lasts)), 0] for place in (0, 1)]
    assert len(accepted([[*lasts, 0], *spoilt], 20, 10**6, WORDS)) == 1


@pytest.mark.parametrize("n_items", [20, 100, 150, 254])
def test_a_shuffle_is_made_of_all_its_words(n_items):
    """As Fisher and Yates do it, one draw after the other: the digits of each word."""
    groups = words_of_a_shuffle(n_items)
    rng = np.random.default_rng(n_items)
    words = [int(rng.integers(last, endpoint=True, dtype=np.uint64)) for _, last in groups]
    expected, left = list(range(n_items)), iter(words)
    for draws, _ in groups:
        word = next(left)
        for bound in draws:
            word, drawn = divmod(word, bound)
            expected[bound - 1], expected[drawn] = expected[drawn], expected[bound - 1]
    assert accepted([[*words, 0]], n_items, 10**9, 1) == [tuple(expected)]
    for place, (_, last) in enumerate(groups):
        spoilt = [*words[:place], last + 1, *words[place + 1 :], 0]
        assert accepted([spoilt], n_items, 10**9, WORDS) == []


def test_a_near_shuffle_is_accepted_always_and_a_far_one_by_its_coin():
    """Of three items: at distance 0 one order, at 1 two, at 3 two, at 4 one."""
    coins = (0, 6, 7, WORDS - 1)
    for radius, n_near in ((0, 1), (1, 3), (2, 3), (3, 5), (4, 6)):
        n_accepted = [
            len(accepted([[word, coin] for word in range(6)], 3, radius, 7)) for coin in coins
        ]
        assert n_accepted == [6, 6, n_near, n_near]


@pytest.mark.parametrize("n_items", [20, 40, 64, 96, 128, 200, 254])
def test_the_coin_of_a_shuffle_of_many_words_is_its_last_word(n_items):
    words = [1] * len(words_of_a_shuffle(n_items))
    assert len(words) >= 2
    assert len(accepted([[*words, 6], [*words, 7]], n_items, 0, 7)) == 1
    assert accepted([[WORDS // 2, *words[1:], 7]], n_items, 0, 7) == []

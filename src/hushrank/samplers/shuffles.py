"""Uniform shuffles from a fixed number of words, and which of them are accepted."""

from functools import cache
from typing import TypeAlias

import numpy as np

from hushrank.arrays import Counts, Ranks, Words
from hushrank.kernels import kernel
from hushrank.samplers.word_probabilities import WORDS

MOST_OF_A_WORD = 2**56
"""Draws that share a word: for each word, fewer than one try in 256 meets its surplus."""

WordsOfAShuffle: TypeAlias = tuple[tuple[range, int], ...]


def accept_shuffles(words: Words, shuffles: Ranks, radius: int, far_words: int) -> int:
    """Shuffle 0..m-1 once a row of words (tries, words of a shuffle + 1); return how many accepted.

    The last word is the coin. A shuffle within `radius` is accepted whatever the coin, one outside
    by a coin below `far_words`. Accepted shuffles fill the first rows of `shuffles` (rows, m).
    """
    bounds = words_of_a_shuffle(shuffles.shape[1])
    n_draws = np.array([len(draws) for draws, _ in bounds])
    last_words = np.array([last for _, last in bounds], dtype=np.uint64)
    return int(_accepted(words, n_draws, last_words, radius, np.uint64(far_words - 1), shuffles))


@cache
def words_of_a_shuffle(n_items: int) -> WordsOfAShuffle:
    """Return for each word of a shuffle the bounds of its draws, and the last word it may be.

    A shuffle draws below m, m - 1, ..., 2. Draws share a word: they are the digits of word mod the
    product of their bounds, uniform because a word beyond its multiples spoils the whole try.
    """
    groups, bound = [], n_items
    while bound >= 2:
        product, first = 1, bound
        while bound >= 2 and product * bound <= MOST_OF_A_WORD:
            product, bound = product * bound, bound - 1
        groups.append((range(first, bound, -1), WORDS - WORDS % product - 1))
    return tuple(groups)


@kernel
def _accepted(
    words: Words,
    n_draws: Counts,
    last_words: Words,
    radius: int,
    last_far: np.uint64,
    shuffles: Ranks,
) -> int:
    """Shuffle once a row of `words`; write the accepted shuffles, return their number."""
    n_accepted, n_items = 0, shuffles.shape[1]
    shuffle = np.empty(n_items, dtype=np.int64)
    for row in range(len(words)):
        shuffle[:] = np.arange(n_items)
        bound, is_spoilt = n_items, False
        for nth in range(len(n_draws)):
            word = words[row, nth]
            is_spoilt |= word > last_words[nth]
            for _ in range(n_draws[nth]):
                drawn = np.int64(word % np.uint64(bound))
                word //= np.uint64(bound)
                bound -= 1
                shuffle[bound], shuffle[drawn] = shuffle[drawn], shuffle[bound]
        distance = ((shuffle - np.arange(n_items)) ** 2).sum() // 2
        if not is_spoilt and (distance <= radius or words[row, -1] <= last_far):
            shuffles[n_accepted] = shuffle
            n_accepted += 1
    return n_accepted

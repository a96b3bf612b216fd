"""Numbers below a bound, from a tape of words: as likely as each other, exactly."""

import numpy as np
import pytest

from hushrank.samplers.coins_from_tape import uniform_below
from tests.conformance import WORDS


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

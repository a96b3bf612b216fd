"""A set of small numbers that counts those below another in a few steps, for kernels."""

from typing import NamedTuple

import numpy as np

from hushrank.arrays import Integers32, Words
from hushrank.kernels import kernel

BITS, UNROLLED = 64, 16
"""How many numbers a word holds; words come in multiples that vectorise without a rest."""


class BitSet(NamedTuple):
    """A set of numbers, with a bit for each.

    `words` hold the bits, and `before` says how many bits the words before each one hold;
    `numbers` are 0, 1, .. of the words, so that updates of `before` vectorise.
    """

    words: Words
    before: Integers32
    numbers: Integers32


@kernel
def no_bits(size: int) -> BitSet:
    """Return the empty set for numbers below `size`."""
    n_words = (size // BITS // UNROLLED + 1) * UNROLLED
    numbers = np.arange(n_words).astype(np.int32)
    return BitSet(np.zeros(n_words, np.uint64), np.zeros(n_words, np.int32), numbers)


@kernel
def clear(places: BitSet) -> None:
    """Take all numbers out."""
    places.words[:] = 0
    places.before[:] = 0


@kernel
def bits_below(places: BitSet, number: int) -> np.int64:
    """Return how many numbers of the set are smaller."""
    word = number >> 6
    smaller = (np.uint64(1) << np.uint64(number & 63)) - np.uint64(1)
    return np.int64(places.before[word]) + _count(places.words[word] & smaller)


@kernel
def enter(places: BitSet, number: int) -> None:
    """Put a number in that was not there."""
    word = np.int32(number >> 6)
    enter_later(places, number)
    for other in range(len(places.before)):
        places.before[other] += np.int32(places.numbers[other] > word)


@kernel
def enter_later(places: BitSet, number: int) -> None:
    """Put a number in that is not counted until `sum_blocks`."""
    places.words[number >> 6] |= np.uint64(1) << np.uint64(number & 63)


@kernel
def sum_blocks(places: BitSet) -> None:
    """Count again how many bits the words before each one hold."""
    bits = np.int64(0)
    for word in range(len(places.words)):
        places.before[word] = bits
        bits += _count(places.words[word])


@kernel
def _count(word: np.uint64) -> np.int64:
    """Return how many bits are set: sums of 2, 4 and 8 bits side by side, then of all bytes."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    pairs = np.uint64(0x3333333333333333)
    word = (word & pairs) + ((word >> np.uint64(2)) & pairs)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))

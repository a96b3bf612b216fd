"""Biased coins drawn 64 at once, and packed bits counted 64 at once."""

import sys

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts, Words
from hushrank.kernels import kernel
from hushrank.randomness import Randomness
from hushrank.samplers.word_probabilities import WORDS

LANES = 64
THRESHOLD_BITS = 64
LEADING_BITS = 3
"""Threshold bits that a crowd compares in whole words: an eighth of its lanes then stays open."""
MOST_ROWS_OF_PLANES = 255  # eight planes count to 255


def draw_bits(n_rows: int, n_bits: int, true_words: int, *, rng: Randomness) -> Words:
    """Draw bits (n_rows, ceil(n_bits / 64)), each true with probability true_words / 2^64, exactly.

    Bit v is lane v % 64 of block v // 64; lanes past n_bits are false. A lane is true where its 64
    random bits, most significant first, are below `true_words`.
    Tape of a person alone (one row): 64 words a block, of which each gives every lane one bit, its
    least significant to the first lane. Their number is fixed, so it says nothing of the bits.
    Tape of a simulated crowd, whose number of words cannot be attributed to a person, so that it
    may stop early: LEADING_BITS words a block, row by row. Then rounds follow, in which each lane
    that is still open takes its next 4 bits, in order, 16 lanes to a word, the least significant
    bits first. Rounds end when no lane is open, or when `true_words` is used up.
    """
    n_blocks = -(-n_bits // LANES)
    n_levels = THRESHOLD_BITS if n_rows == 1 else LEADING_BITS
    words = rng.words(n_rows * n_blocks * n_levels).reshape(n_rows, n_blocks, n_levels)
    below, undecided = _compare_leading_bits(words, _lanes_in_use(n_bits), np.uint64(true_words))
    rest = (true_words << n_levels) % WORDS
    while rest and (n_undecided := int(np.bitwise_count(undecided).sum(dtype=np.int64))):
        words = rng.words(-(-n_undecided // 16))
        _compare_next_digit(below, undecided, words, np.uint64(rest >> 60))
        rest = (rest << 4) % WORDS
    return below


def little_endian_bytes(words: Words) -> NDArray[np.uint8]:
    """View words (..., n) as bytes (..., 8 n), the least significant byte of a word first."""
    return (words if sys.byteorder == "little" else words.byteswap()).view(np.uint8)


def count_bits(words: Words) -> Counts:
    """Count how many rows of words (rows, n) set each of the 64 n bits, least significant first."""
    counts = np.zeros(words.shape[1] * LANES, dtype=np.int64)
    _count_columns(words, counts)
    return counts


def _lanes_in_use(n_bits: int) -> Words:
    lanes = np.full(-(-n_bits // LANES), WORDS - 1, dtype=np.uint64)
    lanes[-1] >>= np.uint64(-n_bits % LANES)
    return lanes


@kernel
def _compare_leading_bits(words: Words, lanes: Words, threshold: np.uint64) -> tuple[Words, Words]:
    n_rows, n_blocks, n_levels = words.shape
    below = np.empty((n_rows, n_blocks), dtype=np.uint64)
    undecided = np.empty((n_rows, n_blocks), dtype=np.uint64)
    for row in range(n_rows):
        for block in range(n_blocks):
            hits, still = np.uint64(0), lanes[block]
            for level in range(n_levels):
                word = words[row, block, level]
                if (threshold >> np.uint64(63 - level)) & np.uint64(1):
                    hits |= still & ~word
                    still &= word
                else:
                    still &= ~word
            below[row, block], undecided[row, block] = hits, still
    return below, undecided


@kernel
def _compare_next_digit(below: Words, undecided: Words, words: Words, threshold: np.uint64) -> None:
    """Decide the undecided lanes of both arrays, in place; equal digits stay undecided."""
    nth, one = np.uint64(0), np.uint64(1)
    for row in range(undecided.shape[0]):
        for block in range(undecided.shape[1]):
            lanes = undecided[row, block]
            hits, still = np.uint64(0), np.uint64(0)
            while lanes:
                lane = lanes & (~lanes + one)  # the least significant one
                place = np.uint64(4) * (nth & np.uint64(15))
                digit = (words[nth >> np.uint64(4)] >> place) & np.uint64(15)
                hits |= lane * np.uint64(digit < threshold)
                still |= lane * np.uint64(digit == threshold)
                lanes ^= lane
                nth += one
            below[row, block] |= hits
            undecided[row, block] = still


@kernel
def _count_columns(words: Words, counts: Counts) -> None:
    for start in range(0, words.shape[0], MOST_ROWS_OF_PLANES):
        rows = words[start : start + MOST_ROWS_OF_PLANES]
        for column in range(words.shape[1]):
            _add_planes(rows[:, column], counts[column * 64 : column * 64 + 64])


@kernel
def _add_planes(column: Words, counts: Counts) -> None:
    """Add up to 255 words to 64 binary counters that lie across eight words, then read them."""
    c0 = c1 = c2 = c3 = c4 = c5 = c6 = c7 = np.uint64(0)
    for carry in column:
        c0, carry = c0 ^ carry, c0 & carry
        c1, carry = c1 ^ carry, c1 & carry
        c2, carry = c2 ^ carry, c2 & carry
        c3, carry = c3 ^ carry, c3 & carry
        c4, carry = c4 ^ carry, c4 & carry
        c5, carry = c5 ^ carry, c5 & carry
        c6, carry = c6 ^ carry, c6 & carry
        c7 ^= carry
    for place, plane in enumerate((c0, c1, c2, c3, c4, c5, c6, c7)):
        for bit in range(64):
            counts[bit] += np.int64((plane >> np.uint64(bit)) & np.uint64(1)) << place

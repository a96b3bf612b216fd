"""Exact coins from a tape of random words, for kernels: 64-bit whole numbers only.

Theory: docs/theory/exact-sampling.md.
"""

import numpy as np

from hushrank.arrays import Counts, Words
from hushrank.kernels import kernel

ONE = np.uint64(1)
LAST_WORD = np.uint64(2**64 - 1)


@kernel
def uniform_below(bound: np.uint64, tape: Words, read: Counts) -> np.uint64:
    """Draw a whole number below `bound`, by rejection; `read` (1,) counts the words used.

    Where the tape ends, `read` exceeds its length and the number is `bound`: the caller discards
    what it began, and begins it again on the same words with more of them.
    """
    while read[0] < len(tape):
        word = tape[read[0]]
        read[0] += 1
        rest: np.uint64 = word % bound
        if word - rest <= LAST_WORD - bound + ONE:  # a whole run of `bound` words begins there
            return rest
    read[0] = len(tape) + 1
    return bound


@kernel
def exponential_coin(numerator: int, denominator: int, tape: Words, read: Counts) -> bool:
    """Toss a coin of e^-(numerator / denominator), both below 2^63, numerator >= 0.

    Source: Canonne, Kamath, Steinke (NeurIPS 2020), Algorithm 1.
    """
    whole, rest = numerator // denominator, numerator % denominator
    while whole > 0 and read[0] <= len(tape):
        if not _coin_of_at_most_one(1, 1, tape, read):
            return False
        whole -= 1
    return rest == 0 or _coin_of_at_most_one(rest, denominator, tape, read)


@kernel
def _coin_of_at_most_one(numerator: int, denominator: int, tape: Words, read: Counts) -> bool:
    """Count coins of x/1, x/2, x/3, ... up to the first tail: the exponential's series.

    A coin of x/k is one of 1/k and one of x, so that no product can overflow.
    """
    below, bound = np.uint64(numerator), np.uint64(denominator)
    n_tossed = ONE
    while uniform_below(bound, tape, read) < below:
        n_tossed += ONE
        if uniform_below(n_tossed, tape, read) != 0:
            break
    return bool(n_tossed % np.uint64(2) == ONE)

"""Two-sided geometric noise for millions of cells: tables of whole numbers of 64-bit words.

Theory: docs/theory/curators-noise.md.
"""

from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hushrank.arrays import Counts, Indices, Words
from hushrank.errors import require
from hushrank.kernels import kernel
from hushrank.mechanisms.curator.noise import MOST_SCALE, require_epsilon
from hushrank.randomness import Randomness
from hushrank.samplers.geometric_numbers import geometric
from hushrank.samplers.word_probabilities import WORDS, exp_below

BASE = 256
"""The base of the digits of a variable that one table cannot hold."""
LEAST_TOP_RATE = 2**-6
MOST_RATE = 40.0
"""Above it a 64-bit word cannot tell the difference: the tables spend less than they may."""
LEAST_TABLE_EPSILON = 2**-30
"""Below it the rounding of a table's weights would show; variables are drawn one by one."""
MARGIN = 2**-20
"""The tables are made for an epsilon smaller by this part, so that rounding cannot exceed it."""
CELLS_AT_ONCE = 2**14  # their words, 128 kB, stay in the cache
PRECISION = 256

Weights = tuple[int, ...]
"""How many of the 2^64 words show each digit of 0, 1, ..."""


class _Table(NamedTuple):
    """The words that show each digit: those below edges[d], and below no smaller edge, show d."""

    edges: Words
    guide: Counts  # (256,): the digit of the smallest word with this leading byte
    unit: int  # what a digit counts
    escape: int  # the digit that is added and drawn again, -1 = none


def two_sided_geometric(epsilon_per_unit: float, size: int, *, rng: Randomness) -> Counts:
    """Draw `size` noises z, the difference of two variables g with P(g) ~ exp(-g epsilon).

        P(z) ~ exp(-|z| epsilon), for a smaller epsilon, by a millionth; by more above 40 nats

    Privacy: epsilon for whoever changes one cell by 1, exactly. The `neighbour_ratios` of g lie in
    [e^-ε, e^ε], and so do those of z: for z >= 0 the sums P(z + 1) = sum_g P(g + z + 1) P(g) and
    P(z) compare term by term, and z is symmetric. How many words are drawn depends on the noise.
    Cost: 3 words a cell, 5 below 2^-6, 11 at most; below 2^-30 exact coins, 100 us a cell.
    Raises HushrankError unless epsilon is in [2^-50, 1000] and size is at least 0.
    """
    require_epsilon(epsilon_per_unit)
    coarse = epsilon_per_unit * MOST_SCALE >= 1
    require(coarse, f"expected an epsilon per unit of at least 2^-50, got {epsilon_per_unit}")
    require(size >= 0, f"expected a size of at least 0, got {size}")
    draw = _draw_from_tables if epsilon_per_unit >= LEAST_TABLE_EPSILON else _draw_one_by_one
    noise = draw(epsilon_per_unit, size, rng=rng)
    noise -= draw(epsilon_per_unit, size, rng=rng)
    return noise


@cache
def geometric_weights(epsilon: float) -> tuple[Weights, ...]:
    """Return the weights of the digits of g, lowest first, for epsilon of 2^-30 and more.

        g = d_0 + 256 d_1 + ... + 256^L d_L      P(d_j) ~ exp(-d_j 256^j epsilon)

    Lower digits are 0..255. The last weight of the top digit, t of them, is that of words which
    add t and draw again. The weights of each digit sum to 2^64.
    Raises HushrankError if a ratio of neighbours would leave [e^-ε, e^ε].
    """
    rate = min(epsilon * (1 - MARGIN), MOST_RATE)
    weights: list[Weights] = []
    while rate < LEAST_TOP_RATE:
        weights.append(_digit_weights(rate, BASE))
        rate *= BASE
    weights.append(_top_weights(rate, max(1, int(3 / rate))))
    lowest, highest = neighbour_ratios(tuple(weights))
    private = lowest >= 1 / exp_below(epsilon) and highest <= exp_below(epsilon)
    require(private, f"64-bit words cannot hold a privacy loss of {epsilon} nats")
    return tuple(weights)


def neighbour_ratios(weights: tuple[Weights, ...]) -> tuple[Fraction, Fraction]:
    """Return the smallest and the largest P(g + 1) / P(g) over all g >= 0, exactly.

    From g to g + 1 one digit goes up by one, and all lower ones go from their last value to 0. If
    that digit is the top one at its last value, one more draw follows, which shows 0.
    """
    carry, ratios = Fraction(1), []
    for digit, own in enumerate(weights):
        is_top = digit == len(weights) - 1
        kept = own[:-1] if is_top else own
        steps = [Fraction(after, before) for before, after in pairwise(kept)]
        wrap = Fraction(kept[0], kept[-1])
        if is_top:
            steps.append(wrap * Fraction(own[-1], WORDS))
        ratios += [carry * min(steps), carry * max(steps)]
        carry *= wrap
    return min(ratios), max(ratios)


def _powers(rate: float, n_digits: int) -> list[int]:
    """Return 2^256 exp(-d rate), d = 0..n_digits, to 160 bits."""
    ratio = exp_below(-rate)
    factor = (ratio.numerator << PRECISION) // ratio.denominator
    powers = [1 << PRECISION]
    for _ in range(n_digits):
        powers.append(powers[-1] * factor >> PRECISION)
    return powers


def _digit_weights(rate: float, n_digits: int) -> Weights:
    powers = _powers(rate, n_digits)
    whole = powers[0] - powers[-1]
    edges = [WORDS * (powers[0] - power) // whole for power in powers]
    return tuple(above - below for below, above in pairwise(edges))


def _top_weights(rate: float, n_digits: int) -> Weights:
    powers = _powers(rate, n_digits)
    edges = [WORDS * (powers[0] - power) >> PRECISION for power in powers] + [WORDS]
    return tuple(above - below for below, above in pairwise(edges))


@cache
def _tables(epsilon: float) -> tuple[_Table, ...]:
    weights = geometric_weights(epsilon)
    top = len(weights) - 1
    return tuple(_table(own, BASE**j, is_top=j == top) for j, own in enumerate(weights))


def _table(weights: Weights, unit: int, *, is_top: bool) -> _Table:
    edges = np.cumsum(np.array(weights[:-1], dtype=np.uint64), dtype=np.uint64)
    firsts = np.arange(256, dtype=np.uint64) << np.uint64(56)
    guide = np.searchsorted(edges, firsts, side="right").astype(np.int64)
    return _Table(edges, guide, unit, escape=edges.size if is_top else -1)


def _draw_from_tables(epsilon: float, size: int, *, rng: Randomness) -> Counts:
    variables = np.zeros(size, dtype=np.int64)
    for start in range(0, size, CELLS_AT_ONCE):
        some = variables[start : start + CELLS_AT_ONCE]
        for table in _tables(epsilon):
            places = np.arange(some.size)
            while places.size:
                words = rng.words(places.size)
                places = places[: _add_digits(words, table, places, some)]
    return variables


def _draw_one_by_one(epsilon: float, size: int, *, rng: Randomness) -> Counts:
    rate = epsilon.as_integer_ratio()
    return np.array([geometric(*rate, rng=rng) for _ in range(size)], dtype=np.int64)


@kernel
def _add_digits(words: Words, table: _Table, places: Indices, variables: Counts) -> int:
    """Add a digit at each of the places; move those to draw again to the front, return how many."""
    edges, guide, unit, escape = table
    n_again = 0
    for i in range(words.size):
        word = words[i]
        digit = guide[word >> np.uint64(56)]
        while digit < edges.size and word >= edges[digit]:
            digit += 1
        variables[places[i]] += digit * unit
        places[n_again] = places[i]
        n_again += digit == escape
    return n_again

"""Every local mechanism in one list, with a second, slow reading of its reports."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.hash_family import HASHED_REPORT
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing, SuccinctHistogram
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding, SymmetricUnaryEncoding
from hushrank.randomness import Randomness

WORDS = 2**64
LISTED = (GeneralizedRandomizedResponse, Harmony)
"""Mechanisms whose reports can be listed for every k in use."""
UNARY = (SymmetricUnaryEncoding, OptimisedUnaryEncoding)
"""Mechanisms whose reports can be listed for small k."""
HASHED = (OptimisedLocalHashing, SuccinctHistogram)
"""Mechanisms whose reports can be listed for one hash function."""
MECHANISMS = LISTED + UNARY + HASHED
SIMULATED = LISTED + UNARY
"""Mechanisms with a simulate_tally."""


@dataclass(frozen=True)
class Channel:
    """All reports, P(report | category) = words (k, reports) / total and which supports what."""

    reports: NDArray[Any]
    words: NDArray[Any]
    total: int
    supports: NDArray[np.bool_]

    @property
    def probabilities(self) -> NDArray[np.float64]:
        return (self.words / self.total).astype(float)


def channel_of(mechanism: Any) -> Channel:
    """List the whole channel of one of LISTED or, for small k, of UNARY."""
    reports, total = _all_reports(mechanism)
    return Channel(reports, mechanism.channel_words(), total, supports_of(mechanism, reports))


def conditional_channel_of(mechanism: Any, multiplier: int, offset: int) -> Channel:
    """List the channel of one of HASHED, given that it draws one function."""
    words = mechanism.channel_words(multiplier, offset)
    reports = np.zeros(words.shape[1], dtype=HASHED_REPORT)
    reports["multiplier"], reports["offset"] = multiplier, offset
    reports["bucket"] = np.arange(words.shape[1])
    return Channel(reports, words, WORDS, supports_of(mechanism, reports))


def exact_rates(mechanism: Any) -> tuple[Fraction, Fraction]:
    """Return P(support) of the hidden and of one given other category, from the thresholds."""
    rates = mechanism.rates
    p, q = (Fraction(words, WORDS) for words in (rates.hit_words, rates.false_hit_words))
    if isinstance(mechanism, HASHED):
        n_buckets = getattr(mechanism, "n_buckets", 2)
        sizes = Counter(bucket_sizes(n_buckets, 2**32))
        shares = [(Fraction(size, 2**32), n_equal) for size, n_equal in sizes.items()]
        return p, sum((n * s * (s * p + (1 - s) * q) for s, n in shares), Fraction(0))
    return p, Fraction(1, 2) if isinstance(mechanism, Harmony) else q


def bucket_sizes(n_buckets: int, n_values: int) -> list[int]:
    """Return how many x of 0..n_values-1 have floor(x g / n_values) = y, for each y."""
    edges = [-(-bucket * n_values // n_buckets) for bucket in range(n_buckets + 1)]
    return [right - left for left, right in pairwise(edges)]


def supports_of(mechanism: Any, reports: NDArray[Any]) -> NDArray[np.bool_]:
    """Read which categories each report supports (people, k), as slowly as the definition."""
    return _reader(mechanism)(mechanism, reports)


def recorded(read_bytes: Callable[[int], bytes]) -> tuple[Randomness, list[bytes]]:
    """Return a source and the list to which it appends all that was read."""
    pieces = []

    def read(size: int) -> bytes:
        pieces.append(read_bytes(size))
        return pieces[-1]

    return Randomness(read, is_private=False), pieces


def words_of_a_person(mechanism: Any) -> int:
    """Return how many words a person alone draws, whatever they hide and whatever the words."""
    if isinstance(mechanism, UNARY):
        return 64 * -(-mechanism.n_categories // 64) + 1
    one_word = (GeneralizedRandomizedResponse, NamedMember)
    return 1 if isinstance(mechanism, one_word) else {Harmony: 2}.get(type(mechanism), 3)


def tape_of_a_person(lanes: Sequence[int]) -> bytes:
    """Write the tape on which `draw_bits` reads `lanes`, 64 bits each, for a person alone."""
    return bytes_of_words(_planes(lanes, range(63, -1, -1)))


def tape_of_a_crowd(people: Sequence[Sequence[int]], threshold: int) -> bytes:
    """Write the tape on which `draw_bits` reads the lanes of two or more people."""
    words = [word for lanes in people for word in _planes(lanes, (63, 62, 61))]
    still_open = [lane for lanes in people for lane in lanes if lane >> 61 == threshold >> 61]
    for shift in range(3, 67, 4):
        if (threshold << shift) % WORDS == 0 or not still_open:
            break
        digits = [(value << shift) % WORDS >> 60 for value in still_open]
        for start in range(0, len(digits), 16):
            packed = enumerate(digits[start : start + 16])
            words.append(sum(digit << 4 * nth for nth, digit in packed))
        expected = (threshold << shift) % WORDS >> 60
        pairs = zip(still_open, digits, strict=True)
        still_open = [value for value, digit in pairs if digit == expected]
    return bytes_of_words(words)


def _planes(lanes: Sequence[int], places: Sequence[int]) -> list[int]:
    """Return for each 64 lanes, for each place, the word of their bits of that place."""
    return [
        sum((lane >> place & 1) << nth for nth, lane in enumerate(lanes[block : block + 64]))
        for block in range(0, len(lanes), 64)
        for place in places
    ]


def bytes_of_words(words: Sequence[int]) -> bytes:
    """Write words as little-endian bytes."""
    return b"".join(word.to_bytes(8, "little") for word in words)


def _all_reports(mechanism: Any) -> tuple[NDArray[Any], int]:
    k = mechanism.n_categories
    if isinstance(mechanism, GeneralizedRandomizedResponse):
        return np.arange(k), WORDS
    if isinstance(mechanism, Harmony):
        return np.arange(2 * mechanism.n_rows, dtype=np.uint32), WORDS * mechanism.n_rows
    numbers = [number.to_bytes(-(-k // 8), "little") for number in range(2**k)]
    return np.array([list(number) for number in numbers], dtype=np.uint8), WORDS**k


def _reader(mechanism: Any) -> Callable[[Any, NDArray[Any]], NDArray[np.bool_]]:
    if isinstance(mechanism, GeneralizedRandomizedResponse):
        return lambda m, reports: reports[:, None] == np.arange(m.n_categories)
    if isinstance(mechanism, Harmony):
        return _harmony_supports
    return _hashed_supports if isinstance(mechanism, HASHED) else _unary_supports


def _harmony_supports(mechanism: Any, reports: NDArray[Any]) -> NDArray[np.bool_]:
    matrix = np.ones((1, 1), dtype=int)
    while len(matrix) < mechanism.n_categories:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    signs = 1 - 2 * (reports.astype(int) % 2)
    return matrix[reports // 2, : mechanism.n_categories] == signs[:, None]


def _unary_supports(mechanism: Any, reports: NDArray[Any]) -> NDArray[np.bool_]:
    bits = np.unpackbits(reports, axis=1, bitorder="little", count=mechanism.n_categories)
    return bits.astype(bool)


def _hashed_supports(mechanism: Any, reports: NDArray[Any]) -> NDArray[np.bool_]:
    n_buckets = np.uint64(getattr(mechanism, "n_buckets", 2))
    categories = np.arange(mechanism.n_categories, dtype=np.uint64)
    hashed = reports["multiplier"][:, None] * categories + reports["offset"][:, None]
    return (hashed // np.uint64(2**32)) * n_buckets // np.uint64(2**32) == reports["bucket"][
        :, None
    ]

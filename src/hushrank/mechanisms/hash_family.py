"""An exactly pairwise independent hash family, and randomised response on its buckets.

Theory: docs/theory/local-mechanisms.md.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from hushrank.arrays import Categories, Counts, Reports, Words
from hushrank.errors import require
from hushrank.kernels import kernel
from hushrank.mechanisms.local import Tally, checked_categories
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.word_rates import WordRates
from hushrank.randomness import Randomness

HASHED_REPORT = np.dtype([("multiplier", "<u8"), ("offset", "<u8"), ("bucket", "<u4")])
"""What a person sends: the function a, b that they drew, and a noisy bucket; 20 bytes."""
HALF = np.uint64(32)
CATEGORIES_AT_ONCE = 4096  # their support, 32 kB, stays in the cache


def buckets_of(multipliers: Words, offsets: Words, categories: Words, n_buckets: int) -> Words:
    """Hash categories below 2^32 to buckets 0..g-1, with functions a, b; arrays broadcast.

        x = ((a v + b) mod 2^64) >> 32      bucket = (x g) >> 32

    For uniform words a and b, the x of two categories are independent and uniform on 2^32 values.
    Source: Dietzfelbinger (STACS 1996), with words of at least 32 + 32 - 1 bits.
    """
    hashed = (multipliers * categories + offsets) >> HALF
    return (hashed * np.uint64(n_buckets)) >> HALF


def bucket_edges(buckets: Words, n_buckets: int) -> Words:
    """Return the smallest x of each bucket: ceil(bucket 2^32 / g)."""
    g = np.uint64(n_buckets)
    return ((buckets << HALF) + g - np.uint64(1)) // g


@dataclass(frozen=True)
class HashedResponse:
    """Draw a hash function, report it and, by randomised response, the category's bucket of g.

    A report supports every category of its bucket. The function is drawn before the category is
    looked at, so the privacy is that of the randomised response on buckets.
    """

    n_categories: int
    epsilon: float
    n_buckets: int

    def __post_init__(self) -> None:
        """Check what the hash family can take."""
        most = f"expected at most 2^32 categories, got {self.n_categories}"
        require(self.n_categories <= 2**32, most)

    @cached_property
    def response(self) -> GeneralizedRandomizedResponse:
        """The randomised response on buckets."""
        return GeneralizedRandomizedResponse(self.n_buckets, self.epsilon)

    @cached_property
    def rates(self) -> WordRates:
        """P(the true bucket is reported), and P(one given other bucket is).

        A bucket holds floor or ceil(2^32 / g) values of x: so c, the collision rate, is exact.
        """
        size, n_larger = divmod(2**32, self.n_buckets)
        squares = (self.n_buckets - n_larger) * size**2 + n_larger * (size + 1) ** 2
        return replace(self.response.rates, collision_rate=Fraction(squares, 2**64))

    def channel_words(self, multiplier: int, offset: int) -> Counts:
        """Return 2^64 P(bucket | category, the function), exactly: (k, g) Python integers."""
        categories = np.arange(self.n_categories, dtype=np.uint64)
        function = np.array([multiplier, offset], dtype=np.uint64)
        buckets = buckets_of(function[0], function[1], categories, self.n_buckets)
        shape = (self.n_categories, self.n_buckets)
        words = np.full(shape, self.rates.false_hit_words, dtype=object)
        words[categories, buckets] = self.rates.hit_words
        return words

    def randomise(self, categories: Categories, *, rng: Randomness) -> Reports:
        """Draw a, b, then the word of the randomised response: each for all people in turn."""
        hidden = checked_categories(categories, self.n_categories).astype(np.uint64)
        functions = rng.words(2 * hidden.size).reshape(-1, 2)
        reports = np.empty(hidden.size, dtype=HASHED_REPORT)
        reports["multiplier"], reports["offset"] = functions.T
        buckets = buckets_of(functions[:, 0], functions[:, 1], hidden, self.n_buckets)
        reports["bucket"] = self.response.randomise(buckets.astype(np.intp), rng=rng)
        return reports

    def tally(self, reports: Reports) -> Tally:
        """Count for every category the reports that name its bucket. Cost: O(people k)."""
        shaped = reports.dtype == HASHED_REPORT and reports.ndim == 1
        require(shaped, "expected reports (people,) of a multiplier, an offset and a bucket")
        buckets = reports["bucket"].astype(np.uint64)
        known = bool((buckets < self.n_buckets).all())
        require(known, f"expected buckets 0..{self.n_buckets - 1}, some lie outside")
        support = np.zeros(self.n_categories, dtype=np.int64)
        first = bucket_edges(buckets, self.n_buckets)
        sizes = bucket_edges(buckets + np.uint64(1), self.n_buckets) - first
        multipliers = reports["multiplier"].astype(np.uint64)
        offsets = reports["offset"] - (first << HALF)
        _count_support(multipliers, offsets, sizes << HALF, support)
        return Tally(support, len(reports))


@kernel
def _count_support(multipliers: Words, offsets: Words, widths: Words, support: Counts) -> None:
    """Add the people to the support of each v: a v + b, moved to the bucket's edge, is below it."""
    for first in range(0, support.size, CATEGORIES_AT_ONCE):
        block = support[first : first + CATEGORIES_AT_ONCE]
        for person in range(multipliers.size):
            step, width = multipliers[person], widths[person]
            hashed = offsets[person] + step * np.uint64(first)
            for v in range(block.size):
                block[v] += hashed < width
                hashed += step

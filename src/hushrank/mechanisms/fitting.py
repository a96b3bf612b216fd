"""Which categories one report supports, of billions: how many of them, and the first ones.

Theory: docs/theory/local-mechanisms.md.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Reports, Words
from hushrank.mechanisms.harmony import Harmony, signs_at
from hushrank.mechanisms.hash_family import HALF, bucket_edges, buckets_of
from hushrank.mechanisms.local import Reporting
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing, SuccinctHistogram

FIRST_BLOCK, LARGEST_BLOCK = 2**10, 2**20


def fitting(mechanism: Reporting, reports: Reports, most: int) -> tuple[int, list[int]]:
    """Return how many categories one report (1, ...) supports, and the first `most` of them.

    As its tally says. Of rows and hashes they are not counted one by one, and the first ones are
    looked for from category 0 on: about `most` times the buckets. Cost of other reports: O(k).
    """
    n = mechanism.n_categories
    if isinstance(mechanism, Harmony):
        row, sign = divmod(int(reports[0]), 2)
        n_fitting = n_of_sign(row, sign, n)
        of_row = np.array(row)
        first = _first(lambda v: signs_at(of_row, v.view(np.int64)) == sign, min(n_fitting, most))
        return n_fitting, first
    if isinstance(mechanism, OptimisedLocalHashing | SuccinctHistogram):
        a, b, bucket = (np.array(part, dtype=np.uint64) for part in reports[0].item())
        g = 2 if isinstance(mechanism, SuccinctHistogram) else mechanism.n_buckets
        n_fitting = n_in_bucket(int(a), int(b), int(bucket), g, n)
        first = _first(lambda v: buckets_of(a, b, v, g) == bucket, min(n_fitting, most))
        return n_fitting, first
    supported = np.flatnonzero(mechanism.tally(reports).support)
    return supported.size, supported[:most].tolist()


def n_of_sign(row: int, sign: int, n: int) -> int:
    """Count the columns 0..n-1 in which a row of the Sylvester matrix has a sign.

    Where s is the lowest bit of the row, its signs go by s: half of each 2 s columns have either.
    """
    if not row:
        return 0 if sign else n
    step = row & -row
    n_whole, rest = divmod(n, 2 * step)
    begins = (row & (n - rest)).bit_count() % 2  # the sign of the first columns of the rest
    return n_whole * step + (min(rest, step) if begins == sign else max(rest - step, 0))


def n_in_bucket(a: int, b: int, bucket: int, n_buckets: int, n: int) -> int:
    """Count the categories v of 0..n-1 that a function hashes to a bucket: see `buckets_of`.

        y mod 2^64 in [low, high)   <=>   floor((y - low) / 2^64) - floor((y - high) / 2^64) = 1

    y = a v + b; else the difference is 0. Cost: that of two `floor_sum`, whatever n.
    """
    edges = bucket_edges(np.array([bucket, bucket + 1], dtype=np.uint64), n_buckets)
    low, high = (int(edge) << int(HALF) for edge in edges)
    return floor_sum(n, 2**64, a, b - low) - floor_sum(n, 2**64, a, b - high)


def floor_sum(n: int, m: int, a: int, b: int) -> int:
    """Return the sum of floor((a v + b) / m) over v = 0..n-1, for a >= 0 and any b.

    Whole parts of a and b are sums of their own; what is left counts points below a line, which
    are those of the line with its axes swapped.   Cost: O(log m).
    Source: Graham, Knuth, Patashnik: Concrete Mathematics, section 3.5.
    """
    total = 0
    while n > 0:
        of_slope, a = divmod(a, m)
        of_start, b = divmod(b, m)
        total += of_slope * (n * (n - 1) // 2) + of_start * n
        n, b = divmod(a * n + b, m)
        m, a = a, m
    return total


def _first(fits: Callable[[Words], NDArray[np.bool_]], n: int) -> list[int]:
    """Return the first n categories that fit, of which there are as many."""
    found: list[int] = []
    start, size = 0, FIRST_BLOCK
    while len(found) < n:
        block = np.arange(start, start + size, dtype=np.uint64)
        found += block[fits(block)].tolist()
        start, size = start + size, min(2 * size, LARGEST_BLOCK)
    return found[:n]

"""The hash family is exactly pairwise independent, and its buckets are what the kernel counts."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.errors import HushrankError
from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.hash_family import HashedResponse, bucket_edges, buckets_of
from hushrank.mechanisms.local_hashing import MOST_BUCKETS, OptimisedLocalHashing, SuccinctHistogram
from hushrank.randomness import Randomness
from tests.conformance import HASHED, WORDS, bucket_sizes, supports_of

words = st.integers(0, WORDS - 1)
FUNCTIONS = list(product(range(256), repeat=2))
"""All a, b of the family with words of 8 instead of 64 bits, and categories below 2^4."""


def small_hash(a, b, category):
    return ((a * category + b) % 256) >> 4


@pytest.mark.parametrize("categories", [(0, 1), (0, 8), (3, 12), (7, 8), (14, 15)])
def test_two_categories_hash_independently(categories):
    """Every pair of values comes from equally many of the functions."""
    counts = Counter(tuple(small_hash(a, b, v) for v in categories) for a, b in FUNCTIONS)
    assert counts == dict.fromkeys(product(range(16), repeat=2), len(FUNCTIONS) // 256)


@pytest.mark.parametrize("n_buckets", [2, 3, 4, 5, 7])
def test_the_false_hit_rate_is_that_of_all_functions(n_buckets):
    """Sum over all functions of the small family, against the formula of `rates`."""
    p, q = Fraction(n_buckets, 2 * n_buckets - 1), Fraction(1, 2 * n_buckets - 1)
    n_shared = 0
    for a, b in FUNCTIONS:
        true, other = (small_hash(a, b, category) * n_buckets // 16 for category in (3, 12))
        n_shared += true == other
    total = p * n_shared + q * (len(FUNCTIONS) - n_shared)
    collision = sum(Fraction(size, 16) ** 2 for size in bucket_sizes(n_buckets, 16))
    assert total / len(FUNCTIONS) == p * collision + q * (1 - collision)


@given(words, words, st.integers(0, 2**32 - 1), st.integers(2, MOST_BUCKETS))
def test_buckets_are_those_of_the_formula(a, b, category, n_buckets):
    arrays = (np.array([word], dtype=np.uint64) for word in (a, b, category))
    hashed = (a * category + b) % WORDS >> 32
    assert buckets_of(*arrays, n_buckets).tolist() == [hashed * n_buckets >> 32]


@given(words, words)
def test_the_stated_channel_hits_the_bucket_of_its_function(a, b):
    mechanism = HashedResponse(9, 1.0, 4)
    hits = mechanism.channel_words(a, b) == mechanism.rates.hit_words
    arrays = (np.array([word], dtype=np.uint64) for word in (a, b))
    buckets = buckets_of(*arrays, np.arange(9, dtype=np.uint64), 4)
    assert (hits == (buckets[:, None] == np.arange(4))).all()


@pytest.mark.parametrize("n_buckets", [2, 3, 4, 56, 1000, 22027, 2**16])
def test_edges_and_collisions_are_those_of_the_buckets(n_buckets):
    edges = bucket_edges(np.arange(n_buckets + 1, dtype=np.uint64), n_buckets)
    sizes = bucket_sizes(n_buckets, 2**32)
    assert np.diff(edges).tolist() == sizes
    collision = Fraction(sum(size**2 for size in sizes), 2**64)
    assert HashedResponse(5, 1.0, n_buckets).rates.collision_rate == collision


@pytest.mark.parametrize("kind", HASHED)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("n_categories", [2, 20, 4095, 4097, 9000])
def test_the_tally_counts_the_supported_categories(kind, epsilon, n_categories):
    mechanism = kind(n_categories, epsilon)
    categories = np.arange(60) % n_categories
    reports = mechanism.randomise(categories, rng=Randomness.seeded(3))
    supports = supports_of(mechanism, reports)
    np.testing.assert_array_equal(mechanism.tally(reports).support, supports.sum(axis=0))


@pytest.mark.parametrize("kind", HASHED)
def test_everybody_draws_a_function_of_their_own(kind):
    """By one function for all, categories of one bucket look alike however many people answer."""
    reports = kind(20, 1.0).randomise(np.zeros(100, dtype=np.intp), rng=Randomness.seeded(1))
    multipliers, offsets = reports["multiplier"], reports["offset"]
    assert len({*multipliers.tolist()}) == len({*offsets.tolist()}) == 100


@pytest.mark.parametrize(
    ("epsilon", "n_buckets", "bucket"),
    [*((1.0, 4, bucket) for bucket in range(4)), *((0.5, 3, bucket) for bucket in range(3))],
)
def test_a_report_at_the_edges_of_a_bucket_is_counted_on_the_right_side(epsilon, n_buckets, bucket):
    """Category v hashes to offset + v 2^32: just below and at the edges of the bucket.

    Four buckets begin at whole numbers, three do not.
    """
    mechanism = OptimisedLocalHashing(3, epsilon)
    edges = bucket_edges(np.arange(n_buckets + 1, dtype=np.uint64), n_buckets)
    first, end = edges[bucket : bucket + 2].tolist()
    reports = mechanism.randomise(np.zeros(1, dtype=np.intp), rng=Randomness.seeded(0))
    reports["multiplier"], reports["bucket"] = 2**32, bucket
    reports["offset"] = ((first << 32) - 1) % WORDS
    assert mechanism.tally(reports).support.tolist() == [0, 1, 1]
    reports["offset"] = (end - 1) << 32
    assert mechanism.tally(reports).support.tolist() == [1, 0, 0]


@pytest.mark.parametrize(
    ("epsilon", "n_buckets"),
    [(0.01, 2), (0.5, 3), (1.0, 4), (4.0, 56), (10.0, 22027), (12.0, MOST_BUCKETS)],
)
def test_the_number_of_buckets_is_the_optimal_one(epsilon, n_buckets):
    assert OptimisedLocalHashing(5, epsilon).n_buckets == n_buckets


def test_the_succinct_histogram_has_two_exactly_balanced_signs():
    assert SuccinctHistogram(9, 0.7).rates.false_hit_rate == 0.5


def test_more_categories_than_the_family_takes_are_refused():
    with pytest.raises(HushrankError, match=r"at most 2\^32 categories"):
        OptimisedLocalHashing(2**32 + 1, 1.0)


@pytest.mark.parametrize(("kind", "most"), [(OptimisedLocalHashing, 2**32), (Harmony, 2**31)])
def test_more_categories_than_words_of_a_report_tell_apart_are_refused(kind, most):
    def drawn(n_categories):
        mechanism = kind(n_categories, 1.0)
        return mechanism.randomise(np.array([n_categories - 1]), rng=Randomness.seeded(1))

    assert drawn(most).size == 1
    with pytest.raises(HushrankError, match="expected at most"):
        drawn(most + 1)


def test_buckets_beyond_the_last_are_refused_with_what_was_expected():
    mechanism = HashedResponse(5, 1.0, 4)
    reports = mechanism.randomise(np.zeros(24, dtype=int), rng=Randomness.seeded(1))
    for person in range(24):
        wrong = reports.copy()
        wrong["bucket"][person] = 4
        with pytest.raises(HushrankError, match=r"expected buckets 0\.\.3, some lie outside"):
            mechanism.tally(wrong)

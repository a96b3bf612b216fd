"""How many categories a report supports, and which first: as its tally says, without looking."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hushrank.mechanisms import fitting as module
from hushrank.mechanisms.fitting import fitting, floor_sum, n_in_bucket, n_of_sign
from hushrank.mechanisms.harmony import Harmony, signs_at
from hushrank.mechanisms.hash_family import HASHED_REPORT
from hushrank.mechanisms.local_hashing import MOST_BUCKETS, OptimisedLocalHashing, SuccinctHistogram
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding, SymmetricUnaryEncoding
from hushrank.randomness import Randomness
from tests.conformance import WORDS

words = st.integers(0, WORDS - 1)
HASHES = (OptimisedLocalHashing, SuccinctHistogram)


@pytest.mark.parametrize("kind", [Harmony, *HASHES, OptimisedUnaryEncoding, SymmetricUnaryEncoding])
@pytest.mark.parametrize("n_categories", [2, 3, 64, 1500, 5041])
def test_a_report_fits_what_its_tally_says(kind, n_categories):
    mechanism, rng = kind(n_categories, 2.0), Randomness.seeded(3)
    for category in (0, 1, n_categories - 1) * 4:
        report = mechanism.randomise(np.array([category]), rng=rng)
        supported = np.flatnonzero(mechanism.tally(report).support).tolist()
        for most in (0, 1, 5, n_categories):
            assert fitting(mechanism, report, most) == (len(supported), supported[:most])


@pytest.mark.parametrize("row", range(34))
def test_the_columns_of_a_sign_are_counted(row):
    signs = signs_at(np.array(row), np.arange(140))
    for n in range(140):
        for sign in (0, 1):
            assert n_of_sign(row, sign, n) == np.count_nonzero(signs[:n] == sign)


@given(st.integers(0, 60), st.integers(1, 50), st.integers(0, 200), st.integers(-200, 200))
def test_a_sum_of_whole_parts_is_that_of_its_terms(n, m, a, b):
    assert floor_sum(n, m, a, b) == sum((a * v + b) // m for v in range(n))


@given(words, words, st.integers(2, MOST_BUCKETS), st.integers(0, MOST_BUCKETS), st.integers(1, 99))
@example(0, 2**63, 2, 1, 7)
@example(2**63, 2**64 - 1, 3, 2, 50)
def test_the_categories_of_a_bucket_are_counted(a, b, n_buckets, bucket, n):
    bucket %= n_buckets
    hashed = [((a * v + b) % WORDS >> 32) * n_buckets >> 32 for v in range(n)]
    assert n_in_bucket(a, b, bucket, n_buckets, n) == hashed.count(bucket)
    assert sum(n_in_bucket(a, b, each, n_buckets, n) for each in {*hashed}) == n


def test_of_billions_of_categories_few_are_looked_at(monkeypatch):
    """An hour of looking, for each of hundreds of reports, would come before anything is sent."""
    looked, arange = [], np.arange

    def noting(start, stop, **kind):
        looked.append(stop - start)
        return arange(start, stop, **kind)

    monkeypatch.setattr(module.np, "arange", noting)
    row = 0b1011_0000
    harmony = np.array([2 * row + 1], dtype=np.uint32)
    assert fitting(Harmony(2**31, 1.0), harmony, 5) == (2**30, [16, 17, 18, 19, 20])
    hashed = np.array([(0x9E3779B97F4A7C15, 5, 1)], dtype=HASHED_REPORT)
    for kind, n_buckets in zip(HASHES, (4, 2), strict=True):
        n_fitting, first = fitting(kind(2**32, 1.0), hashed, 5)
        assert n_fitting == pytest.approx(2**32 / n_buckets, rel=1e-2)
        assert len(first) == 5
    assert fitting(Harmony(2**31, 1.0), np.array([1], dtype=np.uint32), 5) == (0, [])
    assert sum(looked) < 10_000

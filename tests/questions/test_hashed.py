"""The public functions are exactly pairwise independent, for as many answers as 45 bits number."""

from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.errors import HushrankError
from hushrank.questions.hashed import MOST_BUCKETS, Hashed, collision_rate, hashed_buckets
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.top_order import TopOrder
from hushrank.questions.whole_order import WholeOrder
from hushrank.rankings.profile import Rankings

words = st.integers(0, 2**64 - 1)
FUNCTIONS = list(product(range(256), repeat=2))
"""All functions of the family with words of 5 + 4 - 1 bits: answers below 2^5, 4 bits of x."""


@pytest.mark.parametrize("answers", [(0, 1), (0, 16), (3, 12), (15, 31), (30, 31)])
def test_two_answers_hash_independently(answers):
    """Every pair of values comes from equally many of the functions; a bit fewer would not do."""
    counts = Counter(tuple(((a * v + b) % 256) >> 4 for v in answers) for a, b in FUNCTIONS)
    assert counts == dict.fromkeys(product(range(16), repeat=2), len(FUNCTIONS) // 256)


@given(words, words, st.integers(0, 2**45 - 1), st.integers(2, MOST_BUCKETS))
def test_buckets_are_those_of_the_formula(a, b, answer, n_buckets):
    functions = np.array([[a, b]], dtype=np.uint64)
    found = hashed_buckets(functions, np.array([answer], dtype=np.uint64), n_buckets)
    assert found.tolist() == [[((a * answer + b) % 2**64 >> 44) * n_buckets >> 20]]


@pytest.mark.parametrize("n_buckets", [2, 3, 8, 56, 256, MOST_BUCKETS])
def test_the_collision_rate_counts_the_values_of_each_bucket(n_buckets):
    sizes = np.bincount(np.arange(2**20) * n_buckets >> 20)
    assert len(sizes) == n_buckets
    assert collision_rate(n_buckets) == (sizes.astype(float) ** 2).sum() / 2**40


def test_the_category_is_the_bucket_of_the_answer():
    ranks = Rankings.from_orders(np.array(list(permutations(range(5))))).ranks
    question = Hashed(TopOrder(5, 3), 2**63 + 12345, 2**62 + 1, 7)
    answers = TopOrder(5, 3).answer(ranks).tolist()
    naive = [(((2**63 + 12345) * v + 2**62 + 1) % 2**64 >> 44) * 7 >> 20 for v in answers]
    assert question.answer(ranks).tolist() == naive
    assert question.n_categories == 7
    assert question.items == (0, 1, 2, 3, 4)
    assert question.fits(5)
    assert not question.fits(6)


def test_incomplete_rankings_are_hashed_where_the_question_takes_them():
    """Else people would have to make an order up, or be bound to be asked what they cannot say."""
    for question in (TopOrder(4, 2), RelativeOrder((0, 1, 2)), WholeOrder((0, 1, 2))):
        assert Hashed(question, 1, 1, 8).takes_incomplete == question.takes_incomplete


def test_sixteen_items_fit_and_seventeen_do_not():
    assert Hashed(TopOrder(16, 16), 1, 1, 8).n_categories == 8
    with pytest.raises(HushrankError, match=r"at most 2\^45 answers"):
        Hashed(RelativeOrder(tuple(range(17))), 1, 1, 8)


@pytest.mark.parametrize(
    ("multiplier", "offset", "n_buckets"),
    [(-1, 0, 8), (0, 2**64, 8), (2**64, 0, 8), (1, 1, 1), (1, 1, MOST_BUCKETS + 1)],
)
def test_impossible_functions_are_refused(multiplier, offset, n_buckets):
    with pytest.raises(HushrankError, match="expected"):
        Hashed(TopOrder(5, 5), multiplier, offset, n_buckets)


def test_a_question_that_is_answered_by_a_row_is_refused():
    with pytest.raises(HushrankError, match="answered by a category"):
        Hashed(WholeOrder((0, 1, 2)), 1, 1, 8).answer(np.array([[0, 2, 1]]))

"""What the theory says of orders and estimators, held exactly."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse

PAIRS = np.triu_indices(4, k=1)
whole = st.lists(st.integers(0, 100), min_size=6, max_size=6)


def counts_of(upper):
    """Return how many of 100 people put one item before another (4, 4)."""
    counts = np.zeros((4, 4), dtype=np.int64)
    counts[PAIRS] = upper
    counts.T[PAIRS] = 100 - np.array(upper)
    return counts


def cost(counts, order):
    """Return the number of people, over all pairs, whom the order contradicts."""
    return sum(counts[order[b], order[a]] for a in range(4) for b in range(a + 1, 4))


@settings(max_examples=30)
@given(whole, whole)
def test_shares_moved_so_far_make_the_best_order_at_most_twice_as_much_worse(honest, told):
    """Per pair; and orders are compared by whole numbers of people."""
    true, seen = counts_of(honest), counts_of(told)
    most = max(abs(a - b) for a, b in zip(honest, told, strict=True))
    best = min(cost(true, order) for order in permutations(range(4)))
    assert cost(true, kemeny(seen).order) - best <= 2 * most * 6


@settings(max_examples=30)
@given(
    n_categories=st.integers(2, 6),
    epsilon=st.floats(0.1, 4.0),
    forged=st.fractions(0, Fraction(1, 2)),
    data=st.data(),
)
def test_liars_whom_nobody_can_tell_are_people_of_another_taste(
    n_categories, epsilon, forged, data
):
    """Where each answer is held by enough, another law of honest people has the same reports."""
    words = GeneralizedRandomizedResponse(n_categories, epsilon).channel_words()
    hit, miss = Fraction(int(words[0, 0]), 2**64), Fraction(int(words[0, 1]), 2**64)
    weights = data.draw(st.lists(st.integers(1, 9), min_size=n_categories, max_size=n_categories))
    honest = [Fraction(weight, sum(weights)) for weight in weights]
    alone = [(int(c == 0) - miss) / (hit - miss) for c in range(n_categories)]  # all report 0
    others = [(1 - forged) * f + forged * a for f, a in zip(honest, alone, strict=True)]
    enough = forged / (1 - forged) * miss / (hit - miss)
    assert (min(others) >= 0) == (min(honest[1:]) >= enough)
    assert sum(others) == 1
    told = [miss + (hit - miss) * share for share in others]
    seen = [
        (1 - forged) * (miss + (hit - miss) * f) + forged * (c == 0) for c, f in enumerate(honest)
    ]
    assert told == seen


def test_the_documented_share_that_hides_five_per_cent_of_forgers():
    rates = GeneralizedRandomizedResponse(2, 1.0).rates
    enough = 0.05 / 0.95 * rates.false_hit_rate / rates.reach
    assert enough == pytest.approx(0.03, abs=0.002)

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.aggregators.borda import borda
from hushrank.aggregators.exact.kemeny import kemeny
from hushrank.aggregators.kwiksort import kwiksort
from hushrank.errors import HushrankError
from hushrank.evaluation.metrics import mean_rank_order
from hushrank.models.mallows import Mallows
from hushrank.rankings.distances import kendall_cost
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings

NAN = float("nan")
TRANSITIVE = np.triu(np.full((6, 6), 3.0), k=1)


def people(dispersion: float, seed: int) -> Rankings:
    ranks = Mallows((2, 0, 3, 1, 4), dispersion).sample(301, rng=np.random.default_rng(seed))
    return Rankings(ranks, tuple("abcde"))


@given(st.integers(0, 1000))
def test_borda_of_complete_rankings_is_the_order_of_mean_ranks(seed):
    some = people(0.9, seed)
    assert borda(majority(some)) == mean_rank_order(some)


def test_borda_counts_ties_for_neither_and_breaks_equal_scores_by_number():
    assert borda(np.zeros((4, 4))) == (0, 1, 2, 3)
    partial = Rankings.from_keys([[1, 2, NAN], [1, 2, NAN], [NAN, 1, 1]], tuple("abc"))
    assert borda(majority(partial)) == (0, 2, 1)


def test_borda_of_estimated_counts_uses_margins():
    estimated = np.array([[0, -3.0, 1.0], [-5.0, 0, 9.5], [2.0, 1.5, 0]])
    margins = (estimated - estimated.T).sum(axis=1)
    assert borda(estimated) == tuple(np.argsort(-margins))


@pytest.mark.parametrize("seed", range(20))
def test_kwiksort_of_a_linear_majority_is_that_order(seed):
    shuffled = np.random.default_rng(seed).permutation(6)
    counts = TRANSITIVE[np.ix_(np.argsort(shuffled), np.argsort(shuffled))]
    found = kwiksort(counts, rng=np.random.default_rng(seed + 100))
    assert list(found) == shuffled.tolist()


def test_kwiksort_of_a_circle_begins_anywhere_equally_often():
    """Each pivot of a circle of three gives its own rotation: 3,000 draws, 6 sigma."""
    circle = np.array([[0, 2, 1], [1, 0, 2], [2, 1, 0]])
    rng = np.random.default_rng(3)
    orders = Counter(kwiksort(circle, rng=rng) for _ in range(3000))
    assert set(orders) == {(2, 0, 1), (0, 1, 2), (1, 2, 0)}
    assert min(orders.values()) > 1000 - 6 * np.sqrt(3000 * 2 / 9)


def test_kwiksort_lets_tied_pairs_fall_to_random_sides():
    rng = np.random.default_rng(3)
    orders = Counter(kwiksort(np.zeros((3, 3)), rng=rng) for _ in range(6000))
    assert len(orders) == 6


def test_kwiksort_is_near_the_optimum_on_average():
    """Ailon, Charikar, Newman: at most twice the optimum, in expectation."""
    counts = majority(people(1.0, 8))
    rng = np.random.default_rng(5)
    costs = [kendall_cost(counts, kwiksort(counts, rng=rng)) for _ in range(300)]
    assert kemeny(counts).cost <= min(costs)
    assert np.mean(costs) <= 2 * kemeny(counts).cost


@pytest.mark.parametrize("aggregate", [borda, lambda c: kwiksort(c, rng=np.random.default_rng(1))])
def test_impossible_pair_counts_are_refused(aggregate):
    for counts in (np.zeros((1, 1)), np.zeros((2, 3)), np.array([[0, np.inf], [1, 0]])):
        with pytest.raises(HushrankError):
            aggregate(counts)

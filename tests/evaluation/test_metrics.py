"""What the metrics of a collection promise."""

from collections import Counter
from itertools import combinations, permutations

import numpy as np
import pytest

from hushrank.evaluation.metrics import (
    average_kendall_tau,
    kendall_excess,
    marginal_distance,
    mean_rank_order,
    q2_distance,
    uniform_second_order_marginals,
)
from hushrank.models.mallows import Mallows
from hushrank.rankings.marginals import majority, second_order_marginals
from hushrank.rankings.profile import Rankings


def rankings_of(*orders, people=None):
    counts = None if people is None else np.array(people)
    return Rankings.from_orders(np.array(orders), multiplicities=counts)


def distance_by_counting(learnt, true):
    """Take Q2 from its definition: count rank pairs, one pair of items after the other."""
    distances = []
    for a, b in combinations(range(true.n_items), 2):
        seen = Counter(zip(learnt.ranks[:, a], learnt.ranks[:, b], strict=True))
        expected = Counter(zip(true.ranks[:, a], true.ranks[:, b], strict=True))
        cells = set(seen) | set(expected)
        gaps = [abs(seen[c] / learnt.n_rows - expected[c] / true.n_rows) for c in cells]
        distances.append(sum(gaps) / 2)
    return sum(distances) / len(distances)


def test_excess_is_measured_from_the_exact_optimum():
    """Two people say abc, one says cba: abc costs 3 of 9 pairs, cba 6."""
    people = Rankings.from_orders(np.array([[0, 1, 2], [0, 1, 2], [2, 1, 0]]))
    assert kendall_excess(people, (0, 1, 2), time_limit=1.0) == 0
    assert kendall_excess(people, (2, 1, 0), time_limit=1.0) == pytest.approx(3 / 9)
    assert average_kendall_tau(majority(people), (1, 0, 2), 3) == pytest.approx(4 / 9)


def test_no_excess_is_claimed_where_no_optimum_is_proven():
    ranks = Mallows(tuple(range(60)), 1.0).sample(101, rng=np.random.default_rng(1))
    people = Rankings(ranks, tuple(map(str, range(60))))
    assert kendall_excess(people, tuple(range(60)), time_limit=1e-6) is None


def test_the_optimum_is_that_of_what_an_item_left_out_means():
    """Three people rank a alone, and one says ba: it alone counts, or is outvoted three to one."""
    people = Rankings.from_keys(np.array([[0, np.nan]] * 3 + [[1, 0]]), ("a", "b"))
    excess = {
        unranked: [
            kendall_excess(people, order, time_limit=1.0, unranked=unranked)
            for order in ((0, 1), (1, 0))
        ]
        for unranked in ("unknown", "last")
    }
    assert excess == {"unknown": [1 / 4, 0], "last": [0, 2 / 4]}


def test_q2_of_two_items_is_the_gap_of_their_majorities():
    true = rankings_of((0, 1), (1, 0), people=(3, 1))
    learnt = rankings_of((0, 1), (1, 0), people=(1, 3))
    assert q2_distance(learnt, true) == pytest.approx(0.5)


def test_q2_averages_over_pairs():
    """Half the people agree; 012 and 102 share no rank pair, so each pair is half off."""
    true = rankings_of((0, 1, 2))
    learnt = rankings_of((0, 1, 2), (1, 0, 2))
    assert q2_distance(learnt, true) == pytest.approx(0.5)


def test_q2_counts_only_pairs_that_changed():
    """Of four items the last two swap: five of six pairs change, the pair (0, 1) does not."""
    assert q2_distance(rankings_of((0, 1, 3, 2)), rankings_of((0, 1, 2, 3))) == pytest.approx(5 / 6)


@pytest.mark.parametrize("n_items", [2, 3, 6])
def test_q2_equals_its_definition(n_items):
    rng = np.random.default_rng(n_items)
    items = np.arange(n_items)
    learnt = rankings_of(*(rng.permutation(items) for _ in range(40)))
    true = rankings_of(*(rng.permutation(items) for _ in range(25)))
    assert q2_distance(learnt, true) == pytest.approx(distance_by_counting(learnt, true))
    assert q2_distance(true, learnt) == pytest.approx(q2_distance(learnt, true))


def test_q2_of_multiplicities_is_that_of_single_people():
    counted = rankings_of((0, 1, 2), (2, 1, 0), people=(5, 2))
    true = rankings_of((1, 0, 2), (0, 2, 1))
    assert q2_distance(counted, true) == pytest.approx(q2_distance(counted.expanded(), true))


def test_q2_is_nought_for_the_same_people_in_another_order():
    true = rankings_of((0, 1, 2), (2, 1, 0), (1, 2, 0))
    assert q2_distance(true.select(np.array([2, 0, 1])), true) == 0


def test_marginal_distance_reaches_one_for_disjoint_marginals():
    assert marginal_distance(np.array([[1.0, 0.0]] * 3), np.array([[0.0, 1.0]] * 3)) == 1


@pytest.mark.parametrize("n_items", [2, 3, 5])
def test_uniform_marginals_are_those_of_all_orders(n_items):
    everybody = rankings_of(*permutations(range(n_items)))
    uniform = uniform_second_order_marginals(n_items)
    np.testing.assert_allclose(uniform, second_order_marginals(everybody), atol=1e-15)


def test_mean_rank_order_weighs_people_and_breaks_ties_by_number():
    """Mean ranks: item 0: 8/5, item 1: 1, item 2: 2/5."""
    assert mean_rank_order(rankings_of((0, 1, 2), (2, 1, 0), people=(1, 4))) == (2, 1, 0)
    assert mean_rank_order(rankings_of((0, 1, 2), (2, 1, 0))) == (0, 1, 2)

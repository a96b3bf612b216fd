from math import factorial

import numpy as np
import pytest

from hushrank.aggregators.exact import equally_good as module
from hushrank.aggregators.exact.equally_good import equally_good_kemeny, equally_good_scores
from hushrank.aggregators.exact.kemeny import all_kemeny_orders, kemeny

CIRCLE = np.array([[0, 2, 1], [1, 0, 2], [2, 1, 0]])


def found(counts):
    return equally_good_kemeny(counts, kemeny(counts).order)


def test_two_opposite_ballots_tie_all():
    for n_items in (2, 5, 16):
        same = found(1 - np.eye(n_items, dtype=np.int64))
        assert same.n_orders == factorial(n_items)
        assert [sorted(group) for group in same.tied] == [list(range(n_items))]


def test_a_circle_has_an_order_for_each_beginning():
    assert found(CIRCLE).n_orders == 3
    assert [sorted(group) for group in found(CIRCLE).tied] == [[0, 1, 2]]


def test_where_one_order_is_best_nothing_is_tied():
    counts = np.triu(np.full((5, 5), 3), k=1)
    assert (found(counts).n_orders, found(counts).tied) == (1, ())


@pytest.mark.parametrize("seed", range(12))
def test_orders_are_those_that_are_listed_one_by_one(seed):
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.integers(0, 4, (6, 6)), k=1)
    counts = upper + np.tril(3 - upper.T, k=-1)
    listed = list(all_kemeny_orders(counts))
    same = found(counts)
    assert same.n_orders == len(listed)
    places = np.array([np.argsort(order) for order in listed])
    moving = np.flatnonzero(places.min(axis=0) < places.max(axis=0))
    assert sorted(item for group in same.tied for item in group) == moving.tolist()


def test_of_large_groups_tied_neighbours_are_told(monkeypatch):
    monkeypatch.setattr(module, "MOST_TIED_TOGETHER", 3)
    same = found(1 - np.eye(4, dtype=np.int64))
    assert same.n_orders is None
    assert [sorted(group) for group in same.tied] == [[0, 1, 2, 3]]


def test_equal_scores_are_tied():
    same = equally_good_scores(np.array([1, 5, 1, 0, 1]))
    assert (same.n_orders, same.tied) == (6, ((0, 2, 4),))


def in_pairs(n_pairs):
    """Counts of items of which each even one is tied with the next, and beats all after it."""
    pair = np.arange(2 * n_pairs) // 2
    return 2 * (pair[:, None] < pair) + (pair[:, None] == pair) - np.eye(2 * n_pairs, dtype=int)


@pytest.mark.parametrize("n_pairs", [3, 30])
def test_all_of_many_tied_groups_are_told(n_pairs):
    counts, order = in_pairs(n_pairs), tuple(range(2 * n_pairs))
    for same in (equally_good_kemeny(counts, order), equally_good_scores(counts.sum(axis=1))):
        assert same.n_orders == 2**n_pairs
        assert same.tied == tuple(zip(order[::2], order[1::2], strict=True))


def test_of_many_items_in_one_group_all_that_are_tied_are_told():
    """A circle of forty, in which the last thirty are tied with one another."""
    counts = np.triu(np.full((40, 40), 2), k=1)
    counts[10:, 10:] = 1 - np.eye(30, dtype=int)
    counts[0, 39], counts[39, 0] = 0, 2
    same = equally_good_kemeny(counts, tuple(range(40)))
    assert (same.n_orders, same.tied) == (None, (tuple(range(10, 40)),))
    counts[35, 39], counts[39, 35] = 2, 0
    assert equally_good_kemeny(counts, tuple(range(40))).tied == (tuple(range(10, 39)),)


def test_all_of_many_runs_of_neighbours_in_one_group_are_told():
    counts = in_pairs(30)
    counts[0, 59], counts[59, 0] = 0, 2
    same = equally_good_kemeny(counts, tuple(range(60)))
    assert same.tied == tuple((item, item + 1) for item in range(0, 60, 2))

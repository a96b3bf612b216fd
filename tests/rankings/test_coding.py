import sys
from itertools import combinations, permutations
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hushrank.errors import HushrankError
from hushrank.rankings.coding import (
    interleaving_index,
    interleavings,
    inverse,
    lexicographic_index,
    orders_at,
    rank_type,
    ranks_within,
    triplets,
)

ORDERS = st.integers(1, 20).flatmap(
    lambda n_items: st.lists(st.permutations(range(n_items)), min_size=1, max_size=5).map(np.array)
)


@pytest.mark.parametrize("n_items", range(1, 8))
def test_indices_number_the_orders_lexicographically(n_items):
    orders = np.array(list(permutations(range(n_items))))
    indices = np.arange(factorial(n_items))
    assert np.array_equal(orders_at(indices, n_items), orders)
    assert np.array_equal(lexicographic_index(orders), indices)


@given(ORDERS)
@settings(deadline=None)
def test_an_index_gives_its_order_back(orders):
    assert np.array_equal(orders_at(lexicographic_index(orders), orders.shape[1]), orders)


@given(st.data(), st.integers(1, 20))
@settings(deadline=None)
def test_an_order_gives_its_index_back(data, n_items):
    """Up to the ends of every integer type: 5, 8, 12 and 20 items are the last that fit in one."""
    last = factorial(n_items) - 1
    indices = data.draw(arrays(np.intp, st.integers(0, 5), elements=st.integers(0, last)))
    indices = np.append(indices, [0, last])
    assert np.array_equal(lexicographic_index(orders_at(indices, n_items)), indices)


@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.int64])
def test_an_index_does_not_depend_on_the_form_of_the_array(layout, dtype):
    orders = np.array([[2, 0, 1, 3], [3, 2, 1, 0]], dtype=dtype, order=layout)
    before = orders.copy()
    assert lexicographic_index(orders).tolist() == [12, 23]
    assert lexicographic_index(orders).dtype == np.intp
    assert np.array_equal(orders, before)


def test_nobody_has_no_index():
    assert lexicographic_index(np.empty((0, 4), dtype=np.uint8)).shape == (0,)
    assert orders_at(np.empty(0, dtype=np.intp), 4).shape == (0, 4)


def test_21_items_are_too_many_for_an_index():
    with pytest.raises(HushrankError, match="20"):
        orders_at(np.zeros(1, dtype=np.intp), 21)
    with pytest.raises(HushrankError, match="20"):
        lexicographic_index(np.arange(21)[None])


@given(ORDERS)
@settings(deadline=None)
def test_ranks_and_orders_are_inverse(orders):
    ranks = inverse(orders)
    people, places = np.indices(orders.shape)
    assert (ranks[people, orders] == places).all()
    assert np.array_equal(inverse(ranks), orders)
    assert (ranks.dtype, ranks.flags.f_contiguous) == (rank_type(orders.shape[1]), True)


@pytest.mark.parametrize("n_items", [254, 255, 300])
def test_many_items_keep_their_ranks(n_items):
    orders = np.random.default_rng(1).permuted(np.tile(np.arange(n_items), (3, 1)), axis=1)
    assert np.array_equal(inverse(orders), orders.argsort(axis=1))


@pytest.mark.parametrize(
    ("n_items", "dtype"), [(1, np.uint8), (254, np.uint8), (255, np.uint16), (65534, np.uint16)]
)
def test_the_type_of_ranks_holds_a_sentinel_above_all_ranks(n_items, dtype):
    assert rank_type(n_items) == dtype
    assert np.iinfo(rank_type(n_items)).max > n_items - 1


def test_too_many_items_for_ranks_are_refused():
    with pytest.raises(HushrankError, match="65535"):
        rank_type(65535)


@given(ORDERS, st.data())
@settings(deadline=None)
def test_ranks_within_a_group_count_the_better_ones_of_the_group(orders, data):
    ranks = inverse(orders)
    group = st.permutations(range(orders.shape[1])).flatmap(
        lambda items: st.integers(1, len(items)).map(lambda size: tuple(items[:size]))
    )
    items, among = data.draw(group), data.draw(group)
    within = ranks_within(ranks, items, among)
    for row, order in enumerate(orders.tolist()):
        places = [order.index(item) for item in items]
        others = [order.index(other) for other in among]
        assert within[row].tolist() == [sum(at < place for at in others) for place in places]


@pytest.mark.parametrize("n_items", [2, 3, 4, 6])
def test_triplets_are_all_items_with_all_pairs_of_others(n_items):
    expected = [
        triplet
        for triplet in permutations(range(n_items), 3)  # in lexicographic order
        if triplet[1] < triplet[2]
    ]
    assert triplets(n_items) == tuple(expected)


@pytest.mark.parametrize(("n_left", "n_right"), [(1, 4), (3, 2), (4, 4), (2, 7)])
def test_interleavings_are_numbered_without_gaps(n_left, n_right):
    left, right = interleavings(n_left, n_right)
    n_interleavings = comb(n_left + n_right, n_left)
    assert left.shape == (n_interleavings, n_left)
    assert interleaving_index(left, n_left + n_right).tolist() == list(range(n_interleavings))
    assert set(map(tuple, left.tolist())) == set(combinations(range(n_left + n_right), n_left))
    both = np.sort(np.hstack([left, right]), axis=1)
    assert (both == np.arange(n_left + n_right)).all()
    assert (np.diff(right.astype(int), axis=1) > 0).all()


@given(st.sets(st.integers(0, 60), min_size=1, max_size=8), st.randoms())
@settings(deadline=None)
def test_an_interleaving_does_not_depend_on_the_order_of_the_columns(places, random):
    ascending = sorted(places)
    shuffled = random.sample(ascending, len(ascending))
    index = sum(comb(place, nth) for nth, place in enumerate(ascending, start=1))
    both = np.array([ascending, shuffled], dtype=np.uint8)
    assert interleaving_index(both, 61).tolist() == [index, index]


@pytest.mark.parametrize("place", [0, 33, 67])
def test_no_place_makes_a_large_interleaving_fail(place):
    """68 interleavings of 67 items with one: numbers that grow past 64 bits are never needed."""
    places = np.array([[at for at in range(68) if at != place]], dtype=np.uint8)
    assert interleaving_index(places, 68).tolist() == [67 - place]


@pytest.mark.parametrize(("n_left", "n_right"), [(999, 1), (1, 999), (998, 2), (31, 31), (20, 50)])
def test_the_largest_interleavings_are_numbered_exactly(n_left, n_right):
    rng = np.random.default_rng(n_left)
    some = [np.sort(rng.permutation(n_left + n_right)[:n_left]) for _ in range(20)]
    places = np.array([range(n_left), range(n_right, n_right + n_left), *some], dtype=np.uint16)
    expected = [sum(comb(at, nth) for nth, at in enumerate(row, 1)) for row in places.tolist()]
    assert expected[:2] == [0, comb(n_left + n_right, n_left) - 1]
    assert interleaving_index(places, n_left + n_right).tolist() == expected


def test_an_interleaving_of_a_thousand_items_takes_a_few_steps_for_each_of_them():
    """Ways that are counted anew, and items that are compared one by one, take half a million."""
    calls, places = [], np.arange(999, dtype=np.uint16)[None]
    sys.setprofile(lambda _, event, function: calls.append(function) if event == "c_call" else None)
    try:
        interleaving_index(places, 1000)
    finally:
        sys.setprofile(None)
    assert len(calls) < 20_000
    ranks = np.arange(1000, dtype=np.uint16)[None].view(Noting)
    Noting.n_steps = 0
    within = ranks_within(ranks, tuple(range(999)), among=tuple(range(1000)))
    assert within.tolist() == places.tolist()
    assert 0 < Noting.n_steps < 20_000


class Noting(np.ndarray):
    """An array that counts what is computed of it."""

    n_steps = 0

    def __array_ufunc__(self, function, method, *inputs, out=(), **how):
        Noting.n_steps += 1
        plain = [np.asarray(each) for each in inputs]
        given = {"out": tuple(np.asarray(each) for each in out)} if out else {}
        return getattr(function, method)(*plain, **given, **how)


def test_one_item_interleaves_at_its_place():
    assert interleaving_index(np.array([[3], [0], [7]], dtype=np.uint8), 8).tolist() == [3, 0, 7]


def test_shared_tables_cannot_be_changed():
    for table in interleavings(2, 3):
        with pytest.raises(ValueError, match="read-only"):
            table[0, 0] = 1


def test_all_of_many_items_have_ranks_and_triplets():
    ranks = inverse(np.random.default_rng(1).permutation(40)[None])
    items = tuple(range(1, 40))
    assert ranks_within(ranks, items, among=items).argsort().tolist() == [
        ranks[0, 1:].argsort().tolist()
    ]
    assert len(triplets(23)) == 23 * comb(22, 2)
    assert triplets(23)[-1] == (22, 20, 21)


@pytest.mark.parametrize(("n_left", "n_right"), [(2, 25), (25, 2), (1, 30)])
def test_long_interleavings_have_all_places(n_left, n_right):
    left, right = interleavings(n_left, n_right)
    assert len(left) == comb(n_left + n_right, n_left)
    both = np.sort(np.hstack([left, right]), axis=1)
    assert (both == np.arange(n_left + n_right)).all()

from itertools import permutations
from math import factorial

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.top_order import TopOrder
from hushrank.rankings.profile import Rankings

ALL = Rankings.from_orders(np.array(list(permutations(range(5)))))


@pytest.mark.parametrize("n_places", range(1, 6))
def test_first_places_are_numbered_lexicographically(n_places):
    firsts = list(permutations(range(5), n_places))
    question = TopOrder(5, n_places)
    assert question.n_categories == len(firsts)
    for order, answer in zip(ALL.orders().tolist(), question.answer(ALL.ranks), strict=True):
        assert tuple(order[:n_places]) == firsts[answer]


@pytest.mark.parametrize("n_places", range(1, 6))
def test_orders_that_begin_alike_are_numbered_in_one_run(n_places):
    whole = RelativeOrder(tuple(range(5))).answer(ALL.ranks)
    run = TopOrder(5, n_places).answer(ALL.ranks)
    assert np.array_equal(run, whole // factorial(5 - n_places))


def test_sixteen_items_have_their_own_numbers():
    orders = np.stack([np.arange(16), np.arange(16)[::-1]])
    ranks = Rankings.from_orders(orders).ranks
    assert TopOrder(16, 16).answer(ranks).tolist() == [0, factorial(16) - 1]
    assert TopOrder(16, 7).answer(ranks).tolist() == [0, factorial(16) // factorial(9) - 1]


def test_only_rankings_of_as_many_items_answer():
    assert TopOrder(5, 2).fits(5)
    assert not TopOrder(5, 2).fits(4)
    assert not TopOrder(5, 2).fits(6)
    assert TopOrder(5, 2).items == (0, 1, 2, 3, 4)


@pytest.mark.parametrize(("n_items", "n_places"), [(1, 1), (21, 2), (5, 0), (5, 6)])
def test_impossible_places_are_refused(n_items, n_places):
    with pytest.raises(HushrankError, match="expected"):
        TopOrder(n_items, n_places)

from itertools import permutations

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.questions.whole_order import WholeOrder
from hushrank.rankings.profile import Rankings

ALL = Rankings.from_orders(np.array(list(permutations(range(5)))))


def test_all_items_answer_with_the_ranks():
    answers = WholeOrder((0, 1, 2, 3, 4)).answer(ALL.ranks)
    assert np.array_equal(answers, ALL.ranks)


def test_the_row_follows_the_items_given():
    answers = WholeOrder((3, 0, 4)).answer(ALL.ranks)
    for order, row in zip(ALL.orders().tolist(), answers.tolist(), strict=True):
        kept = [item for item in order if item in (3, 0, 4)]
        assert row == [kept.index(item) for item in (3, 0, 4)]


def test_every_row_is_the_answer_of_equally_many_orders():
    rows, counts = np.unique(WholeOrder((4, 1, 2)).answer(ALL.ranks), axis=0, return_counts=True)
    assert rows.tolist() == [list(row) for row in permutations(range(3))]
    assert counts.tolist() == [20] * 6


def test_the_row_has_one_number_for_each_item():
    question = WholeOrder((3, 0, 4))
    assert question.n_categories == question.answer(ALL.ranks).shape[1] == 3


def test_more_items_than_an_index_can_number_are_welcome():
    ranks = Rankings.from_orders(np.arange(40)[None, ::-1]).ranks
    assert WholeOrder(tuple(range(40))).answer(ranks).tolist() == [list(range(39, -1, -1))]


def test_it_fits_rankings_that_have_all_the_items():
    question = WholeOrder((3, 0))
    assert question.fits(4)
    assert not question.fits(3)


@pytest.mark.parametrize("items", [(), (1,), (1, 1), (-1, 1)])
def test_impossible_items_are_refused(items):
    with pytest.raises(HushrankError):
        WholeOrder(items)

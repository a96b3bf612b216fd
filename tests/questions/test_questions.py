from itertools import permutations
from math import comb, factorial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.errors import HushrankError
from hushrank.questions.hashed import Hashed
from hushrank.questions.interleaving import Interleaving
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.named_set import NamedSet
from hushrank.questions.rank_and_precedence import RankAndPrecedence, rank_and_precedence_questions
from hushrank.questions.rank_level import RankLevel
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated
from hushrank.questions.top_order import TopOrder
from hushrank.questions.whole_order import WholeOrder
from hushrank.rankings.coding import interleavings, orders_at
from hushrank.rankings.profile import Rankings

N_ITEMS = 6
ALL = Rankings.from_orders(np.array(list(permutations(range(N_ITEMS)))))

QUESTIONS = [
    RelativeOrder((3, 1)),
    RelativeOrder((4, 0, 2)),
    RelativeOrder((0, 1, 2, 3, 4, 5)),
    Interleaving((2,), (5, 0, 3)),
    Interleaving((1, 4), (0, 3)),
    Interleaving((1, 4, 5), (0, 2, 3)),
    RankAndPrecedence(2, 5, 0, N_ITEMS),
    *rank_and_precedence_questions(N_ITEMS)[::17],
]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_every_category_is_the_answer_of_equally_many_orders(question):
    counts = np.bincount(question.answer(ALL.ranks), minlength=question.n_categories)
    assert counts.tolist() == [factorial(N_ITEMS) // question.n_categories] * question.n_categories


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_an_answer_depends_on_one_row_only(question):
    one_by_one = [question.answer(ALL.ranks[row : row + 1])[0] for row in range(0, 720, 31)]
    assert one_by_one == question.answer(ALL.ranks)[::31].tolist()


EVERY_KIND = [
    *QUESTIONS,
    RankLevel(2, (0, 0, 1, 1, 2, 2)),
    LevelAndPrecedence(2, 5, (0, 0, 1, 1, 2, 2)),
    TopOrder(N_ITEMS, N_ITEMS),
    WholeOrder((0, 1, 2)),
    Stated(RelativeOrder((3, 1)), "last"),
    Hashed(RelativeOrder((3, 1)), 7, 9, 8),
    Hashed(Stated(RelativeOrder((3, 1)), "last"), 7, 9, 8),
]


@pytest.mark.parametrize("question", EVERY_KIND, ids=str)
def test_what_is_answered_at_once_is_the_order_of_its_items(question):
    if question.items_at_once:
        assert question.items_at_once == question.items
        named = ALL.ranks[:, question.items]
        among_themselves = RelativeOrder(tuple(range(named.shape[1]))).answer(named)
        assert among_themselves.tolist() == question.answer(ALL.ranks).tolist()
    assert bool(question.items_at_once) == isinstance(question, RelativeOrder)


@pytest.mark.parametrize("question", EVERY_KIND, ids=str)
def test_only_what_is_stated_can_be_asked_of_incomplete_rankings(question):
    asked = question.question if isinstance(question, Hashed) else question
    assert question.takes_incomplete == isinstance(asked, Stated)


@pytest.mark.parametrize("items", [(3, 1), (4, 0, 2), (5, 4, 3, 2)])
def test_relative_orders_are_numbered_lexicographically(items):
    question = RelativeOrder(items)
    answers = question.answer(ALL.ranks)
    decoded = orders_at(answers, len(items))
    for order, places in zip(ALL.orders(), decoded, strict=True):
        kept = [item for item in order if item in items]
        assert kept == [items[place] for place in places]


def test_the_order_given_is_category_0_and_the_reverse_is_the_last():
    ranks = Rankings.from_orders(np.array([[0, 1, 2, 3], [3, 2, 1, 0]])).ranks
    assert RelativeOrder((0, 1, 3)).answer(ranks).tolist() == [0, 5]


@pytest.mark.parametrize(
    ("left", "right"), [((2,), (5, 0, 3)), ((1, 4), (0, 3)), ((1, 4, 5), (2,))]
)
def test_interleavings_are_found_again_by_their_number(left, right):
    places = interleavings(len(left), len(right))[0][Interleaving(left, right).answer(ALL.ranks)]
    for order, taken in zip(ALL.orders(), places, strict=True):
        merged = [item for item in order if item in left + right]
        assert [place for place, item in enumerate(merged) if item in left] == taken.tolist()


def test_an_interleaving_does_not_see_the_order_within_a_group():
    orders = np.array([[0, 1, 2, 3, 4], [1, 0, 4, 2, 3]])
    answers = Interleaving((0, 1), (2, 3, 4)).answer(Rankings.from_orders(orders).ranks)
    assert answers[0] == answers[1]


def test_one_item_is_interleaved_by_its_place():
    answers = Interleaving((2,), (0, 1, 3, 4, 5)).answer(ALL.ranks)
    assert np.array_equal(answers, ALL.ranks[:, 2])


def test_rule_i_asks_rank_and_precedence():
    question = RankAndPrecedence(2, 5, 0, N_ITEMS)
    for order, answer in zip(ALL.orders().tolist(), question.answer(ALL.ranks), strict=True):
        expected = 2 * order.index(2) + (order.index(0) < order.index(5))
        assert answer == expected


def test_only_rankings_of_as_many_items_have_all_ranks_of_rule_i():
    """Of more items some ranks are no answer: a device that fails would tell of such a rank."""
    question = RankAndPrecedence(2, 5, 0, N_ITEMS)
    assert question.fits(N_ITEMS)
    assert not question.fits(N_ITEMS + 1)
    assert not question.fits(N_ITEMS - 1)


@pytest.mark.parametrize("question", [RelativeOrder((4, 1, 3)), Interleaving((1,), (4, 3))])
def test_only_rankings_that_have_all_its_items_answer_a_question(question):
    assert [n_items for n_items in range(9) if question.fits(n_items)] == [5, 6, 7, 8]


def test_rule_i_has_a_question_for_each_triplet():
    questions = rank_and_precedence_questions(10)
    assert len(set(questions)) == len(questions) == 10 * comb(9, 2)
    assert {question.n_categories for question in questions} == {20}


@given(st.permutations(range(N_ITEMS)), st.permutations(range(N_ITEMS)))
def test_relabelled_items_leave_the_answer(order, new_names):
    """Asking about renamed items in renamed rankings is the same question."""
    ranks = Rankings.from_orders(np.array([order])).ranks
    renamed = Rankings.from_orders(np.array([[new_names[item] for item in order]])).ranks
    for items in [(0, 3), (5, 1, 2)]:
        moved = tuple(new_names[item] for item in items)
        assert RelativeOrder(items).answer(ranks) == RelativeOrder(moved).answer(renamed)
        split = Interleaving(items[:1], items[1:]).answer(ranks)
        assert split == Interleaving(moved[:1], moved[1:]).answer(renamed)


@pytest.mark.parametrize(
    "build",
    [
        lambda: RelativeOrder((1,)),
        lambda: RelativeOrder((1, 1)),
        lambda: RelativeOrder((-1, 1)),
        lambda: RelativeOrder(tuple(range(21))),
        lambda: Interleaving((1,), (1, 2)),
        lambda: Interleaving((), (1, 2)),
        lambda: Interleaving(tuple(range(40)), tuple(range(40, 80))),
        lambda: RankAndPrecedence(1, 1, 2, 4),
        lambda: RankAndPrecedence(0, 1, 4, 4),
    ],
)
def test_a_question_about_impossible_items_is_refused(build):
    with pytest.raises(HushrankError):
        build()


@pytest.mark.parametrize(
    ("question", "n_items", "n_categories"),
    [
        (NamedSet((0,), 2), 2, 2),
        (NamedSet((0, 1), 64), 64, 64),
        (TopOrder(2, 1), 2, 2),
        (TopOrder(20, 1), 20, 20),
        (RelativeOrder(tuple(range(20))), 20, factorial(20)),
        (Interleaving(tuple(range(31)), tuple(range(31, 62))), 62, comb(62, 31)),
        (Hashed(TopOrder(5, 5), 0, 0, 2), 5, 2),
        (Hashed(TopOrder(5, 5), 2**64 - 1, 2**64 - 1, 2**10), 5, 2**10),
    ],
    ids=str,
)
def test_the_least_and_the_most_can_be_asked(question, n_items, n_categories):
    best_first, worst_first = np.arange(n_items), np.arange(n_items)[::-1]
    answers = question.answer(np.array([best_first, worst_first], dtype=np.uint8))
    assert question.n_categories == n_categories
    assert ((answers >= 0) & (answers < n_categories)).all()


@pytest.mark.parametrize(("left", "right"), [((), (0, 1)), ((0, 1), ())])
def test_an_interleaving_has_items_on_both_sides(left, right):
    with pytest.raises(HushrankError, match="items on both sides"):
        Interleaving(left, right)

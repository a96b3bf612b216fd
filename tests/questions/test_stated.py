"""Questions that incomplete rankings answer: against all full rankings that they may stand for."""

from itertools import permutations

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.questions.interleaving import Interleaving
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.rank_level import RankLevel, even_levels, extreme_levels
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated, completed, deciding_places

N_ITEMS, NOT_RANKED = 5, 255
PAIR = RelativeOrder((3, 1))
ABOUT_ONE = [
    RankLevel(2, even_levels(N_ITEMS, 2)),
    RankLevel(2, even_levels(N_ITEMS, N_ITEMS)),
    RankLevel(0, extreme_levels(N_ITEMS)),
    RankLevel(0, (1, 0, 0, 1, 1)),
]
ABOUT_TWO = [
    LevelAndPrecedence(1, 4, even_levels(N_ITEMS, 2)),
    LevelAndPrecedence(1, 4, even_levels(N_ITEMS, N_ITEMS)),
]
STATED = [Stated(question, "last") for question in [PAIR, *ABOUT_ONE, *ABOUT_TWO]]
EVERY = [*STATED, Stated(PAIR, "unknown")]


def ranks_of(order: tuple[int, ...]) -> list[int]:
    return [order.index(item) if item in order else NOT_RANKED for item in range(N_ITEMS)]


BALLOTS = [order for length in range(N_ITEMS + 1) for order in permutations(range(N_ITEMS), length)]
RANKS = np.array([ranks_of(order) for order in BALLOTS], dtype=np.uint8, order="F")
FULL = RANKS[(RANKS != NOT_RANKED).all(axis=1)]


def possible_answers(question, order: tuple[int, ...]) -> set[int]:
    """Ask every full ranking that begins with the ballot."""
    left = [item for item in range(N_ITEMS) if item not in order]
    meant = np.array([ranks_of((*order, *rest)) for rest in permutations(left)], dtype=np.uint8)
    return set(question.answer(meant).tolist())


@pytest.mark.parametrize("asked", [PAIR, *ABOUT_ONE], ids=str)
def test_an_answer_is_stated_where_all_full_rankings_agree(asked):
    answers = Stated(asked, "last").answer(RANKS)
    for order, answer in zip(BALLOTS, answers.tolist(), strict=True):
        possible = possible_answers(asked, order)
        assert answer == (possible.pop() if len(possible) == 1 else asked.n_categories)


@pytest.mark.parametrize("asked", ABOUT_TWO, ids=str)
def test_a_level_and_a_precedence_are_stated_of_ranked_items_only(asked):
    answers = Stated(asked, "last").answer(RANKS)
    for order, answer in zip(BALLOTS, answers.tolist(), strict=True):
        is_stated = asked.item in order or len(order) >= N_ITEMS - 1
        possible = possible_answers(asked, order) if is_stated else {asked.n_categories}
        assert {answer} == possible


def test_two_ranked_items_state_their_order_and_nothing_else_does():
    answers = Stated(PAIR, "unknown").answer(RANKS)
    for order, answer in zip(BALLOTS, answers.tolist(), strict=True):
        is_stated = {3, 1} <= set(order)
        assert answer == (int(order.index(1) < order.index(3)) if is_stated else 2)


@pytest.mark.parametrize("question", EVERY, ids=str)
def test_complete_rankings_answer_as_ever(question):
    assert question.answer(FULL).tolist() == question.question.answer(FULL).tolist()
    assert question.n_categories == question.question.n_categories + 1
    assert question.items == question.question.items


@pytest.mark.parametrize("question", EVERY, ids=str)
def test_a_ballot_without_the_last_item_is_complete(question):
    if question.unranked == "unknown":
        return
    lacking = np.where(FULL == N_ITEMS - 1, NOT_RANKED, FULL).astype(np.uint8)
    assert question.answer(lacking).tolist() == question.answer(FULL).tolist()


@pytest.mark.parametrize("question", EVERY, ids=str)
def test_every_category_has_a_ballot_and_none_lies_outside(question):
    assert set(question.answer(RANKS).tolist()) == set(range(question.n_categories))


@pytest.mark.parametrize("question", EVERY, ids=str)
def test_an_answer_depends_on_one_row_only(question):
    one_by_one = [question.answer(RANKS[row : row + 1])[0] for row in range(0, len(RANKS), 7)]
    assert one_by_one == question.answer(RANKS)[::7].tolist()


@pytest.mark.parametrize("question", STATED[1:], ids=str)
def test_only_rankings_of_as_many_items_can_answer(question):
    assert question.fits(N_ITEMS)
    assert not question.fits(N_ITEMS + 1)


@pytest.mark.parametrize("question", ABOUT_ONE, ids=str)
def test_so_many_ranked_items_decide_the_level_of_any(question):
    enough = deciding_places(question)
    assert len(set(question.levels[enough:])) == 1
    assert len(set(question.levels[enough - 1 :])) == 2


def test_one_ranked_item_decides_where_only_the_best_place_is_a_level_of_its_own():
    assert deciding_places(RankLevel(0, (0, 1, 1, 1))) == 1


def test_what_is_left_out_comes_last_in_the_order_of_numbers():
    filled = completed(RANKS, RANKS != NOT_RANKED)
    for order, row in zip(BALLOTS, filled.tolist(), strict=True):
        left = [item for item in range(N_ITEMS) if item not in order]
        assert row == ranks_of((*order, *left))


@pytest.mark.parametrize(
    "build",
    [
        lambda: Stated(PAIR, "refused"),
        lambda: Stated(PAIR, ""),
        lambda: Stated(RelativeOrder((0, 1, 2)), "last"),
        lambda: Stated(RelativeOrder((0, 1, 2)), "unknown"),
        lambda: Stated(Interleaving((0,), (1, 2)), "last"),
        lambda: Stated(ABOUT_ONE[0], "unknown"),
        lambda: Stated(ABOUT_TWO[0], "unknown"),
        lambda: Stated(Stated(PAIR, "last"), "last"),
    ],
)
def test_what_nobody_knows_how_to_leave_open_is_refused(build):
    with pytest.raises(HushrankError):
        build()

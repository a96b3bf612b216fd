from itertools import permutations

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.rank_level import RankLevel, even_levels, extreme_levels
from hushrank.rankings.profile import Rankings

N_ITEMS = 6
ALL = Rankings.from_orders(np.array(list(permutations(range(N_ITEMS)))))
LEVELS = [
    even_levels(N_ITEMS, 2),
    even_levels(N_ITEMS, 4),
    even_levels(N_ITEMS, N_ITEMS),
    extreme_levels(N_ITEMS),
    (1, 0, 0, 2, 2, 2),
]


@pytest.mark.parametrize("levels", LEVELS, ids=str)
def test_the_level_is_that_of_the_rank(levels):
    answers = RankLevel(4, levels).answer(ALL.ranks)
    expected = [levels[order.index(4)] for order in ALL.orders().tolist()]
    assert answers.tolist() == expected
    assert RankLevel(4, levels).n_categories == len(set(expected))


@pytest.mark.parametrize("levels", LEVELS, ids=str)
def test_cells_are_numbered_by_level_then_precedence_and_none_is_empty(levels):
    question = LevelAndPrecedence(3, 1, levels)
    said = [
        (levels[order.index(3)], order.index(1) < order.index(3)) for order in ALL.orders().tolist()
    ]
    numbers = {cell: number for number, cell in enumerate(sorted(set(said)))}
    assert question.answer(ALL.ranks).tolist() == [numbers[cell] for cell in said]
    assert question.n_categories == len(numbers)


@pytest.mark.parametrize("n_items", [3, 6, 10])
def test_a_level_for_each_rank_leaves_out_what_is_impossible(n_items):
    levels = even_levels(n_items, n_items)
    assert levels == tuple(range(n_items))
    assert LevelAndPrecedence(0, 1, levels).n_categories == 2 * n_items - 2


@pytest.mark.parametrize("n_items", [21, 64, 250])
def test_of_however_many_levels_each_has_its_cells(n_items):
    """Numbered one after the other: of the best rank nothing is before, and of the last all is."""
    question = LevelAndPrecedence(1, 0, even_levels(n_items, n_items))
    assert question.n_categories == 2 * n_items - 2
    cells = [cell for row in question.cells for cell in row if cell >= 0]
    assert cells == list(range(2 * n_items - 2))
    for rank in (0, 1, 20, n_items - 1):
        order = np.arange(2, n_items).tolist()
        order.insert(0 if rank else n_items - 2, 0)
        order.insert(rank, 1)
        ranks = Rankings.from_orders(np.array([order])).ranks
        assert question.answer(ranks).tolist() == [question.cells[rank][1 if rank else 0]]


def test_few_levels_are_all_possible():
    assert LevelAndPrecedence(0, 1, even_levels(10, 3)).n_categories == 6


@pytest.mark.parametrize("n_items", range(4, 17))
@pytest.mark.parametrize("n_levels", [2, 3, 4])
def test_levels_have_about_equally_many_ranks(n_items, n_levels):
    levels = even_levels(n_items, n_levels)
    sizes = np.bincount(levels)
    assert sorted(levels) == list(levels)
    assert sizes.max() - sizes.min() <= 1
    middles = [(rank + 0.5) * n_levels / n_items for rank in range(n_items)]
    assert levels == tuple(min(int(middle + 1e-12), n_levels - 1) for middle in middles)


@pytest.mark.parametrize(
    ("n_items", "extremes"), [(3, (0, 2)), (8, (0, 1, 6, 7)), (10, (0, 1, 2, 7, 8, 9))]
)
def test_extremes_are_the_quarters_at_both_ends(n_items, extremes):
    levels = extreme_levels(n_items)
    assert tuple(np.flatnonzero(levels)) == extremes


@pytest.mark.parametrize(
    "question", [RankLevel(2, LEVELS[1]), LevelAndPrecedence(2, 0, LEVELS[1])], ids=str
)
def test_only_rankings_of_as_many_items_can_answer(question):
    assert question.fits(N_ITEMS)
    assert not question.fits(N_ITEMS + 1)
    assert not question.fits(N_ITEMS - 1)


@pytest.mark.parametrize("question", [RankLevel(2, LEVELS[4]), LevelAndPrecedence(2, 0, LEVELS[4])])
def test_an_answer_depends_on_one_row_only(question):
    one_by_one = [question.answer(ALL.ranks[row : row + 1])[0] for row in range(0, 720, 31)]
    assert one_by_one == question.answer(ALL.ranks)[::31].tolist()


@pytest.mark.parametrize(
    "build",
    [
        lambda: RankLevel(6, LEVELS[0]),
        lambda: RankLevel(-1, LEVELS[0]),
        lambda: RankLevel(0, (0, 0, 0)),
        lambda: RankLevel(0, (0, 2, 2)),
        lambda: RankLevel(0, (-1, 0, 1)),
        lambda: RankLevel(0, ()),
        lambda: LevelAndPrecedence(1, 1, LEVELS[0]),
        lambda: LevelAndPrecedence(1, 6, LEVELS[0]),
        lambda: LevelAndPrecedence(0, 1, (1, 1, 1)),
        lambda: even_levels(4, 5),
        lambda: even_levels(4, 1),
        lambda: extreme_levels(2),
    ],
)
def test_what_is_impossible_is_refused(build):
    with pytest.raises(HushrankError):
        build()

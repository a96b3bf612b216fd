"""What stands where the question asks: equally many answers for every ranking."""

from itertools import permutations

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.questions.named_set import NamedSet
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.wire import PublishedSurvey

ALL = Rankings.from_orders(np.array(list(permutations(range(5)))))
QUESTIONS = [
    NamedSet((0, 1), 5),
    NamedSet((0, 4), 5),
    NamedSet((0, 1), 5, "after"),
    NamedSet((3, 4), 5, "before"),
    NamedSet((0, 1, 2), 5, "before"),
    NamedSet((2, 3, 4), 5, "after"),
]


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_the_row_is_all_cells_that_hold_and_of_one_length(question):
    rows = question.answer(ALL.ranks)
    assert rows.shape == (120, question.n_members)
    for ranks, row in zip(ALL.ranks.tolist(), rows.tolist(), strict=True):
        assert row == [
            cell for cell in range(question.n_categories) if holds(question, cell, ranks)
        ]


@pytest.mark.parametrize("side", [None, "before", "after"])
@pytest.mark.parametrize("n_items", [22, 64])
def test_the_row_of_however_many_items_is_all_cells_that_hold(n_items, side):
    question = NamedSet(tuple(range(0, n_items, 2))[1:], n_items, side)
    ranks = np.random.default_rng(n_items).permuted(np.tile(np.arange(n_items), (3, 1)), axis=1)
    for person, row in zip(ranks, question.answer(ranks).tolist(), strict=True):
        assert row == [
            cell for cell in range(question.n_categories) if holds(question, cell, person)
        ]


def holds(question, number, ranks):
    item, other = question.cell(number)
    if ranks[item] not in question.places:
        return False
    if question.side is None:
        return True
    assert other != item
    return (ranks[other] < ranks[item]) == (question.side == "before")


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_every_cell_holds_for_equally_many_orders(question):
    counts = np.bincount(question.answer(ALL.ranks).ravel(), minlength=question.n_categories)
    assert counts.tolist() == [120 * question.n_members // question.n_categories] * len(counts)


@pytest.mark.parametrize("question", QUESTIONS, ids=str)
def test_cells_are_numbered_once_each(question):
    cells = {question.cell(number) for number in range(question.n_categories)}
    assert len(cells) == question.n_categories


def test_an_answer_depends_on_one_row_only():
    question = NamedSet((0, 1, 2), 5, "before")
    one_by_one = [question.answer(ALL.ranks[row : row + 1])[0].tolist() for row in (0, 7, 119)]
    assert one_by_one == question.answer(ALL.ranks)[[0, 7, 119]].tolist()


def test_it_fits_rankings_of_as_many_items_only():
    question = NamedSet((0, 1), 5)
    assert [n for n in range(8) if question.fits(n)] == [5]
    assert question.items == (0, 1, 2, 3, 4)


@pytest.mark.parametrize(
    ("places", "n_items", "side"),
    [
        ((), 5, None),
        ((0,), 5, "before"),
        ((4,), 5, "after"),
        ((0, 1, 2, 3, 4), 5, None),
        ((1, 0), 5, None),
        ((0, 0), 5, None),
        ((0, 5), 5, None),
        ((-1, 0), 5, None),
        ((0, 1), 5, "beside"),
        ((0, 1), 65, None),
        ((0,), 1, None),
    ],
)
def test_impossible_sets_are_refused(places, n_items, side):
    with pytest.raises(HushrankError, match="expected"):
        NamedSet(places, n_items, side)


@pytest.mark.parametrize("side", [None, "before", "after"])
def test_who_leaves_items_out_is_not_asked_to_name_any(side):
    """Fewer would hold for them: how likely each report is would tell how much they rank."""
    asked = sampled_survey("named", (NamedSet((1,), 4, side),), 1.0)
    assert not asked.takes_incomplete
    partly = Rankings(np.array([[0, 1, 255, 255]], dtype=np.uint8), tuple("abcd"))
    device = PublishedSurvey(asked, partly.names)
    with pytest.raises(HushrankError, match="answer: expected complete"):
        device.answer(partly, [0], lot=0.0, rng=Randomness.replayed(b""), is_simulation=True)

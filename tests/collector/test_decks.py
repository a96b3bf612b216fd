import numpy as np
import pytest
from scipy.stats import chisquare

from hushrank.collector.decks import questions_at
from hushrank.errors import HushrankError

SEED = b"s" * 32
FALSE_ALARM = 1e-6


@pytest.mark.parametrize(("n_questions", "n_answers"), [(6, 1), (10, 3), (5, 5), (1, 1)])
def test_every_question_comes_equally_often_up_to_one_deck(n_questions, n_answers):
    people_of_a_deck = n_questions // n_answers
    for deck in range(5):
        dealt = []
        for place in range(people_of_a_deck):
            asked = questions_at(SEED, n_questions, n_answers, deck * people_of_a_deck + place)
            assert len(set(asked)) == len(asked) == n_answers
            dealt += asked
        assert len(set(dealt)) == len(dealt) == people_of_a_deck * n_answers
        assert set(dealt) <= set(range(n_questions))


def test_a_position_has_one_answer_and_another_seed_another_deck():
    decks = [
        [questions_at(seed * 32, 50, 1, at) for at in range(50)] for seed in (b"a", b"a", b"b")
    ]
    assert decks[0] == decks[1] != decks[2]


def test_what_a_deck_deals_stays_as_it_is():
    """Its people may come back to another release, and are asked the same."""
    assert [questions_at(SEED, 12, 3, at) for at in (0, 1, 7)] == [
        (4, 0, 11),
        (9, 2, 7),
        (11, 10, 3),
    ]


def test_each_deck_is_shuffled_anew():
    decks = {tuple(questions_at(SEED, 50, 1, 50 * n + at) for at in range(50)) for n in range(20)}
    assert len(decks) == 20


def test_no_deck_comes_again_however_many_people_are_dealt_to():
    """Else whoever was asked before knows what those are asked who join so much later."""
    positions = {*range(600), *(2**bits + n for bits in (16, 31, 32, 48, 62) for n in range(9))}
    decks = {tuple(questions_at(SEED, 20, 20, n)) for n in positions}
    assert len(decks) == len(positions) > 640


def test_each_question_is_equally_likely_at_each_position():
    """6,000 decks of 6 cards: a card 1.3 times too likely at a place is missed 2 times in 1e6."""
    places = np.array(
        [questions_at(n.to_bytes(32, "big"), 6, 1, 0)[0] for n in range(6000)]
        + [questions_at(n.to_bytes(32, "big"), 6, 1, 6 + 5)[0] for n in range(6000)]
    ).reshape(2, -1)
    for at in places:
        assert chisquare(np.bincount(at, minlength=6)).pvalue > FALSE_ALARM


def test_what_does_not_fit_is_refused():
    for wrong in ((b"short", 6, 1, 0), (SEED, 6, 7, 0), (SEED, 6, 0, 0)):
        with pytest.raises(HushrankError):
            questions_at(*wrong)

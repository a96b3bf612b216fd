from itertools import permutations
from typing import get_args

import numpy as np
import pytest

from hushrank.collector.device.words import (
    answer_in_words,
    chance_in_words,
    question_in_words,
    report_in_words,
)
from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing, SuccinctHistogram
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding, SymmetricUnaryEncoding
from hushrank.questions.hashed import Hashed
from hushrank.questions.interleaving import Interleaving
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.named_set import NamedSet
from hushrank.questions.rank_and_precedence import RankAndPrecedence
from hushrank.questions.rank_level import RankLevel, even_levels, extreme_levels
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated
from hushrank.questions.top_order import TopOrder
from hushrank.questions.whole_order import WholeOrder
from hushrank.randomness import Randomness
from hushrank.surveys.wire_questions import WireQuestion, wire_question
from hushrank.surveys.wire_reports import HashedAnswer, to_wire

NAMES = ("tea", "coffee", "water", "juice", "milk", "cola", "wine")
TEA_HIGH = RankLevel(0, even_levels(7, 3))
TEA_HIGH_AND_COFFEE = LevelAndPrecedence(0, 1, even_levels(7, 3))
QUESTIONS = [
    RelativeOrder((0, 1)),
    RelativeOrder((2, 0, 1)),
    Interleaving((0,), (1, 2, 3)),
    Interleaving((0, 1), (2, 3)),
    RankAndPrecedence(0, 1, 2, 7),
    TEA_HIGH,
    RankLevel(0, extreme_levels(7)),
    TEA_HIGH_AND_COFFEE,
    LevelAndPrecedence(0, 1, tuple(range(7))),
    Stated(RelativeOrder((0, 1)), "unknown"),
    Stated(TEA_HIGH, "last"),
    TopOrder(7, 1),
    TopOrder(7, 2),
    TopOrder(5, 5),
    Hashed(TopOrder(7, 3), 12345, 678, 8),
    WholeOrder((0, 1, 2)),
    NamedSet((0, 1, 2), 7),
    NamedSet((0, 1), 7, "after"),
    NamedSet((0, 1, 2), 7, "before"),
]


def test_every_kind_of_question_that_a_device_is_asked_has_words():
    assert {type(wire_question(one)) for one in QUESTIONS} == set(get_args(WireQuestion))


@pytest.mark.parametrize("question", QUESTIONS, ids=repr)
def test_different_answers_have_different_words(question):
    answers = range(question.n_categories)
    if isinstance(question, WholeOrder):
        answers = [*permutations(answers)]
    assert len({answer_in_words(question, each, NAMES) for each in answers}) == len(answers)


@pytest.mark.parametrize("question", QUESTIONS, ids=repr)
def test_a_question_names_what_it_asks_about(question):
    asked = question_in_words(question, NAMES)
    if len(question.items) < 5:
        assert all(NAMES[item] in asked for item in question.items)


def test_more_groups_than_there_are_orders_are_not_said_to_be_few():
    """Each order of four items is then in a group of its own: to name the group is to name it."""
    asked = question_in_words(Hashed(TopOrder(4, 4), 12345, 678, 256), NAMES)
    assert asked.endswith(": into which of 256 groups a public rule sorts that, maybe alone")


@pytest.mark.parametrize(
    ("question", "answer", "words"),
    [
        (RelativeOrder((0, 1)), 0, "tea before coffee"),
        (RelativeOrder((0, 1)), 1, "coffee before tea"),
        (RelativeOrder((2, 0, 1)), 0, "water before tea before coffee"),
        (TEA_HIGH, 0, "tea among the first 2 of 7"),
        (TEA_HIGH, 1, "tea on places 3 to 5 of 7"),
        (TEA_HIGH, 2, "tea among the last 2 of 7"),
        (RankLevel(0, extreme_levels(7)), 1, "tea among the first 2 or among the last 2 of 7"),
        (TEA_HIGH_AND_COFFEE, 0, "tea among the first 2 of 7, and coffee after it"),
        (TEA_HIGH_AND_COFFEE, 1, "tea on place 2 of 7, and coffee before it"),
        (RankAndPrecedence(0, 1, 2, 7), 3, "tea on place 2 of 7, and water before coffee"),
        (Interleaving((0,), (1, 2, 3)), 2, "tea on place 3 of tea, coffee, water and juice"),
        (TopOrder(7, 1), 3, "juice, before all others"),
        (TopOrder(7, 2), 0, "tea before coffee, before all others"),
        (Stated(RelativeOrder((0, 1)), "last"), 2, "nothing said of tea and coffee"),
        (WholeOrder((0, 1, 2)), (2, 0, 1), "coffee before water before tea"),
        (NamedSet((0, 1, 2), 7), 1, "coffee among the first 3 of 7"),
        (NamedSet((5, 6), 7), (0, 1), "tea among the last 2 of 7; coffee among the last 2 of 7"),
        (NamedSet((0, 1), 7, "after"), 0, "tea among the first 2 of 7, and coffee after it"),
    ],
)
def test_answers_are_said_in_plain_words(question, answer, words):
    assert answer_in_words(question, answer, NAMES) == words


@pytest.mark.parametrize(
    "question", [one for one in QUESTIONS if not isinstance(one, WholeOrder | NamedSet)], ids=repr
)
def test_the_words_of_an_answer_are_true(question):
    """A ranking whose answer they are has items where the words say, as far as they say it."""
    rng = np.random.default_rng(5)
    n_items = 5 if question == TopOrder(5, 5) else 7
    for _ in range(40):
        order = rng.permutation(n_items)
        ranks = order.argsort()[None, :].astype(np.uint8)
        words = answer_in_words(question, int(question.answer(ranks)[0]), NAMES)
        for first, second in permutations(range(n_items), 2):
            if f"{NAMES[first]} before {NAMES[second]}" in words:
                assert ranks[0, first] < ranks[0, second]
        if words.startswith("tea on place ") and "of 7" in words:
            assert f"tea on place {ranks[0, 0] + 1} of 7" in words or "places" in words
        if words.startswith("tea among the first 2 of"):
            assert ranks[0, 0] < 2
        if "coffee after it" in words:
            assert ranks[0, 1] > ranks[0, 0]


@pytest.mark.parametrize(
    "mechanism",
    [
        GeneralizedRandomizedResponse(6, 1.0),
        SymmetricUnaryEncoding(6, 1.0),
        OptimisedLocalHashing(6, 1.0),
        SuccinctHistogram(6, 1.0),
        Harmony(6, 1.0),
    ],
    ids=lambda mechanism: type(mechanism).__name__,
)
def test_a_report_is_said_as_the_answers_that_it_supports(mechanism):
    question, rng = RelativeOrder((0, 1, 2)), Randomness.seeded(1)
    for category in np.arange(6).repeat(4):
        reports = mechanism.randomise(np.array([category]), rng=rng)
        words = report_in_words(question, mechanism, to_wire(mechanism, reports), NAMES)
        supported = np.flatnonzero(mechanism.tally(reports).support)
        said = [answer_in_words(question, int(each), NAMES) for each in supported]
        assert all(each in words for each in said[:5])
        assert ("none of" in words) == (not said)
        assert ("one of 1 other" in words) == (len(said) == 6)


def test_of_millions_of_answers_those_that_are_named_are_looked_for_alone(monkeypatch):
    """Hundreds of reports may be said before "Send it?": nothing is tallied or listed for them."""

    def tallied(*_):
        raise AssertionError

    for kind in (OptimisedLocalHashing, SuccinctHistogram, Harmony):
        monkeypatch.setattr(kind, "tally", tallied)
    hashed, names = HashedAnswer("11400714819323198485", "2", 0), tuple("abcdefghijkl")
    for n_items, n_answers in ((10, 3_628_800), (12, 479_001_600)):
        for mechanism, report, expected in (
            (OptimisedLocalHashing(n_answers, 1.0), hashed, n_answers / 4),
            (SuccinctHistogram(n_answers, 1.0), hashed, n_answers / 2),
            (Harmony(n_answers, 1.0), 2 * 0b1010, n_answers / 2),
        ):
            words = report_in_words(TopOrder(n_items, n_items), mechanism, report, names)
            assert words.count("“") == 5
            n_others = int(words.split(" or one of ")[1].split()[0].replace(",", ""))
            assert n_others + 5 == pytest.approx(expected, rel=1e-2)


def test_a_whole_order_of_some_items_is_said_by_their_own_names():
    said = answer_in_words(WholeOrder((2, 3, 0)), [1, 0, 2], NAMES)
    assert said == "juice before water before tea"


@pytest.mark.parametrize(("category", "said"), [(0, "A A B B"), (5, "B B A A")])
def test_of_two_merged_groups_the_first_is_a(category, said):
    words = answer_in_words(Interleaving((2, 3), (0, 1)), category, NAMES)
    assert words == f"{said}, where A is water and juice and B is tea and coffee"


def test_a_report_that_fits_few_answers_fits_no_others():
    mechanism = SymmetricUnaryEncoding(2, 1.0)
    said = report_in_words(RelativeOrder((0, 1)), mechanism, "03", NAMES)
    assert said == "“tea before coffee” or “coffee before tea”"


def test_how_often_a_device_lies_is_said_in_per_cent():
    assert "a chance of 26 %" in chance_in_words(GeneralizedRandomizedResponse(2, 1.0))
    assert "a chance of 24 %" in chance_in_words(
        GeneralizedRandomizedResponse(2, 1.0986122886681098)
    )
    assert "a chance of 26 %" in chance_in_words(NamedMember(6, 1.0, 3))  # of three truths, any
    assert "a chance of 63 % and any" not in chance_in_words(SymmetricUnaryEncoding(6, 1.0))
    assert "63 %, any other one with 37 %" in chance_in_words(SymmetricUnaryEncoding(6, 1.0))
    assert "50 %, any other one with 26 %" in chance_in_words(OptimisedUnaryEncoding(6, 1.0))
    assert "an order drawn by chance" in chance_in_words(SubsetOrder(5, 2.0))

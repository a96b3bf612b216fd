"""What an organiser is told of reports that honest devices cannot have sent."""

from hushrank.collector.web.pages_organiser.poisoning_words import MOST_FINDINGS, suspicion_words
from hushrank.collector.web.pages_organiser.words import words_in
from hushrank.poisoning.findings import Finding, Suspicion

NAMES = ("tea", "milk", "cola")


def said(*rounds):
    found = [Suspicion(min(one.p_value for one in each), 9, each) for each in rounds]
    return suspicion_words(words_in("en"), NAMES, found)


def test_the_first_item_question_and_answer_go_by_their_name_and_number():
    assert said((Finding("item", None, 0, True, 1e-9),)) == [
        "More reports than can be honest put “tea” first."
    ]
    (asked,) = said((Finding("asked", None, 0, True, 1e-9),))
    assert "regard “tea”" in asked
    assert said((Finding("answer", 0, 0, False, 1e-9),)) == [
        "Fewer reports than can be honest give answer 1 to question 1."
    ]


def test_of_all_rounds_the_unlikeliest_are_told_and_no_more_than_a_few():
    first = tuple(Finding("answer", 0, n, True, 1e-9 * (n + 1)) for n in range(MOST_FINDINGS))
    second = (Finding("item", None, 2, True, 1e-12), Finding("item", None, 1, True, 0.001))
    told = said(first, second)
    assert len(told) == MOST_FINDINGS
    assert "“cola”" in told[0]
    assert ["answer 1 " in told[1], "answer 4 " in told[4]] == [True, True]

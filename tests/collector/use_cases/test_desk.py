import msgspec
import pytest

from hushrank.collector.store.store import Answer
from hushrank.collector.use_cases import desk
from hushrank.collector.use_cases.desk import Desk
from hushrank.errors import HushrankError
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.questions.relative_order import RelativeOrder
from hushrank.surveys.survey import Survey
from hushrank.surveys.wire import PublishedSurvey
from hushrank.surveys.wire_documents import SentReport
from hushrank.surveys.wire_reports import HashedAnswer

PAIRS = (RelativeOrder((0, 1)), RelativeOrder((1, 2)))


def published(mechanism=GeneralizedRandomizedResponse, name="tea"):
    survey = Survey(name, PAIRS, (mechanism(2, 1.0),) * 2, 1.0, 1, (0.0, 1.0))
    return PublishedSurvey(survey, ("tea", "coffee", "water"))


def sent(to, question=0, report=1):
    return (SentReport(2, to.fingerprint, question, report),)


def test_the_same_report_is_kept_as_the_same_answer():
    to = published()
    for _ in range(3):
        assert Desk(5, to).answers(sent(to), (0,)) == (Answer(5, 0, b"1"),)


@pytest.mark.parametrize("n_questions", [20, 21, 300])
def test_of_however_many_reports_each_is_read(n_questions):
    questions = tuple(RelativeOrder((n, n + 1)) for n in range(n_questions))
    mechanisms = (GeneralizedRandomizedResponse(2, 1.0),) * n_questions
    survey = Survey("all", questions, mechanisms, float(n_questions), n_questions, (0.0, 1.0))
    to = PublishedSurvey(survey, tuple(map(str, range(n_questions + 1))))
    asked = tuple(range(n_questions))
    reports = tuple(SentReport(2, to.fingerprint, n, n % 2) for n in asked)
    expected = tuple(Answer(3, n, b"%d" % (n % 2)) for n in asked)
    assert Desk(3, to).answers(reports, asked) == expected
    wrong = (*reports[:-1], SentReport(2, to.fingerprint, n_questions - 1, 2))
    with pytest.raises(HushrankError, match="can report"):
        Desk(3, to).answers(wrong, asked)


def test_a_report_that_was_taken_before_is_refused_from_who_was_asked_something_else():
    to = published()
    taking = Desk(0, to)
    assert taking.answers(sent(to), (0,))
    for asked in [(1,), (), (0, 1)]:
        with pytest.raises(HushrankError, match="a report to each question"):
            taking.answers(sent(to), asked)


@pytest.mark.parametrize(
    ("asked", "answered"), [((0,), (0, 0)), ((0, 1), (0, 1, 1)), ((0, 1), (1, 0))]
)
def test_nobody_answers_a_question_twice_or_in_another_order(asked, answered):
    to = published()
    reports = tuple(each for question in answered for each in sent(to, question))
    with pytest.raises(HushrankError, match="a report to each question"):
        Desk(0, to).answers(reports, asked)


@pytest.mark.parametrize("report", [2, -1, "1", "01"])
def test_a_report_that_no_device_can_have_sent_is_refused_each_time(report):
    to = published()
    taking = Desk(0, to)
    for _ in range(2):
        with pytest.raises(HushrankError, match="can report"):
            taking.answers(sent(to, report=report), (0,))


def test_a_report_to_another_survey_is_refused_though_its_value_was_taken_before():
    to, other = published(), published(name="coffee")
    taking = Desk(0, to)
    assert taking.answers(sent(to), (0,))
    with pytest.raises(HushrankError, match="another survey"):
        taking.answers(sent(other), (0,))


def test_only_so_many_reports_are_remembered_and_none_but_plain_numbers(monkeypatch):
    monkeypatch.setattr(desk, "MOST_REMEMBERED", 3)
    to = published()
    taking = Desk(0, to)
    for question in (0, 1):
        for report in (0, 1):
            taking.answers(sent(to, question, report), (question,))
    assert taking._remembered.cache_info().currsize == 3
    hashed = published(OptimisedLocalHashing)
    taking = Desk(0, hashed)
    value = HashedAnswer("3", "4", 0)
    assert taking.answers(sent(hashed, 0, value), (0,)) == (
        Answer(0, 0, msgspec.json.encode(value)),
    )
    assert taking._remembered.cache_info().currsize == 0

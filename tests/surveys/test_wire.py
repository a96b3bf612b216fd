import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.errors import HushrankError
from hushrank.questions.interleaving import Interleaving
from hushrank.questions.rank_and_precedence import RankAndPrecedence
from hushrank.questions.relative_order import RelativeOrder
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.survey import sampled_survey
from hushrank.surveys.wire import PublishedSurvey, read_survey
from hushrank.surveys.wire_documents import json_schemas
from hushrank.surveys.wire_reports import MECHANISMS

NAMES = ("apple", "beech", "cedar", "dogwood")
QUESTIONS = [
    RelativeOrder((2, 0, 1)),
    Interleaving((0, 3), (1, 2)),
    RankAndPrecedence(0, 1, 2, 4),
]
PERSON = Rankings.from_orders(np.array([[2, 0, 3, 1]]), NAMES)


def published(kind: str, epsilon: float = 1.0) -> PublishedSurvey:
    make = MECHANISMS[kind]
    survey = sampled_survey("trees", QUESTIONS, epsilon, make_mechanism=make, lots=(0.25, 0.75))
    return PublishedSurvey(survey, NAMES)


GRR = published("generalized-randomized-response")


@pytest.mark.parametrize("kind", MECHANISMS)
def test_a_survey_survives_the_wire(kind):
    assert read_survey(published(kind).document) == published(kind)


@pytest.mark.parametrize("kind", MECHANISMS)
def test_reports_over_the_wire_are_the_reports_of_the_engine(kind):
    """The same random bytes give the same tally, by JSON documents or by arrays."""
    survey = published(kind)
    for number, question in enumerate(QUESTIONS):
        mechanism = survey.survey.mechanisms[number]
        document = survey.answer(PERSON, number, rng=Randomness.seeded(number))
        reports = mechanism.randomise(question.answer(PERSON.ranks), rng=Randomness.seeded(number))
        sent, direct = survey.tally([document])[number], mechanism.tally(reports)
        assert sent.support.tolist() == direct.support.tolist()
        assert sent.n_reports == 1


@pytest.mark.parametrize("kind", MECHANISMS)
def test_reports_of_another_mechanism_are_refused_without_their_content(kind):
    survey = published(kind)
    own = json.loads(survey.answer(PERSON, 0, rng=Randomness.seeded(1)))["report"]
    hashed = {"multiplier": str(2**64), "offset": "1", "bucket": 0}
    for wrong in [987654, "zz", "0", "abcdef", hashed, None, -1, 1.5, [], True]:
        if type(wrong) is type(own) and wrong == own:
            continue
        document = {"version": 1, "survey": survey.fingerprint, "question": 0, "report": wrong}
        with pytest.raises(HushrankError) as refused:
            survey.tally([json.dumps(document).encode()])
        assert "987654" not in str(refused.value)
        assert "abcdef" not in str(refused.value)


@pytest.mark.parametrize(
    "changed",
    [
        {"version": 2},
        {"survey": "0" * 64},
        {"survey": "short"},
        {"question": 3},
        {"question": -1},
        {"report": 6},
        {"extra": 1},
    ],
)
def test_a_report_that_does_not_fit_is_refused(changed):
    document = json.loads(GRR.answer(PERSON, 0, rng=Randomness.seeded(1)))
    with pytest.raises(HushrankError):
        GRR.tally([json.dumps({**document, **changed}).encode()])


@given(st.binary(max_size=200))
def test_random_bytes_are_no_report_and_no_survey(document):
    with pytest.raises(HushrankError):
        GRR.tally([document])
    with pytest.raises(HushrankError):
        read_survey(document)


def changed_survey(path: list, value: object) -> bytes:
    document = json.loads(GRR.document)
    inner = document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return json.dumps(document, separators=(",", ":")).encode()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["version"], 2),
        (["epsilon"], 0.9),
        (["epsilon"], -1.0),
        (["mechanisms", 0, "hit_words"], "1"),
        (["mechanisms", 0, "false_hit_words"], "0"),
        (["mechanisms", 0, "epsilon"], 3.0),
        (["mechanisms", 0, "kind"], "plain"),
        (["mechanisms", 0, "n_categories"], 7),
        (["questions", 0, "mechanism"], 1),
        (["questions", 0, "mechanism"], 9),
        (["questions", 0, "question", "items"], [0, 0]),
        (["questions", 0, "question", "items"], [0, 1, 9]),
        (["questions", 0, "question", "kind"], "confession"),
        (["lots"], [0.9, 0.1]),
        (["answers_per_person"], 2),
        (["items"], ["a", "b"]),
    ],
)
def test_a_device_refuses_a_survey_that_lies_about_its_price_or_form(path, value):
    with pytest.raises(HushrankError):
        read_survey(changed_survey(path, value))


@pytest.mark.parametrize(
    "person",
    [
        Rankings.from_orders(np.array([[2, 0, 3, 1], [0, 1, 2, 3]]), NAMES),
        Rankings.from_orders(np.array([[2, 0, 3, 1]]), ("a", "b", "c", "d")),
        Rankings.from_keys([[1, 1, 2, 3]], NAMES),
        Rankings.from_keys([[1, np.nan, 2, 3]], NAMES),
    ],
    ids=["two people", "other items", "tied", "unranked"],
)
def test_what_is_not_one_full_ranking_is_refused_before_anything_is_drawn(person):
    with pytest.raises(HushrankError):
        GRR.answer(person, 0, rng=Randomness.replayed(b""))


def test_the_documented_schemas_are_the_code_s():
    folder = Path(__file__).parents[2] / "docs" / "schemas"
    for name, schema in json_schemas().items():
        assert json.loads((folder / f"{name}.json").read_text()) == schema

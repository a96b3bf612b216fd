import gc
import json
import tracemalloc
from itertools import combinations, permutations
from math import exp, factorial
from pathlib import Path
from typing import get_args

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.pretty import pretty_repr

from hushrank.collector.announcement import read_announcement
from hushrank.errors import HushrankError
from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.hash_family import HASHED_REPORT
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing, SuccinctHistogram
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding, SymmetricUnaryEncoding
from hushrank.models.mallows import Mallows
from hushrank.protocols.distributions.max_entropy import max_entropy
from hushrank.protocols.distributions.question_kinds import NAMED, QuestionKind
from hushrank.protocols.distributions.question_mix import MixPart
from hushrank.questions.interleaving import Interleaving
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.rank_and_precedence import RankAndPrecedence
from hushrank.questions.rank_level import RankLevel, even_levels
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.assignment import assign_questions
from hushrank.surveys.handout import read_handout
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.survey import Survey
from hushrank.surveys.wire import PublishedSurvey, read_survey
from hushrank.surveys.wire_documents import (
    SentReport,
    WireMechanism,
    json_schemas,
    wire_mechanism,
)
from hushrank.surveys.wire_reports import (
    MECHANISMS,
    MOST_CATEGORIES,
    HashedAnswer,
    from_wire,
    longest_on_wire,
    require_possible,
    to_wire,
)

NAMES = ("apple", "beech", "cedar", "dogwood")
QUESTIONS = [
    RelativeOrder((2, 0, 1)),
    Interleaving((0, 3), (1, 2)),
    RankAndPrecedence(0, 1, 2, 4),
    RankLevel(3, (0, 1, 1, 2)),
    LevelAndPrecedence(1, 2, (0, 1, 2, 3)),
]
KINDS = [
    ("pairs", None),
    ("extremes", None),
    ("levels", 3),
    ("levels-and-pairs", 2),
    ("ranks-and-pairs", None),
    ("first", 2),
    ("first-and-later", 1),
    ("two-of-first", 3),
]
OF_CATEGORIES = [kind for kind in MECHANISMS if kind not in ("subset-order", "named-member")]
PERSON = Rankings.from_orders(np.array([[2, 0, 3, 1]]), NAMES)
BITS = SymmetricUnaryEncoding(4, 1.0)


def published(kind: str, epsilon: float = 1.0) -> PublishedSurvey:
    make = MECHANISMS[kind]
    survey = sampled_survey("trees", QUESTIONS, epsilon, make_mechanism=make, lots=(0.25, 0.75))
    return PublishedSurvey(survey, NAMES)


GRR = published("generalized-randomized-response")


@pytest.mark.parametrize("kind", OF_CATEGORIES)
def test_a_survey_survives_the_wire(kind):
    assert read_survey(published(kind).document, most_epsilon=1.0) == published(kind)


@pytest.mark.parametrize("third", [1 / 3, 0.1 + 0.2, 1e-9 / 3])
def test_price_and_lots_travel_to_their_last_digits(third):
    asked = sampled_survey("pair", QUESTIONS[:1], third, lots=(third, 2 * third))
    survey = PublishedSurvey(asked, NAMES)
    for read in (
        read_survey(survey.document, most_epsilon=1.0).survey,
        read_handout(survey.handout([0]), most_epsilon=1.0).head,
    ):
        assert (read.epsilon, read.lots) == (third, (third, 2 * third))


def test_an_epsilon_of_a_whole_number_travels_as_the_number_that_it_is():
    """A survey for 2 and one for 2.0 may come from one cache: devices read both."""
    question = RelativeOrder((0, 1))
    documents = []
    for epsilon in (2, 2.0):
        mechanism = GeneralizedRandomizedResponse(2, epsilon)
        survey = Survey("pairs", (question,), (mechanism,), epsilon)
        documents.append(PublishedSurvey(survey, ("tea", "coffee")).document)
    assert documents[0] == documents[1]
    assert read_survey(documents[0], most_epsilon=2).survey.epsilon == 2


@pytest.mark.parametrize("kind", OF_CATEGORIES)
def test_reports_over_the_wire_are_the_reports_of_the_engine(kind):
    """The same random bytes give the same tally, by JSON documents or by arrays."""
    survey = published(kind)
    for number, question in enumerate(QUESTIONS):
        mechanism = survey.survey.mechanisms[number]
        (document,) = survey.answer(
            PERSON, [number], lot=0.5, is_simulation=True, rng=Randomness.seeded(number)
        )
        reports = mechanism.randomise(question.answer(PERSON.ranks), rng=Randomness.seeded(number))
        received = survey.tally([document])
        sent, direct = received.tallies[number], mechanism.tally(reports)
        assert received.n_refused == 0
        assert sent.support.tolist() == direct.support.tolist()
        assert sent.n_reports == 1


@pytest.mark.parametrize("kind", OF_CATEGORIES)
def test_reports_of_another_form_are_refused_and_the_others_counted(kind):
    survey = published(kind)
    (document,) = survey.answer(PERSON, [0], lot=0.5, is_simulation=True, rng=Randomness.seeded(1))
    own = json.loads(document)["report"]
    word = {"multiplier": "1", "offset": "1", "bucket": 0}
    impossible = [
        *(987654, "zz", "0", "abcdef", None, -1, 1.5, [], True, 2**40),
        *(word | {"bucket": 10**9}, word | {"offset": str(2**64)}, word | {"offset": "1\n"}),
    ]
    documents = [changed_report(document, {"report": wrong}) for wrong in impossible]
    received = survey.tally([document, *documents, document])
    assert received.n_refused == len(impossible)
    assert received.tallies[0].n_reports == 2
    assert changed_report(document, {"report": own}) == document


def changed_report(document: bytes, changes: dict) -> bytes:
    return json.dumps({**json.loads(document), **changes}, separators=(",", ":")).encode()


@pytest.mark.parametrize(
    "changes",
    [
        {"version": 1},
        {"survey": "0" * 64},
        {"survey": "short"},
        {"question": len(QUESTIONS)},
        {"question": -1},
        {"report": 6},
        {"extra": 1},
    ],
)
def test_a_report_that_does_not_fit_is_refused(changes):
    (document,) = GRR.answer(PERSON, [0], lot=0.5, is_simulation=True, rng=Randomness.seeded(1))
    assert GRR.tally([changed_report(document, changes)]).n_refused == 1


def test_a_refused_report_is_not_shown():
    for mechanism, value in ((GeneralizedRandomizedResponse(3, 1.0), 987654), (BITS, "98765f")):
        with pytest.raises(HushrankError) as refused:
            require_possible(mechanism, value)
        assert str(value) not in str(refused.value)


def test_bits_beyond_the_categories_are_refused():
    require_possible(BITS, "0f")
    with pytest.raises(HushrankError, match="can report"):
        require_possible(BITS, "1f")


def test_a_survey_by_budgets_is_not_published():
    """Whoever answers it would tell of their budget."""
    mechanism = GeneralizedRandomizedResponse(2, 1.0)
    survey = Survey("b", (RelativeOrder((0, 1)),), (mechanism,), 1.0, budgets=(1.0, 2.0))
    with pytest.raises(HushrankError, match="any budget"):
        PublishedSurvey(survey, ("a", "b"))


def test_neither_report_nor_person_shows_in_a_repr():
    sent = SentReport(2, GRR.fingerprint, 0, HashedAnswer("123", "456", 7))
    assert repr(sent) == pretty_repr(sent) == "SentReport()"
    assert repr(sent.report) == pretty_repr(sent.report) == "HashedAnswer()"
    assert repr(Mallows((3, 1, 2, 0), 0.5)) == "Mallows(4 items, dispersion 0.5)"


@given(st.binary(max_size=200))
def test_random_bytes_are_no_report_and_no_survey(document):
    assert GRR.tally([document]).n_refused == 1
    with pytest.raises(HushrankError):
        read_survey(document, most_epsilon=1.0)


@pytest.mark.parametrize(
    "document", [b"[" * 10**5, b'{"other":' * 10**5, b'{"report":' + b"[" * 10**5]
)
def test_what_nests_too_deep_is_no_report_and_nothing_for_a_device(document):
    """A decoder gives up on it in another way: neither a count nor a device may end with it."""
    assert GRR.tally([document]).n_refused == 1
    for read in (read_survey, read_handout):
        with pytest.raises(HushrankError):
            read(document[: 2**18], most_epsilon=1.0)
    with pytest.raises(HushrankError):
        read_announcement(document)


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
        (["head", "version"], 1),
        (["head", "epsilon"], 0.9),
        (["head", "epsilon"], -1.0),
        (["head", "mechanisms", 0, "hit_words"], "1"),
        (["head", "mechanisms", 0, "false_hit_words"], "0"),
        (["head", "mechanisms", 0, "epsilon"], 3.0),
        (["head", "mechanisms", 0, "kind"], "plain"),
        (["head", "mechanisms", 0, "n_categories"], 7),
        (["questions", 0, "mechanism"], 1),
        (["questions", 0, "mechanism"], 9),
        (["questions", 3, "question", "levels"], [0, 1, 2]),
        (["questions", 3, "question", "levels"], [0, 1, 1, 2, 2]),
        (["questions", 3, "question", "levels"], [0, 2, 2, 3]),
        (["questions", 3, "question", "levels"], [0, 0, 0, 0]),
        (["questions", 3, "question", "levels"], [0, 1, 1, 1]),
        (["questions", 3, "question", "levels"], []),
        (["questions", 3, "question", "item"], 4),
        (["questions", 4, "question", "other"], 1),
        (["questions", 4, "question", "other"], 4),
        (["questions", 4, "question", "levels"], [0, 1, 1, 2]),
        (["questions", 0, "question", "items"], [0, 0]),
        (["questions", 0, "question", "items"], [0, 1, 9]),
        (["questions", 0, "question", "kind"], "confession"),
        (["head", "lots"], [0.9, 0.1]),
        (["head", "answers_per_person"], 2),
        (["head", "items"], ["a", "b"]),
        (["head", "items"], ["apple", "apple", "cedar", "dogwood"]),
        (["head", "items"], ["apple", "be\x1bech", "cedar", "dogwood"]),
        (["head", "items"], [*NAMES, "elm"]),
        (["questions", 2, "question", "n_items"], 3),
        (["head", "takes_incomplete"], True),
        (["head", "n_questions"], 4),
        (["head", "questions_root"], "0" * 64),
    ],
)
def test_a_device_refuses_a_survey_that_lies_about_its_price_or_form(path, value):
    with pytest.raises(HushrankError):
        read_survey(changed_survey(path, value), most_epsilon=5.0)


def test_a_device_refuses_a_survey_that_asks_for_more_than_it_would_spend():
    with pytest.raises(HushrankError, match=r"1 nats, expected at most 0\.9"):
        read_survey(GRR.document, most_epsilon=0.9)


@pytest.mark.parametrize("most", [0.0, np.nextafter(1.0, 0)])
def test_so_it_does_however_little_it_would_spend_or_however_little_more_is_asked(most):
    for read, document in ((read_survey, GRR.document), (read_handout, GRR.handout([0]))):
        with pytest.raises(HushrankError, match="nats, expected at most"):
            read(document, most_epsilon=most)


def test_a_mechanism_that_no_device_knows_is_not_published():
    class Own(GeneralizedRandomizedResponse):
        """Says that it is one of the known ones."""

    survey = sampled_survey("trees", QUESTIONS, 1.0, make_mechanism=Own)
    with pytest.raises(HushrankError, match="expected mechanisms that can be sent"):
        PublishedSurvey(survey, NAMES)
    with pytest.raises(HushrankError, match="Own has no wire form"):
        wire_mechanism(survey.mechanisms[0])


@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_mechanism_of_several_that_no_device_knows_is_not_published(place):
    class Own(GeneralizedRandomizedResponse):
        """Says that it is one of the known ones."""

    kinds = [Own if nth == place else GeneralizedRandomizedResponse for nth in range(3)]
    each = tuple(kind(2, epsilon) for kind, epsilon in zip(kinds, (0.5, 0.75, 1.0), strict=True))
    pairs = RelativeOrder((0, 1)), RelativeOrder((0, 2)), RelativeOrder((1, 2))
    with pytest.raises(HushrankError, match="expected mechanisms that can be sent"):
        PublishedSurvey(Survey("trees", pairs, each, 1.0), NAMES)


def test_a_person_who_is_asked_several_questions_answers_all_of_them():
    hides = GeneralizedRandomizedResponse(2, 0.5)
    pairs = RelativeOrder((0, 1)), RelativeOrder((0, 2)), RelativeOrder((1, 2))
    part = PublishedSurvey(Survey("trees", pairs, (hides,) * 3, 1.0, 2), NAMES)
    documents = part.answer(PERSON, [2, 0], lot=0.5, rng=Randomness.secure())
    assert [tally.n_reports for tally in part.tally(documents).tallies] == [1, 0, 1]


@pytest.mark.parametrize("kind", OF_CATEGORIES)
def test_a_document_has_no_word_of_what_does_not_hold(kind):
    """Fingerprints are of its bytes: null is another document."""
    assert b"null" not in published(kind).document


def test_what_was_published_keeps_no_second_form_of_its_questions():
    """It would be four times the questions themselves: 200 MB of all pairs of a thousand items."""
    pairs = tuple(map(RelativeOrder, combinations(range(100), 2)))
    hides = GeneralizedRandomizedResponse(2, 1.0)
    survey = Survey("pairs", pairs, (hides,) * len(pairs), 1.0)
    held = PublishedSurvey(survey, tuple(map(str, range(100))))
    tracemalloc.start()
    assert len(held.fingerprint) == 64
    held.handout([7])
    gc.collect()
    n_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert n_bytes / len(pairs) < 40


def test_a_survey_has_one_form_only():
    spaced = json.dumps(json.loads(GRR.document)).encode()
    document = json.loads(GRR.document)
    document["head"]["mechanisms"].append({**document["head"]["mechanisms"][0]})
    for other in (spaced, json.dumps(document, separators=(",", ":")).encode()):
        with pytest.raises(HushrankError):
            read_survey(other, most_epsilon=1.0)


@pytest.mark.parametrize(
    ("kind", "n_items"), [("symmetric-unary-encoding", 12), ("generalized-randomized-response", 14)]
)
def test_a_device_refuses_more_categories_than_it_can_hold(kind, n_items):
    many = WireMechanism(kind, factorial(n_items), 1.0, "1", "1")
    with pytest.raises(HushrankError, match="at most"):
        many.mechanism()


OF_EACH_KIND = (
    GeneralizedRandomizedResponse(6, 1.0),
    SymmetricUnaryEncoding(6, 1.0),
    OptimisedUnaryEncoding(6, 1.0),
    OptimisedLocalHashing(6, 1.0),
    SuccinctHistogram(6, 1.0),
    Harmony(6, 1.0),
    NamedMember(6, 1.0, 2),
    SubsetOrder(6, 1.0),
)


@pytest.mark.parametrize("mechanism", OF_EACH_KIND, ids=lambda each: type(each).__name__)
def test_a_mechanism_that_states_other_thresholds_is_refused(mechanism):
    """By one word of 2^64: less would be hidden than is said, or differently in two programs."""
    stated = wire_mechanism(mechanism)
    assert stated.mechanism() == mechanism
    words = {name: getattr(stated, name) for name in ("hit_words", "false_hit_words", "far_words")}
    others = {name: str(int(each) + 1) for name, each in words.items() if each is not None}
    assert others
    for name, other in others.items():
        with pytest.raises(HushrankError, match="thresholds"):
            msgspec.structs.replace(stated, **{name: other}).mechanism()


def test_each_kind_of_mechanism_is_tried_with_other_thresholds():
    assert set(map(type, OF_EACH_KIND)) == set(MECHANISMS.values())


@pytest.mark.parametrize("mechanism", OF_EACH_KIND, ids=lambda each: type(each).__name__)
def test_no_mechanism_has_more_categories_than_devices_hold(mechanism):
    stated = wire_mechanism(mechanism)
    many = msgspec.structs.replace(stated, n_categories=MOST_CATEGORIES[stated.kind] + 1)
    with pytest.raises(HushrankError, match="expected at most"):
        many.mechanism()
    unknown = msgspec.structs.replace(stated, kind="another")
    with pytest.raises(HushrankError, match="unknown mechanism another"):
        unknown.mechanism()


def test_a_device_does_not_draw_from_a_seed():
    with pytest.raises(HushrankError, match="operating system"):
        GRR.answer(PERSON, [0], lot=0.5, rng=Randomness.seeded(1))
    (document,) = GRR.answer(PERSON, [0], lot=0.5, rng=Randomness.secure())
    assert GRR.tally([document]).n_refused == 0


def test_assigned_questions_can_be_answered_and_tallied_as_they_are():
    assigned = assign_questions(GRR.survey, 20, rng=Randomness.seeded(2))
    documents = [
        document
        for questions in assigned
        for document in GRR.answer(
            PERSON, questions, lot=0.3, is_simulation=True, rng=Randomness.seeded(3)
        )
    ]
    received = GRR.tally(documents)
    assert received.n_refused == 0
    assert sum(tally.n_reports for tally in received.tallies) == 20


def question_of(data) -> object:
    items = data.draw(st.permutations(range(data.draw(st.integers(3, 6)))))
    kind = data.draw(st.sampled_from(["order", "merge", "rank", "level", "cell"]))
    if kind == "order":
        return RelativeOrder(tuple(items[: data.draw(st.integers(2, len(items)))]))
    if kind == "merge":
        cut = data.draw(st.integers(1, len(items) - 1))
        return Interleaving(tuple(items[:cut]), tuple(items[cut:]))
    if kind in ("level", "cell"):
        n_items = data.draw(st.integers(3, 6))
        levels = even_levels(n_items, data.draw(st.integers(2, n_items)))
        if kind == "level":
            return RankLevel(items[0], levels)
        return LevelAndPrecedence(*items[:2], levels)
    return RankAndPrecedence(*items[:3], n_items=data.draw(st.integers(3, 7)))


@given(st.data())
def test_every_ranking_can_answer_every_survey_that_a_device_accepts(data):
    """Who stays silent would tell as much as who answers."""
    names = NAMES[: data.draw(st.integers(3, 4))]
    try:
        survey = sampled_survey("any", [question_of(data)], 1.0)
        accepted = PublishedSurvey(survey, names)
    except HushrankError:
        return
    for order in permutations(range(len(names))):
        person = Rankings.from_orders(np.array([order]), names)
        assert (
            len(accepted.answer(person, [0], lot=0.0, is_simulation=True, rng=Randomness.seeded(1)))
            == 1
        )


def ballots(names: tuple[str, ...]) -> list[Rankings]:
    """Everybody who ranks some of the items, or none."""
    orders = (order for n in range(len(names) + 1) for order in permutations(range(len(names)), n))
    keys = [
        [order.index(i) if i in order else np.nan for i in range(len(names))] for order in orders
    ]
    return [Rankings.from_keys([row], names) for row in keys]


@given(st.data())
def test_every_incomplete_ranking_can_answer_where_all_questions_have_a_cell_for_it(data):
    names = NAMES[: data.draw(st.integers(3, 4))]
    try:
        unranked = data.draw(st.sampled_from(["last", "unknown"]))
        asked = [Stated(question_of(data), unranked) for _ in range(data.draw(st.integers(1, 2)))]
        accepted = PublishedSurvey(sampled_survey("any", asked, 1.0), names)
    except HushrankError:
        return
    assert read_survey(accepted.document, most_epsilon=1.0) == accepted
    for person in ballots(names):
        for number in range(len(asked)):
            (report,) = accepted.answer(person, [number], lot=0.0, rng=Randomness.secure())
            assert accepted.tally([report]).n_refused == 0


STATED = PublishedSurvey(
    sampled_survey("stated", [Stated(question, "last") for question in QUESTIONS[3:5]], 1.0), NAMES
)


def test_one_question_without_such_a_cell_needs_a_complete_ranking():
    """Whichever question is assigned: who stays silent then says nothing of the question."""
    mixed = PublishedSurvey(
        sampled_survey("mixed", [*STATED.survey.questions, QUESTIONS[0]], 1.0), NAMES
    )
    for number in range(3):
        for person in ballots(NAMES)[:-24:9]:
            with pytest.raises(HushrankError, match="complete"):
                mixed.answer(person, [number], lot=0.5, rng=Randomness.secure())
        mixed.answer(PERSON, [number], lot=0.5, rng=Randomness.secure())


def test_ties_are_refused_where_items_may_be_left_out():
    tied = Rankings.from_keys([[1, 1, np.nan, 2]], NAMES)
    with pytest.raises(HushrankError, match="tied"):
        STATED.answer(tied, [0], lot=0.5, is_simulation=True, rng=Randomness.replayed(b""))


@pytest.mark.parametrize(
    "question",
    [
        {"unranked": "refused"},
        {"question": {"kind": "interleaving", "left": [0], "right": [1]}},
        {"question": {"kind": "relative-order", "items": [0, 1, 2]}},
        {"question": {"kind": "rank-level", "item": 3, "levels": [0, 1, 2]}},
        {"unranked": "unknown"},
        {"extra": 1},
    ],
)
def test_a_device_refuses_a_question_that_it_could_not_leave_open(question):
    document = json.loads(STATED.document)
    document["questions"][0]["question"].update(question)
    with pytest.raises(HushrankError):
        read_survey(json.dumps(document, separators=(",", ":")).encode(), most_epsilon=1.0)


OTHER_PEOPLE = {
    "two people": Rankings.from_orders(np.array([[2, 0, 3, 1], [0, 1, 2, 3]]), NAMES),
    "other items": Rankings.from_orders(np.array([[2, 0, 3, 1]]), ("a", "b", "c", "d")),
    "tied": Rankings.from_keys([[1, 1, 2, 3]], NAMES),
    "unranked": Rankings.from_keys([[1, np.nan, 2, 3]], NAMES),
}


@pytest.mark.parametrize(
    ("person", "questions", "lot"),
    [
        *((person, [0], 0.5) for person in OTHER_PEOPLE.values()),
        *((PERSON, questions, 0.5) for questions in ([], [0, 1], [0, 0], [len(QUESTIONS)], [-1])),
        *((PERSON, [0], lot) for lot in (0.2, 0.75, float("nan"))),
    ],
)
def test_what_a_device_should_not_answer_is_refused_before_anything_is_drawn(
    person, questions, lot
):
    with pytest.raises(HushrankError):
        GRR.answer(person, questions, lot=lot, is_simulation=True, rng=Randomness.replayed(b""))


@pytest.mark.parametrize(
    ("kind", "unranked"),
    [*((kind, "last") for kind in KINDS if kind[0] not in NAMED), (KINDS[0], "unknown")],
)
def test_a_survey_of_incomplete_rankings_can_be_published_and_answered(kind, unranked):
    """Sure reports: what each device sends is what the engine would count."""
    mix = (MixPart(kind[0], n_levels=kind[1]),)
    protocol = max_entropy(4, epsilon=60.0, n_people=65, mix=mix, unranked=unranked)
    held = PublishedSurvey(next(protocol)[0], NAMES)
    read = read_survey(held.document, most_epsilon=60.0)
    n_questions, documents, expected = len(held.survey.questions), [], []
    for number, person in enumerate(ballots(NAMES)):
        asked = number % n_questions
        documents += read.answer(person, [asked], lot=0.0, rng=Randomness.secure())
        expected.append((asked, int(held.survey.questions[asked].answer(person.ranks)[0])))
    received = held.tally(documents)
    assert received.n_refused == 0
    for asked, tally in enumerate(received.tallies):
        of_question = [answer for number, answer in expected if number == asked]
        counted = np.bincount(of_question, minlength=len(tally.support))
        assert tally.support.tolist() == counted.tolist()
    with pytest.raises(StopIteration) as ended:
        protocol.send((received.tallies,))
    assert sorted(ended.value.value.order) == [0, 1, 2, 3]


@pytest.mark.parametrize("mix", [MixPart(kind, n_levels=levels) for kind, levels in KINDS], ids=str)
def test_a_maximum_entropy_survey_can_be_published_and_answered(mix):
    """Whatever the kind: devices read it, every ranking answers, the protocol takes the tallies."""
    protocol = max_entropy(4, epsilon=8.0, n_people=24, mix=(mix,))
    held = PublishedSurvey(next(protocol)[0], NAMES)
    read = read_survey(held.document, most_epsilon=8.0)
    assert read == held
    documents = []
    for number, order in enumerate(permutations(range(4))):
        person = Rankings.from_orders(np.array([order]), NAMES)
        asked = [number % len(held.survey.questions)]
        documents += read.answer(person, asked, lot=0.0, rng=Randomness.secure())
    received = held.tally(documents)
    assert received.n_refused == 0
    assert sum(tally.n_reports for tally in received.tallies) == 24
    with pytest.raises(StopIteration) as ended:
        protocol.send((received.tallies,))
    assert sorted(ended.value.value.order) == [0, 1, 2, 3]


def test_every_kind_of_the_mix_is_tried():
    assert {kind for kind, _ in KINDS} == {*get_args(QuestionKind)}


def test_the_documented_schemas_are_the_code_s():
    folder = Path(__file__).parents[2] / "docs" / "schemas"
    assert list(json_schemas()) == ["survey", "handout", "report"]
    for name, schema in json_schemas().items():
        assert json.loads((folder / f"{name}.json").read_text()) == schema


@pytest.mark.parametrize("last", ["a", "", "\n"])
def test_names_that_cannot_be_told_apart_or_shown_are_not_published(last):
    with pytest.raises(HushrankError, match="item names"):
        PublishedSurvey(GRR.survey, ("a", "b", "c", last))


@pytest.mark.parametrize(
    "described",
    [
        WireMechanism("generalized-randomized-response", 6, 1.0, "2", "1", n_members=2),
        WireMechanism("optimised-local-hashing", 6, 1.0, "2", "1", n_members=2),
        WireMechanism("named-member", 6, 1.0, "2", "1"),
    ],
    ids=str,
)
def test_members_are_named_where_the_mechanism_is_of_members(described):
    with pytest.raises(HushrankError, match="expected other fields of"):
        described.mechanism()


@pytest.mark.parametrize(("n_categories", "n_members"), [(9, 4), (9, 5), (10, 5), (10, 6), (10, 9)])
def test_a_device_names_a_member_of_half_of_all_at_most(n_categories, n_members):
    """People are told before that it lies as often as about a question with two answers."""
    mechanism = NamedMember(n_categories, 1.0, n_members)
    lies = (n_categories - n_members) * mechanism.rates.false_hit_words / 2**64
    if lies * (exp(1) + 1) > 1 - 1e-12:
        assert wire_mechanism(mechanism).mechanism() == mechanism
    else:
        with pytest.raises(HushrankError, match="lies too seldom"):
            wire_mechanism(mechanism)


@pytest.mark.parametrize("n_categories", [5, 8, 9, 20])
def test_bits_of_any_width_come_back_as_they_were_sent(n_categories):
    mechanism = SymmetricUnaryEncoding(n_categories, 1.0)
    each = [mechanism.randomise(np.array([n]), rng=Randomness.seeded(n)) for n in range(3)]
    read = from_wire(mechanism, [to_wire(mechanism, report) for report in each])
    assert (read == np.concatenate(each)).all()


@pytest.mark.parametrize("n_mechanisms", [20, 21, 91])
@pytest.mark.parametrize("wrong", [0, -1])
def test_of_however_many_mechanisms_each_is_read_and_its_thresholds_computed(n_mechanisms, wrong):
    pairs = [RelativeOrder(pair) for pair in combinations(range(14), 2)][:n_mechanisms]
    each = tuple(GeneralizedRandomizedResponse(2, 1 + n / 128) for n in range(n_mechanisms))
    survey = Survey("pairs", tuple(pairs), each, max(one.epsilon for one in each))
    document = PublishedSurvey(survey, tuple("abcdefghijklmn")).document
    assert read_survey(document, most_epsilon=8.0).survey == survey
    stated = b'"hit_words":"%d"' % each[wrong].rates.hit_words
    assert document.count(stated) == 1
    other = document.replace(stated, b'"hit_words":"%d"' % (each[wrong].rates.hit_words - 1))
    with pytest.raises(HushrankError, match="thresholds"):
        read_survey(other, most_epsilon=8.0)


WIDEST = {
    GeneralizedRandomizedResponse(1001, 0.01): 4,
    SymmetricUnaryEncoding(1001, 1.0): 2 + 2 * 126,
    OptimisedLocalHashing(1001, 6.0): len('{"multiplier":"","offset":"","bucket":402}') + 40,
    Harmony(601, 0.01): 4,
    SubsetOrder(101, 2.0): 2 + 10 + 2 * 90 + 3 + 100,
}


@pytest.mark.parametrize("mechanism", WIDEST, ids=lambda each: type(each).__name__)
def test_no_report_is_longer_on_the_wire_than_the_longest(mechanism):
    longest, n_people = longest_on_wire(mechanism), 2000
    assert longest == WIDEST[mechanism]
    is_order = isinstance(mechanism, SubsetOrder)
    hidden = np.tile(np.arange(101), (20, 1)) if is_order else np.arange(n_people) % 600
    reports = mechanism.randomise(hidden, rng=Randomness.seeded(1))
    sent = [to_wire(mechanism, reports[n : n + 1]) for n in range(len(reports))]
    lengths = [len(msgspec.json.encode(each)) for each in sent]
    assert longest - 4 <= max(lengths) <= longest


def test_the_first_bit_of_no_category_is_refused_before_it_ends_a_whole_tally():
    mechanism = SymmetricUnaryEncoding(4, 1.0)
    require_possible(mechanism, "0f")
    with pytest.raises(HushrankError, match="can report"):
        require_possible(mechanism, "10")


@pytest.mark.parametrize("word", [2**53 + 1, 2**63 + 1, 2**64 - 1])
@pytest.mark.parametrize("make", [OptimisedLocalHashing, SuccinctHistogram])
def test_words_of_a_hashed_report_travel_to_their_last_bit(make, word):
    mechanism = make(4, 1.0)
    report = np.array([(word, word - 2, 1)], dtype=HASHED_REPORT)
    assert from_wire(mechanism, [to_wire(mechanism, report)]).tolist() == report.tolist()

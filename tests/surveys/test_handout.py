import json
from dataclasses import replace
from hashlib import sha256
from itertools import combinations, islice, permutations
from math import factorial, nextafter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hushrank.errors import HushrankError
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding
from hushrank.protocols.registry import make_protocol
from hushrank.questions.named_set import NamedSet
from hushrank.questions.rank_level import RankLevel
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated
from hushrank.questions.whole_order import WholeOrder
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.handout import MOST_BITS, MOST_MECHANISMS, read_handout
from hushrank.surveys.merkle import MerkleTree
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.survey import Survey
from hushrank.surveys.wire import PublishedSurvey, read_survey
from hushrank.surveys.wire_documents import WireMechanism

NAMES = ("apple", "beech", "cedar", "dogwood")
QUESTIONS = [
    *(RelativeOrder((a, b)) for a in range(4) for b in range(a)),
    *(RankLevel(item, (0, 1, 1, 2)) for item in range(4)),
]
HELD = PublishedSurvey(sampled_survey("trees", QUESTIONS, 1.0, lots=(0.25, 0.75)), NAMES)
WHOLE = PublishedSurvey(
    Survey("whole order", (WholeOrder((0, 1, 2, 3)),), (SubsetOrder(4, 2.0),), 2.0), NAMES
)
PERSON = Rankings.from_orders(np.array([[2, 0, 3, 1]]), NAMES)
STATED = PublishedSurvey(
    sampled_survey("some", [Stated(each, "last") for each in QUESTIONS], 1.0, lots=(0.25, 0.75)),
    NAMES,
)


@pytest.mark.parametrize("held", [HELD, WHOLE], ids=["categories", "whole orders"])
def test_a_device_with_its_question_alone_sends_what_the_whole_survey_sends(held):
    for number in range(len(held.survey.questions)):
        device = read_handout(held.handout([number]), most_epsilon=2.0)
        assert device.fingerprint == held.fingerprint
        asked = {"lot": 0.5, "is_simulation": True}
        sent = device.answer(PERSON, rng=Randomness.seeded(3), **asked)
        assert sent == held.answer(PERSON, [number], rng=Randomness.seeded(3), **asked)
        received = held.tally(sent)
        assert received.n_refused == 0
        assert received.tallies[number].n_reports == 1


@pytest.mark.parametrize("n_questions", [20, 21, 190])
def test_of_however_many_questions_of_a_device_each_is_answered(n_questions):
    names = tuple(map(str, range(20)))
    pairs = [RelativeOrder(pair) for pair in combinations(range(20), 2)][:n_questions]
    mechanisms = (GeneralizedRandomizedResponse(2, 40.0),) * n_questions
    survey = Survey("pairs", tuple(pairs), mechanisms, 40.0 * n_questions, n_questions)
    held = PublishedSurvey(survey, names)
    device = read_handout(held.handout(range(n_questions)), most_epsilon=1e4)
    person = Rankings.from_orders(np.arange(20)[None, ::-1], names)
    assert [*device.truths(person, lot=0.5)] == list(range(n_questions))
    sent = device.answer(person, lot=0.5, rng=Randomness.seeded(1), is_simulation=True)
    tallies = held.tally(sent).tallies
    assert [each.support.tolist() for each in tallies] == [[0, 1]] * n_questions
    with pytest.raises(HushrankError, match="exceed epsilon"):
        replace(survey, epsilon=40.0 * n_questions - 1)


@pytest.mark.parametrize("held", [HELD, WHOLE], ids=["categories", "whole orders"])
def test_a_device_draws_from_no_seed_unless_it_is_a_simulation(held):
    device = read_handout(held.handout([0]), most_epsilon=2.0)
    (truth,) = device.truths(PERSON, lot=0.5).values()
    with pytest.raises(HushrankError, match="a seed protects nobody"):
        device.answer(PERSON, lot=0.5, rng=Randomness.seeded(3))
    with pytest.raises(HushrankError, match="a seed protects nobody"):
        device.hide(0, truth, rng=Randomness.seeded(3))
    assert len(device.answer(PERSON, lot=0.5, rng=Randomness.secure())) == 1


@pytest.mark.parametrize("held", [HELD, STATED], ids=["complete", "incomplete"])
def test_a_device_answers_for_one_person_who_ranked_these_very_items_in_their_order(held):
    """Items go by number: the same names in another order would be other answers."""
    device = read_handout(held.handout([0]), most_epsilon=2.0)
    for ranks, names in ((PERSON.ranks, NAMES[::-1]), (np.tile(PERSON.ranks, (2, 1)), NAMES)):
        with pytest.raises(HushrankError, match="expected the ranking of one person"):
            device.truths(Rankings(ranks, names), lot=0.5)


@pytest.mark.parametrize("held", [HELD, STATED], ids=["complete", "incomplete"])
@pytest.mark.parametrize("lot", [0.0, 0.2499, 0.75, 0.9])
def test_a_device_answers_no_survey_that_asks_others(held, lot):
    device = read_handout(held.handout([0]), most_epsilon=2.0)
    with pytest.raises(HushrankError, match="does not ask this lot"):
        device.truths(PERSON, lot=lot)


@pytest.mark.parametrize("held", [HELD, STATED], ids=["complete", "incomplete"])
@pytest.mark.parametrize("numbers", [(), (0, 1)])
def test_a_device_answers_as_many_questions_as_the_survey_says(numbers, held):
    """However the handout came about: several answers at the price of one would cost more."""
    each = {n: read_handout(held.handout([n]), most_epsilon=2.0) for n in (0, 1)}
    asked = {n: each[n].asked[n] for n in numbers}
    with pytest.raises(HushrankError, match="expected 1 distinct questions to answer"):
        replace(each[0], asked=asked).truths(PERSON, lot=0.5)


@pytest.mark.parametrize(
    ("question", "hides"),
    [
        (WholeOrder((0, 1, 2)), GeneralizedRandomizedResponse(3, 1.0)),
        (NamedSet((0, 1, 2), 4), NamedMember(4, 1.0, 2)),
    ],
)
def test_a_device_refuses_a_mechanism_that_hides_other_answers(monkeypatch, question, hides):
    """Of an order all ranks are hidden, not one of three; of three members not two."""
    survey = Survey("apart", (question,), (hides,), 1.0)
    with monkeypatch.context() as careless:
        careless.setattr("hushrank.surveys.wire.require_kinds", lambda *given: None)
        handout = PublishedSurvey(survey, NAMES[: hides.n_categories]).handout([0])
    with pytest.raises(HushrankError, match="hides what the question asks for"):
        read_handout(handout, most_epsilon=2.0)


@pytest.mark.parametrize("nth", [0, 1, 2])
def test_no_survey_is_published_one_of_whose_mechanisms_hides_other_answers(nth):
    mechanisms = [SubsetOrder(3, 1.0)] * 3
    mechanisms[nth] = GeneralizedRandomizedResponse(3, 1.0)
    survey = Survey("apart", (WholeOrder((0, 1, 2)),) * 3, tuple(mechanisms), 1.0)
    with pytest.raises(HushrankError, match="hides what the question asks for"):
        PublishedSurvey(survey, NAMES[:3])


def test_whole_orders_are_tallied_over_the_wire_as_by_arrays():
    mechanism, orders = WHOLE.survey.mechanisms[0], list(permutations(range(4)))
    people = Rankings.from_orders(np.array(orders), NAMES)
    reports = mechanism.randomise(people.ranks, rng=Randomness.seeded(1))
    values = {0: ([tuple(row) for row in reports.tolist()], [1] * len(orders))}
    (tally,) = WHOLE.tally_values(values)
    assert tally.support.tolist() == mechanism.tally(reports).support.tolist()
    assert read_survey(WHOLE.document, most_epsilon=2.0) == WHOLE
    for impossible in ([0, 1, 2], [0, 1, 2, 2], [0, 1, 2, 4], 3, "0123", [[0], 1, 2, 3]):
        report = {"version": 2, "survey": WHOLE.fingerprint, "question": 0, "report": impossible}
        assert WHOLE.tally([json.dumps(report).encode()]).n_refused == 1


@pytest.mark.parametrize("name", ["max-entropy", "safari", "pairs", "subset-order", "olh"])
def test_what_a_person_downloads_is_small_whatever_the_protocol(name):
    n_items = 5 if name == "olh" else 16
    names = tuple(f"item number {number}" for number in range(n_items))
    rounds = make_protocol(name).begin(n_items, epsilon=1.0, n_people=1000, seed=1)
    for survey in next(rounds):
        held = PublishedSurvey(survey, names)
        handout = held.handout(range(survey.answers_per_person))
        assert len(handout) < 5000
        read_handout(handout, most_epsilon=1.0)


def changed(path: list, value: object, *, in_head: bool = False) -> bytes:
    document = json.loads(HELD.handout([4]))
    head = json.loads(document["head"])
    inner = head if in_head else document
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    if in_head:
        document["head"] = json.dumps(head, separators=(",", ":"))
    return json.dumps(document, separators=(",", ":")).encode()


ANOTHER = json.loads(HELD.handout([5]))["questions"][0]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["questions"], []),
        (["questions"], [ANOTHER, json.loads(HELD.handout([4]))["questions"][0]]),
        (["questions", 0, "number"], 5),
        (["questions", 0, "number"], len(QUESTIONS)),
        (["questions", 0, "asked"], ANOTHER["asked"]),
        (["questions", 0, "path"], ANOTHER["path"]),
        (["questions", 0, "path"], []),
        (["questions", 0, "path", 0], "0" * 64),
        (["questions", 0, "path", 0], "no digest"),
        (["head"], "{}"),
        (["head"], HELD.head.decode() + " "),
        (["extra"], 1),
    ],
)
def test_a_device_refuses_a_question_that_is_not_proven_to_be_of_the_survey(path, value):
    with pytest.raises(HushrankError):
        read_handout(changed(path, value), most_epsilon=5.0)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["version"], 1),
        (["epsilon"], 0.9),
        (["answers_per_person"], 2),
        (["takes_incomplete"], True),
        (["items"], ["a", "b"]),
        (["items"], ["apple", "apple", "cedar", "dogwood"]),
        (["items"], ["apple", "be\x1bech", "cedar", "dogwood"]),
        (["lots"], [0.9, 0.1]),
        (["mechanisms", 0, "hit_words"], "1"),
        (["mechanisms", 0, "epsilon"], 0.5),
        (["n_questions"], 4),
        (["questions_root"], "0" * 64),
    ],
)
def test_a_device_refuses_a_head_that_lies(path, value):
    with pytest.raises(HushrankError):
        read_handout(changed(path, value, in_head=True), most_epsilon=5.0)


def test_a_device_refuses_a_question_that_comes_twice():
    wire = json.loads(WHOLE.handout([0]))
    wire["questions"] *= 2
    with pytest.raises(HushrankError, match="expected distinct questions"):
        read_handout(json.dumps(wire).encode(), most_epsilon=2.0)


def test_a_device_refuses_a_question_that_is_written_in_another_way():
    """It could mark whom it is handed to, although a fingerprint stands for it."""
    wire = json.loads(WHOLE.handout([0]))
    (question,) = wire["questions"]
    root = MerkleTree([question["asked"].encode()]).root.hex()
    question["asked"] += " "
    another = MerkleTree([question["asked"].encode()]).root.hex()
    assert root in wire["head"]
    wire["head"] = wire["head"].replace(root, another)
    with pytest.raises(HushrankError, match="a question as this version writes it"):
        read_handout(json.dumps(wire).encode(), most_epsilon=2.0)


def test_what_is_asked_and_what_hides_it_must_be_of_one_kind():
    whole, place = WholeOrder((0, 1, 2, 3)), RankLevel(0, (0, 1, 2, 3))
    for question, mechanism in (
        (whole, GeneralizedRandomizedResponse(4, 1.0)),
        (place, SubsetOrder(4, 1.0)),
        (place, NamedMember(4, 1.0, 2)),
        (NamedSet((0, 1), 4), GeneralizedRandomizedResponse(4, 1.0)),
        (NamedSet((0, 1), 4), NamedMember(4, 1.0, 1)),
        (NamedSet((0, 1), 4), SubsetOrder(4, 1.0)),
    ):
        with pytest.raises(HushrankError, match="hides"):
            PublishedSurvey(Survey("mixed", (question,), (mechanism,), 1.0), NAMES)


def test_a_fingerprint_is_of_the_whole_head():
    assert HELD.fingerprint == sha256(HELD.head).hexdigest()
    assert read_handout(HELD.handout([0]), most_epsilon=1.0).fingerprint == HELD.fingerprint


def test_several_answers_cost_a_device_their_sum():
    mechanism = GeneralizedRandomizedResponse(2, 0.5)
    survey = Survey("pairs", tuple(QUESTIONS[:6]), (mechanism,) * 6, 1.0, answers_per_person=2)
    handout = PublishedSurvey(survey, NAMES).handout([0, 5])
    assert len(read_handout(handout, most_epsilon=1.0).asked) == 2
    wire = json.loads(handout)
    wire["head"] = wire["head"].replace('"epsilon":1.0', '"epsilon":0.9', 1)
    with pytest.raises(HushrankError, match="the answers exceed"):
        read_handout(json.dumps(wire).encode(), most_epsilon=1.0)


def test_a_device_adds_the_prices_of_its_answers_exactly():
    """Three floats next to 0.01 are more than the one next to 0.03, and not so as floats."""
    mechanism = GeneralizedRandomizedResponse(2, 0.01)
    survey = Survey("pairs", tuple(QUESTIONS[:6]), (mechanism,) * 6, 1.0, answers_per_person=3)
    assert sum([mechanism.epsilon] * 3) == 0.03
    wire = json.loads(PublishedSurvey(survey, NAMES).handout([0, 3, 5]))
    wire["head"] = wire["head"].replace('"epsilon":1.0', '"epsilon":0.03', 1)
    with pytest.raises(HushrankError, match="the answers exceed"):
        read_handout(json.dumps(wire).encode(), most_epsilon=1.0)


def test_a_device_adds_what_its_answers_cost_and_not_what_is_written():
    """Five tenths are a half, but the float that is written 0.1 is more than a tenth."""
    mechanism = GeneralizedRandomizedResponse(2, 0.1)
    survey = Survey("pairs", tuple(QUESTIONS[:6]), (mechanism,) * 6, 1.0, answers_per_person=5)
    wire = json.loads(PublishedSurvey(survey, NAMES).handout(range(5)))
    wire["head"] = wire["head"].replace('"epsilon":1.0', '"epsilon":0.5', 1)
    with pytest.raises(HushrankError, match="the answers exceed"):
        read_handout(json.dumps(wire).encode(), most_epsilon=1.0)


@pytest.mark.parametrize("n_answers", [8, 16, 17, 64, 190])
@pytest.mark.parametrize("dear", [0, -1])
def test_of_however_many_answers_a_device_adds_the_price_of_each(n_answers, dear):
    """To the last bit, whichever of them is the dearest."""
    mechanisms = [GeneralizedRandomizedResponse(2, 0.5)] * n_answers
    mechanisms[dear] = GeneralizedRandomizedResponse(2, 1.0)
    pairs = tuple(RelativeOrder(pair) for pair in combinations(range(20), 2))[:n_answers]
    names, price = tuple(map(str, range(20))), (n_answers + 1) / 2
    survey = Survey("pairs", pairs, tuple(mechanisms), 1000.0, answers_per_person=n_answers)
    handout = PublishedSurvey(survey, names).handout(range(n_answers)).decode()
    costing = [
        handout.replace('"epsilon\\":1000.0', f'"epsilon\\":{epsilon}', 1).encode()
        for epsilon in (price, nextafter(price, 0))
    ]
    assert len(read_handout(costing[0], most_epsilon=price).asked) == n_answers
    with pytest.raises(HushrankError, match="the answers exceed"):
        read_handout(costing[1], most_epsilon=price)


def test_a_device_makes_the_mechanisms_of_its_own_questions_alone_and_few(monkeypatch):
    """To state those of whole orders takes a fifth of a second each."""
    made, describe = [], WireMechanism.mechanism
    monkeypatch.setattr(WireMechanism, "mechanism", lambda one: made.append(one) or describe(one))
    read_handout(through_others([7, 2]), most_epsilon=1.0)
    assert len(made) == 2
    with pytest.raises(HushrankError, match="at most 8 mechanisms"):
        read_handout(through_others(range(9)), most_epsilon=1.0)
    assert len(made) == 2 + MOST_MECHANISMS


def test_a_device_works_out_no_more_whole_orders_than_two_of_the_largest(monkeypatch):
    """Eight of them, of 254 items, took three seconds before anything was said."""
    made, describe = [], WireMechanism.mechanism
    monkeypatch.setattr(WireMechanism, "mechanism", lambda one: made.append(one) or describe(one))
    assert len(read_handout(of_whole_orders(200, 200, 108), most_epsilon=1.0).asked) == 3
    made.clear()
    with pytest.raises(HushrankError, match="whole orders of at most 508 items in all"):
        read_handout(of_whole_orders(200, 200, 109), most_epsilon=1.0)
    assert len(made) == 2


def of_whole_orders(*sizes):
    """Return a handout that asks for whole orders of so many items, each hidden in its own way."""
    asked = tuple(WholeOrder(tuple(range(size))) for size in sizes)
    mechanisms = tuple(SubsetOrder(size, 0.3 - nth / 100) for nth, size in enumerate(sizes))
    survey = Survey("orders", asked, mechanisms, 1.0, len(sizes))
    names = tuple(map(str, range(max(sizes))))
    return PublishedSurvey(survey, names).handout(range(len(sizes)))


@pytest.mark.parametrize("n_items", [8, 9, 10])
def test_a_device_refuses_answers_that_take_long_to_draw(n_items):
    """A store would not take them: a few kilobytes made a device draw a hundred megabytes."""
    most = MOST_BITS // factorial(n_items)  # 104, 11 or 1
    assert len(read_handout(in_bits(n_items, most), most_epsilon=1.0).asked) == most
    with pytest.raises(HushrankError, match="reports of at most 4194304 bits"):
        read_handout(in_bits(n_items, most + 1), most_epsilon=1.0)


def in_bits(n_items, n_answers):
    """Return a handout of so many orders of items, of which each report has n_items! bits."""
    orders = islice(permutations(range(n_items)), n_answers)
    mechanisms = (OptimisedUnaryEncoding(factorial(n_items), 1 / 128),) * n_answers
    survey = Survey("bits", tuple(map(RelativeOrder, orders)), mechanisms, 1.0, n_answers)
    return PublishedSurvey(survey, tuple("abcdefghij")[:n_items]).handout(range(n_answers))


def through_others(numbers):
    """Return a handout of these of nine questions, each hidden by a mechanism of its own."""
    mechanisms = tuple(GeneralizedRandomizedResponse(2, n / 100) for n in range(1, 10))
    questions = tuple(RelativeOrder((n % 3, 3)) for n in range(9))
    survey = Survey("pairs", questions, mechanisms, 1.0, answers_per_person=len(numbers))
    return PublishedSurvey(survey, NAMES).handout(numbers)


def test_a_device_refuses_what_is_too_dear_or_too_large():
    with pytest.raises(HushrankError, match=r"1 nats, expected at most 0\.9"):
        read_handout(HELD.handout([0]), most_epsilon=0.9)
    with pytest.raises(HushrankError, match="bytes"):
        read_handout(b"[" * 2**19, most_epsilon=5.0)


@given(st.binary(max_size=200))
def test_random_bytes_are_no_handout(document):
    with pytest.raises(HushrankError):
        read_handout(document, most_epsilon=1.0)


def test_who_leaves_items_out_is_refused_for_all_questions_or_for_none():
    """Else the refusal would tell that somebody leaves items out."""
    some = Rankings.from_keys([[1.0, np.nan, np.nan, 2.0]], NAMES)
    stated = [Stated(question, "last") for question in QUESTIONS]
    for questions, is_taken in ((stated, True), ([*stated, QUESTIONS[0]], False)):
        held = PublishedSurvey(sampled_survey("trees", questions, 1.0), NAMES)
        for number in range(len(questions)):
            device = read_handout(held.handout([number]), most_epsilon=1.0)
            if is_taken:
                device.answer(some, lot=0.5, rng=Randomness.secure())
            else:
                with pytest.raises(HushrankError, match="complete"):
                    device.answer(some, lot=0.5, is_simulation=True, rng=Randomness.replayed(b""))


@pytest.mark.parametrize("numbers", [(0, 1), (1, 0), (2, 1)])
def test_each_answer_is_hidden_by_the_mechanism_of_its_own_question(numbers, monkeypatch):
    """And costs what that says."""
    questions = tuple(RelativeOrder(pair) for pair in ((0, 1), (0, 2), (1, 2)))
    hides = tuple(GeneralizedRandomizedResponse(2, epsilon) for epsilon in (0.25, 0.5, 0.75))
    asked = PublishedSurvey(Survey("pairs", questions, hides, 1.5, 2), ("a", "b", "c"))
    device = read_handout(asked.handout(numbers), most_epsilon=2.0)
    drawn = []

    def randomise(mechanism, categories, *, rng):
        drawn.append(mechanism.epsilon)
        return categories

    monkeypatch.setattr(GeneralizedRandomizedResponse, "randomise", randomise)
    person = Rankings.from_orders(np.array([[2, 0, 1]]), ("a", "b", "c"))
    device.answer(person, lot=0.5, rng=Randomness.secure())
    assert drawn == [hides[number].epsilon for number in numbers]

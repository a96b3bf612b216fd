"""Every limit is where it is said to be: what lies on it is taken, what lies beyond is refused."""

import json
from dataclasses import dataclass, replace
from hashlib import sha256
from math import inf, nextafter

import msgspec
import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.local import Tally
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing, SuccinctHistogram
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.whole_order import WholeOrder
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys import report_files
from hushrank.surveys.assignment import assign_questions
from hushrank.surveys.handout import read_handout
from hushrank.surveys.merkle import MerkleTree, root_by_path
from hushrank.surveys.report_files import n_buckets_of
from hushrank.surveys.shares import survey_shares
from hushrank.surveys.shuffled import clone_rate
from hushrank.surveys.survey import Survey, require_round
from hushrank.surveys.wire import PublishedSurvey, read_survey
from hushrank.surveys.wire_documents import SentReport, WireMechanism, wire_mechanism
from hushrank.surveys.wire_reports import HashedAnswer, require_possible

NAMES = ("tea", "coffee", "water")
PAIRS = tuple(RelativeOrder(pair) for pair in ((0, 1), (0, 2), (1, 2)))
HIDES = GeneralizedRandomizedResponse(2, 0.5)
SURVEY = Survey("pairs", PAIRS, (HIDES,) * 3, 1.5, lots=(0.25, 0.75))
HELD = PublishedSurvey(SURVEY, NAMES)
PERSON = Rankings.from_orders(np.array([[2, 0, 1]]), NAMES)
BEYOND_ALL_LOTS = [
    ({"lots": lots}, r"lots in \[0, 1\]")
    for lots in ((-5e-324, 1.0), (-0.5, 1.0), (0.0, nextafter(1, 2)), (0.5, 0.5))
]


@pytest.mark.parametrize(
    "taken",
    [
        {"lots": (0.0, 1.0)},
        {"lots": (0.0, 5e-324)},
        {"answers_per_person": 1},
        {"answers_per_person": 3},
        {"epsilon": 0.5},
        {"epsilon": 1e300},
        {"budgets": (1.5, nextafter(1.5, 2))},
    ],
)
def test_a_survey_takes_what_lies_on_its_limits(taken):
    replace(SURVEY, **taken)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        *BEYOND_ALL_LOTS,
        ({"answers_per_person": 0}, "expected 1 to 3 answers"),
        ({"answers_per_person": 4, "epsilon": 2.0}, "expected 1 to 3 answers"),
        ({"epsilon": nextafter(0.5, 0)}, "0.5 nats of answers exceed epsilon"),
        ({"epsilon": 0.0}, "positive finite epsilon"),
        ({"epsilon": inf}, "positive finite epsilon"),
        ({"questions": (), "mechanisms": ()}, "at least 1 question, got 0"),
        ({"budgets": (1.5, 1.5)}, "an interval of budgets"),
        ({"budgets": (-1.0, 1.5)}, "an interval of budgets"),
        ({"budgets": (nextafter(1.5, 0), 2.0)}, "exceeds the lowest budget"),
        ({"budgets": (0.0, 2.0)}, "exceeds the lowest budget 0"),
    ],
)
def test_a_survey_refuses_what_lies_beyond_its_limits(changed, said):
    with pytest.raises(HushrankError, match=said):
        replace(SURVEY, **changed)


def test_surveys_of_one_round_may_touch_and_not_overlap():
    first = replace(SURVEY, lots=(0.0, 0.5))
    for apart in ((0.5, 1.0), (0.0, 0.5)):
        budgets = {} if apart[0] else {"budgets": (2.0, 3.0)}
        other = replace(SURVEY, lots=apart, **budgets)
        one = replace(first, budgets=(3.0, 4.0)) if budgets else first
        require_round((one, other))
        require_round((other, one))
        require_round((one,))
    with pytest.raises(HushrankError, match="may ask the same person"):
        require_round((first, replace(SURVEY, lots=(nextafter(0.5, 0), 1.0))))
    low, high = (replace(SURVEY, budgets=each) for each in ((2.0, 3.0), (nextafter(3.0, 0), 4.0)))
    with pytest.raises(HushrankError, match="may ask the same person"):
        require_round((low, high))
    with pytest.raises(HushrankError, match="expected a round"):
        require_round(())


@pytest.mark.parametrize("n_questions", [2**16, 2**16 + 1, 2**17])
def test_the_last_of_many_questions_is_drawn_as_the_last(n_questions):
    """Else its number would be cut to that of another one."""
    many = Survey("many", PAIRS[:1] * n_questions, (HIDES,) * n_questions, 1.0)
    for drawn in (0, n_questions - 1):
        word = (2**40 * n_questions + drawn).to_bytes(8, "little")
        assert assign_questions(many, 1, rng=Randomness.replayed(word)).tolist() == [[drawn]]


def test_shares_are_shrunk_for_whoever_asks_for_it_only():
    tally = Tally(np.array([21, 19]), 40)
    plain, shrunk = (survey_shares(SURVEY, (tally,) * 3, shrink=shrink) for shrink in (False, True))
    assert plain[0].tolist() != shrunk[0].tolist()
    assert survey_shares(SURVEY, (tally,) * 3)[0].tolist() == plain[0].tolist()


def handout_of(lots=(0.25, 0.75), mechanism=0, question=None, **changes) -> bytes:
    """Return a handout of one question whose fingerprint and root are right, whatever it says."""
    asked = json.loads(json.loads(HELD.handout([1]))["questions"][0]["asked"])
    asked |= {"mechanism": mechanism} | ({} if question is None else {"question": question})
    leaf = json.dumps(asked, separators=(",", ":"))
    head = json.loads(HELD.head) | {"lots": list(lots), "n_questions": 1} | changes
    head["questions_root"] = sha256(b"\0" + leaf.encode()).hexdigest()
    handed = {"number": 0, "asked": leaf, "path": []}
    document = {"head": json.dumps(head, separators=(",", ":")), "questions": [handed]}
    return json.dumps(document).encode()


ORDER = {"kind": "relative-order", "items": [0, 1, 2]}


@pytest.mark.parametrize(
    "taken",
    [
        {},
        {"lots": (0.0, 1.0)},
        {"lots": (0.0, 5e-324)},
        {"lots": (nextafter(1, 0), 1.0)},
        {"epsilon": 0.5},
        {"items": ["a", "b", "c c"]},
    ],
)
def test_a_device_takes_what_lies_on_its_limits(taken):
    found = read_handout(handout_of(**taken), most_epsilon=1.5)
    assert found.asked[0] == (PAIRS[1], HIDES)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        *BEYOND_ALL_LOTS,
        ({"epsilon": nextafter(1.5, 2)}, "expected at most 1.5"),
        ({"epsilon": nextafter(0.5, 0)}, "the answers exceed epsilon"),
        ({"mechanism": 1}, r"mechanisms 0\.\.0 of the questions"),
        ({"question": ORDER}, "every ranking of the items answers, and its mechanism"),
        ({"question": ORDER | {"items": [0, 3]}}, "every ranking of the items answers"),
        ({"takes_incomplete": True}, "who leaves items out can answer"),
        ({"items": ["a", "b", ""]}, "printable characters"),
        ({"items": ["a", "b", "c\n"]}, "printable characters"),
        ({"items": ["a", "b", "a"]}, "distinct item names"),
        ({"answers_per_person": 2}, "expected 2 questions"),
        ({"n_questions": 2}, "too short"),
    ],
)
def test_a_device_refuses_what_lies_beyond_its_limits(changed, said):
    with pytest.raises(HushrankError, match=said):
        read_handout(handout_of(**changed), most_epsilon=1.5)


def test_lots_that_are_asked_begin_with_the_first_and_end_before_the_last():
    device = read_handout(HELD.handout([1]), most_epsilon=1.5)
    for lot in (0.25, nextafter(0.75, 0)):
        assert [*device.truths(PERSON, lot=lot)] == [1]
    for lot in (nextafter(0.25, 0), 0.75):
        with pytest.raises(HushrankError, match="does not ask this lot"):
            device.truths(PERSON, lot=lot)


@pytest.mark.parametrize(
    ("read", "most", "said"),
    [(read_handout, 2**18, "handout"), (read_survey, 2**26, "survey")],
)
def test_how_long_a_document_may_be(read, most, said):
    for document, refusal in (
        (b" " * most, f"a {said} of version 2"),
        (b" " * (most + 1), f"a {said} of at most {most} bytes"),
    ):
        with pytest.raises(HushrankError, match=refusal):
            read(document, most_epsilon=1.5)


def test_numbers_of_questions_end_with_the_last():
    first, last = (HELD.handout([number]) for number in (0, 2))
    assert first != last
    assert HELD.read_report(sent(2, 1)) == (2, 1)
    for number in (-1, 3):
        with pytest.raises(HushrankError, match=r"expected questions 0\.\.2"):
            HELD.handout([number])
    with pytest.raises(HushrankError, match=r"expected a question 0\.\.2"):
        HELD.read_report(sent(3, 1))
    two = replace(HELD, survey=replace(SURVEY, answers_per_person=2))
    for numbers in ([0, 3], [2, -1], [-1, 0]):
        with pytest.raises(HushrankError, match=r"expected questions 0\.\.2"):
            two.handout(numbers)
    for numbers in ([], [0, 1]):
        with pytest.raises(HushrankError, match="expected 1 distinct questions to answer"):
            HELD.handout(numbers)
    with pytest.raises(HushrankError, match="expected distinct questions to answer"):
        HELD.handout([1, 1])


def sent(question, report):
    return SentReport(2, HELD.fingerprint, question, report)


WORD = HashedAnswer("0", "0", 0)


@pytest.mark.parametrize(
    ("mechanism", "possible", "impossible"),
    [
        (GeneralizedRandomizedResponse(3, 1.0), (0, 2), (-1, 3, "0", (0,), WORD)),
        (Harmony(5, 1.0), (0, 15), (-1, 16, "0")),
        (Harmony(3, 1.0), (0, 7), (-1, 8)),
        (SymmetricUnaryEncoding(8, 1.0), ("00", "ff"), ("0", "000", "0000", "FF", 0)),
        (SymmetricUnaryEncoding(9, 1.0), ("0000", "ff01"), ("ff", "ff02", "000000", "0x01")),
        (SymmetricUnaryEncoding(64, 1.0), ("0123456789abcdef",), ("0123456789abcdeg",)),
        (
            OptimisedLocalHashing(5, 1.0),
            (WORD, HashedAnswer(str(2**64 - 1), str(2**64 - 1), 3)),
            (HashedAnswer("0", "0", 4), HashedAnswer(str(2**64), "0", 0), 0, "00"),
        ),
        (
            SuccinctHistogram(5, 1.0),
            (WORD, HashedAnswer("0", "0", 1)),
            (HashedAnswer("0", "0", 2), HashedAnswer("0", "²", 0)),
        ),
        (
            SubsetOrder(3, 1.0),
            ((0, 1, 2), (2, 0, 1)),
            ((0, 1), (1, 2, 3), (0, 1, 1), (0, 1, 2, 1), 0, "012"),
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_a_mechanism_can_report_ends_where_it_does(mechanism, possible, impossible):
    for value in possible:
        require_possible(mechanism, value)
    for value in impossible:
        with pytest.raises(HushrankError, match="can report"):
            require_possible(mechanism, value)


@pytest.mark.parametrize(
    ("kind", "most"),
    [("symmetric-unary-encoding", 2**22), ("optimised-unary-encoding", 2**22), ("harmony", 2**32)],
)
def test_how_many_categories_a_device_accepts(kind, most):
    for n_categories, said in (
        (most + 1, f"at most {most} categories"),
        (most, r"thresholds|2\^31"),
    ):
        with pytest.raises(HushrankError, match=said):
            WireMechanism(kind, n_categories, 1.0, "1", "1").mechanism()


@pytest.mark.parametrize("n_items", [2, 64, 65, 100, 254])
def test_of_however_many_items_a_device_believes_no_other_numbers_of_whole_orders(n_items):
    stated = wire_mechanism(SubsetOrder(n_items, 1.0))
    assert stated.mechanism() == SubsetOrder(n_items, 1.0)
    words = str(int(stated.far_words) - 1)
    swaps = (*stated.swap_words[:-1], str(2**28))
    for lie in ({"far_words": words}, {"radius": stated.radius + 1}, {"swap_words": swaps}):
        with pytest.raises(HushrankError, match="are not those of its epsilon"):
            msgspec.structs.replace(stated, **lie).mechanism()


def test_mechanisms_of_a_survey_are_numbered_from_0():
    document = json.loads(HELD.document)
    document["questions"][2]["mechanism"] = 1
    with pytest.raises(HushrankError, match=r"mechanisms 0\.\.0 of the questions"):
        read_survey(json.dumps(document, separators=(",", ":")).encode(), most_epsilon=1.5)


def test_leaves_are_numbered_from_0():
    tree = MerkleTree([b"a", b"b", b"c"])
    assert [len(tree.path(number)) for number in range(3)] == [2, 2, 1]
    for number in (-1, 3):
        with pytest.raises(HushrankError, match=r"expected a leaf 0\.\.2"):
            root_by_path(b"a", number, 3, tree.path(0))
    for path, said in ((tree.path(0)[:1], "too short"), ((*tree.path(0), b"a" * 32), "too long")):
        with pytest.raises(HushrankError, match=said):
            root_by_path(b"a", 0, 3, path)
    assert MerkleTree([b"a"]).path(0) == ()


def test_buckets_are_as_many_as_rows_need():
    def needed(n_rows, most_rows):
        return n_buckets_of([_Rows(n_rows)], most_rows=most_rows)

    assert [needed(n_rows, 10) for n_rows in (0, 1, 10, 11, 20, 21)] == [1, 1, 1, 2, 2, 3]
    assert needed(3, 1) == 3
    assert n_buckets_of([_Rows(10), _Rows(10), _Rows(1)], most_rows=10) == 3
    with pytest.raises(HushrankError, match="at least 1 row of a bucket, got 0"):
        needed(3, 0)


@pytest.mark.parametrize(
    ("n_rows", "n_bytes", "at_once"),
    [
        (0, 0, 1),
        (3, 0, 2**20),
        (1, 2**27, 1),
        (1, 2**26, 1),
        (2, 2**26, 2),
        (2**20, 2**26, 2**20),
        (2**20, 2**26 + 1, 2**20 - 1),
        (2**21, 2**21, 2**20),
    ],
)
@pytest.mark.block_sizes
def test_rows_of_64_megabytes_are_held_at_a_time_or_a_million(n_rows, n_bytes, at_once):
    assert report_files._rows_at_once(_Rows(n_rows, n_bytes)) == at_once


@dataclass
class _Rows:
    n_rows: int
    n_bytes: int = 0


def test_a_crowd_is_asked_from_the_first_lot_to_the_last():
    whole = replace(SURVEY, lots=(0.0, 1.0))
    assert 0 < clone_rate((whole,)) < 1
    for gap in (
        ((0.0, 0.5), (nextafter(0.5, 1), 1.0)),
        ((5e-324, 1.0),),
        ((0.0, nextafter(1, 0)),),
    ):
        with pytest.raises(HushrankError, match="asks a part of them"):
            clone_rate(tuple(replace(SURVEY, lots=lots) for lots in gap))


def test_a_survey_hides_whole_orders_in_eight_ways_at_most(monkeypatch):
    """Each has a law of its own: 26,000 of 254 items, in 64 MB, took half an hour to refuse."""
    made, describe = [], WireMechanism.mechanism
    monkeypatch.setattr(WireMechanism, "mechanism", lambda one: made.append(one) or describe(one))
    assert len(read_survey(of_whole_orders(8), most_epsilon=1.0).survey.mechanisms) == 8
    made.clear()
    with pytest.raises(HushrankError, match="at most 8 mechanisms of whole orders, got 9"):
        read_survey(of_whole_orders(9), most_epsilon=1.0)
    assert not made


def of_whole_orders(n_mechanisms):
    """Return a survey that asks for the whole order so often, each time hidden in another way."""
    each = tuple(SubsetOrder(3, 1 / n) for n in range(1, n_mechanisms + 1))
    asked = (WholeOrder((0, 1, 2)),) * n_mechanisms
    return PublishedSurvey(Survey("trees", asked, each, 1.0), NAMES).document

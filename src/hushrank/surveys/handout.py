"""What one device gets of a published survey, checks, and answers: here the noise is added."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import index
from typing import TypeVar

import msgspec

from hushrank.accounting.words import finely
from hushrank.arrays import Answers
from hushrank.errors import HushrankError, require
from hushrank.files.encodings import UNREADABLE, wrong_with
from hushrank.mechanisms.local import Reporting
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.questions.question import Question
from hushrank.questions.whole_order import WholeOrder
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.merkle import root_by_path
from hushrank.surveys.wire_documents import (
    AskedQuestion,
    HandedQuestion,
    SentReport,
    WireHandout,
    WireHead,
    WireMechanism,
    is_of_orders,
)
from hushrank.surveys.wire_reports import PACKED_BITS, WireReport, to_wire

T = TypeVar("T")

MOST_HANDOUT_BYTES = 2**18
"""Of a handout: refused before it is parsed."""
MOST_MECHANISMS = 8
"""Of one person's questions."""
MOST_ORDERED = 2 * 254
"""Items of those that hide whole orders: the law of 254 takes .4 s, as the cube of the items."""
MOST_BITS = 2**22
"""Of one person's reports in bits, one for each category: so many take a phone a second."""


@dataclass(frozen=True, eq=False, repr=False)
class Handout:
    """The head of a survey, its fingerprint, and the questions, with mechanisms, of one person."""

    head: WireHead
    fingerprint: str
    asked: Mapping[int, tuple[Question, Reporting]]

    def answer(
        self, person: Rankings, *, lot: float, rng: Randomness, is_simulation: bool = False
    ) -> tuple[bytes, ...]:
        """Answer every question of the handout for one person, on their device.

        Privacy: the survey's epsilon for these reports together. A second call costs it again: a
        device calls once, stores the reports, and sends the same bytes on every retry; it keeps its
        own account of what it has answered. Only a simulation may draw from a seed.
        Raises HushrankError, before anything is drawn, unless `person` is one strict ranking of
        these items, complete if not every question has a cell for what is not stated, the survey
        asks this lot, and the questions are as many as it says.
        """
        truths = self.truths(person, lot=lot)
        return tuple(
            self.sent(number, self.hide(number, truth, rng=rng, is_simulation=is_simulation))
            for number, truth in truths.items()
        )

    def truths(self, person: Rankings, *, lot: float) -> dict[int, Answers]:
        """Return what one person answers to each question, (1, ...), which never leaves the device.

        Raises HushrankError as `answer` does: whether it does depends on the ranking only where
        that is no ranking the survey takes.
        """
        fits = person.n_people == 1 and person.names == self.head.items
        require(fits, "expected the ranking of one person over the items of the survey")
        if not self.head.takes_incomplete:
            person.require_complete_strict("answer")
        require(person.is_strict, "answer: expected strict rankings, some items are tied")
        low, high = self.head.lots
        require(low <= lot < high, "this survey does not ask this lot")
        n_answers = self.head.answers_per_person
        require(len(self.asked) == n_answers, f"expected {n_answers} distinct questions to answer")
        each = self.asked.items()
        return {number: question.answer(person.ranks) for number, (question, _) in each}

    def hide(
        self, number: int, truth: Answers, *, rng: Randomness, is_simulation: bool = False
    ) -> WireReport:
        """Draw the report of a question of the handout: it costs its mechanism's epsilon, in nats.

        Only a simulation may draw from a seed.
        """
        is_secret = rng.is_private or is_simulation
        require(is_secret, "expected the operating system's randomness, a seed protects nobody")
        _, mechanism = self.asked[number]
        return to_wire(mechanism, mechanism.randomise(truth, rng=rng))

    def sent(self, number: int, report: WireReport) -> bytes:
        """Return a report as it travels: the same bytes each time."""
        return msgspec.json.encode(SentReport(2, self.fingerprint, number, report))


def fingerprint_of(head: bytes) -> str:
    """Return the SHA-256 of the head of a survey, in hexadecimal: a report names it by that."""
    return hashlib.sha256(head).hexdigest()


def read_handout(document: bytes, *, most_epsilon: float) -> Handout:
    """Read a handout from JSON, on a device: nothing in it is believed that can be computed.

    Raises HushrankError when it does not follow the schema, when a question is not one of those
    that the fingerprint stands for, when it asks for more than `most_epsilon` nats, when a
    threshold is not that of its epsilon, when the answers would cost more than the survey's
    epsilon or take long to draw, or when some rankings could not answer a question.
    """
    few = f"expected a handout of at most {MOST_HANDOUT_BYTES} bytes"
    require(len(document) <= MOST_HANDOUT_BYTES, few)
    wire = _decoded(document, WireHandout, "handout")
    head_bytes = wire.head.encode()
    head = _decoded(head_bytes, WireHead, "survey")
    same = msgspec.json.encode(head) == head_bytes
    require(same, "expected a survey as this version writes it")
    require_head(head, most_epsilon)
    known = _Mechanisms(head.mechanisms)
    asked = {each.number: _asked(each, head, known) for each in wire.questions}
    require(len(asked) == len(wire.questions), "expected distinct questions")
    price = sum(Fraction(mechanism.epsilon) for _, mechanism in asked.values())
    require(price <= Fraction(head.epsilon), f"the answers exceed epsilon {head.epsilon}")
    require(len(asked) == head.answers_per_person, f"expected {head.answers_per_person} questions")
    n_bits = sum(each.n_categories for _, each in asked.values() if isinstance(each, PACKED_BITS))
    require(n_bits <= MOST_BITS, f"expected reports of at most {MOST_BITS} bits")
    return Handout(head, fingerprint_of(head_bytes), asked)


def require_head(head: WireHead, most_epsilon: float) -> None:
    """Raise HushrankError unless its names can be shown, and it asks for no more nats than that."""
    wanted, most = finely(head.epsilon), finely(most_epsilon)
    too_dear = f"the survey asks for {wanted} nats, expected at most {most}"
    require(head.epsilon <= most_epsilon, too_dear)
    require(0 <= head.lots[0] < head.lots[1] <= 1, f"expected lots in [0, 1], got {head.lots}")
    require_names(head.items)


def require_names(names: Sequence[str]) -> None:
    """Raise HushrankError unless the names are distinct and of printable characters."""
    require(len(set(names)) == len(names), "expected distinct item names")
    printable = all(name and name.isprintable() for name in names)
    require(printable, "expected item names of printable characters")


def require_kinds(question: Question, mechanism: Reporting) -> None:
    """Raise HushrankError unless the mechanism hides such answers: one category, or such a row."""
    same = isinstance(question, WholeOrder) == isinstance(mechanism, SubsetOrder)
    same &= getattr(question, "n_members", None) == getattr(mechanism, "n_members", None)
    require(same, "expected a mechanism that hides what the question asks for")


def distinct_numbers(questions: Sequence[int]) -> tuple[int, ...]:
    """Return the numbers as Python's own; raise HushrankError if one comes twice."""
    numbers = tuple(index(question) for question in questions)  # also numpy's
    require(len(set(numbers)) == len(numbers), "expected distinct questions to answer")
    return numbers


class _Mechanisms(dict[int, Reporting]):
    """Those of a survey that one person is asked through, made when asked for: few, of many."""

    def __init__(self, described: Sequence[WireMechanism]) -> None:
        super().__init__()
        self._described = described
        self._n_ordered = 0

    def __missing__(self, number: int) -> Reporting:
        n_described = len(self._described)
        require(number < n_described, f"expected mechanisms 0..{n_described - 1} of the questions")
        few = f"expected at most {MOST_MECHANISMS} mechanisms of a person's questions"
        require(len(self) < MOST_MECHANISMS, few)
        described = self._described[number]
        self._n_ordered += described.n_categories if is_of_orders(described) else 0
        most = f"expected whole orders of at most {MOST_ORDERED} items in all the mechanisms"
        require(self._n_ordered <= MOST_ORDERED, most)
        self[number] = described.mechanism()
        return self[number]


def _asked(
    handed: HandedQuestion, head: WireHead, mechanisms: Mapping[int, Reporting]
) -> tuple[Question, Reporting]:
    leaf, path = handed.asked.encode(), [bytes.fromhex(digest) for digest in handed.path]
    root = root_by_path(leaf, handed.number, head.n_questions, path)
    require(root.hex() == head.questions_root, "the question is none of this survey")
    wire = _decoded(leaf, AskedQuestion, "question")
    require(msgspec.json.encode(wire) == leaf, "expected a question as this version writes it")
    question, mechanism = wire.question.question(), mechanisms[wire.mechanism]
    fits = question.fits(len(head.items)) and question.n_categories == mechanism.n_categories
    require(fits, "expected a question that every ranking of the items answers, and its mechanism")
    require_kinds(question, mechanism)
    stated = question.takes_incomplete or not head.takes_incomplete
    require(stated, "expected a question that who leaves items out can answer")
    return question, mechanism


def _decoded(document: bytes, kind: type[T], name: str) -> T:
    try:
        return msgspec.json.decode(document, type=kind)
    except UNREADABLE as error:
        raise HushrankError(f"expected a {name} of version 2: {wrong_with(error)}") from None

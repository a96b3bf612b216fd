"""Publish a survey, hand each device its questions, tally the reports: all as JSON, version 2."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import msgspec
import numpy as np

from hushrank.errors import HushrankError, require
from hushrank.files.encodings import UNREADABLE, wrong_with
from hushrank.mechanisms.local import Reporting, Tally
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.handout import (
    Handout,
    distinct_numbers,
    fingerprint_of,
    require_head,
    require_kinds,
    require_names,
)
from hushrank.surveys.merkle import MerkleTree
from hushrank.surveys.survey import Survey, Tallies
from hushrank.surveys.wire_documents import (
    AskedQuestion,
    HandedQuestion,
    SentReport,
    WireHandout,
    WireHead,
    WireSurvey,
    wire_mechanism,
    wire_survey,
)
from hushrank.surveys.wire_questions import wire_question
from hushrank.surveys.wire_reports import MECHANISMS, WireReport, from_wire, require_possible

MOST_BYTES = 2**26
"""Of a whole survey: refused before it is parsed."""


@dataclass(frozen=True)
class Received:
    """The tallies of the reports that were counted, and how many were refused."""

    tallies: Tallies
    n_refused: int


@dataclass(frozen=True)
class PublishedSurvey:
    """A survey with the names of its items, as JSON documents that both sides hold."""

    survey: Survey
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check that the questions fit these items, and that the names can be shown."""
        self.survey.require_fits(len(self.names))
        kinds = {type(mechanism) for mechanism in self.survey.distinct_mechanisms}
        require(kinds <= {*MECHANISMS.values()}, "expected mechanisms that can be sent as JSON")
        for question, mechanism in zip(self.survey.questions, self.survey.mechanisms, strict=True):
            require_kinds(question, mechanism)
        require(not self.survey.is_personal, "expected a survey that asks people of any budget")
        require_names(self.names)

    @cached_property
    def head(self) -> bytes:
        """The survey but for its questions, as JSON: what the fingerprint is of."""
        return msgspec.json.encode(self._head)

    @cached_property
    def document(self) -> bytes:
        """The whole survey as JSON."""
        asked = map(self._leaves.asked, range(len(self._leaves)))
        return msgspec.json.encode(WireSurvey(self._head, tuple(asked)))

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the head, in hexadecimal: a report names the survey it answers by it."""
        return fingerprint_of(self.head)

    def handout(self, questions: Sequence[int]) -> bytes:
        """Return what a device needs to answer these questions, as JSON.

        Raises HushrankError unless they are distinct, known, and as many as the survey asks.
        """
        numbers = self._checked(questions)
        handed = [
            HandedQuestion(
                number,
                self._leaves[number].decode(),
                tuple(digest.hex() for digest in self._tree.path(number)),
            )
            for number in numbers
        ]
        return msgspec.json.encode(WireHandout(self.head.decode(), tuple(handed)))

    def answer(
        self,
        person: Rankings,
        questions: Sequence[int],
        *,
        lot: float,
        rng: Randomness,
        is_simulation: bool = False,
    ) -> tuple[bytes, ...]:
        """Answer the assigned questions for one person: see `Handout.answer`."""
        numbers = self._checked(questions)
        own = {
            number: (self.survey.questions[number], self.survey.mechanisms[number])
            for number in numbers
        }
        handout = Handout(self._head, self.fingerprint, own)
        return handout.answer(person, lot=lot, rng=rng, is_simulation=is_simulation)

    def read_report(self, sent: SentReport) -> tuple[int, WireReport]:
        """Return the question of a report and its value.

        Raises HushrankError, saying nothing of the value, for reports that answer another survey
        or an unknown question, and for those that no device can have sent.
        """
        require(sent.survey == self.fingerprint, "the report answers another survey")
        if sent.question >= len(self.survey.questions):
            raise HushrankError(f"expected a question 0..{len(self.survey.questions) - 1}")
        require_possible(self.survey.mechanisms[sent.question], sent.report)
        return sent.question, sent.report

    def tally(self, documents: Iterable[bytes]) -> Received:
        """Tally reports, at the collector, for each question.

        Malformed reports and those of other surveys are refused, not counted. Whoever calls has
        dropped repeated reports of one person.   Cost: one pass over the reports of a question.
        """
        values: dict[int, list[WireReport]] = defaultdict(list)
        n_refused = 0
        for document in documents:
            try:
                number, value = self.read_report(_decode_report(document))
                values[number].append(value)
            except HushrankError:
                n_refused += 1
        each = {number: (of_one, [1] * len(of_one)) for number, of_one in values.items()}
        return Received(self.tally_values(each), n_refused)

    def tally_values(
        self, values: Mapping[int, tuple[Sequence[WireReport], Sequence[int]]]
    ) -> Tallies:
        """Tally, of each question, the values of `read_report`, and how many reports had each."""
        tallies = [Tally.empty(each.n_categories) for each in self.survey.mechanisms]
        for number, (of_question, counts) in values.items():
            mechanism: Reporting = self.survey.mechanisms[number]
            reports = from_wire(mechanism, of_question)
            tallies[number] = mechanism.tally(np.repeat(reports, counts, axis=0))
        return tuple(tallies)

    def _checked(self, questions: Sequence[int]) -> tuple[int, ...]:
        numbers, n_answers = distinct_numbers(questions), self.survey.answers_per_person
        require(len(numbers) == n_answers, f"expected {n_answers} distinct questions to answer")
        n_questions = len(self.survey.questions)
        known = all(0 <= number < n_questions for number in numbers)
        require(known, f"expected questions 0..{n_questions - 1}")
        return numbers

    @cached_property
    def _head(self) -> WireHead:
        survey = self.survey
        return WireHead(
            version=2,
            name=survey.name,
            items=self.names,
            epsilon=float(survey.epsilon),  # 2 and 2.0 are one survey, and travel as one
            answers_per_person=survey.answers_per_person,
            lots=survey.lots,
            takes_incomplete=survey.takes_incomplete,
            n_questions=len(survey.questions),
            questions_root=self._tree.root.hex(),
            mechanisms=tuple(map(wire_mechanism, self._leaves.mechanisms)),
        )

    @cached_property
    def _leaves(self) -> "_Leaves":
        return _Leaves(self.survey)

    @cached_property
    def _tree(self) -> MerkleTree:
        return MerkleTree(self._leaves)


class _Leaves:
    """The questions of a survey as JSON, each written when asked for: of many that is much."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._numbers = {
            mechanism: number for number, mechanism in enumerate(dict.fromkeys(survey.mechanisms))
        }

    def __len__(self) -> int:
        return len(self._survey.questions)

    def __getitem__(self, number: int) -> bytes:
        return msgspec.json.encode(self.asked(number))

    @property
    def mechanisms(self) -> tuple[Reporting, ...]:
        """The mechanisms of the survey, each once."""
        return tuple(self._numbers)

    def asked(self, number: int) -> AskedQuestion:
        """Return what a leaf says."""
        question, hides = self._survey.questions[number], self._survey.mechanisms[number]
        return AskedQuestion(wire_question(question), self._numbers[hides])


def read_survey(document: bytes, *, most_epsilon: float) -> PublishedSurvey:
    """Read a whole survey from JSON: nothing in it is believed that can be computed.

    Raises HushrankError when the document does not follow the schema, when it asks for more than
    `most_epsilon` nats, when a threshold is not that of its epsilon, when the answers of a person
    would cost more than the survey's epsilon, or when some rankings could not answer a question.
    Cost: for whoever checks a survey, not for a device, which reads a handout: 64 MiB, of a million
    questions, take ten seconds and a gigabyte.
    """
    require(len(document) <= MOST_BYTES, f"expected a survey of at most {MOST_BYTES} bytes")
    try:
        wire = msgspec.json.decode(document, type=WireSurvey)
    except UNREADABLE as error:
        raise HushrankError(f"expected a survey of version 2: {wrong_with(error)}") from None
    require_head(wire.head, most_epsilon)
    published = PublishedSurvey(wire_survey(wire), wire.head.items)
    require(published.document == document, "expected a survey as this version writes it")
    return published


def _decode_report(document: bytes) -> SentReport:
    try:
        return msgspec.json.decode(document, type=SentReport)
    except UNREADABLE:
        raise HushrankError("expected a report of version 2") from None

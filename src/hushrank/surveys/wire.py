"""Publish a survey, answer it on a device, tally the reports: all as JSON, version 1."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import index

import msgspec
import numpy as np

from hushrank.arrays import Reports
from hushrank.errors import HushrankError, require
from hushrank.mechanisms.local import LocalMechanism, Tally
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.survey import Survey, Tallies
from hushrank.surveys.wire_documents import (
    AskedQuestion,
    SentReport,
    WireSurvey,
    wire_mechanism,
    wire_survey,
)
from hushrank.surveys.wire_questions import wire_question
from hushrank.surveys.wire_reports import MECHANISMS, from_wire, to_wire


@dataclass(frozen=True)
class Received:
    """The tallies of the reports that were counted, and how many were refused."""

    tallies: Tallies
    n_refused: int


@dataclass(frozen=True)
class PublishedSurvey:
    """A survey with the names of its items, as one JSON document that both sides hold."""

    survey: Survey
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check that the questions fit these items, and that the names can be shown."""
        self.survey.require_fits(len(self.names))
        kinds = {type(mechanism) for mechanism in self.mechanisms}
        require(kinds <= {*MECHANISMS.values()}, "expected mechanisms that can be sent as JSON")
        require(not self.survey.is_personal, "expected a survey that asks people of any budget")
        require(len(set(self.names)) == len(self.names), "expected distinct item names")
        printable = all(name and name.isprintable() for name in self.names)
        require(printable, "expected item names of printable characters")

    @cached_property
    def mechanisms(self) -> tuple[LocalMechanism, ...]:
        """The mechanism of each question."""
        return self.survey.local_mechanisms

    @cached_property
    def document(self) -> bytes:
        """The survey as JSON."""
        survey = self.survey
        mechanisms = tuple(dict.fromkeys(self.mechanisms))
        numbers = {mechanism: number for number, mechanism in enumerate(mechanisms)}
        asked = zip(map(wire_question, survey.questions), self.mechanisms, strict=True)
        return msgspec.json.encode(
            WireSurvey(
                version=1,
                name=survey.name,
                items=self.names,
                epsilon=survey.epsilon,
                answers_per_person=survey.answers_per_person,
                lots=survey.lots,
                questions=tuple(AskedQuestion(asks, numbers[hides]) for asks, hides in asked),
                mechanisms=tuple(map(wire_mechanism, mechanisms)),
            )
        )

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of the document, in hexadecimal: a report names the survey it answers by it."""
        return hashlib.sha256(self.document).hexdigest()

    def answer(
        self,
        person: Rankings,
        questions: Sequence[int],
        *,
        lot: float,
        rng: Randomness,
        is_simulation: bool = False,
    ) -> tuple[bytes, ...]:
        """Answer the assigned questions for one person, on their device: here the noise is added.

        Privacy: the survey's epsilon for these reports together. A second call costs it again: a
        device calls once, stores the reports, and sends the same bytes on every retry; it keeps its
        own account of what it has answered. Only a simulation may draw from a seed.
        Raises HushrankError, before anything is drawn, unless `person` is one strict ranking of
        these items, complete if not every question has a cell for what is not stated, the survey
        asks this lot, and the questions are as many as it says.
        """
        is_secret = rng.is_private or is_simulation
        require(is_secret, "expected the operating system's randomness, a seed protects nobody")
        numbers = tuple(index(question) for question in questions)  # also numpy's
        self._require_asked(person, numbers, lot)
        return tuple(self._answer(person, number, rng) for number in numbers)

    def tally(self, documents: Iterable[bytes]) -> Received:
        """Tally reports, at the collector, for each question.

        Malformed reports and those of other surveys are refused, not counted. Whoever calls has
        dropped repeated reports of one person.   Cost: one pass over the reports of a question.
        """
        reports: dict[int, list[Reports]] = defaultdict(list)
        n_refused = 0
        for document in documents:
            try:
                number, report = self._read_report(document)
                reports[number].append(report)
            except HushrankError:
                n_refused += 1
        tallies = [Tally.empty(mechanism.n_categories) for mechanism in self.mechanisms]
        for number, of_question in reports.items():
            tallies[number], n_impossible = _tally(self.mechanisms[number], of_question)
            n_refused += n_impossible
        return Received(tuple(tallies), n_refused)

    def _require_asked(self, person: Rankings, questions: Sequence[int], lot: float) -> None:
        survey = self.survey
        fits = person.n_people == 1 and person.names == self.names
        require(fits, "expected the ranking of one person over the items of the survey")
        survey.require_takes(person, "answer")
        require(survey.lots[0] <= lot < survey.lots[1], "this survey does not ask this lot")
        n_answers = survey.answers_per_person
        is_right_number = len(set(questions)) == len(questions) == n_answers
        require(is_right_number, f"expected {n_answers} distinct questions to answer")
        known = all(0 <= question < len(survey.questions) for question in questions)
        require(known, f"expected questions 0..{len(survey.questions) - 1}")

    def _answer(self, person: Rankings, question: int, rng: Randomness) -> bytes:
        mechanism = self.mechanisms[question]
        reports = mechanism.randomise(self.survey.questions[question].answer(person.ranks), rng=rng)
        sent = SentReport(1, self.fingerprint, question, to_wire(mechanism, reports))
        return msgspec.json.encode(sent)

    def _read_report(self, document: bytes) -> tuple[int, Reports]:
        sent = _decode_report(document)
        require(sent.survey == self.fingerprint, "the report answers another survey")
        known = sent.question < len(self.survey.questions)
        require(known, f"expected a question 0..{len(self.survey.questions) - 1}")
        return sent.question, from_wire(self.mechanisms[sent.question], sent.report)


def read_survey(document: bytes, *, most_epsilon: float) -> PublishedSurvey:
    """Read a survey from JSON, on a device: nothing in it is believed that can be computed.

    Raises HushrankError when the document does not follow the schema, when it asks for more than
    `most_epsilon` nats, when a threshold is not that of its epsilon, when the answers of a person
    would cost more than the survey's epsilon, or when some rankings could not answer a question.
    """
    try:
        wire = msgspec.json.decode(document, type=WireSurvey)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise HushrankError(f"expected a survey of version 1: {error}") from None
    too_dear = f"the survey asks for {wire.epsilon:g} nats, expected at most {most_epsilon:g}"
    require(wire.epsilon <= most_epsilon, too_dear)
    published = PublishedSurvey(wire_survey(wire), wire.items)
    require(published.document == document, "expected a survey as this version writes it")
    return published


def _tally(mechanism: LocalMechanism, reports: list[Reports]) -> tuple[Tally, int]:
    """Tally the reports (1, ...) of one question; leave out what the mechanism cannot have sent."""
    try:
        return mechanism.tally(np.concatenate(reports)), 0
    except (HushrankError, ValueError):  # some report is impossible: find which
        possible = [report for report in reports if _is_possible(mechanism, report)]
    tally = Tally.empty(mechanism.n_categories)
    if possible:
        tally = mechanism.tally(np.concatenate(possible))
    return tally, len(reports) - len(possible)


def _is_possible(mechanism: LocalMechanism, report: Reports) -> bool:
    try:
        mechanism.tally(report)
    except HushrankError:
        return False
    return True


def _decode_report(document: bytes) -> SentReport:
    try:
        return msgspec.json.decode(document, type=SentReport)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise HushrankError("expected a report of version 1") from None

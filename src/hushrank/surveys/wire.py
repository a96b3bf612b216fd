"""Publish a survey, answer it on a device, tally the reports: all as JSON, version 1."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import msgspec

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
    wire_question,
)
from hushrank.surveys.wire_reports import from_wire, to_wire


@dataclass(frozen=True)
class PublishedSurvey:
    """A survey with the names of its items, as one JSON document that both sides hold."""

    survey: Survey
    names: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check that the questions ask about these items."""
        largest = max(max(question.items) for question in self.survey.questions)
        require(largest < len(self.names), f"a question asks about item {largest} of {self.names}")

    @cached_property
    def document(self) -> bytes:
        """The survey as JSON."""
        survey = self.survey
        mechanisms = tuple(dict.fromkeys(survey.mechanisms))
        numbers = {mechanism: number for number, mechanism in enumerate(mechanisms)}
        asked = zip(map(wire_question, survey.questions), survey.mechanisms, strict=True)
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

    def answer(self, person: Rankings, question: int, *, rng: Randomness) -> bytes:
        """Answer one question for one person, on their device: the noise is added here.

        Privacy: the epsilon of the question's mechanism. Draw once, store, and send the same bytes
        on every retry: fresh answers to the same question add up.
        Raises HushrankError, before anything is drawn, unless `person` is one complete strict
        ranking of these items.
        """
        fits = person.n_people == 1 and person.names == self.names
        require(fits, "expected the ranking of one person over the items of the survey")
        person.require_complete_strict("answer")
        mechanism = self._mechanism(question)
        reports = mechanism.randomise(self.survey.questions[question].answer(person.ranks), rng=rng)
        sent = SentReport(1, self.fingerprint, question, to_wire(mechanism, reports))
        return msgspec.json.encode(sent)

    def tally(self, documents: Iterable[bytes]) -> Tallies:
        """Tally reports, at the collector, for each question.

        Raises HushrankError, without its content, when a report is malformed or of another survey.
        """
        tallies = [Tally.empty(mechanism.n_categories) for mechanism in self.survey.mechanisms]
        for document in documents:
            sent = _decode_report(document)
            require(sent.survey == self.fingerprint, "the report answers another survey")
            mechanism = self._mechanism(sent.question)
            tallies[sent.question] += mechanism.tally(from_wire(mechanism, sent.report))
        return tuple(tallies)

    def _mechanism(self, question: int) -> LocalMechanism:
        known = 0 <= question < len(self.survey.questions)
        require(known, f"expected a question 0..{len(self.survey.questions) - 1}")
        return self.survey.mechanisms[question]


def read_survey(document: bytes) -> PublishedSurvey:
    """Read a survey from JSON, on a device: nothing in it is believed that can be computed.

    Raises HushrankError when the document does not follow the schema, when a threshold is not that
    of its epsilon, or when the answers of a person would cost more than the survey's epsilon.
    """
    try:
        wire = msgspec.json.decode(document, type=WireSurvey)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise HushrankError(f"expected a survey of version 1: {error}") from None
    mechanisms = [described.mechanism() for described in wire.mechanisms]
    in_range = all(asked.mechanism < len(mechanisms) for asked in wire.questions)
    require(in_range, f"expected mechanisms 0..{len(mechanisms) - 1} of the questions")
    survey = Survey(
        wire.name,
        tuple(asked.question.question() for asked in wire.questions),
        tuple(mechanisms[asked.mechanism] for asked in wire.questions),
        wire.epsilon,
        wire.answers_per_person,
        wire.lots,
    )
    published = PublishedSurvey(survey, wire.items)
    require(published.document == document, "expected a survey as this version writes it")
    return published


def _decode_report(document: bytes) -> SentReport:
    try:
        return msgspec.json.decode(document, type=SentReport)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise HushrankError("expected a report of version 1") from None

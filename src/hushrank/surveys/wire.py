"""Surveys and reports as JSON, version 1: what a collector publishes and what a device answers."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from hushrank.errors import HushrankError, require
from hushrank.mechanisms.local import LocalMechanism, Tally
from hushrank.questions.interleaving import Interleaving
from hushrank.questions.question import Question
from hushrank.questions.rank_and_precedence import RankAndPrecedence
from hushrank.questions.relative_order import RelativeOrder
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.survey import Survey, Tallies
from hushrank.surveys.wire_reports import MECHANISMS, WireReport, from_wire, to_wire

Item: TypeAlias = Annotated[int, Meta(ge=0, lt=65534)]
Fingerprint: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class WireRelativeOrder(
    msgspec.Struct, tag_field="kind", tag="relative-order", forbid_unknown_fields=True, frozen=True
):
    """`RelativeOrder`: category = lexicographic index of the order of `items`."""

    items: tuple[Item, ...]

    def question(self) -> Question:
        """Return what it describes."""
        return RelativeOrder(self.items)


class WireInterleaving(
    msgspec.Struct, tag_field="kind", tag="interleaving", forbid_unknown_fields=True, frozen=True
):
    """`Interleaving`: category = colexicographic index of the places of `left`."""

    left: tuple[Item, ...]
    right: tuple[Item, ...]

    def question(self) -> Question:
        """Return what it describes."""
        return Interleaving(self.left, self.right)


class WireRankAndPrecedence(
    msgspec.Struct,
    tag_field="kind",
    tag="rank-and-precedence",
    forbid_unknown_fields=True,
    frozen=True,
):
    """`RankAndPrecedence`: category = 2 rank(item) + [second before first]."""

    item: Item
    first: Item
    second: Item
    n_items: Item

    def question(self) -> Question:
        """Return what it describes."""
        return RankAndPrecedence(self.item, self.first, self.second, self.n_items)


WireQuestion: TypeAlias = WireRelativeOrder | WireInterleaving | WireRankAndPrecedence


class WireMechanism(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A mechanism and its thresholds: words of 2^64, in decimal, so that no client computes e^ε."""

    kind: Annotated[str, Meta(pattern="^[a-z-]+$")]
    n_categories: Annotated[int, Meta(ge=2)]
    epsilon: Annotated[float, Meta(gt=0)]
    hit_words: Annotated[str, Meta(pattern="^[0-9]{1,20}$")]
    false_hit_words: Annotated[str, Meta(pattern="^[0-9]{1,20}$")]

    def mechanism(self) -> LocalMechanism:
        """Return what it describes; raise HushrankError when it states other thresholds."""
        require(self.kind in MECHANISMS, f"unknown mechanism {self.kind}")
        mechanism: LocalMechanism = MECHANISMS[self.kind](self.n_categories, self.epsilon)
        same = wire_mechanism(mechanism) == self
        require(same, f"the stated thresholds of {self.kind} are not those of its epsilon")
        return mechanism


class AskedQuestion(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A question, and the number of its mechanism in the survey's list."""

    question: WireQuestion
    mechanism: Annotated[int, Meta(ge=0)]


class WireSurvey(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`Survey`: all that a device needs to know of one round."""

    version: Literal[1]
    name: str
    items: tuple[str, ...]
    epsilon: Annotated[float, Meta(gt=0)]
    answers_per_person: Annotated[int, Meta(ge=1)]
    lots: tuple[float, float]
    questions: Annotated[tuple[AskedQuestion, ...], Meta(min_length=1)]
    mechanisms: Annotated[tuple[WireMechanism, ...], Meta(min_length=1)]


class SentReport(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One answer: to which question of which survey, and what the mechanism reported."""

    version: Literal[1]
    survey: Fingerprint
    question: Annotated[int, Meta(ge=0)]
    report: WireReport


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
        asked = zip(map(_wire_question, survey.questions), survey.mechanisms, strict=True)
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


def wire_mechanism(mechanism: LocalMechanism) -> WireMechanism:
    """Describe a mechanism."""
    kinds = [kind for kind, known in MECHANISMS.items() if type(mechanism) is known]
    require(kinds, f"{type(mechanism).__name__} has no wire form")
    thresholds: Any = mechanism  # all that have a wire form state these two
    hit, false_hit = str(thresholds.hit_words), str(thresholds.false_hit_words)
    return WireMechanism(kinds[0], mechanism.n_categories, mechanism.epsilon, hit, false_hit)


def json_schemas() -> dict[str, Any]:
    """Return the JSON Schema of a survey and of a report."""
    return {
        "survey": msgspec.json.schema(WireSurvey),
        "report": msgspec.json.schema(SentReport),
    }


def _wire_question(question: Question) -> WireQuestion:
    match question:
        case RelativeOrder(items):
            return WireRelativeOrder(items)
        case Interleaving(left, right):
            return WireInterleaving(left, right)
        case RankAndPrecedence(item, first, second, n_items):
            return WireRankAndPrecedence(item, first, second, n_items)
    raise HushrankError(f"{type(question).__name__} has no wire form")


def _decode_report(document: bytes) -> SentReport:
    try:
        return msgspec.json.decode(document, type=SentReport)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise HushrankError("expected a report of version 1") from None

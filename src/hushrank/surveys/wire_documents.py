"""The JSON documents of surveys and reports, version 1: their form and what it describes."""

from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from hushrank.errors import require
from hushrank.mechanisms.local import LocalMechanism
from hushrank.surveys.survey import Survey
from hushrank.surveys.wire_questions import WireQuestion
from hushrank.surveys.wire_reports import MECHANISMS, MOST_CATEGORIES, WireReport

Fingerprint: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


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
        most = MOST_CATEGORIES[self.kind]
        few = f"expected at most {most} categories for {self.kind}, got {self.n_categories}"
        require(self.n_categories <= most, few)
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

    def __repr__(self) -> str:
        """Say nothing of the report."""
        return "SentReport()"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Say nothing to rich either."""
        return []


def wire_survey(wire: WireSurvey) -> Survey:
    """Return the survey that a document describes; raise HushrankError if it is inconsistent."""
    mechanisms = [described.mechanism() for described in wire.mechanisms]
    in_range = all(asked.mechanism < len(mechanisms) for asked in wire.questions)
    require(in_range, f"expected mechanisms 0..{len(mechanisms) - 1} of the questions")
    return Survey(
        wire.name,
        tuple(asked.question.question() for asked in wire.questions),
        tuple(mechanisms[asked.mechanism] for asked in wire.questions),
        wire.epsilon,
        wire.answers_per_person,
        wire.lots,
    )


def wire_mechanism(mechanism: LocalMechanism) -> WireMechanism:
    """Describe a mechanism."""
    kinds = [kind for kind, known in MECHANISMS.items() if type(mechanism) is known]
    require(kinds, f"{type(mechanism).__name__} has no wire form")
    hit, false_hit = str(mechanism.rates.hit_words), str(mechanism.rates.false_hit_words)
    return WireMechanism(kinds[0], mechanism.n_categories, mechanism.epsilon, hit, false_hit)


def json_schemas() -> dict[str, Any]:
    """Return the JSON Schema of a survey and of a report."""
    return {
        "survey": msgspec.json.schema(WireSurvey),
        "report": msgspec.json.schema(SentReport),
    }

"""The JSON documents of surveys and reports, version 2: their form and what it describes."""

from inspect import cleandoc
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from hushrank.errors import require
from hushrank.mechanisms.local import Reporting
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.redacted import Redacted
from hushrank.surveys.survey import Survey
from hushrank.surveys.wire_questions import WireQuestion
from hushrank.surveys.wire_reports import MECHANISMS, MOST_CATEGORIES, WireReport, Word

Fingerprint: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]

MOST_OF_ORDERS = 8
"""Mechanisms of a survey that hide whole orders. The law of one, of 254 items, takes .1 s."""


class WireMechanism(msgspec.Struct, forbid_unknown_fields=True, frozen=True, omit_defaults=True):
    """A mechanism and its thresholds: words of 2^64, in decimal, so that no client computes e^ε.

    `hit_words` and `false_hit_words` of a mechanism that hides a category, and `n_members` where it
    hides several; `far_words`, `radius` and `swap_words` of `SubsetOrder`.
    """

    kind: Annotated[str, Meta(pattern="^[a-z-]+$")]
    n_categories: Annotated[int, Meta(ge=2)]
    epsilon: Annotated[float, Meta(gt=0)]
    hit_words: Word | None = None
    false_hit_words: Word | None = None
    far_words: Word | None = None
    radius: Annotated[int, Meta(ge=0, lt=2**53)] | None = None
    swap_words: tuple[Word, ...] | None = None
    n_members: Annotated[int, Meta(ge=1)] | None = None

    def mechanism(self) -> Reporting:
        """Return what it describes; raise HushrankError when it states other thresholds."""
        require(self.kind in MECHANISMS, f"unknown mechanism {self.kind}")
        most = MOST_CATEGORIES[self.kind]
        few = f"expected at most {most} categories for {self.kind}, got {self.n_categories}"
        require(self.n_categories <= most, few)
        held = () if self.n_members is None else (self.n_members,)
        takes_members = MECHANISMS[self.kind] is NamedMember
        require(bool(held) == takes_members, f"expected other fields of {self.kind}")
        mechanism: Reporting = MECHANISMS[self.kind](self.n_categories, self.epsilon, *held)
        same = wire_mechanism(mechanism) == self
        require(same, f"the stated thresholds of {self.kind} are not those of its epsilon")
        return mechanism


class AskedQuestion(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A question, and the number of its mechanism in the survey's list: a leaf of the tree."""

    question: WireQuestion
    mechanism: Annotated[int, Meta(ge=0)]


class WireHead(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """`Survey` but for its questions, for which the root of their Merkle tree stands.

    `takes_incomplete`: whether every question can be answered by who leaves items out.
    """

    version: Literal[2]
    name: str
    items: Annotated[tuple[str, ...], Meta(max_length=65534)]
    epsilon: Annotated[float, Meta(gt=0)]
    answers_per_person: Annotated[int, Meta(ge=1)]
    lots: tuple[float, float]
    takes_incomplete: bool
    n_questions: Annotated[int, Meta(ge=1)]
    questions_root: Fingerprint
    mechanisms: Annotated[tuple[WireMechanism, ...], Meta(min_length=1)]


class WireSurvey(msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """The whole `Survey`, for whoever checks it; a device needs a `WireHandout` only."""

    head: WireHead
    questions: Annotated[tuple[AskedQuestion, ...], Meta(min_length=1)]


class HandedQuestion(Redacted, msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A leaf as JSON, byte for byte as it was hashed, and its path from the leaf to the root."""

    number: Annotated[int, Meta(ge=0)]
    asked: str
    path: Annotated[tuple[Fingerprint, ...], Meta(max_length=40)]


class WireHandout(Redacted, msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """What one device gets: the head as JSON, byte for byte as it was hashed, and its questions."""

    head: str
    questions: Annotated[tuple[HandedQuestion, ...], Meta(min_length=1)]


class SentReport(Redacted, msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """One answer: to which question of which survey, and what the mechanism reported."""

    version: Literal[2]
    survey: Fingerprint
    question: Annotated[int, Meta(ge=0)]
    report: WireReport


def is_of_orders(described: WireMechanism) -> bool:
    """Whether a mechanism hides whole orders."""
    return MECHANISMS.get(described.kind) is SubsetOrder


def wire_survey(wire: WireSurvey) -> Survey:
    """Return the survey that a document describes; raise HushrankError if it is inconsistent."""
    head = wire.head
    n_of_orders = sum(map(is_of_orders, head.mechanisms))
    few = f"expected at most {MOST_OF_ORDERS} mechanisms of whole orders, got {n_of_orders}"
    require(n_of_orders <= MOST_OF_ORDERS, few)
    mechanisms = [described.mechanism() for described in head.mechanisms]
    in_range = all(asked.mechanism < len(mechanisms) for asked in wire.questions)
    require(in_range, f"expected mechanisms 0..{len(mechanisms) - 1} of the questions")
    return Survey(
        head.name,
        tuple(asked.question.question() for asked in wire.questions),
        tuple(mechanisms[asked.mechanism] for asked in wire.questions),
        head.epsilon,
        head.answers_per_person,
        head.lots,
    )


def wire_mechanism(mechanism: Reporting) -> WireMechanism:
    """Describe a mechanism."""
    kinds = [kind for kind, known in MECHANISMS.items() if type(mechanism) is known]
    require(kinds, f"{type(mechanism).__name__} has no wire form")
    described = WireMechanism(kinds[0], mechanism.n_categories, float(mechanism.epsilon))
    if isinstance(mechanism, SubsetOrder):
        return msgspec.structs.replace(
            described,
            far_words=str(mechanism.far_words),
            radius=mechanism.radius,
            swap_words=tuple(map(str, mechanism.swap_words)),
        )
    rates = mechanism.rates  # type: ignore[attr-defined]
    hit, false_hit = str(rates.hit_words), str(rates.false_hit_words)
    held = mechanism.n_members if isinstance(mechanism, NamedMember) else None
    rare = "expected half of all cells to hold at most: of more a device lies too seldom"
    require(2 * (held or 0) <= mechanism.n_categories, rare)
    words = {"hit_words": hit, "false_hit_words": false_hit}
    return msgspec.structs.replace(described, **words, n_members=held)


def json_schemas() -> dict[str, Any]:
    """Return the JSON Schema of a survey, of a handout and of a report."""
    documents = {"survey": WireSurvey, "handout": WireHandout, "report": SentReport}
    return {name: _with_plain_words(msgspec.json.schema(kind)) for name, kind in documents.items()}


def _with_plain_words(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema whose descriptions are not indented, as docstrings are up to Python 3.12."""
    kinds = {
        name: {**kind, "description": cleandoc(kind["description"])}
        for name, kind in schema["$defs"].items()
    }
    return {**schema, "$defs": kinds}

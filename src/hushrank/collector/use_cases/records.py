"""What is kept of a live survey, and what its use cases take and return."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, TypeAlias

import msgspec

from hushrank.collector.draft import Draft
from hushrank.collector.life import Life
from hushrank.collector.store.store import Counts
from hushrank.protocols.chosen import Chosen
from hushrank.redacted import Redacted
from hushrank.surveys.wire_documents import SentReport

LOTS = 2**32
"""A lot is a whole number below this, divided by it."""

IdempotencyKey: TypeAlias = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{32}$")]


class RoundRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What was published of a round: a later version must publish just that, or stop."""

    fingerprints: tuple[str, ...]


class Past(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a survey has asked, and since when: its series remembers it when it is deleted."""

    opened: datetime
    rounds: tuple[RoundRecord, ...]


class Record(Redacted, msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """All that is kept of a survey itself. `seed`: of public coins; `decks`: secret, of its series.

    `announcement`: the document that people see, once it is open, byte for byte. `chosen`: what the
    release that opened the first survey of the series chose to ask. `past`: deleted surveys of the
    series, by their ids, so that who answered these is asked the same again.
    """

    draft: Draft
    series: str
    seed: int
    decks: bytes
    life: Life = Life()
    announcement: str | None = None
    chosen: Chosen | None = None
    past: dict[str, Past] = {}


@dataclass(frozen=True, slots=True)
class LiveSurvey:
    """A survey as its organiser sees it; `counts` of each round so far."""

    id: str
    series: str
    draft: Draft
    life: Life
    counts: tuple[Counts, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Joining:
    """Who wants to take part: `person` is the device's key, or an app's own id with its `api_key`.

    lot: of 2^32, drawn by the device once for the survey. earlier: the assignment of an earlier
    survey of the series, to be asked the same again.
    """

    person: str
    lot: int
    invitation: str | None = None
    api_key: str | None = None
    earlier: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Assigned:
    """What a person is asked: `handout` is JSON, `announcement` a fingerprint."""

    assignment: str
    round: int
    part: int
    handout: bytes
    is_new: bool


@dataclass(frozen=True, slots=True)
class NotAsked:
    """This round asks other people than those of the lot."""

    round: int


class Upload(Redacted, msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The reports of one assignment, in the order of its questions.

    idempotency_key: 16 bytes, which the device drew for them.
    """

    assignment: str
    idempotency_key: IdempotencyKey
    reports: tuple[SentReport, ...]


class Accepted(Redacted, msgspec.Struct, frozen=True):
    """The server has the reports, durably; `is_new`: since now."""

    receipt: str
    is_new: bool

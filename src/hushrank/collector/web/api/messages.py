"""What devices and backends send and get, as types: decoding checks it, OpenAPI describes it."""

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from hushrank.collector.life import Told
from hushrank.collector.service import IdempotencyKey
from hushrank.redacted import Redacted
from hushrank.surveys.wire_documents import Fingerprint, SentReport, WireHandout

MOST_LINES = 1_000
"""Of one batch of reports."""

Receipt: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]+$")]
Token: TypeAlias = Annotated[str, Meta(min_length=1, max_length=3_000)]


class Quiet(Redacted, msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    """A message of somebody: its repr says nothing of it."""


class JoiningBody(Quiet, frozen=True):
    """Who asks for an assignment.

    person: the device's key, or with an API key the backend's own id of its user. lot: what the
    device drew once, for rounds that ask a part of the people. earlier: the assignment of an
    earlier survey of the same series, to be asked the same.
    """

    person: Annotated[str, Meta(min_length=1, max_length=200)]
    lot: Annotated[int, Meta(ge=0, lt=2**32)]
    invitation: Annotated[str, Meta(max_length=200)] | None = None
    earlier: Token | None = None


class AssignmentAnswer(Quiet, frozen=True):
    """What a device is asked in this round, and what proves that it belongs to the survey."""

    assignment: Token
    round: int
    part: int
    announcement: Fingerprint
    handout: WireHandout
    asked: Annotated[bool, Meta(extra_json_schema={"const": True})] = True


class NotAskedAnswer(Quiet, frozen=True):
    """The lot is not asked in this round."""

    round: int
    announcement: Fingerprint
    asked: Annotated[bool, Meta(extra_json_schema={"const": False})] = False


class UploadBody(Quiet, frozen=True):
    """All reports of one assignment, in the order of its questions.

    idempotency_key: 16 random bytes, which the device drew for them and tells nobody else.
    Only who sends it again with the same reports is told that they are there.
    """

    assignment: Token
    idempotency_key: IdempotencyKey
    reports: Annotated[list[SentReport], Meta(min_length=1)]


class ReceiptAnswer(msgspec.Struct, frozen=True):
    """The reports are kept; the same again gives the same receipt."""

    receipt: Receipt


class LineAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of one line of a batch: a receipt, or the kind of its problem."""

    status: int
    receipt: Receipt | None = None
    kind: str | None = None


class BatchAnswer(msgspec.Struct, frozen=True):
    """What became of each line, in their order."""

    results: list[LineAnswer]


class StateAnswer(msgspec.Struct, frozen=True):
    """Where a survey is in its life, which round is asked now, and until when."""

    state: Told
    round: int | None
    closes: datetime | None


class HealthAnswer(msgspec.Struct, frozen=True):
    """The process answers; `/readyz` also says that its store does."""

    status: Literal["ok"]

"""What a device keeps of surveys: records that say nothing of themselves."""

import msgspec

from hushrank.redacted import Redacted
from hushrank.surveys.wire_reports import WireReport

ACCOUNT = "account"


class Quiet(Redacted, msgspec.Struct, frozen=True):
    """A record whose repr holds nothing of the person."""


class Answered(Quiet, frozen=True):
    """The reports of one round, exactly as they are sent, in the order of its questions.

    nats: what they cost, 0 where all were sent before. is_repeated: whether any of them is a report
    of an earlier survey of the series. is_outdated: whether any answers an earlier order, as the
    limit allows no new report.
    """

    reports: tuple[WireReport, ...]
    nats: float
    is_repeated: bool
    is_outdated: bool = False


class KeptSurvey(Quiet, frozen=True):
    """A survey that a person has joined: its announcement, pinned byte for byte, and who they are.

    asked: what each round that asked them may cost. latest: the round they were last told of.
    """

    announcement: str
    person: str
    asked: dict[int, float] = {}
    latest: int | None = None


class KeptRound(Quiet, frozen=True):
    """A round: what was asked, if anything, what was answered, and the bytes that are sent.

    key: drawn before anything is answered; by it the collector tells who sends again from who
    guesses what was sent.
    """

    assignment: str | None
    handout: str | None
    key: str
    answered: Answered | None = None
    upload: str | None = None
    receipt: str | None = None


class Memo(Quiet, frozen=True):
    """One question of a series: the report of each true answer, and which was sent last."""

    last: str
    reports: dict[str, WireReport]


class KeptSeries(Quiet, frozen=True):
    """Surveys that repeat each other: one lot, the last assignment of each round, and the memos."""

    lot: int
    assignments: dict[int, str] = {}
    memos: dict[str, Memo] = {}

"""What people are told before they are asked anything: a document with a fingerprint."""

import hashlib
from datetime import datetime
from typing import Literal

import msgspec

from hushrank.collector.draft import (
    Draft,
    Honest,
    Items,
    Joining,
    Language,
    Line,
    Smallest,
    Text,
    in_utc,
    require_shown,
)
from hushrank.errors import HushrankError, require
from hushrank.files.encodings import UNREADABLE, wrong_with
from hushrank.protocols.distributions.question_kinds import Incomplete
from hushrank.surveys.survey import Round
from hushrank.surveys.wire_documents import Fingerprint

MOST_ANNOUNCEMENT_BYTES = 2**20
"""Of an announcement: refused before it is parsed."""


class Announcement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The terms of a survey, the same for everybody, that nobody can change once it is open.

    epsilon: the most that all rounds together cost a person, in nats. comes_back: whether a person
    may be asked again in a later round. first_round: the fingerprints of the surveys of the first
    round; later ones depend on its reports. series: shared with the surveys that repeat this one.
    The others are those of the draft, within the same bounds.
    """

    version: Literal[1]
    id: str
    series: str
    title: Line
    items: Items
    protocol: Line
    epsilon: Honest
    comes_back: bool
    unranked: Incomplete
    joining: Joining
    smallest_group: Smallest
    closes: datetime | None
    asked_by: Line
    purpose: Text
    contact: Line
    privacy_notice: Text
    language: Language
    first_round: tuple[Fingerprint, ...]

    def __post_init__(self) -> None:
        """Check what the types cannot say; HushrankError in words."""
        require_shown(self.items, self.title, self.asked_by, self.contact)
        in_utc(self.closes)


def announce(
    draft: Draft, id: str, series: str, surveys: Round, fingerprints: tuple[str, ...]
) -> Announcement:
    """Return the announcement of a draft whose first round asks these surveys."""
    return Announcement(
        version=1,
        id=id,
        series=series,
        title=draft.title,
        items=draft.items,
        protocol=draft.protocol,
        epsilon=draft.epsilon,
        comes_back=any(survey.epsilon < draft.epsilon for survey in surveys),
        unranked=draft.named_protocol.unranked,
        joining=draft.joining,
        smallest_group=draft.smallest_group,
        closes=draft.closes_utc,
        asked_by=draft.asked_by,
        purpose=draft.purpose,
        contact=draft.contact,
        privacy_notice=draft.privacy_notice,
        language=draft.language,
        first_round=fingerprints,
    )


def fingerprint_of_announcement(document: bytes) -> str:
    """Return the SHA-256 of an announcement as JSON, in hexadecimal."""
    return hashlib.sha256(document).hexdigest()


def read_announcement(document: bytes) -> Announcement:
    """Read an announcement from JSON, on a device; raise HushrankError where it is none."""
    few = f"expected an announcement of at most {MOST_ANNOUNCEMENT_BYTES} bytes"
    require(len(document) <= MOST_ANNOUNCEMENT_BYTES, few)
    try:
        told = msgspec.json.decode(document, type=Announcement)
    except UNREADABLE as error:
        raise HushrankError(f"expected an announcement of version 1: {wrong_with(error)}") from None
    same = msgspec.json.encode(told) == document
    require(same, "expected an announcement as this version writes it")
    return told

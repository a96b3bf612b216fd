"""What a device holds a collector to: nobody is asked for anything but what was announced."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import msgspec

from hushrank.accounting.words import finely
from hushrank.collector.announcement import Announcement
from hushrank.errors import HushrankError, require
from hushrank.files.encodings import UNREADABLE
from hushrank.redacted import Redacted
from hushrank.surveys.handout import Handout

LOTS = 2**32
"""A lot is a whole number below this, divided by it."""

MOST_ROUNDS = 256


@dataclass(frozen=True, repr=False)
class Given:
    """What the collector answers to somebody who joins a round; None: it does not ask this lot."""

    round: int
    assignment: str | None
    handout: str | None


class _Given(Redacted, msgspec.Struct, forbid_unknown_fields=True, frozen=True):
    asked: bool
    round: int
    announcement: str
    assignment: str | None = None
    part: int | None = None
    handout: msgspec.Raw = msgspec.Raw()


def read_given(document: bytes, fingerprint: str) -> Given:
    """Read an answer to somebody who joined, to whom that announcement was shown.

    Raises HushrankError where it is none, or names another announcement.
    """
    try:
        given = msgspec.json.decode(document, type=_Given)
        handout = bytes(given.handout).decode()
    except UNREADABLE:
        raise HushrankError("the collector answered what this version does not know") from None
    changed = "the collector changed the announcement after this device had seen it"
    require(given.announcement == fingerprint, changed)
    require(0 <= given.round < MOST_ROUNDS, f"expected a round 0..{MOST_ROUNDS - 1}")
    if not given.asked:
        return Given(given.round, None, None)
    require(given.assignment and handout, "expected an assignment and its questions")
    return Given(given.round, given.assignment, handout)


def require_forward(latest: int | None, round: int) -> None:
    """Raise HushrankError where a round comes before the latest one that the device has joined.

    It would be shown, and the latest one answered.
    """
    forward = latest is None or latest <= round
    require(forward, "the collector went back to an earlier round")


def require_announced(handout: Handout, announcement: Announcement, round: int, lot: int) -> None:
    """Raise HushrankError unless a round asks what was announced, and this lot.

    A round that needs complete rankings is refused where none were announced to be needed: later,
    whether this device could answer it would tell of the ranking.
    """
    names = tuple(item.name for item in announcement.items)
    require(handout.head.items == names, "the survey asks about other items than announced")
    first = round > 0 or handout.fingerprint in announcement.first_round
    require(first, "the first round asks another survey than the one announced")
    takes = handout.head.takes_incomplete or announcement.unranked == "refused"
    require(takes, "the survey needs complete rankings, which was not announced")
    low, high = handout.head.lots
    require(low <= lot / LOTS < high, "the survey does not ask this lot")


def require_price(asked: Mapping[int, float], announcement: Announcement) -> None:
    """Raise HushrankError where the rounds that asked a person cost more nats than announced."""
    dear = f"its rounds cost more than the {finely(announcement.epsilon)} nats announced"
    require(sum(map(Fraction, asked.values())) <= Fraction(announcement.epsilon), dear)

"""What every store demands of its arguments, before it writes anything.

Checks of reports write their words only when they fail: that halves what a report costs here.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from hushrank.collector.store.store import BIN, Incoming, NewRound, Secret
from hushrank.errors import HushrankError, expect, require

MOST_BLOB_BYTES = 64 * 2**20
MOST_REPORT_BYTES = 64 * 2**10
MOST_ANSWERS = 10_000
DIGEST_BYTES = 32
KEY_BYTES = 16
LARGEST_SMALL = 2**31 - 1
"""Rounds, parts and questions are numbered from 0 to this."""
LARGEST_NUMBER = 2**63 - 1

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)
_ONE_MICROSECOND = 10**6


def require_id(value: object, named: str) -> None:
    """Raise HushrankError unless the value is an id; what it is, is not said."""
    if not (isinstance(value, str) and _ID.fullmatch(value)):
        raise HushrankError(f"{named}: expected 1 to 64 of A-Z, a-z, 0-9, '-' and '_'")


def require_small(value: object, named: str) -> None:
    """Raise HushrankError unless the value numbers a round, part or question."""
    _require_number(value, LARGEST_SMALL, named)


def require_deck(value: object) -> None:
    """Raise HushrankError unless the value numbers a deck."""
    _require_number(value, LARGEST_NUMBER, "deck")


def require_round(survey: object, round: object) -> None:
    """Raise HushrankError unless both name a round of a survey."""
    require_id(survey, "survey")
    require_small(round, "round")


def require_new_round(opens: NewRound | None) -> None:
    """Raise HushrankError unless a store opens such a round, or none."""
    if opens is not None:
        require_small(opens.number, "round")
        require_blob(opens.blob, "blob")


def require_blob(value: object, named: str) -> None:
    """Raise HushrankError unless the value is bytes that a store takes."""
    _require_bytes(value, MOST_BLOB_BYTES, named)


def require_digest(value: object, named: str) -> None:
    """Raise HushrankError unless the value is 32 bytes."""
    right = isinstance(value, bytes) and len(value) == DIGEST_BYTES
    require(right, f"{named}: expected {DIGEST_BYTES} bytes")


def require_incoming(incoming: Sequence[Incoming]) -> None:
    """Raise HushrankError unless all uploads are such as a store takes."""
    names: set[tuple[str, int]] = set()  # of rounds: most uploads at one moment are of the same
    for upload in incoming:
        if not isinstance(upload, Incoming):
            expect(upload, Incoming, "incoming")
        right_types = type(upload.survey) is str and type(upload.round) is int
        if not right_types or (upload.survey, upload.round) not in names:
            require_round(upload.survey, upload.round)
            names.add((upload.survey, upload.round))
        _require_number(upload.number, LARGEST_NUMBER, "number")
        if not (isinstance(upload.key, bytes) and len(upload.key) == KEY_BYTES):
            raise HushrankError(f"key: expected {KEY_BYTES} bytes")
        if not 1 <= len(upload.answers) <= MOST_ANSWERS:
            raise HushrankError(f"answers: expected 1 to {MOST_ANSWERS} of them")
        for part, question, report in upload.answers:
            is_right = type(part) is type(question) is int and isinstance(report, bytes)
            is_right = is_right and 0 <= part <= LARGEST_SMALL >= question >= 0
            if not (is_right and len(report) <= MOST_REPORT_BYTES):
                _require_number(part, LARGEST_SMALL, "part")
                _require_number(question, LARGEST_SMALL, "question")
                _require_bytes(report, MOST_REPORT_BYTES, "report")


def require_secrets(secrets: Sequence[Secret]) -> None:
    """Raise HushrankError unless all secrets are such as a store takes."""
    for secret in secrets:
        expect(secret, Secret, "secrets")
        require_id(secret.kind, "kind")
        require_digest(secret.digest, "digest")
        require_blob(secret.blob, "blob")
        if secret.survey is not None:
            require_id(secret.survey, "survey")
        if secret.expires is not None:
            microseconds(secret.expires, "expires")


def microseconds(time: datetime, named: str) -> int:
    """Return the time as microseconds since 1970. Raises HushrankError where it has no zone."""
    expect(time, datetime, named)
    require(time.tzinfo is not None, f"{named}: expected a time with its zone, such as UTC")
    whole = time.astimezone(UTC).replace(microsecond=0)
    return int(whole.timestamp()) * _ONE_MICROSECOND + time.microsecond


def time_of(since_1970: int) -> datetime:
    """Return the time (UTC) of `microseconds`."""
    seconds, rest = divmod(since_1970, _ONE_MICROSECOND)
    return datetime.fromtimestamp(seconds, UTC).replace(microsecond=rest)


def bin_of(time: datetime) -> int:
    """Return the number of the bin in which the time falls."""
    return int(microseconds(time, "now") // (BIN.total_seconds() * _ONE_MICROSECOND))


def start_of(bin: int) -> datetime:
    """Return when a bin begins (UTC)."""
    return time_of(int(bin * BIN.total_seconds()) * _ONE_MICROSECOND)


def _require_number(value: Any, most: int, named: str) -> None:
    if not (type(value) is int and 0 <= value <= most):
        raise HushrankError(f"{named}: expected a whole number from 0 to {most}")


def _require_bytes(value: object, most: int, named: str) -> None:
    if not (isinstance(value, bytes) and len(value) <= most):
        raise HushrankError(f"{named}: expected bytes, at most {most} of them")

"""What a store of live collections can do: the interface, its records, its errors.

Whatever a method did is durable before it returns: a crash of the process or of the machine keeps
it. Two calls at once have the effect of one after the other. Times are passed in, aware of their
zone. Ids are 1 to 64 characters of A-Z, a-z, 0-9, '-' and '_'; digests are 32 bytes; of tokens,
only digests come here. Every method raises HushrankError, before anything is written, where an
argument is not so, and StoreFailure where the store itself failed. No record shows in its repr
what somebody sent.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal, NamedTuple, Protocol, TypeAlias

import msgspec

from hushrank.errors import HushrankError
from hushrank.files.disk import FilePath
from hushrank.redacted import Redacted

BIN = timedelta(minutes=10)
"""How exactly the store knows when reports came."""

ASKED = "asked"
"""The kind of a secret that is the digest of somebody whom a round of some people has asked."""


def round_mark(round: int) -> bytes:
    """Return what a secret of the kind ASKED holds: which round has asked."""
    return round.to_bytes()


Acceptance = Literal["new", "same", "other", "closed"]
"""What became of an upload: stored; there before; refused as others are there; too late."""


class StoreFailure(HushrankError):  # noqa: N818 (it is a failure of the store, not of the caller)
    """The store could not do what it was asked, as the disk is full or the server is away.

    Nothing was acknowledged; what was asked may be asked again.
    """


@dataclass(frozen=True, slots=True)
class Kept:
    """A survey as it was last saved; `version` counts how often it was."""

    survey: str
    blob: bytes = field(repr=False)
    version: int


@dataclass(frozen=True, slots=True)
class Round:
    """A round of a survey; it has tallies from `keep_tallies` on."""

    blob: bytes = field(repr=False)
    is_open: bool
    tallies: bytes | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class Joined:
    """A person's place in a round.

    number: the assignment's, from 0 to 2^63 - 1, which hides when they joined: see `numbers.py`.
    position: how many joined this deck of this round before them.
    deck: the one they asked for when they joined, whatever they ask for later.
    has_reported: whether their reports are stored.
    """

    number: int = field(repr=False)
    position: int = field(repr=False)
    deck: int = field(repr=False)
    is_new: bool
    has_reported: bool = False


Place: TypeAlias = Joined | Literal["asked"] | None
"""What became of somebody who asks for an assignment of a round."""


class Answer(NamedTuple):
    """One report to one question of one part of a round; at most 64 KiB."""

    part: int
    question: int
    report: bytes

    def __repr__(self) -> str:
        """Say nothing of it."""
        return "Answer(...)"


class Incoming(Redacted, msgspec.Struct, frozen=True):
    """All answers of one assignment, 1 to 10,000 of them.

    Whoever calls vouches that the number was given to somebody in this round. key: 16 bytes, of
    whoever sends: the same again is what comes with the same.
    """

    survey: str
    round: int
    number: int
    answers: tuple[Answer, ...]
    key: bytes


@dataclass(frozen=True, slots=True)
class Counts:
    """How many people joined a round, and how many of them reported."""

    joined: int
    reported: int


@dataclass(frozen=True, slots=True)
class NewRound:
    """A round to open, from 0: what is asked in it."""

    number: int
    blob: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Bin:
    """How many reports came within `BIN` from `start` (UTC) on; no report has a time of its own."""

    start: datetime
    reports: int


class Kinds(NamedTuple):
    """How many times each of some reports was given to one question of one part."""

    part: int
    question: int
    times: Mapping[bytes, int]

    def __repr__(self) -> str:
        """Return what tells nothing."""
        return "Kinds(...)"


@dataclass(frozen=True, slots=True)
class Secret:
    """What is known of a token: its digest, what it is for, whose it is and how long it lasts."""

    kind: str
    digest: bytes = field(repr=False)
    blob: bytes = field(repr=False)
    survey: str | None = None
    expires: datetime | None = None


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A key that signs assignments; the one of the largest number signs, all of them verify."""

    number: int
    key: bytes = field(repr=False)


class Surveys(Protocol):
    """Surveys, each a blob with a version."""

    async def create(self, survey: str, blob: bytes) -> None:
        """Keep a new survey as version 1. Raises HushrankError when its id is taken."""

    async def load(self, survey: str) -> Kept | None:
        """Return the survey, None where there is none."""

    async def all(self) -> tuple[Kept, ...]:
        """Return all surveys in the order in which they were created."""

    async def save(
        self, survey: str, blob: bytes, version: int, *, opens: NewRound | None = None
    ) -> bool:
        """Put `blob` in place of `version`, as the next one; False where that is not the last.

        opens: a round that is opened in the same commit, unless it was before.
        """

    async def delete(self, survey: str) -> bool:
        """Delete all that belongs to the survey, its secrets too; False where there is none.

        It is gone for everybody at once, and from the disk when this returns. What that means
        stands with the implementations.
        """


class Rounds(Protocol):
    """Rounds of surveys, opened once, as their survey is saved, and closed once."""

    async def round(self, survey: str, round: int) -> Round | None:
        """Return the round, None where there is none."""

    async def close_round(self, survey: str, round: int) -> bool:
        """Accept no report and nobody else from now on; False where the round is not open."""

    async def keep_tallies(self, survey: str, round: int, tallies: bytes) -> None:
        """Keep what the round's reports add up to; what was kept before stays.

        Raises HushrankError where there is no such round or where it is open.
        """

    async def forget_people(self, survey: str, round: int) -> None:
        """Forget who has which assignment; the reports and how many joined stay.

        Raises HushrankError where the round is open: whoever came back would count twice.
        """


class Collecting(Protocol):
    """People who join, reports that come in, and how many."""

    async def join(
        self, survey: str, round: int, deck: int, person: bytes, *, once: bool = False
    ) -> Place:
        """Give a person an assignment, or the one that they have; None where the round is not open.

        person: 32 bytes, such as a keyed digest of who they are. once: remember, until the secrets
        ASKED of the survey are dropped, that this round asks them, which a round that is not open
        does not; "asked" where another round has.
        """

    async def accept(self, incoming: Sequence[Incoming], *, now: datetime) -> list[Acceptance]:
        """Store all answers of an assignment or none, and say what became of each upload.

        What is there already is told "same" or "other" by comparing the key and all answers;
        "same" also after the round was closed. By another key all answers are "other": nobody
        learns by guesses what somebody else sent. Each "other" is counted. All callers who wait at
        the same time share one commit. now: only its bin is kept, and only as a count.
        """

    async def counts(self, survey: str, round: int) -> Counts:
        """Return how many joined and reported, zeros where there is no such round."""

    async def conflicts(self, survey: str) -> int:
        """Return how many uploads of the survey were refused as "other"."""

    async def progress(self, survey: str, round: int) -> tuple[Bin, ...]:
        """Return how many reports came when, in order; bins without any are left out."""

    def kinds(self, survey: str, round: int) -> AsyncIterator[Kinds]:
        """Yield each report with how many times it was given, in no order.

        A question, and a report to it, may come several times: what counts is the sum.
        """


class Secrets(Protocol):
    """Digests: of invitations, sign-in links, sessions, keys of backends, people who were asked."""

    async def put_secrets(self, secrets: Sequence[Secret]) -> None:
        """Keep all of them or none, in place of those of the same kind and digest.

        Raises HushrankError where a survey is named that does not exist.
        """

    async def secret(self, kind: str, digest: bytes, *, now: datetime) -> Secret | None:
        """Return a secret, None where there is none or where it has expired."""

    async def take_secret(self, kind: str, digest: bytes, *, now: datetime) -> Secret | None:
        """Return a secret and delete it: of several who take the same, one gets it."""

    async def drop_secrets(self, kind: str, survey: str | None) -> int:
        """Delete the secrets of this kind and survey, or of no survey; return how many."""


class Keeping(Protocol):
    """Signing keys and pictures."""

    async def signing_keys(self) -> tuple[SigningKey, ...]:
        """Return all signing keys, by increasing number."""

    async def add_signing_key(self, number: int, key: bytes) -> bool:
        """Keep a key; False, and nothing done, where one of this number was there."""

    async def drop_signing_key(self, number: int) -> bool:
        """Delete a key, so that nothing it signed is valid any more; False where there is none."""

    async def put_picture(self, survey: str, digest: bytes, picture: bytes) -> None:
        """Keep a picture. Raises HushrankError where there is no such survey."""

    async def picture(self, survey: str, digest: bytes) -> bytes | None:
        """Return a picture of the survey, None where there is none."""


class Upkeep(Protocol):
    """What administrators need."""

    async def ready(self) -> None:
        """Raise StoreFailure unless the store can be read now."""

    async def sweep(self, now: datetime) -> int:
        """Delete what has expired, and what a crash left of deleted surveys; return how many."""

    async def backup(self, path: FilePath) -> None:
        """Write a copy, whole at one moment, while the store goes on.

        Raises HushrankError where a file of this name is there already.
        """

    async def close(self) -> None:
        """Finish what was begun and let go of the file or server; once is enough."""


class Store(Surveys, Rounds, Collecting, Secrets, Keeping, Upkeep, Protocol):
    """All that a live collection keeps."""

"""The store in one SQLite file."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from datetime import datetime
from pathlib import Path
from typing import TypeVar

from hushrank.collector.store.batches import Batches
from hushrank.collector.store.checks import (
    bin_of,
    microseconds,
    require_blob,
    require_deck,
    require_digest,
    require_id,
    require_incoming,
    require_new_round,
    require_round,
    require_secrets,
    require_small,
)
from hushrank.collector.store.sqlite import answers, deletion, order, people, secrets, surveys
from hushrank.collector.store.sqlite.connections import copy, open_for_writing
from hushrank.collector.store.sqlite.readers import Readers
from hushrank.collector.store.sqlite.writer import Writer
from hushrank.collector.store.store import (
    Acceptance,
    Bin,
    Counts,
    Incoming,
    Kept,
    Kinds,
    NewRound,
    Place,
    Round,
    Secret,
    SigningKey,
    StoreFailure,
)
from hushrank.files.disk import FilePath

T = TypeVar("T")

_PATIENCE = 60.0
"""Seconds to wait until nobody reads what is deleted."""


class SqliteStore:
    """One file, made with mode 0600, and beside it FILE-wal and FILE-shm while it is open.

    One process serves people; commands may use the file at the same time. Deleted rows are
    overwritten in the file, and the log that held them is emptied, before `delete` and
    `forget_people` return. What the disk itself keeps of overwritten blocks, as flash memory and
    snapshots of file systems do, is beyond it: encrypt the disk.
    """

    def __init__(self, writer: Writer, readers: Readers) -> None:
        """Take what writes to a file and what reads it; `open` makes both."""
        self._writer = writer
        self._readers = readers
        self._loading = Batches(self._load)
        self._log_may_hold_deleted = True  # a crash may have come before it was emptied

    @classmethod
    async def open(cls, path: FilePath) -> "SqliteStore":
        """Open the file, or make it. Raises HushrankError where it is no store."""
        connection = await asyncio.to_thread(open_for_writing, Path(path))
        return cls(Writer.start(connection), Readers(Path(path)))

    async def create(self, survey: str, blob: bytes) -> None:
        """Keep a new survey."""
        await self._writer.do(surveys.create, _entry(survey, blob))

    async def load(self, survey: str) -> Kept | None:
        """Return the survey."""
        require_id(survey, "survey")
        return await self._loading.do(survey)

    async def all(self) -> tuple[Kept, ...]:
        """Return all surveys."""
        return await self._readers.read(surveys.all_surveys, None)

    async def save(
        self, survey: str, blob: bytes, version: int, *, opens: NewRound | None = None
    ) -> bool:
        """Keep the next version, and a new round."""
        require_small(version, "version")
        require_new_round(opens)
        return await self._writer.do(surveys.save, _entry(survey, blob, version, opens))

    async def delete(self, survey: str) -> bool:
        """Delete all of it."""
        require_id(survey, "survey")
        is_there = await self._writer.do(deletion.hide, survey)
        if is_there:
            await self._finish_deleting()
        return is_there

    async def round(self, survey: str, round: int) -> Round | None:
        """Return the round."""
        require_round(survey, round)
        return await self._readers.read(surveys.read_round, (survey, round))

    async def close_round(self, survey: str, round: int) -> bool:
        """Close the round."""
        require_round(survey, round)
        return await self._writer.do(surveys.close_round, (survey, round))

    async def keep_tallies(self, survey: str, round: int, tallies: bytes) -> None:
        """Keep the tallies of a closed round, unless it has some."""
        require_small(round, "round")
        await self._writer.do(surveys.keep_tallies, _entry(survey, tallies, round))

    async def forget_people(self, survey: str, round: int) -> None:
        """Forget who has which assignment, and in which order the reports came."""
        require_round(survey, round)
        while await self._writer.do(deletion.forget_some, (survey, round)):
            continue
        for sort in (order.sort_answers, order.sort_asked):
            following: order.From | None = order.From((survey, round))
            while following is not None:
                following = await self._writer.do(sort, following)
        await self._empty_log()

    async def join(
        self, survey: str, round: int, deck: int, person: bytes, *, once: bool = False
    ) -> Place:
        """Give a person an assignment."""
        require_round(survey, round)
        require_deck(deck)
        require_digest(person, "person")
        joining = people.Joining((survey, round), deck, person, once)
        return await self._writer.do(people.join, joining)

    async def accept(self, incoming: Sequence[Incoming], *, now: datetime) -> list[Acceptance]:
        """Store what is new, and say what became of each."""
        require_incoming(incoming)
        upload = incoming, bin_of(now)
        return await self._writer.do(answers.accept, upload, size=len(incoming))

    async def counts(self, survey: str, round: int) -> Counts:
        """Return how many joined and reported."""
        require_round(survey, round)
        return await self._readers.read(answers.counts, (survey, round))

    async def conflicts(self, survey: str) -> int:
        """Return how many uploads were refused as "other"."""
        require_id(survey, "survey")
        return await self._readers.read(answers.conflicts, survey)

    async def progress(self, survey: str, round: int) -> tuple[Bin, ...]:
        """Return how many reports came when."""
        require_round(survey, round)
        return await self._readers.read(answers.progress, (survey, round))

    async def kinds(self, survey: str, round: int) -> AsyncIterator[Kinds]:
        """Yield each report with how many times it was given."""
        require_round(survey, round)
        async with aclosing(self._readers.stream(answers.kinds, (survey, round))) as pieces:
            async for some in pieces:
                for kinds in some:
                    yield kinds

    async def put_secrets(self, secrets_: Sequence[Secret]) -> None:
        """Keep secrets."""
        require_secrets(secrets_)
        await self._writer.do(secrets.put, secrets_)

    async def secret(self, kind: str, digest: bytes, *, now: datetime) -> Secret | None:
        """Return a secret."""
        return await self._readers.read(secrets.read, _asked(kind, digest, now))

    async def take_secret(self, kind: str, digest: bytes, *, now: datetime) -> Secret | None:
        """Return a secret and delete it."""
        return await self._writer.do(secrets.take, _asked(kind, digest, now))

    async def drop_secrets(self, kind: str, survey: str | None) -> int:
        """Delete secrets."""
        require_id(kind, "kind")
        if survey is not None:
            require_id(survey, "survey")
        return await self._writer.do(secrets.drop, (kind, survey))

    async def signing_keys(self) -> tuple[SigningKey, ...]:
        """Return all signing keys."""
        return await self._readers.read(secrets.signing_keys, None)

    async def add_signing_key(self, number: int, key: bytes) -> bool:
        """Keep a signing key."""
        require_small(number, "number")
        require_blob(key, "key")
        return await self._writer.do(secrets.add_signing_key, SigningKey(number, key))

    async def drop_signing_key(self, number: int) -> bool:
        """Delete a signing key."""
        require_small(number, "number")
        return await self._writer.do(secrets.drop_signing_key, number)

    async def put_picture(self, survey: str, digest: bytes, picture: bytes) -> None:
        """Keep a picture."""
        _require_picture(survey, digest)
        require_blob(picture, "picture")
        await self._writer.do(secrets.put_picture, (survey, digest, picture))

    async def picture(self, survey: str, digest: bytes) -> bytes | None:
        """Return a picture."""
        _require_picture(survey, digest)
        return await self._readers.read(secrets.picture, (survey, digest))

    async def ready(self) -> None:
        """Raise StoreFailure unless the file can be read."""
        await self._readers.read(secrets.signing_keys, None)

    async def sweep(self, now: datetime) -> int:
        """Delete what has expired, and what a crash left of deleted surveys."""
        n_expired = await self._writer.do(secrets.expire, microseconds(now, "now"))
        if await self._writer.do(deletion.delete_some, None) or self._log_may_hold_deleted:
            await self._finish_deleting()
        return n_expired

    async def backup(self, path: FilePath) -> None:
        """Write a copy, which is a store like this one."""
        await self._readers.read(copy, path)

    async def close(self) -> None:
        """Finish what was begun and let go of the file."""
        await self._loading.stop()
        await self._readers.stop()
        await self._writer.stop()

    async def _load(self, names: Sequence[str]) -> list[Kept | None]:
        return await self._readers.read(surveys.load, names)

    async def _finish_deleting(self) -> None:
        while await self._writer.do(deletion.delete_some, None):
            continue
        await self._empty_log()

    async def _empty_log(self) -> None:
        self._log_may_hold_deleted = True
        end = asyncio.get_running_loop().time() + _PATIENCE
        while not await self._writer.do(deletion.empty_log, None, is_apart=True):
            if asyncio.get_running_loop().time() > end:
                raise StoreFailure(
                    "deleted, but somebody reads the file all the time, so that its -wal file"
                    " still holds what was deleted: the next sweep empties it, or closing the store"
                )
            await asyncio.sleep(0.05)
        self._log_may_hold_deleted = False


def _entry(
    survey: str, blob: bytes, number: int = 0, opens: NewRound | None = None
) -> surveys.Entry:
    require_id(survey, "survey")
    require_blob(blob, "blob")
    return surveys.Entry(survey, blob, number, opens)


def _asked(kind: str, digest: bytes, now: datetime) -> secrets.Asked:
    require_id(kind, "kind")
    require_digest(digest, "digest")
    return kind, digest, microseconds(now, "now")


def _require_picture(survey: str, digest: bytes) -> None:
    require_id(survey, "survey")
    require_digest(digest, "digest")

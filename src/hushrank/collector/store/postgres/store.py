"""The store in a PostgreSQL database."""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime

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
from hushrank.collector.store.postgres import answers, deletion, people, secrets, surveys
from hushrank.collector.store.postgres.connections import (
    Pool,
    close_pool,
    connection,
    open_pool,
    transaction,
)
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
)
from hushrank.errors import HushrankError
from hushrank.files.disk import FilePath


class PostgresStore:
    """The tables of the schema `hushrank` in a database; several processes may serve people.

    What is deleted is in no table any more when `delete` and `forget_people` return. PostgreSQL
    keeps the bytes for longer: in the tables' files until VACUUM frees the rows (autovacuum does so
    after a while) and new rows take their place, or VACUUM FULL writes the files anew; in its log
    until the log's files are used again; and in backups and replicas. Its statistics, which outlive
    rows, have no column that says anything of people or surveys. The server stores, for each
    row, by which transaction it came, which tells in which order the reports of an open round did.
    """

    def __init__(self, pool: Pool) -> None:
        """Take connections to a database of the newest schema; `open` makes them."""
        self._pool = pool
        self._loading = Batches(self._load)
        self._joining = Batches(self._join)
        self._accepting = Batches(self._accept, at_once=2)  # one is encoded, one is inserted

    @classmethod
    async def open(cls, address: str) -> "PostgresStore":
        """Connect. Raises HushrankError where the server does not let us, see `open_pool`."""
        return cls(await open_pool(address))

    async def create(self, survey: str, blob: bytes) -> None:
        """Keep a new survey."""
        require_id(survey, "survey")
        require_blob(blob, "blob")
        async with connection(self._pool) as lent:
            await surveys.create(lent, survey, blob)

    async def load(self, survey: str) -> Kept | None:
        """Return the survey."""
        require_id(survey, "survey")
        return await self._loading.do(survey)

    async def all(self) -> tuple[Kept, ...]:
        """Return all surveys."""
        async with connection(self._pool) as lent:
            return await surveys.all_surveys(lent)

    async def save(
        self, survey: str, blob: bytes, version: int, *, opens: NewRound | None = None
    ) -> bool:
        """Keep the next version, and a new round."""
        require_id(survey, "survey")
        require_blob(blob, "blob")
        require_small(version, "version")
        require_new_round(opens)
        async with transaction(self._pool) as lent:
            return await surveys.save(lent, survey, blob, version, opens)

    async def delete(self, survey: str) -> bool:
        """Delete all of it."""
        require_id(survey, "survey")
        async with transaction(self._pool) as lent:
            is_there = await deletion.hide(lent, survey)
        async with transaction(self._pool) as lent:
            await deletion.delete_hidden(lent)
        return is_there

    async def round(self, survey: str, round: int) -> Round | None:
        """Return the round."""
        require_round(survey, round)
        async with connection(self._pool) as lent:
            return await surveys.read_round(lent, survey, round)

    async def close_round(self, survey: str, round: int) -> bool:
        """Close the round."""
        require_round(survey, round)
        async with connection(self._pool) as lent:
            return await surveys.close_round(lent, survey, round)

    async def keep_tallies(self, survey: str, round: int, tallies: bytes) -> None:
        """Keep the tallies of a closed round, unless it has some."""
        require_round(survey, round)
        require_blob(tallies, "tallies")
        async with transaction(self._pool) as lent:
            await surveys.keep_tallies(lent, survey, round, tallies)

    async def forget_people(self, survey: str, round: int) -> None:
        """Forget who has which assignment, and in which order the reports came."""
        require_round(survey, round)
        async with transaction(self._pool) as lent:
            await people.forget(lent, survey, round)

    async def join(
        self, survey: str, round: int, deck: int, person: bytes, *, once: bool = False
    ) -> Place:
        """Give a person an assignment."""
        require_round(survey, round)
        require_deck(deck)
        require_digest(person, "person")
        return await self._joining.do(people.Joining((survey, round), deck, person, once))

    async def accept(self, incoming: Sequence[Incoming], *, now: datetime) -> list[Acceptance]:
        """Store what is new, and say what became of each."""
        require_incoming(incoming)
        return await self._accepting.do((incoming, bin_of(now)), size=len(incoming))

    async def counts(self, survey: str, round: int) -> Counts:
        """Return how many joined and reported."""
        require_round(survey, round)
        async with connection(self._pool) as lent:
            return await answers.counts(lent, survey, round)

    async def conflicts(self, survey: str) -> int:
        """Return how many uploads were refused as "other"."""
        require_id(survey, "survey")
        async with connection(self._pool) as lent:
            return await answers.conflicts(lent, survey)

    async def progress(self, survey: str, round: int) -> tuple[Bin, ...]:
        """Return how many reports came when."""
        require_round(survey, round)
        async with connection(self._pool) as lent:
            return await answers.progress(lent, survey, round)

    async def kinds(self, survey: str, round: int) -> AsyncIterator[Kinds]:
        """Yield each report with how many times it was given."""
        require_round(survey, round)
        async with transaction(self._pool) as lent:
            async for some in answers.kinds(lent, survey, round):
                for kinds in some:
                    yield kinds

    async def put_secrets(self, secrets_: Sequence[Secret]) -> None:
        """Keep secrets."""
        require_secrets(secrets_)
        async with transaction(self._pool) as lent:
            await secrets.put(lent, secrets_)

    async def secret(self, kind: str, digest: bytes, *, now: datetime) -> Secret | None:
        """Return a secret."""
        _require_asked(kind, digest)
        time = microseconds(now, "now")
        async with connection(self._pool) as lent:
            return await secrets.read(lent, kind, digest, time)

    async def take_secret(self, kind: str, digest: bytes, *, now: datetime) -> Secret | None:
        """Return a secret and delete it."""
        _require_asked(kind, digest)
        time = microseconds(now, "now")
        async with connection(self._pool) as lent:
            return await secrets.take(lent, kind, digest, time)

    async def drop_secrets(self, kind: str, survey: str | None) -> int:
        """Delete secrets."""
        require_id(kind, "kind")
        if survey is not None:
            require_id(survey, "survey")
        async with transaction(self._pool) as lent:
            return await secrets.drop(lent, kind, survey)

    async def signing_keys(self) -> tuple[SigningKey, ...]:
        """Return all signing keys."""
        async with connection(self._pool) as lent:
            return await secrets.signing_keys(lent)

    async def add_signing_key(self, number: int, key: bytes) -> bool:
        """Keep a signing key."""
        require_small(number, "number")
        require_blob(key, "key")
        async with connection(self._pool) as lent:
            return await secrets.add_signing_key(lent, number, key)

    async def drop_signing_key(self, number: int) -> bool:
        """Delete a signing key."""
        require_small(number, "number")
        async with connection(self._pool) as lent:
            return await secrets.drop_signing_key(lent, number)

    async def put_picture(self, survey: str, digest: bytes, picture: bytes) -> None:
        """Keep a picture."""
        _require_picture(survey, digest)
        require_blob(picture, "picture")
        async with transaction(self._pool) as lent:
            await secrets.put_picture(lent, survey, digest, picture)

    async def picture(self, survey: str, digest: bytes) -> bytes | None:
        """Return a picture."""
        _require_picture(survey, digest)
        async with connection(self._pool) as lent:
            return await secrets.picture(lent, survey, digest)

    async def ready(self) -> None:
        """Raise StoreFailure unless the server answers."""
        await self.signing_keys()

    async def sweep(self, now: datetime) -> int:
        """Delete what has expired, and what a crash left of deleted surveys."""
        time = microseconds(now, "now")
        async with connection(self._pool) as lent:
            n_expired = await secrets.expire(lent, time)
        async with transaction(self._pool) as lent:
            await deletion.delete_hidden(lent)
        return n_expired

    async def backup(self, path: FilePath) -> None:
        """Refuse: PostgreSQL has better means."""
        raise HushrankError(
            "store: a PostgreSQL database is backed up by its own command:"
            " pg_dump --schema=hushrank --format=custom --file=BACKUP DATABASE,"
            " and restored by"
            " pg_restore --clean --if-exists --single-transaction --dbname=DATABASE BACKUP"
        )

    async def close(self) -> None:
        """Finish what was begun and end the connections."""
        await self._loading.stop()
        await self._joining.stop()
        await self._accepting.stop()
        await close_pool(self._pool)

    async def _load(self, names: Sequence[str]) -> list[Kept | None]:
        async with connection(self._pool) as lent:
            return await surveys.load(lent, names)

    async def _join(self, joining: Sequence[people.Joining]) -> list[Place]:
        async with transaction(self._pool) as lent:
            return await people.join(lent, joining)

    async def _accept(self, uploads: Sequence[answers.Upload]) -> list[list[Acceptance]]:
        return await answers.accept(self._pool, uploads)


def _require_asked(kind: str, digest: bytes) -> None:
    require_id(kind, "kind")
    require_digest(digest, "digest")


def _require_picture(survey: str, digest: bytes) -> None:
    require_id(survey, "survey")
    require_digest(digest, "digest")

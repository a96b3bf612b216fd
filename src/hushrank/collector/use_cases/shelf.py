"""Surveys and their rounds: from the store, replayed, and remembered."""

import asyncio
import hmac
import os
import string
from collections.abc import Awaitable, Callable, Hashable, Iterable
from datetime import UTC, datetime
from math import comb
from typing import Generic, TypeVar

import msgspec

from hushrank.collector.life import Life
from hushrank.collector.refusals import Refusal, allow, present
from hushrank.collector.rounds import Asked, decode_tallies, replay
from hushrank.collector.store.store import Kept, NewRound, SigningKey, Store
from hushrank.collector.use_cases.desk import Desk
from hushrank.collector.use_cases.lately import Lately
from hushrank.collector.use_cases.records import Past, Record, RoundRecord
from hushrank.surveys.survey import RoundTallies
from hushrank.workflows.results.collection import Collection

T = TypeVar("T", bound=Asked | Collection)

ID_LENGTH, ID_LETTERS = 12, {*string.ascii_letters, *string.digits, "-", "_"}


class Shelf:
    """What every use case stands on: the store, the clock, surveys and their rounds."""

    def __init__(
        self,
        store: Store,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        draw: Callable[[int], bytes] = os.urandom,
    ) -> None:
        """Work over an open store; `clock` and `draw` are replaced in tests only."""
        self.store, self._clock, self._draw = store, clock, draw
        self._keys: dict[int, bytes] = {}
        self._away: set[str | None] = set()  # marks of rounds that are counted elsewhere
        self._ended: set[str] = set()  # surveys of which nobody is remembered as asked
        self._there: set[str] = set()  # surveys, when the clock ticked last
        self._known_desks: Lately[tuple[Desk, ...]] = Lately()
        self._published: Lately[_Once[Asked]] = Lately()
        self._learnt: Lately[_Once[Asked | Collection]] = Lately()
        self._results: Lately[_Once[Collection]] = Lately()

    def _forget(self) -> None:
        """Forget what is remembered of surveys: one of them was deleted."""
        self._known_desks.clear()
        self._published.clear()
        self._learnt.clear()
        self._results.clear()

    def _now(self) -> datetime:
        return self._clock().astimezone(UTC)

    async def _record(self, id: str) -> Record:
        return msgspec.json.decode((await self._kept(id)).blob, type=Record)

    async def _kept(self, id: str) -> Kept:
        kept = await self.store.load(id) if _is_id(id) else None
        return present(kept, "not-found", "there is no such survey")

    async def _change(
        self, id: str, change: Callable[[Record], Record], *, opens: NewRound | None = None
    ) -> Record:
        """Change a survey, again if somebody else did meanwhile; return it as it is then.

        opens: a round that is opened with it.
        """
        while True:
            kept = await self._kept(id)
            changed = change(msgspec.json.decode(kept.blob, type=Record))
            blob = msgspec.json.encode(changed)
            if await self.store.save(id, blob, kept.version, opens=opens):
                return changed

    async def _change_life(self, id: str, change: Callable[[Life], Life]) -> None:
        await self._change(
            id, lambda record: msgspec.structs.replace(record, life=change(record.life))
        )

    async def _past(self, id: str, series: str) -> Past | None:
        """Return what a survey of this series has asked; None where there is none, or a draft."""
        kept = await self.store.load(id)
        record = None if kept is None else msgspec.json.decode(kept.blob, type=Record)
        if record is None or record.series != series or record.life.opened is None:
            return None
        held = [await self.store.round(id, n) for n in range((record.life.round or 0) + 1)]
        rounds = [msgspec.json.decode(each.blob, type=RoundRecord) for each in held if each]
        return Past(record.life.opened, tuple(rounds))

    async def _tallies(
        self, id: str, record: Record, *, until: int | None = None
    ) -> tuple[RoundTallies, ...]:
        """Return the tallies of all rounds that have ended, or of those before `until`."""
        found: list[RoundTallies] = []
        last = -1 if record.life.round is None else record.life.round
        for number in range(last + 1 if until is None else until):
            held = await self.store.round(id, number)
            if held is None or held.tallies is None:
                break
            found.append(await asyncio.to_thread(decode_tallies, held.tallies))
        return tuple(found)

    async def _asked(self, id: str, record: Record, number: int) -> Asked:
        """Return a round, which is the one that was published if it was."""
        key = (id, number, *asked_by(record))

        async def make() -> Asked:
            tallies = await self._tallies(id, record, until=number)
            settled = record.draft, record.seed, tallies, record.chosen
            found = await asyncio.to_thread(replay, *settled)
            if not isinstance(found, Asked):
                raise Refusal("not-allowed", "the protocol asks no other round")
            fingerprints = await asyncio.to_thread(lambda: found.fingerprints)  # seconds, at worst
            held = await self.store.round(id, number)
            if held is not None:
                published = msgspec.json.decode(held.blob, type=RoundRecord)
                same = published.fingerprints == fingerprints
                words = "this version of hushrank asks other questions than the one that opened it"
                allow(same, "not-ready", words)
            return found

        return await made(self._published, key, make)

    async def _result(
        self, id: str, record: Record, tallies: tuple[RoundTallies, ...]
    ) -> Asked | Collection:
        key = (id, *asked_by(record), len(tallies))

        async def make() -> Asked | Collection:
            settled = record.draft, record.seed, tallies, record.chosen
            return await asyncio.to_thread(replay, *settled)

        return await made(self._learnt, key, make)

    async def _signing_keys(self, needed: Iterable[int | None] = ()) -> dict[int, bytes]:
        """Return all keys, read again if one is needed that another process may have made.

        The first is made when there is none.
        """
        if not self._keys or {*needed} - {None, *self._keys}:
            found: tuple[SigningKey, ...] = await self.store.signing_keys()
            if not found:
                await self.store.add_signing_key(1, self._draw(32))
                found = await self.store.signing_keys()
            self._keys = {key.number: key.key for key in found}
        return self._keys

    def _digest(self, id: str, token: str) -> bytes:
        """Return what is kept of a token of 128 random bits."""
        return hmac.digest(id.encode(), token.encode(), "sha256")


class _Once(Generic[T]):
    """Something that is made once, by whoever comes first; not at all if that fails."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self._made: T | None = None

    async def get(self, make: Callable[[], Awaitable[T]]) -> T:
        async with self._lock:
            if self._made is None:
                self._made = await make()
            return self._made


async def made(known: Lately[_Once[T]], key: Hashable, make: Callable[[], Awaitable[T]]) -> T:
    """Return what is known by a key, or make it; what is forgotten meanwhile stays forgotten."""
    once = known.get(key) or known.keep(key, _Once(), 0)
    found = await once.get(make)
    if known.get(key) is once:
        known.keep(key, once, size_of(found))
    return found


def size_of(made: Asked | Collection) -> int:
    """Return how many questions a round has, or pairs of items a result: memory grows with them."""
    if isinstance(made, Asked):
        return sum(len(survey.questions) for survey in made.surveys)
    return comb(len(made.names), 2)


def asked_by(record: Record) -> tuple[bytes, int, bytes]:
    """Return all that decides what is asked, to be compared."""
    return msgspec.json.encode(record.draft), record.seed, msgspec.json.encode(record.chosen)


def _is_id(text: str) -> bool:
    return len(text) == ID_LENGTH and text.isascii() and set(text) <= ID_LETTERS

"""Random operations, each the same on a store and on the model; and what they return, comparable.

A number of an assignment differs between the two: operations name it by its place among those that
were given out, see `Side`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any, TypeAlias

from hushrank.collector.store.store import ASKED, Answer, Incoming, Joined, NewRound, Secret, Store
from hushrank.errors import HushrankError
from tests.collector.store.running import KEY, NOW, kinds, person

SURVEYS, ROUNDS, DECKS, PEOPLE = ("s", "t"), (0, 1), (0, 1, 2), range(9)
KINDS, SECRETS, PICTURES = ("link", "invitation", ASKED), (0, 1, 2), (0, 1)
FOREIGN = 10**15
"""Numbers from here on are given to nobody, but once in ten trillion."""
REFUSED = "refused"


@dataclass
class Side:
    """A store or the model, and the numbers that it has given."""

    store: Store
    given: list[int] = field(default_factory=list)

    def settle(self, found: object) -> object:
        """Put what stands for a number in its place; note those that are new."""
        if isinstance(found, list):
            return [self.settle(each) for each in found]
        if not isinstance(found, Joined):
            return found
        if found.is_new:
            assert found.number not in self.given
            self.given.append(found.number)
        return found.position, found.deck, found.is_new, self.given.index(found.number)

    async def accept(self, sent: "list[Sent]", now: datetime) -> object:
        """Upload, and return what became of it."""
        return await self.store.accept([one.incoming(self.given) for one in sent], now=now)


@dataclass(frozen=True)
class Sent:
    """An upload; its assignment is one that was given, counted from 0, or one of nobody."""

    survey: str
    round: int
    assignment: int
    answers: tuple[Answer, ...]
    key: bytes = KEY

    def incoming(self, given: list[int]) -> Incoming:
        """Return what a store takes."""
        number = (
            given[self.assignment] if self.assignment < len(given) else FOREIGN + self.assignment
        )
        return Incoming(self.survey, self.round, number, self.answers, self.key)


Operation: TypeAlias = Callable[[Side], Awaitable[object]]


@dataclass
class Operations:
    """Draws operations; knows what was sent before, to send it again."""

    random: Random
    now: datetime = NOW
    sent: list[Sent] = field(default_factory=list)

    def draw(self) -> tuple[str, Operation]:
        """Return an operation and its name."""
        name, weight = zip(*_WEIGHTS.items(), strict=True)
        (chosen,) = self.random.choices(name, weight)
        operation: Operation = getattr(self, chosen)()
        return chosen, operation

    def clock(self) -> Operation:
        self.now += timedelta(seconds=self.random.choice((1, 59, 600, 3601, 90_000)))
        return _nothing

    def burst(self) -> Operation:
        """Several people and uploads at once; what waits together is done in the order asked."""
        steps = [self.random.choice((self._join, self.accept))() for _ in range(6)]

        async def at_once(side: Side) -> object:
            return await asyncio.gather(*(step(side) for step in steps))

        return at_once

    def join(self) -> Operation:
        return self._join(once=self._pick((True, False)))

    def _join(self, *, once: bool = False) -> Operation:
        where, deck, who = self._round(), self._pick(DECKS), person(self._pick(PEOPLE))
        return lambda side: side.store.join(*where, deck, who, once=once)

    def accept(self) -> Operation:
        sent = [self._sent() for _ in range(self.random.choice((1, 1, 1, 2, 5)))]
        self.sent += sent
        now = self.now
        return lambda side: side.accept(sent, now)

    def accept_bad(self) -> Operation:
        """A good upload beside one that no store takes."""
        good = self._sent()
        bad = self._pick(
            (
                Sent(good.survey, good.round, 0, ()),
                Sent("no/id", 0, 0, good.answers),
                Sent(good.survey, -1, 0, good.answers),
                Sent(good.survey, 0, 0, (Answer(0, 2**31, b""),)),
                Sent(good.survey, 0, 0, good.answers, b"short"),
                Sent(good.survey, 0, 0, (Answer(0, 0, bytes(2**16 + 1)),)),
            )
        )
        now = self.now
        return lambda side: side.accept([good, bad], now)

    def unheard(self) -> Operation:
        """An upload of an assignment that nobody uses otherwise."""
        one = Sent(*self._round(), 10**6 + len(self.sent), self._answers())
        self.sent.append(one)
        now = self.now
        return lambda side: side.accept([one], now)

    def create(self) -> Operation:
        survey, blob = self._pick(SURVEYS), self._bytes()
        return lambda side: side.store.create(survey, blob)

    def save(self) -> Operation:
        survey, blob, version = self._pick(SURVEYS), self._bytes(), self._pick((1, 1, 2, 3))
        return lambda side: side.store.save(survey, blob, version)

    def delete(self) -> Operation:
        survey = self._pick(SURVEYS)
        return lambda side: side.store.delete(survey)

    def open_round(self) -> Operation:
        """Over the version that there is, mostly."""
        (survey, number), blob, is_late = self._round(), self._bytes(), self.random.random() < 0.2
        new = NewRound(number, self._bytes())

        async def opened(side: Side) -> object:
            kept = await side.store.load(survey)
            version = kept.version - is_late if kept else 1
            return await side.store.save(survey, blob, version, opens=new)

        return opened

    def close_round(self) -> Operation:
        where = self._round()
        return lambda side: side.store.close_round(*where)

    def keep_tallies(self) -> Operation:
        where, tallies = self._round(), self._bytes()
        return lambda side: side.store.keep_tallies(*where, tallies)

    def forget_people(self) -> Operation:
        where = self._round()
        return lambda side: side.store.forget_people(*where)

    def put_secrets(self) -> Operation:
        secrets = [self._secret() for _ in range(self.random.choice((1, 1, 3)))]
        return lambda side: side.store.put_secrets(secrets)

    def take_secret(self) -> Operation:
        kind, digest, now = self._pick(KINDS), person(self._pick(SECRETS)), self.now
        return lambda side: side.store.take_secret(kind, digest, now=now)

    def drop_secrets(self) -> Operation:
        kind, survey = self._pick(KINDS), self._pick((*SURVEYS, None))
        return lambda side: side.store.drop_secrets(kind, survey)

    def sweep(self) -> Operation:
        now = self.now
        return lambda side: side.store.sweep(now)

    def add_signing_key(self) -> Operation:
        number, key = self._pick((1, 2, 3)), self._bytes()
        return lambda side: side.store.add_signing_key(number, key)

    def drop_signing_key(self) -> Operation:
        number = self._pick((1, 2, 3))
        return lambda side: side.store.drop_signing_key(number)

    def put_picture(self) -> Operation:
        survey, digest, picture = self._pick(SURVEYS), person(self._pick(PICTURES)), self._bytes()
        return lambda side: side.store.put_picture(survey, digest, picture)

    def _round(self) -> tuple[str, int]:
        return self._pick(SURVEYS), self._pick((0, 0, 1))

    def _sent(self) -> Sent:
        """Return something new, the same again, or something else for the same assignment."""
        if self.sent and self.random.random() < 0.4:
            before = self._pick(self.sent)
            answers = before.answers if self.random.random() < 0.6 else self._answers()
            key = before.key if self.random.random() < 0.8 else b"another's key..."
            return Sent(before.survey, before.round, before.assignment, answers, key)
        return Sent(*self._round(), self._pick(range(12)), self._answers())

    def _answers(self) -> tuple[Answer, ...]:
        n_answers = self.random.choice((1, 1, 2, 3))
        return tuple(Answer(self._pick((0, 1)), n, self._bytes()) for n in range(n_answers))

    def _secret(self) -> Secret:
        expires = self.now + timedelta(seconds=self._pick((1, 600, 5000)))
        return Secret(
            self._pick(KINDS),
            person(self._pick(SECRETS)),
            self._bytes(),
            self._pick((*SURVEYS, None)),
            self._pick((expires, None)),
        )

    def _bytes(self) -> bytes:
        return self._pick((b"", b"a", b"b", b"\x00\xff", b"c" * 40))

    def _pick(self, among: Any) -> Any:
        return self.random.choice(among)


_WEIGHTS = {
    "accept": 12,
    "join": 10,
    "burst": 4,
    "accept_bad": 1,
    "clock": 3,
    "create": 3,
    "save": 2,
    "open_round": 4,
    "close_round": 2,
    "keep_tallies": 1,
    "forget_people": 1,
    "delete": 1,
    "put_secrets": 3,
    "take_secret": 2,
    "drop_secrets": 1,
    "sweep": 1,
    "add_signing_key": 1,
    "drop_signing_key": 1,
    "put_picture": 1,
}


async def outcome(operation: Operation, side: Side) -> object:
    """Return what the operation returns, or that it was refused."""
    try:
        found = await operation(side)
    except HushrankError:
        return REFUSED
    return side.settle(found)


async def told(store: Store, what: str, now: datetime) -> object:
    """Return what the store tells of one of `READS`."""
    read, places = READS[what]
    return [await read(store, now, *place) for place in places]


async def _kinds(store: Store, now: datetime, *where: Any) -> object:
    return await kinds(store, *where)


async def _nothing(side: Side) -> None:
    pass


_EACH_ROUND = [(survey, round) for survey in SURVEYS for round in ROUNDS]
READS: dict[str, tuple[Callable[..., Awaitable[object]], list[tuple[Any, ...]]]] = {
    "surveys": (lambda store, now: store.all(), [()]),
    "kinds": (_kinds, _EACH_ROUND),
    "counts": (lambda store, now, *where: store.counts(*where), _EACH_ROUND),
    "conflicts": (lambda store, now, name: store.conflicts(name), [(name,) for name in SURVEYS]),
    "rounds": (lambda store, now, *where: store.round(*where), _EACH_ROUND),
    "progress": (lambda store, now, *where: store.progress(*where), _EACH_ROUND),
    "keys": (lambda store, now: store.signing_keys(), [()]),
    "secrets": (
        lambda store, now, *which: store.secret(*which, now=now),
        [(kind, person(n)) for kind in KINDS for n in PEOPLE],
    ),
    "pictures": (
        lambda store, now, *which: store.picture(*which),
        [(survey, person(n)) for survey in SURVEYS for n in PICTURES],
    ),
}
"""All that a store tells, by which method and of what."""

"""Of many surveys, rounds and secrets at one moment, in one batch where there are batches."""

import asyncio

from hushrank.collector.store.sqlite.store import SqliteStore
from hushrank.collector.store.store import Counts, Kept, Secret
from hushrank.errors import HushrankError
from tests.collector.store.running import (
    NOW,
    kinds,
    on_store,
    open_survey,
    person,
    upload,
)

MANY = range(60)
SURVEYS = [f"s{n:02}" for n in MANY]


async def at_once(store, together, calls):
    """Return what became of calls that one store does in one batch and the other does not."""
    if isinstance(store, SqliteStore):
        return await together(store, calls)
    return await asyncio.gather(*calls, return_exceptions=True)


def test_many_surveys_are_made_and_loaded_at_once(address, together):
    async def scenario(store):
        await store.create(SURVEYS[-1], b"there")
        made = await at_once(store, together, [store.create(name, b"blob") for name in SURVEYS])
        assert made[:-1] == [None] * (len(MANY) - 1)
        assert isinstance(made[-1], HushrankError)
        there = [*(Kept(name, b"blob", 1) for name in SURVEYS[:-1]), Kept(SURVEYS[-1], b"there", 1)]
        assert set(await store.all()) == set(there)
        assert len(await store.all()) == len(MANY)
        names = [*SURVEYS, "none", *SURVEYS]
        loaded = await together(store, [store.load(name) for name in names])
        assert loaded == [*there, None, *there]

    on_store(address, scenario)


def test_of_many_rounds_closed_at_once_each_is_closed_once(address, together):
    async def scenario(store):
        for name in SURVEYS:
            await open_survey(store, name)
        closing = [store.close_round(name, 0) for name in SURVEYS for _ in range(2)]
        closed = await at_once(store, together, closing)
        assert closed.count(True) == closed.count(False) == len(MANY)
        for name in SURVEYS:
            assert not (await store.round(name, 0)).is_open
        tallies = [store.keep_tallies(name, 0, name.encode()) for name in SURVEYS]
        assert await at_once(store, together, tallies) == [None] * len(MANY)
        for name in SURVEYS:
            assert (await store.round(name, 0)).tallies == name.encode()

    on_store(address, scenario)


def test_many_surveys_are_deleted_at_once_and_nothing_of_others(address):
    async def scenario(store):
        for n, name in enumerate(SURVEYS):
            await open_survey(store, name)
            place = await store.join(name, 0, 0, person(n))
            await store.accept([upload(place.number, b"a", survey=name)], now=NOW)
        await store.put_secrets([Secret("a", person(n), b"", s) for n, s in enumerate(SURVEYS)])
        deleted = await asyncio.gather(*(store.delete(name) for name in SURVEYS[1:]))
        assert deleted == [True] * (len(MANY) - 1)
        assert [kept.survey for kept in await store.all()] == SURVEYS[:1]
        there = [await store.secret("a", person(n), now=NOW) for n in MANY]
        assert [each is not None for each in there] == [True] + [False] * (len(MANY) - 1)
        assert await store.counts(SURVEYS[0], 0) == Counts(1, 1)
        assert await kinds(store, SURVEYS[0]) == {(0, 0, b"a"): 1}
        for name in SURVEYS[1:]:
            await open_survey(store, name)
            assert await store.counts(name, 0) == Counts(0, 0)
            assert not await kinds(store, name)

    on_store(address, scenario)


def test_many_secrets_of_one_moment_are_kept_taken_and_dropped(address, together):
    secrets = [Secret("ab"[n % 2], person(n), b"%d" % n, "s") for n in MANY]

    async def scenario(store):
        await store.create("s", b"")
        puts = [store.put_secrets([each]) for each in secrets]
        assert await at_once(store, together, puts) == [None] * len(MANY)
        digests = [person(n // 2) for n in range(2 * len(MANY))]
        takes = [store.take_secret("a", digest, now=NOW) for digest in digests]
        taken = await at_once(store, together, takes)
        assert [each for each in taken if each] == secrets[::2]
        assert await store.drop_secrets("b", "s") == len(MANY) // 2
        assert await store.drop_secrets("a", "s") == 0

    on_store(address, scenario)

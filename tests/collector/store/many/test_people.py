"""Of many people who join at one moment, in one batch."""

import asyncio

from hushrank.collector.store.store import ASKED, Counts, round_mark
from tests.collector.store.running import NOW, on_store, open_round, open_survey, person, upload

MANY = range(60)


def test_many_who_join_at_once_have_a_place_each(address, together):
    async def scenario(store):
        await open_survey(store)
        places = await together(store, [store.join("s", 0, 0, person(n)) for n in MANY])
        assert [place.position for place in places] == list(MANY)
        assert all(place.is_new for place in places)
        assert len({place.number for place in places}) == len(MANY)
        assert await store.counts("s", 0) == Counts(len(MANY), 0)

    on_store(address, scenario)


def test_many_who_join_again_at_once_have_the_places_that_they_had(address, together):
    async def scenario(store):
        await open_survey(store)
        first = await together(store, [store.join("s", 0, n, person(n)) for n in MANY])
        sent = [upload(place.number, b"a") for place in first[::2]]
        await store.accept(sent, now=NOW)
        again = await together(store, [store.join("s", 0, 0, person(n)) for n in MANY])
        assert [(each.number, each.deck) for each in again] == [
            (place.number, n) for n, place in enumerate(first)
        ]
        assert not any(each.is_new for each in again)
        assert [each.has_reported for each in again] == [n % 2 == 0 for n in MANY]
        assert await store.counts("s", 0) == Counts(len(MANY), len(sent))

    on_store(address, scenario)


def test_who_joins_many_decks_at_once_comes_after_those_who_were_there(address, together):
    async def scenario(store):
        await open_survey(store)
        for times in range(3):
            joins = [store.join("s", 0, deck, person(100 * times + deck)) for deck in MANY]
            places = await together(store, joins)
            assert {place.position for place in places} == {times}
        assert await store.counts("s", 0) == Counts(3 * len(MANY), 0)

    on_store(address, scenario)


def test_many_who_are_asked_once_are_remembered_and_told_so_at_once(address, together):
    """Beside many who may be asked again."""

    async def scenario(store):
        await open_survey(store)
        joins = [store.join("s", 0, 0, person(n), once=n % 2 == 0) for n in MANY]
        places = await together(store, joins)
        assert [place.position for place in places] == list(MANY)
        marks = [await store.secret(ASKED, person(n), now=NOW) for n in MANY]
        assert [mark and mark.blob for mark in marks] == [round_mark(0), None] * (len(MANY) // 2)
        await store.close_round("s", 0)
        await open_round(store, "s", 1)
        places = await together(store, [store.join("s", 1, 0, person(n), once=True) for n in MANY])
        assert places[::2] == ["asked"] * (len(MANY) // 2)
        assert [place.position for place in places[1::2]] == list(range(len(MANY) // 2))

    on_store(address, scenario)


def test_many_join_as_many_rounds_at_once_open_or_closed(address, together):
    surveys = [f"s{n:02}" for n in MANY]

    async def scenario(store):
        for n, name in enumerate(surveys):
            await open_survey(store, name)
            assert n % 2 or await store.close_round(name, 0)
        places = await together(store, [store.join(name, 0, 0, person(1)) for name in surveys])
        assert [place and place.position for place in places] == [None, 0] * (len(MANY) // 2)
        counts = await asyncio.gather(*(store.counts(name, 0) for name in surveys))
        assert counts == [Counts(n % 2, 0) for n in MANY]

    on_store(address, scenario)

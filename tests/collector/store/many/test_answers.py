"""Of many uploads, answers and periods of time at one moment, in one batch."""

from datetime import timedelta

import pytest

from hushrank.collector.store.sqlite import rows
from hushrank.collector.store.store import Bin, Counts
from tests.collector.store.running import NOW, kinds, on_store, open_survey, upload

MANY = range(60)
SURVEYS = [f"s{n:02}" for n in MANY]


def all_send(store, uploads):
    return [store.accept([each], now=NOW) for each in uploads]


def test_many_who_send_at_once_are_told_each_what_became_of_theirs(address, together):
    sent = [upload(n, b"%d" % n, survey="no" if n % 3 == 2 else "s") for n in MANY]
    again = [upload(n, b"other" if n % 3 == 1 else b"%d" % n) for n in MANY]

    async def scenario(store):
        await open_survey(store)
        told = await together(store, all_send(store, sent))
        assert told == [["new"], ["new"], ["closed"]] * (len(MANY) // 3)
        told = await together(store, all_send(store, again))
        assert told == [["same"], ["other"], ["new"]] * (len(MANY) // 3)
        assert await kinds(store) == {(0, 0, b"%d" % n): 1 for n in MANY}
        assert await store.counts("s", 0) == Counts(0, len(MANY))
        assert await store.conflicts("s") == len(MANY) // 3

    on_store(address, scenario)


@pytest.mark.parametrize("alone", [range(0), range(30), range(30, 90), range(90)])
def test_all_of_many_answers_are_kept_of_many_who_send_at_once(address, together, alone):
    """Beside such as have one answer, who may come before them or after."""
    sent = [upload(n, *[b"a"] * (1 if n in alone else 40)) for n in range(90)]

    async def scenario(store):
        await open_survey(store)
        assert await together(store, all_send(store, sent)) == [["new"]] * 90
        later = {(0, n, b"a"): 90 - len(alone) for n in range(1, 40) if len(alone) < 90}
        assert await kinds(store) == {(0, 0, b"a"): 90} | later
        assert await together(store, all_send(store, sent)) == [["same"]] * 90

    on_store(address, scenario)


def test_all_answers_to_many_rounds_are_kept_of_who_send_at_once(address, together):
    sent = [upload(7, b"a", name.encode(), survey=name) for name in SURVEYS]
    others = [upload(7, b"b", survey=name) for name in SURVEYS]

    async def scenario(store):
        for name in SURVEYS:
            await open_survey(store, name)
        assert await together(store, all_send(store, sent)) == [["new"]] * len(MANY)
        assert await together(store, all_send(store, sent)) == [["same"]] * len(MANY)
        assert await together(store, all_send(store, others)) == [["other"]] * len(MANY)
        for name in SURVEYS:
            assert await kinds(store, name) == {(0, 0, b"a"): 1, (0, 1, name.encode()): 1}
            assert await store.counts(name, 0) == Counts(0, 1)
            assert await store.conflicts(name) == 1

    on_store(address, scenario)


def test_what_came_in_many_periods_of_time_is_counted_in_each(address, together):
    """As where a server was away: what waited is kept in one batch."""
    at = [NOW + timedelta(minutes=10 * n) for n in MANY]
    first = NOW.replace(minute=30, second=0, microsecond=0)

    async def scenario(store):
        await open_survey(store)
        for more in (0, 100):
            sent = [store.accept([upload(n + more, b"a")], now=now) for n, now in enumerate(at)]
            assert await together(store, sent) == [["new"]] * len(MANY)
        told = await store.progress("s", 0)
        assert told == tuple(Bin(first + timedelta(minutes=10 * n), 2) for n in MANY)
        assert await store.counts("s", 0) == Counts(0, 2 * len(MANY))

    on_store(address, scenario)


def test_rows_of_many_statements_are_all_kept(address, together, monkeypatch):
    monkeypatch.setattr(rows, "_ROWS_AT_ONCE", (2, 1))
    sent = [upload(n, b"%d" % n, b"b") for n in MANY]

    async def scenario(store):
        await open_survey(store)
        assert await together(store, all_send(store, sent)) == [["new"]] * len(MANY)
        expected = {(0, 0, b"%d" % n): 1 for n in MANY} | {(0, 1, b"b"): len(MANY)}
        assert await kinds(store) == expected
        await store.close_round("s", 0)
        await store.forget_people("s", 0)
        assert await kinds(store) == expected

    on_store(address, scenario)

import asyncio

import pytest

from hushrank.collector.store.sqlite.connections import open_for_writing
from hushrank.collector.store.sqlite.writer import Writer, _in_one_transaction, _Order, each
from hushrank.collector.store.store import StoreFailure
from hushrank.errors import HushrankError
from tests.collector.store.running import NOW, kinds, on_store, open_survey, person, upload


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.sqlite"


@pytest.mark.block_sizes
def test_callers_who_wait_at_the_same_time_share_commits(path):
    statements = []

    async def scenario(store):
        await open_survey(store)
        store._writer._connection.set_trace_callback(statements.append)
        await asyncio.gather(*(store.accept([upload(n, b"a")], now=NOW) for n in range(500)))
        await asyncio.gather(*(store.join("s", 0, 0, person(n)) for n in range(500)))
        store._writer._connection.set_trace_callback(None)

    on_store(str(path), scenario)
    assert 1 <= statements.count("COMMIT") <= 10
    assert len(statements) < 300


def test_a_step_that_fails_unforeseen_fails_alone(path):
    @each
    def step(connection, n):
        connection.execute("INSERT INTO signing_keys VALUES (?, x'')", (n,))
        if n == 3:
            raise ZeroDivisionError
        if n == 5:
            connection.execute("SELECT * FROM nothing")
        return n

    async def scenario():
        writer = Writer.start(connection)
        told = await asyncio.gather(*(writer.do(step, n) for n in range(8)), return_exceptions=True)
        keys = await writer.do(each(_keys), None)
        await writer.stop()
        assert keys == [0, 1, 2, 4, 6, 7]
        assert [each for each in told if isinstance(each, int)] == keys
        assert [type(each) for each in told if not isinstance(each, int)] == [
            ZeroDivisionError,
            StoreFailure,
        ]

    connection = open_for_writing(path)
    asyncio.run(scenario())


def test_of_a_large_batch_that_fails_all_others_are_done(path):
    @each
    def step(connection, n):
        connection.execute("INSERT INTO signing_keys VALUES (?, x'')", (n,))
        return n // (n - 3) and n

    connection = open_for_writing(path)
    orders = [_Order(step, n, None, 1, False) for n in range(60)]
    told = Writer(connection)._outcomes(orders, _in_one_transaction)
    assert type(told[3]) is ZeroDivisionError
    assert _keys(connection, None) == [n for n in range(60) if n != 3]
    assert len(told) == 60
    connection.close()


def _keys(connection, _):
    return [number for (number,) in connection.execute("SELECT number FROM signing_keys")]


def test_who_waits_no_longer_does_not_stop_what_they_asked_for(path):
    async def scenario(store):
        await open_survey(store)
        sending = asyncio.create_task(store.accept([upload(1, b"a")], now=NOW))
        await asyncio.sleep(0)
        sending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await sending
        assert await store.accept([upload(2, b"a")], now=NOW) == ["new"]
        assert await kinds(store) == {(0, 0, b"a"): 2}

    on_store(str(path), scenario)


def test_what_was_asked_before_the_end_is_done(path):
    async def scenario(store):
        await open_survey(store)
        sending = [asyncio.create_task(store.accept([upload(n, b"a")], now=NOW)) for n in range(50)]
        await asyncio.sleep(0)
        await store.close()
        assert await asyncio.gather(*sending) == [["new"]] * 50

    on_store(str(path), scenario)


def test_a_full_disk_is_told_in_words_and_loses_nothing(path):
    async def scenario(store):
        await open_survey(store)
        await store.accept([upload(1, b"a")], now=NOW)
        limit = store._writer._connection.execute("PRAGMA page_count").fetchone()[0] + 4
        store._writer._connection.execute(f"PRAGMA max_page_count = {limit}")
        told = await asyncio.gather(
            *(store.accept([upload(2 + n, bytes(40_000))], now=NOW) for n in range(5)),
            store.accept([upload(9, b"a")], now=NOW),
            return_exceptions=True,
        )
        assert [type(each) for each in told[:5]] == [StoreFailure] * 5
        assert str(told[0]) == "the store failed: database or disk is full"
        assert told[5] == ["new"]
        store._writer._connection.execute("PRAGMA max_page_count = 1000000")
        assert await store.accept([upload(2, bytes(40_000))], now=NOW) == ["new"]
        assert (await store.counts("s", 0)).reported == 3

    on_store(str(path), scenario)


def test_an_error_never_quotes_what_was_sent(path):
    async def scenario(store):
        await open_survey(store)
        with pytest.raises(HushrankError) as error:
            await store.accept([upload(1, b"secret" * 20_000)], now=NOW)
        assert "secret" not in str(error.value)

    on_store(str(path), scenario)

"""Who reads and is cancelled leaves a thread behind that still reads."""

import asyncio
from contextlib import suppress
from threading import Event

from hushrank.collector.store.sqlite import readers
from hushrank.collector.store.sqlite.readers import Readers


class Connection:
    """One that says whether it was closed while somebody read."""

    def __init__(self):
        self.is_read, self.was_closed_while_read, self.is_closed = False, False, Event()

    def close(self):
        self.was_closed_while_read |= self.is_read
        self.is_closed.set()


def test_no_connection_is_closed_while_a_thread_reads_for_who_was_cancelled(monkeypatch, tmp_path):
    """SQLite would use what it has freed, and take the collector down."""
    connection, begun, goes_on = Connection(), Event(), Event()
    monkeypatch.setattr(readers, "open_for_reading", lambda _: connection)

    def pieces(connection, _):
        connection.is_read = True
        begun.set()
        assert goes_on.wait(10)
        connection.is_read = False
        yield 1

    async def read(own):
        async for _ in own.stream(pieces, None):
            pass

    async def scenario():
        own = Readers(tmp_path)
        task = asyncio.create_task(read(own))
        await asyncio.to_thread(begun.wait, 10)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert not connection.is_closed.is_set()
        goes_on.set()
        await own.stop()

    asyncio.run(scenario())
    assert connection.is_closed.is_set()
    assert not connection.was_closed_while_read


def test_who_stops_reading_when_the_threads_have_ended_closes_the_connection(monkeypatch, tmp_path):
    connection = Connection()
    monkeypatch.setattr(readers, "open_for_reading", lambda _: connection)

    async def scenario():
        own = Readers(tmp_path)
        reading = own.stream(lambda *_: iter((1, 2)), None)
        assert await anext(reading) == 1
        await own.stop()
        await reading.aclose()

    asyncio.run(scenario())
    assert connection.is_closed.is_set()

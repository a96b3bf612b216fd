import asyncio
from threading import Event

import pytest

from hushrank.collector.store.sqlite.store import SqliteStore
from hushrank.collector.store.sqlite.writer import each


@pytest.fixture
def together(served):
    """A function that has all calls done in one batch, which does not fail."""

    async def done(store, calls):
        begun, end = Event(), Event()
        if isinstance(store, SqliteStore):
            holding = asyncio.create_task(store._writer.do(_hold, (begun, end)))
            await asyncio.to_thread(begun.wait)
        waiting = [asyncio.create_task(call) for call in calls]
        served.clear()
        await asyncio.sleep(0)  # all are waiting by now
        end.set()
        async with asyncio.timeout(20):
            told = await asyncio.gather(*waiting, return_exceptions=True)
        if isinstance(store, SqliteStore):
            await holding
        assert sum(served) == len(waiting)
        return told

    return done


@each
def _hold(connection, events):
    begun, end = events
    begun.set()
    end.wait()

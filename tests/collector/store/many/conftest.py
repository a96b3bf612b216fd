import asyncio
from threading import Event

import pytest

from hushrank.collector.store.batches import Batches
from hushrank.collector.store.sqlite.store import SqliteStore
from hushrank.collector.store.sqlite.writer import Writer, each


@pytest.fixture
def served(monkeypatch):
    """The sizes of batches; one that fails is followed by as many of one as it had."""
    sizes = []
    for kind, name in ((Batches, "_do"), (Writer, "_outcomes")):
        serve = getattr(kind, name)

        def counted(self, batch, *way, serve=serve):
            sizes.append(len(batch))
            return serve(self, batch, *way)

        monkeypatch.setattr(kind, name, counted)
    return sizes


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

"""A collector's service over a fresh file."""

import asyncio

import pytest

from hushrank.collector.service import Service
from hushrank.collector.store.opening import open_store
from tests.collector.device.live import Clock


@pytest.fixture
def in_service(tmp_path):
    """Run something with a service over a fresh file; and again over the same file."""

    def runs(using, clock=None):
        async def whole():
            store = await open_store(str(tmp_path / "surveys.sqlite"))
            try:
                return await using(Service(store, clock=clock or Clock()))
            finally:
                await store.close()

        return asyncio.run(whole())

    return runs

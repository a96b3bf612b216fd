import asyncio

import pytest

from tests.collector.web.running import in_process, running


@pytest.fixture
def on_collector(tmp_path):
    """Run a coroutine function with a collector's application, or with one on a port."""

    def runs(using, *, on_a_port=False, **settings):
        async def whole():
            async with (running if on_a_port else in_process)(tmp_path, **settings) as collector:
                return await using(collector)

        return asyncio.run(whole())

    return runs

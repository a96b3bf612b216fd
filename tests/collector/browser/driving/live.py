"""The real collector, on a thread of its own: the browser's tests wait for their answers."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from hushrank.collector.service import Service
from tests.collector.drafts import draft
from tests.collector.web.running import Collector, running


class Live:
    """A collector that runs, and what its organiser does."""

    def __init__(self, loop: asyncio.AbstractEventLoop, collector: Collector) -> None:
        self._loop = loop
        self.collector = collector

    @property
    def address(self) -> str:
        return self.collector.origin

    def call(self, use: Callable[[Service], Coroutine[Any, Any, Any]]) -> Any:
        """Let the organiser do something."""
        done = asyncio.run_coroutine_threadsafe(use(self.collector.service), self._loop)
        return done.result(30)

    def open(self, pictures: tuple[bytes, ...] = (), **fields: Any) -> str:
        """Open a survey and return its id."""
        kept = {sha256(picture).hexdigest(): picture for picture in pictures}
        survey: str = self.call(lambda service: service.create(draft(**fields), kept))
        self.call(lambda service: service.open(survey))
        return survey

    def page(self, survey: str, token: str | None = None) -> str:
        """Return the address of a survey's page."""
        return f"{self.address}/s/{survey}" + (f"#i={token}" if token else "")


@contextmanager
def live(folder: Path) -> Iterator[Live]:
    """Run a collector while the block lasts."""
    loop = asyncio.new_event_loop()
    began, ends = threading.Event(), asyncio.Event()
    found: list[Live] = []

    async def serve() -> None:
        async with running(folder, unlimited=("127.0.0.1",)) as collector:  # a crowd of one address
            found.append(Live(loop, collector))
            began.set()
            await ends.wait()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert began.wait(30), "the collector did not start"
    try:
        yield found[0]
    finally:
        loop.call_soon_threadsafe(ends.set)
        thread.join(30)
        loop.close()

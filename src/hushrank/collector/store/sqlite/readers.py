"""Threads that read, each by a connection of its own that cannot write."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock, local
from typing import TypeVar

from hushrank.collector.store.sqlite.connections import failures, open_for_reading
from hushrank.collector.store.store import StoreFailure

T = TypeVar("T")
A = TypeVar("A")

_THREADS = 4


class Readers:
    """Reads beside the writer: each read sees all that was committed before it began."""

    def __init__(self, path: Path) -> None:
        """Take a file that was opened for writing before."""
        self._path = path
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="hushrank-store-reader")
        self._of_thread = local()
        self._connections: list[sqlite3.Connection] = []
        self._opening = Lock()
        self._is_open = True

    async def read(self, step: Callable[[sqlite3.Connection, A], T], argument: A) -> T:
        """Return what the step reads, in a thread."""
        return await self._run(lambda: self._read(step, argument))

    async def stream(
        self, step: Callable[[sqlite3.Connection, A], Iterator[T]], argument: A
    ) -> AsyncGenerator[T, None]:
        """Yield what the step reads, piece by piece, all as it is when the first is read."""
        connection, held = await self._run(lambda: open_for_reading(self._path)), Lock()
        try:
            pieces = step(connection, argument)
            while (piece := await self._run(lambda: _next(pieces, held))) is not None:
                yield piece
        finally:
            self._close(connection, held)

    async def stop(self) -> None:
        """Wait for those who read, and close the connections."""
        self._is_open = False
        await asyncio.to_thread(self._threads.shutdown)
        for connection in self._connections:
            connection.close()
        self._connections.clear()

    def _close(self, connection: sqlite3.Connection, held: Lock) -> None:
        """Close in a thread, after the one that may still read for somebody who was cancelled."""

        def close() -> None:
            with held:
                connection.close()

        try:
            self._threads.submit(close)
        except RuntimeError:  # the threads have ended
            close()

    async def _run(self, step: Callable[[], T]) -> T:
        if not self._is_open:
            raise StoreFailure("the store is closed")
        return await asyncio.get_running_loop().run_in_executor(self._threads, step)

    def _read(self, step: Callable[[sqlite3.Connection, A], T], argument: A) -> T:
        with failures():
            return step(self._connection(), argument)

    def _connection(self) -> sqlite3.Connection:
        if not hasattr(self._of_thread, "connection"):
            connection = open_for_reading(self._path)
            self._of_thread.connection = connection
            with self._opening:
                self._connections.append(connection)
        kept: sqlite3.Connection = self._of_thread.connection
        return kept


def _next(pieces: Iterator[T], held: Lock) -> T | None:
    with failures(), held:
        return next(pieces, None)

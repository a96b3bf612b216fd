"""What many callers of a process ask for at the same time, done at once.

A commit waits for the disk, a read for a thread or a server; while one batch does, the next one
gathers. When one of them fails in a
way that its checks did not foresee, each is done again alone: nobody fails for another.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeAlias, TypeVar

from hushrank.collector.store.store import StoreFailure

T = TypeVar("T")
A = TypeVar("A")

_Batch: TypeAlias = Sequence[tuple[A, asyncio.Future[T]]]

LARGEST_BATCH = 2048
"""What all of a batch ask for, in rows: nobody waits for more than these and the last one's."""


class ServerAway(StoreFailure):
    """The server did not answer, or ended the connection."""


WORTH_ANOTHER = 512
"""So many rows that wait are worth a batch beside the one under way."""


class Batches(Generic[A, T]):
    """Does one kind of work, batch after batch; when much waits, up to `at_once` batches."""

    def __init__(
        self, work: Callable[[Sequence[A]], Awaitable[Sequence[T]]], *, at_once: int = 1
    ) -> None:
        """Take what is done with the arguments of a batch: it returns as many results."""
        self._work, self._at_once = work, at_once
        self._waiting: deque[tuple[A, asyncio.Future[T], int]] = deque()
        self._n_rows = 0
        self._running: set[asyncio.Task[None]] = set()
        self._is_open = True

    async def do(self, argument: A, *, size: int = 1) -> T:
        """Return the result for this argument, of `size` rows, after the commit of its batch."""
        if not self._is_open:
            raise StoreFailure("the store is closed")
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append((argument, future, size))
        self._n_rows += size
        if not self._running or self._is_worth_another():
            self._running.add(asyncio.create_task(self._run()))
        return await future

    async def stop(self) -> None:
        """Do what was asked for before."""
        self._is_open = False
        while self._running:
            await asyncio.wait(self._running)

    def _is_worth_another(self) -> bool:
        return len(self._running) < self._at_once and self._n_rows >= WORTH_ANOTHER

    async def _run(self) -> None:
        try:
            while self._waiting:
                await self._do(self._next())
        finally:  # at once, so that whoever comes now begins anew
            self._running -= {task for task in [asyncio.current_task()] if task}

    def _next(self) -> _Batch[A, T]:
        batch, room = [], LARGEST_BATCH
        while self._waiting and room > 0:
            argument, future, size = self._waiting.popleft()
            batch.append((argument, future))
            room -= size
            self._n_rows -= size
        return batch

    async def _do(self, batch: _Batch[A, T]) -> None:
        """Do the batch; when its work fails while the server is there, each alone."""
        try:
            results = await self._work([argument for argument, _ in batch])
        except asyncio.CancelledError:
            for _, future in batch:
                future.cancel()
            raise
        except Exception as error:
            if len(batch) == 1 or isinstance(error, ServerAway):
                _tell_all(batch, [error] * len(batch))
                return
            for pair in batch:
                await self._do([pair])
        else:
            _tell_all(batch, results)


def _tell_all(batch: _Batch[A, T], outcomes: Sequence[T | Exception]) -> None:
    for (_, future), outcome in zip(batch, outcomes, strict=True):
        if future.done():  # whoever asked waits no longer
            continue
        if isinstance(outcome, Exception):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)

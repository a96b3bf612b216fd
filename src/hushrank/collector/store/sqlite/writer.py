"""The one thread that writes: all work that waits at a time shares one transaction.

A commit waits for the disk, a thousand times longer than a row takes. So the writer takes all
orders that are waiting, does them in one transaction, and tells the callers after its commit. When
one of them fails in a way that its checks did not foresee, each is done again in a transaction of
its own: nobody fails for another.

A statement lets other threads of Python run, and when these are busy it takes milliseconds until
the writer's turn comes again. Work on many rows is therefore done in few statements, see `rows.py`.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import wraps
from itertools import groupby
from operator import attrgetter
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeAlias, TypeVar

from hushrank.collector.store.batches import LARGEST_BATCH
from hushrank.collector.store.sqlite.connections import failures
from hushrank.collector.store.store import StoreFailure
from hushrank.errors import HushrankError

T = TypeVar("T")
A = TypeVar("A")
Connection: TypeAlias = sqlite3.Connection
Work: TypeAlias = Callable[[Connection, Sequence[A]], Sequence[T | HushrankError]]
"""Does what several callers asked for, and returns for each, in order, the result or an error.

An error means that nothing was written for this caller.
"""


@dataclass(frozen=True, slots=True)
class _Order:
    work: Work[Any, Any]
    argument: Any = field(repr=False)
    future: asyncio.Future[Any] = field(repr=False)
    size: int
    is_apart: bool

    def tell(self, outcome: object) -> None:
        if self.future.done():  # whoever asked waits no longer
            return
        if isinstance(outcome, BaseException):
            self.future.set_exception(outcome)
        else:
            self.future.set_result(outcome)


_Way: TypeAlias = Callable[[Connection, Sequence[_Order]], Sequence[object]]


def each(step: Callable[[Connection, A], T]) -> Work[A, T]:
    """Make a work of a step for one caller that raises HushrankError before it writes anything."""

    def attempt(connection: Connection, argument: A) -> T | HushrankError:
        try:
            return step(connection, argument)
        except HushrankError as error:
            return error

    @wraps(step)
    def work(connection: Connection, arguments: Sequence[A]) -> Sequence[T | HushrankError]:
        return [attempt(connection, argument) for argument in arguments]

    return work


class Writer:
    """Does what callers order, in the order of their calls."""

    def __init__(self, connection: Connection) -> None:
        """Take the connection to write with; `start` makes a writer that works."""
        self._connection = connection
        self._orders: SimpleQueue[_Order | None] = SimpleQueue()
        self._thread = Thread(target=self._run, name="hushrank-store", daemon=True)
        self._is_open = True
        self._opening = Lock()

    @classmethod
    def start(cls, connection: Connection) -> "Writer":
        """Start the thread, which owns the connection from now on and closes it at the end."""
        writer = cls(connection)
        writer._thread.start()
        return writer

    async def do(
        self, work: Work[A, T], argument: A, *, size: int = 1, is_apart: bool = False
    ) -> T:
        """Have the work done and committed, together with that of others; return its result.

        size: how many rows it is about. is_apart: it is done outside of transactions.
        Who stops waiting does not stop the work.
        """
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        with self._opening:
            if not self._is_open:
                raise StoreFailure("the store is closed")
            self._orders.put(_Order(work, argument, future, size, is_apart))
        return await future

    async def stop(self) -> None:
        """Do what was ordered before, then close the connection."""
        with self._opening:
            if self._is_open:
                self._is_open = False
                self._orders.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        is_last = False
        while not is_last:
            orders, is_last = self._waiting()
            for is_apart, group in groupby(orders, attrgetter("is_apart")):
                batch = list(group)
                _tell(batch, self._outcomes(batch, _apart if is_apart else _in_one_transaction))
        self._connection.close()

    def _waiting(self) -> tuple[list[_Order], bool]:
        """Return what is ordered, up to a largest batch, and whether nothing comes after it."""
        orders, room = [], LARGEST_BATCH
        order = self._orders.get()
        try:
            while order is not None:
                orders.append(order)
                room -= order.size
                if room <= 0:
                    return orders, False
                order = self._orders.get_nowait()
        except Empty:
            return orders, False
        return orders, True

    def _outcomes(self, orders: Sequence[_Order], way: _Way) -> Sequence[object]:
        """Return what each order came to, which is committed unless it is an exception."""
        try:
            with failures():
                return way(self._connection, orders)
        except BaseException as error:
            if len(orders) == 1:
                return [error]
        return [outcome for order in orders for outcome in self._outcomes([order], way)]


def _apart(connection: Connection, orders: Sequence[_Order]) -> list[object]:
    outcomes: list[object] = []
    for work, group in groupby(orders, attrgetter("work")):
        outcomes.extend(work(connection, [order.argument for order in group]))
    return outcomes


def _in_one_transaction(connection: Connection, orders: Sequence[_Order]) -> list[object]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        outcomes = _apart(connection, orders)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # some errors have rolled back by themselves
            connection.execute("ROLLBACK")
        raise
    return outcomes


def _tell(orders: Sequence[_Order], outcomes: Sequence[object]) -> None:
    """Wake the callers, with one call for all of an event loop: each call costs a system call."""
    told = sorted(zip(orders, outcomes, strict=True), key=_loop)
    for _, group in groupby(told, _loop):
        pairs = list(group)
        try:
            pairs[0][0].future.get_loop().call_soon_threadsafe(_tell_all, pairs)
        except RuntimeError:  # the loop is closed: nobody waits there
            continue


def _loop(told: tuple[_Order, object]) -> int:
    return id(told[0].future.get_loop())


def _tell_all(told: Sequence[tuple[_Order, object]]) -> None:
    for order, outcome in told:
        order.tell(outcome)

"""Add up what tasks return: in this process, in several, or on the machines of a Dask scheduler.

A task is a function of one piece of the input, and returns a sum. The graph is a tree: a task's
result goes to one addition, whose result goes to one other, so that whatever is run again takes
the place of what it was before, and nothing is ever counted twice.
See docs/decisions/0027-beyond-one-machine.md.
"""

import multiprocessing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, partial, reduce
from importlib.metadata import version
from operator import add
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any, Protocol, Self, TypeAlias, TypeVar

from hushrank.errors import HushrankError, needs_extra, require
from hushrank.files.elsewhere.addresses import shown

FAN_IN = 16
"""How many sums are added by one task."""
PATIENCE = 300.0
"""Seconds for which a scheduler may have no worker at all: they start, or are started again."""
LOOK = 1.0
"""Seconds between looks at whether it has one."""


class Sum(Protocol):
    """What adds up, in any grouping."""

    def __add__(self, other: Self, /) -> Self:
        """Add another one."""


C = TypeVar("C")
P = TypeVar("P")
R = TypeVar("R")
S = TypeVar("S", bound=Sum)
Places: TypeAlias = Mapping[str, int]
"""The numbers of pieces, by the names of their tasks."""
Tell: TypeAlias = Callable[[str, float | None], object]
"""Is told a step in words, and which share of it is done, where that is known."""


def _silent(step: str, share: float | None) -> None:
    """Say nothing of a step."""


@dataclass(frozen=True)
class Failure:
    """What went wrong in a task, in words that hold nothing of the data.

    A value, not an exception: schedulers log exceptions, with what the task was given.
    """

    message: str


@dataclass(frozen=True)
class Workers:
    """Where tasks run.

    scheduler: None, in this process one after the other, without Dask; `threads` or `processes` of
    this machine; or the address of a Dask scheduler, such as tcp://10.0.0.1:8786.
    number: how many threads or processes; None: as many as there are processors.
    pool: the processes, where they stay for more than one sum: see `kept`.
    Raises HushrankError for other words, and where the extra `cluster` is missing.
    """

    scheduler: str | None = None
    number: int | None = None
    pool: Any = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Check the words."""
        if self.scheduler is None:
            require(self.number is None, "workers: expected a scheduler beside their number")
            return
        known = self.scheduler in ("threads", "processes") or "://" in self.scheduler
        expected = "scheduler: expected threads, processes or an address such as tcp://host:8786"
        require(known, f"{expected}, got {self.scheduler}")
        far = "://" in self.scheduler
        require(not far or self.number is None, "workers: a scheduler elsewhere has its own")
        positive = self.number is None or self.number >= 1
        require(positive, f"workers: expected at least 1, got {self.number}")

    @contextmanager
    def kept(self) -> Iterator["Workers"]:
        """Yield the same workers; processes start once for all that is asked of them meanwhile."""
        if self.scheduler != "processes" or self.pool is not None:
            yield self
            return
        with _processes(self.number) as pool:
            yield replace(self, pool=pool)

    def add_up(
        self,
        task: Callable[[C, P], S],
        shared: C,
        pieces: Sequence[P],
        tell: Tell = _silent,
    ) -> S:
        """Return the sum of task(shared, piece) over all pieces, in their order.

        shared: what all tasks need; a worker of a scheduler gets it once. tell: is told which share
        of the pieces is done, and where Dask shows it.
        Raises HushrankError as soon as a task does; nothing of the others is returned then, and
        those that wait are not begun.
        """
        require(pieces, "expected at least 1 piece of input")
        guarded, known = partial(_guarded, task), Known(tell, len(pieces))
        if self.scheduler is None:
            each = (known.of(n, guarded(shared, piece)) for n, piece in enumerate(pieces))
            return _unless_failed(reduce(_added, each))  # type: ignore[no-any-return]
        graph = _Graph.of(guarded, shared, pieces)
        return _unless_failed(self._computed(graph, [graph.total], known)[0])  # type: ignore[no-any-return]

    def each(
        self,
        task: Callable[[C, P], R],
        shared: C,
        pieces: Sequence[P],
        done: Callable[[int, R], object],
        tell: Tell = _silent,
    ) -> None:
        """Call done(number, task(shared, piece)) here, for every piece, in their order.

        A result is passed on as soon as all before it are there. Raises as `add_up` does, after
        the results of the pieces before.
        """
        guarded = partial(_guarded, task)
        known = Known(tell, len(pieces), lambda n, found: done(n, _unless_failed(found)))
        if self.scheduler is None:
            for number, piece in enumerate(pieces):
                known.of(number, guarded(shared, piece))
        elif pieces:
            graph = _Graph.of(guarded, shared, pieces)
            self._computed(graph, graph.leaves, known)

    def _computed(self, graph: "_Graph", wanted: Sequence[Any], known: "Known") -> Sequence[Any]:
        if self.scheduler == "threads":
            return _computed_here(graph, wanted, known, number=self.number)
        if self.scheduler == "processes":
            with self.kept() as kept:
                return _computed_here(graph, wanted, known, pool=kept.pool)
        return _computed_elsewhere(str(self.scheduler), graph, wanted, known)


HERE = Workers()
"""In this process, one task after the other."""


class Known:
    """What tasks have returned: says how many have, and passes results on in the pieces' order."""

    def __init__(
        self,
        tell: Tell,
        n_pieces: int,
        done: Callable[[int, Any], object] | None = None,
    ) -> None:
        """Take who is told of progress, and of results where they are wanted one by one."""
        self.tell, self._n_pieces, self._done = tell, n_pieces, done
        self._n_known, self._next, self._early = 0, 0, dict[int, Any]()

    def wanted(self, future: Any) -> Any:
        """Fetch a result where it is passed on, or says what failed; None otherwise."""
        is_wanted = self._done is not None or future.type is Failure
        return future.result() if is_wanted else None

    def of(self, number: int, found: Any) -> Any:
        """Take the result of a piece, and return it; raise what failed, where order is nothing."""
        self._n_known += 1
        found = found if self._done else _unless_failed(found)
        self.tell(f"{self._n_pieces:,} pieces", self._n_known / self._n_pieces)
        if self._done is not None:
            self._early[number] = found
            while self._next in self._early:
                self._done(self._next, self._early.pop(self._next))
                self._next += 1
        return found


@dataclass(frozen=True)
class _Graph:
    """All tasks and additions; their names are random, and tell nothing."""

    leaves: Sequence[Any]
    total: Any
    places: Places

    @classmethod
    def of(cls, guarded: Callable[..., Any], shared: Any, pieces: Sequence[Any]) -> "_Graph":
        try:
            from dask import delayed
        except ModuleNotFoundError as missing:
            raise needs_extra("a scheduler", "cluster") from missing
        run_here = partial(_of_version, own_version(), guarded)
        once = delayed(shared, name=_public_name("shared"), traverse=False)
        run = delayed(run_here, name=_public_name("task"), traverse=False)
        total = delayed(_total, name=_public_name("sum"), traverse=False)
        leaves = [run(once, piece, dask_key_name=_public_name("task")) for piece in pieces]
        level = leaves
        while len(level) > 1:
            groups = (level[n : n + FAN_IN] for n in range(0, len(level), FAN_IN))
            level = [total(*group, dask_key_name=_public_name("sum")) for group in groups]
        return cls(leaves, level[0], {leaf.key: n for n, leaf in enumerate(leaves)})


def _computed_here(
    graph: _Graph,
    wanted: Sequence[Any],
    known: Known,
    *,
    number: int | None = None,
    pool: Any = None,
) -> Sequence[Any]:
    """Compute in threads of this process, or in a pool of others.

    The scheduler is told as a function: for a name of one, Dask loads distributed.
    """
    from concurrent.futures import BrokenExecutor

    import dask
    from dask import multiprocessing, threaded
    from dask.callbacks import Callback

    def after(key: str, found: Any, *_: Any) -> None:
        if key in graph.places:
            known.of(graph.places[key], found)

    get = threaded.get if pool is None else multiprocessing.get
    told = {"pool": pool, "num_workers": number, "chunksize": 1, "optimize_graph": False}
    try:
        with Callback(posttask=after), dask.config.set({"optimization.fuse.active": False}):
            found: Sequence[Any] = dask.compute(*wanted, scheduler=get, **told)
    except BrokenExecutor:
        died = "a process that worked was ended from outside, perhaps for want of memory"
        raise HushrankError(died) from None
    return found


@contextmanager
def _processes(number: int | None) -> Iterator[Any]:
    """Yield processes of our own; what interrupts the work ends them, whatever they do."""
    from concurrent.futures import ProcessPoolExecutor

    context = multiprocessing.get_context("spawn")
    before = multiprocessing.active_children()
    pool = ProcessPoolExecutor(number or n_processors(), mp_context=context)
    try:
        yield pool
    except BaseException:
        for process in multiprocessing.active_children():
            if process not in before:
                process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def n_processors() -> int:
    """Return how many processors this process may use."""
    import os

    can = getattr(os, "sched_getaffinity", None)
    return len(can(0)) if can else os.cpu_count() or 1


def _computed_elsewhere(
    address: str, graph: _Graph, wanted: Sequence[Any], known: Known
) -> Sequence[Any]:
    """Compute on the workers of a scheduler; what they hold is let go of when this returns."""
    try:
        from distributed import Client
    except ModuleNotFoundError as missing:
        raise needs_extra("a scheduler elsewhere", "cluster") from missing
    try:
        client = Client(address)
    except (OSError, TimeoutError, ValueError):
        raise HushrankError(f"{shown(address)}: nothing of Dask answers there") from None
    except TypeError:  # of tls:// alone
        raise HushrankError(
            f"{shown(address)}: expected certificates in Dask's configuration"
        ) from None
    with client:
        known.tell(f"the dashboard is at {client.dashboard_link}", None)
        try:
            _require_same_version(client)
            futures = client.compute([*wanted])
            for future in _as_they_end(client, client.compute([*graph.leaves, *wanted]), known):
                if future.key in graph.places:
                    found = _said_by(address, known.wanted(future))
                    known.of(graph.places[future.key], found)
            return client.gather(futures)  # type: ignore[no-any-return]
        except HushrankError:
            raise
        except Exception as error:  # of the scheduler: tasks return what goes wrong
            ended = f"{shown(address)}: Dask gave up with {type(error).__name__}"
            raise HushrankError(f"{ended}: see the logs of its workers") from None


def _as_they_end(client: Any, futures: Sequence[Any], known: Known) -> Iterator[Any]:
    """Yield each future once it has ended.

    Raises HushrankError where the scheduler has had no worker for long.
    """
    ended: SimpleQueue[Any] = SimpleQueue()
    waiting = {future.key: future for future in futures}
    for future in waiting.values():
        future.add_done_callback(ended.put)
    seen = monotonic()
    while waiting:
        try:
            yield waiting.pop(ended.get(timeout=LOOK).key)
        except Empty:
            if client.nthreads():
                seen = monotonic()
                continue
            known.tell("waiting for a worker", None)
            alone = f"{shown(client.scheduler.address)}: no worker for {PATIENCE:g} seconds"
            require(monotonic() < seen + PATIENCE, alone)


def _said_by(address: str, found: Any) -> Any:
    """Say of a failure that it came from afar: a file may be here, and not there."""
    told = isinstance(found, Failure)
    return Failure(f"{found.message} (says a worker of {shown(address)})") if told else found


def _unless_failed(found: Any) -> Any:
    if isinstance(found, Failure):
        raise HushrankError(found.message)
    return found


def _require_same_version(client: Any) -> None:
    """Raise HushrankError where the scheduler or a worker has another hushrank, or none.

    Nothing is sent to them: what they cannot read, Dask writes to their logs. Workers that come
    later are asked by each task.
    """
    told, own = client.get_versions(packages=["hushrank"]), own_version()
    workers = [("a worker", each) for each in told["workers"].values()]
    for who, each in [("the scheduler", told["scheduler"]), *workers]:
        found = each["packages"]["hushrank"] or "none"
        require(found == own, f"{who} has hushrank {found}, expected {own}")


@cache
def own_version() -> str:
    """Return the version of hushrank; read once, as each task asks for it."""
    return version("hushrank")


def _of_version(expected: str, guarded: Callable[..., Any], shared: Any, piece: Any) -> Any:
    """Run a task on a worker that has the same hushrank as the process that calls."""
    own = own_version()
    if own != expected:
        return Failure(f"a worker has hushrank {own}, expected {expected}")
    return guarded(shared, piece)


def _guarded(task: Callable[[C, P], Any], shared: C, piece: P) -> Any:
    """Run a task; turn what goes wrong into words without the data that it was about."""
    try:
        return task(shared, piece)
    except HushrankError as error:
        return Failure(str(error))
    except Exception as error:
        return Failure(f"a task ended with {type(error).__name__}, whose words may quote data")


def _total(*sums: Any) -> Any:
    return reduce(_added, sums)


def _added(one: Any, other: Any) -> Any:
    if isinstance(one, Failure) or isinstance(other, Failure):
        return one if isinstance(one, Failure) else other
    return _guarded(add, one, other)


def _public_name(what: str) -> str:
    """Return a name for the dashboard and logs that tells nothing of the input."""
    from uuid import uuid4

    return f"hushrank-{what}-{uuid4().hex}"

"""Add up what tasks return: in this process, in several, or on the machines of a Dask scheduler.

A task is a function of one piece of the input, and returns a sum. The graph is a tree: a task's
result goes to one addition, whose result goes to one other, so that whatever is run again takes
the place of what it was before, and nothing is ever counted twice.
See docs/decisions/0027-beyond-one-machine.md.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from typing import Any, Protocol, Self, TypeVar

from hushrank.errors import HushrankError, needs_extra, require

FAN_IN = 16
"""How many sums are added by one task."""


class Sum(Protocol):
    """What adds up, in any grouping."""

    def __add__(self, other: Self, /) -> Self:
        """Add another one."""


C = TypeVar("C")
P = TypeVar("P")
S = TypeVar("S", bound=Sum)


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
    Raises HushrankError for other words, and where the extra `cluster` is missing.
    """

    scheduler: str | None = None
    number: int | None = None

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

    def add_up(
        self,
        task: Callable[[C, P], S],
        shared: C,
        pieces: Sequence[P],
        tell: Callable[[str], object] = str,
    ) -> S:
        """Return the sum of task(shared, piece) over all pieces, in their order.

        shared: what all tasks need; each worker gets it once. tell: is told where progress shows.
        Raises HushrankError where a task does, of the first piece that it fails for; nothing of the
        others is returned then.
        """
        require(pieces, "expected at least 1 piece of input")
        guarded = partial(_guarded, task)
        if self.scheduler is None:
            found = reduce(_added, (guarded(shared, piece) for piece in pieces))
        else:
            found = self._computed(_tree(guarded, shared, pieces), tell)
        if isinstance(found, Failure):
            raise HushrankError(found.message)
        return found  # type: ignore[no-any-return]

    def _computed(self, total: Any, tell: Callable[[str], object]) -> Any:
        if self.scheduler in ("threads", "processes"):
            return total.compute(scheduler=self.scheduler, num_workers=self.number)
        return _computed_elsewhere(str(self.scheduler), total, tell)


HERE = Workers()
"""In this process, one task after the other."""


def _tree(guarded: Callable[..., Any], shared: Any, pieces: Sequence[Any]) -> Any:
    """Return the graph of all tasks and additions; its names are random, and tell nothing."""
    try:
        from dask import delayed
    except ModuleNotFoundError as missing:
        raise needs_extra("a scheduler", "cluster") from missing
    once = delayed(shared, name=_public_name("shared"), pure=False, traverse=False)
    run = delayed(guarded, name=_public_name("task"), pure=False, traverse=False)
    total = delayed(_total, name=_public_name("sum"), pure=False, traverse=False)
    level = [run(once, piece, dask_key_name=_public_name("task")) for piece in pieces]
    while len(level) > 1:
        groups = (level[n : n + FAN_IN] for n in range(0, len(level), FAN_IN))
        level = [total(*group, dask_key_name=_public_name("sum")) for group in groups]
    return level[0]


def _computed_elsewhere(address: str, total: Any, tell: Callable[[str], object]) -> Any:
    """Compute on the workers of a scheduler; what they hold is let go of when this returns."""
    try:
        from distributed import Client
    except ModuleNotFoundError as missing:
        raise needs_extra("a scheduler elsewhere", "cluster") from missing
    try:
        client = Client(address)
    except (OSError, TimeoutError, ValueError):
        raise HushrankError(f"{address}: nothing of Dask answers there") from None
    with client:
        tell(f"the dashboard is at {client.dashboard_link}")
        try:
            return client.compute(total).result()
        except Exception as error:  # of the scheduler: tasks return what goes wrong
            ended = f"{address}: Dask gave up with {type(error).__name__}"
            raise HushrankError(f"{ended}: see the logs of its workers") from None


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

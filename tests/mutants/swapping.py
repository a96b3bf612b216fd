"""Judge many mutants in one process: a fork swaps what each changes, and runs what enters it.

Nothing is loaded or collected anew, which is most of what a mutant costs. What is noticed here is
noticed; what is not may be by tests that start other processes or read files, or by slower ones.
"""

import json
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from tempfile import TemporaryFile
from traceback import print_exc
from types import CodeType, FrameType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from tests.mutants.judging import LEAST_SECONDS, TIMES_AS_LONG, Fate, Judgement, judgement
from tests.mutants.killing import BROKEN, told_by
from tests.mutants.mutant import Mutant, Tests, explained
from tests.mutants.swaps import Place, Swap, loaded_program, swap_of

BUDGET = 20.0
"""Seconds that the tests of a mutant take without it, at most: the quickest are run."""
PATIENCE = 5.0
"""How many times as long a test may take with a mutant, and ten seconds."""
Trace = tuple[float, list[tuple[str, str, int]]]
"""The seconds of a test, and the functions that it enters: file, qualified name, line."""
NOTICED, UNNOTICED = 1, 0
FATES: dict[int, Fate] = {
    NOTICED: "killed",
    UNNOTICED: "survived",
    -signal.SIGXCPU: "endless",
    -signal.SIGALRM: "endless",
    -signal.SIGKILL: "endless",
}


@dataclass(frozen=True)
class Entered:
    """How long a test takes, and which functions of which files it enters."""

    item: pytest.Item
    seconds: float
    places: dict[str, set[Place]]

    def is_of(self, file: str) -> bool:
        """Whether it stands among the tests of the file itself."""
        return self.item.path.name == f"test_{Path(file).name}"

    def enters(self, wanted: dict[str, frozenset[Place] | None]) -> bool:
        """Whether the test enters one of these places of a file; None: any of the file's."""
        for file, places in wanted.items():
            seen = self.places.get(file, set())
            if seen if places is None else places & seen:
                return True
        return False


class Swapper:
    """A plugin of pytest that judges mutants in place of running tests.

    tell: is given the number of each mutant, its fate and the processor seconds that it took; the
    fate is None where what it changes cannot be swapped, or no test enters it.
    """

    def __init__(
        self,
        tree: Path,
        mutants: list[Mutant],
        jobs: int,
        tell: Callable[[int, Fate | None, float], None],
    ) -> None:
        """Take the tree from which the program is loaded, and how many to judge at a time."""
        self._tree, self._mutants, self._jobs, self._tell = tree, mutants, jobs, tell
        self._running: dict[int, int] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run all tests in one fork, to see what they enter; then a fork a mutant."""
        if session.testsfailed:
            pytest.exit("some tests cannot be collected", returncode=1)
        entered = _entered(session.items, self._tree)
        program = loaded_program(self._tree / "src")
        for number, mutant in enumerate(self._mutants):
            swap = swap_of(mutant, self._tree, program)
            chosen = _chosen(mutant, swap, entered) if swap is not None else []
            if swap is None or not chosen:
                self._tell(number, None, 0.0)
                continue
            if len(self._running) == self._jobs:
                self._end_one()
            self._running[_start(swap, chosen)] = number
        while self._running:
            self._end_one()
        return True

    def _end_one(self) -> None:
        process, status, used = os.wait4(-1, 0)
        if process in self._running:
            code = os.waitstatus_to_exitcode(status)
            fate = FATES.get(code)  # another is that of a crash, which a swap may bring about
            with suppress(ProcessLookupError):
                os.killpg(process, signal.SIGKILL)  # what its tests started
            self._tell(self._running.pop(process), fate, used.ru_utime + used.ru_stime)


def judge_swaps(
    tree: Path, mutants: list[Mutant], tests: Tests, others: list[Mutant], *, jobs: int
) -> Iterator[Judgement]:
    """Judge mutants by the tests of a tree; add those that cannot be swapped to the others.

    Exits where tests fail, or cannot be collected, without any mutant.
    """
    known = frozenset(explained())

    def swapper(tell: Callable[[int, Fate | None, float], None]) -> Swapper:
        return Swapper(tree, mutants, jobs, tell)

    for number, fate, seconds in told_by(tree, tests, swapper):
        mutant = mutants[number]
        if fate is None:
            others.append(mutant)
        else:
            yield judgement(mutant, fate, seconds, known)


def _chosen(mutant: Mutant, swap: Swap, entered: list[Entered]) -> list[Entered]:
    """Return tests that may notice, the quickest of each kind first; none where none enters it.

    Those of the file itself that enter what is changed, those that do not, as a cache may have kept
    them from it when they were watched, and those of other files that enter it.
    """

    def kind(each: Entered) -> tuple[bool, bool, float]:
        return not each.is_of(mutant.file), not each.enters(swap.entered), each.seconds

    able = sorted((each for each in entered if not all(kind(each)[:2])), key=kind)
    if not any(each.enters(swap.entered) for each in able):
        return []
    before = accumulate((each.seconds for each in able), initial=0.0)
    return [each for each, seconds in zip(able, before, strict=False) if seconds < BUDGET]


def _start(swap: Swap, chosen: list[Entered]) -> int:
    process = os.fork()
    if process == 0:
        try:
            os.setsid()
            total = sum(each.seconds for each in chosen)
            limit = max(LEAST_SECONDS, round(TIMES_AS_LONG * total))
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
            swap.make()
            os._exit(NOTICED if any(map(_fails_in_time, chosen)) else UNNOTICED)
        finally:
            os._exit(BROKEN)
    return process


def _fails_in_time(test: Entered) -> bool:
    """Whether it fails; the process ends where it waits for what never comes."""
    signal.alarm(10 + round(PATIENCE * test.seconds))
    return fails(test.item)


def fails(item: pytest.Item, *, before: pytest.Item | None = None) -> bool:
    """Run a test; what it shares with the one after it stays."""
    return any(each.failed for each in runtestprotocol(item, nextitem=before, log=False))


def _entered(items: list[pytest.Item], tree: Path) -> list[Entered]:
    """Run tests in a fork, and see what they enter; exits where one of them fails."""
    with TemporaryFile("w+") as file:
        process = os.fork()
        if process == 0:
            try:
                json.dump([_trace(each, tree) for each in items], file)
                file.flush()
                os._exit(0)
            except BaseException:
                print_exc()
            finally:
                os._exit(BROKEN)
        if os.waitpid(process, 0)[1]:
            pytest.exit("the tests cannot be watched", returncode=1)
        file.seek(0)
        traces: list[Trace | None] = json.load(file)
    traced = list(zip(items, traces, strict=True))
    failed = [item.nodeid for item, trace in traced if trace is None]
    if failed:
        pytest.exit(f"fail without any mutant: {' '.join(failed)}", returncode=1)
    return [_read(item, trace) for item, trace in traced if trace is not None]


def _read(item: pytest.Item, trace: Trace) -> Entered:
    seconds, entered = trace
    places: dict[str, set[Place]] = {}
    for name, function, line in entered:
        places.setdefault(name, set()).add((function, line))
    return Entered(item, seconds, places)


def _trace(item: pytest.Item, tree: Path) -> Trace | None:
    """Return how long a test takes and which functions it enters, None where it fails."""
    codes: set[CodeType] = set()

    def see(frame: FrameType, event: str, argument: Any) -> None:
        codes.add(frame.f_code)

    began = time.monotonic()
    for begin in (sys.settrace, threading.settrace):
        begin(see)
    try:
        failed = fails(item)
    finally:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
    seen = codes.copy()  # threads of the test may go on
    ours = (code for code in seen if Path(code.co_filename).is_relative_to(tree / "src"))
    places = [
        (str(Path(each.co_filename).relative_to(tree)), each.co_qualname, each.co_firstlineno)
        for each in ours
    ]
    return None if failed else (time.monotonic() - began, places)

"""Run tests in a copy of the project: in a fork of this process, which has read the packages.

That spares every mutant the second or two that numpy, scipy, numba and hypothesis take to load.
"""

import json
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from traceback import print_exc
from typing import Any

from tests.mutants.mutant import ROOT, Tests

PACKAGES = (
    *("numpy", "scipy.optimize", "scipy.special", "scipy.stats", "numba", "msgspec"),
    *("hypothesis.extra.numpy", "httpx", "starlette.applications", "pytest"),
)
PYTEST = (
    *("-q", "--tb=line", "-p", "no:cacheprovider", "-m", "not slow"),
    *("-p", "no:schemathesis"),  # it takes as long to load as all others; web tests need it
    *("--hypothesis-profile", "mutants"),
    *("-W", "ignore::pytest.PytestAssertRewriteWarning"),  # hypothesis is read by now
)
LOG = "mutants.log"
BROKEN = 70
"""The status of a run that could not even begin: which says nothing of a mutant."""
PATIENCE = 20.0
"""How many times its processor seconds a run may last: somebody else may need the processor."""


@dataclass(frozen=True)
class Run:
    """How tests ended: whether all passed, whether they came to an end, and what that took."""

    passed: bool
    in_time: bool
    seconds: float


def load_packages() -> None:
    """Read what every fork needs, but nothing of ours."""
    for name in PACKAGES:
        import_module(name)


def is_for_node(tests: Tests) -> bool:
    """Whether node runs them, and not pytest."""
    return all(name.endswith(".test.js") for name in tests)


def run_tests(tree: Path, tests: Tests, *, seconds: int) -> Run:
    """Run tests of a tree, until one fails or so many processor seconds are used up."""
    process = os.fork()
    if process == 0:
        try:
            _begin(tree, seconds)
            _run_node(tests) if is_for_node(tests) else _run_pytest(tests)
        except BaseException:
            print_exc()
        finally:
            os._exit(BROKEN)
    end = time.monotonic() + seconds * PATIENCE
    while not (ended := os.wait4(process, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.killpg(process, signal.SIGKILL)
        time.sleep(0.02)
    _, status, used = ended
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == BROKEN:
        raise RuntimeError((tree / LOG).read_text("utf-8"))
    return Run(status == 0, not os.WIFSIGNALED(status), used.ru_utime + used.ru_stime)


def told_by(
    tree: Path, tests: Tests, plugin: Callable[[Callable[..., None]], object]
) -> Iterator[list[Any]]:
    """Run pytest on a tree in a fork, and yield what a plugin tells, given by what it may tell it.

    Exits where tests fail, or cannot be collected.
    """
    load_packages()
    read, write = os.pipe()
    process = os.fork()
    if process == 0:
        try:
            os.close(read)
            _tell(tree, tests, plugin, write)
        finally:
            os._exit(BROKEN)
    os.close(write)
    with os.fdopen(read) as lines:
        yield from map(json.loads, lines)
    if os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]):
        raise SystemExit((tree / LOG).read_text("utf-8"))


def _tell(
    tree: Path, tests: Tests, plugin: Callable[[Callable[..., None]], object], told: int
) -> None:
    log = os.open(tree / LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(log, stream)
    with os.fdopen(told, "w", buffering=1) as lines:

        def tell(*of_one: object) -> None:
            lines.write(json.dumps(of_one) + "\n")

        status = run_pytest(tree, tests, [plugin(tell)])
    os._exit(status)


def _begin(tree: Path, seconds: int) -> None:
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    os.chdir(tree)
    log = os.open(LOG, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(log, stream)


def _run_node(scripts: Tests) -> None:
    os.chdir("client")
    names = [str(Path(name).relative_to("client")) for name in scripts]
    several = ["--test"] if len(names) > 1 else []  # which starts a process for each
    os.execv(shutil.which("node") or "node", ["node", *several, *names])


def _run_pytest(tests: Tests) -> None:
    os._exit(run_pytest(Path.cwd(), ("-x", *tests)))


def run_pytest(tree: Path, arguments: Iterable[str], plugins: Iterable[object] = ()) -> int:
    """Run pytest in this process, with the tree's program and tests, and return its status."""
    import pytest
    from hypothesis import Phase, settings

    os.chdir(tree)
    ours = {"", str(ROOT), str(ROOT / "src")}
    sys.path[:] = [str(tree), str(tree / "src"), *(each for each in sys.path if each not in ours)]
    os.environ["PYTHONPATH"] = str(tree / "src")
    for name in [name for name in sys.modules if name.partition(".")[0] in ("tests", "hushrank")]:
        del sys.modules[name]
    phases = (Phase.explicit, Phase.generate)  # nobody reads which example is the smallest
    settings.register_profile("mutants", deadline=None, database=None, phases=phases)
    status = pytest.main([*PYTEST, *arguments], list(plugins))
    sys.stdout.flush()
    return status

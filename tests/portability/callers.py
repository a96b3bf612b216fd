"""A plug-in of pytest: it fails a run that leaves out linear algebra of the package.

It notes which modules call a routine of numpy.linalg or scipy.linalg while the tests run, and
compares them with the modules whose text names such routines.
"""

import functools
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import scipy.linalg
import scipy.linalg.lapack

SOURCE = Path(__file__).parents[2] / "src"
NAMES = "qr eigh? eigvalsh? svd cholesky cho_factor cho_solve solve inv lstsq pinv det dpotr[fs]"
NAMED = re.compile(
    rf"linalg\.({'|'.join(NAMES.split())})\(|from scipy\.linalg(\.lapack)? import (?!block_diag\n)"
)
ROUTINE = re.compile("|".join(NAMES.split()))

called: set[str] = set()


def noted(routine: Callable[..., Any]) -> Callable[..., Any]:
    """Return the routine, which now notes the module that calls it."""

    @functools.wraps(routine)
    def wrapped(*values: Any, **options: Any) -> Any:
        called.add(sys._getframe(1).f_globals["__name__"])
        return routine(*values, **options)

    return wrapped


def watch(library: ModuleType) -> None:
    """Note all calls of the library's routines from now on."""
    for name in filter(ROUTINE.fullmatch, dir(library)):
        setattr(library, name, noted(getattr(library, name)))


def modules_with_linear_algebra() -> set[str]:
    """Return the modules of the package that name a routine of linear algebra."""
    paths = [path for path in SOURCE.rglob("*.py") if NAMED.search(path.read_text())]
    return {".".join(path.relative_to(SOURCE).with_suffix("").parts) for path in paths}


def pytest_configure() -> None:
    """Watch the libraries before a test imports the package."""
    watch(np.linalg)
    watch(scipy.linalg)
    watch(scipy.linalg.lapack)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail when a module's linear algebra was not run."""
    left_out = modules_with_linear_algebra() - called
    if left_out and session.exitstatus == pytest.ExitCode.OK:
        print("\nno test marked linear_algebra runs that of", *sorted(left_out))
        session.exitstatus = pytest.ExitCode.TESTS_FAILED

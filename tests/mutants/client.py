"""Mutants of the browser's modules: all that Stryker makes of them, and others of numbers."""

import itertools
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

from tests.mutants.mutant import ROOT, Mutant, Tests, original

CLIENT = ROOT / "client"
OF_THE_PAGE = (
    *("participate.js", "ranking-list.js"),
    *("participant/blocks.js", "participant/elements.js", "participant/views.js"),
)
"""What needs a browser: tests in node do not read it."""
IN_CHROMIUM = (
    ("tests/collector/browser/test_views.py",),
    ("tests/collector/browser/test_ranking_list.py",),
)
"""What judges modules of the page, one after the other."""
READ = ("client", "vectors", "src/hushrank/collector/web/templates")
"""What node's tests read of the project."""
WIDER = ("tests/collector/client",)
"""Types, and answers and documents beside those of Python."""


def modules() -> list[str]:
    """Return the modules that node's tests judge, from the folder of the client."""
    found = [*CLIENT.glob("*.js"), *CLIENT.glob("participant/*.js")]
    names = {path.relative_to(CLIENT).as_posix() for path in found}
    return sorted(names.difference(OF_THE_PAGE))


@cache
def stages(module: str, *, is_wide: bool) -> tuple[Tests, ...]:
    """Return the tests that load the module one by one, those that do by fewest steps first.

    Of equally near ones those that bear its name come first, as they fail most often.
    """
    steps = {test: _steps(test, CLIENT / module) for test in CLIENT.glob("tests/*.test.js")}
    name = Path(module).stem
    near = sorted((n, name not in test.name, test) for test, n in steps.items() if n)
    each = tuple((test.relative_to(ROOT).as_posix(),) for *_, test in near)
    return (*each, *((WIDER,) if is_wide else ()))


def _steps(test: Path, module: Path) -> int:
    """Count the imports from a test to a module; 0 where none leads there."""
    reached, front = {test}, {test}
    for step in itertools.count(1):
        front = {path for file in front for path in _loaded_by(file)} - reached
        if module in front or not front:
            return step if front else 0
        reached |= front
    raise AssertionError


def _loaded_by(file: Path) -> list[Path]:
    named = re.findall(r'"(\.{1,2}/[^"?]+\.js)', file.read_text("utf-8"))
    paths = [(file.parent / name).resolve() for name in named]
    return [path for path in paths if path.exists()]


def of_modules(names: list[str], *, is_wide: bool) -> list[Mutant]:
    """Return all mutants of modules that have such names, or such parts of names."""
    wanted = _named(names, modules())
    return [_mutant(each, partial(stages, is_wide=is_wide)) for each in _listed(wanted)]


def of_pages(names: list[str]) -> list[Mutant]:
    """Return all mutants of such modules that need a browser."""
    return [
        _mutant(each, lambda module: IN_CHROMIUM) for each in _listed(_named(names, OF_THE_PAGE))
    ]


def _named(names: list[str], of: Sequence[str]) -> list[str]:
    wanted = [name for name in of if any(part in name for part in names or [""])]
    if not wanted:
        raise SystemExit(f"expected some of {', '.join(of)}")
    return wanted


def _listed(wanted: list[str]) -> list[dict[str, str]]:
    command = [shutil.which("node") or "node", "tests/mutants/stryker/generic.js"]
    files = [f"client/{name}" for name in wanted]
    told = subprocess.run([*command, *files], cwd=ROOT, stdout=-1, check=True).stdout
    listed: list[dict[str, str]] = json.loads(told)
    return listed


def _mutant(listed: dict[str, str], stages_of: Callable[[str], tuple[Tests, ...]]) -> Mutant:
    file = listed["file"]
    module = file.removeprefix("client/")
    judges = stages_of(module)
    return Mutant(module, file, listed["kind"], original(file), listed["text"], judges)

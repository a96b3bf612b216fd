"""Run the tests as on other processors: `make test-portability`, and a small part in CI.

python -m tests.portability [--small] [--only NAME] ... [arguments of pytest]
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from tests.portability.processors import Processor, loaded_kernels, processors

ROOT = Path(__file__).parents[2]
CACHE = ROOT / "out" / "portability" / "numba-generic"
MARK = "linear_algebra"
SMALL_PART = ("Nehalem", "Haswell")
"""Kernels of the small part: without and with fused multiplication and addition."""


def marked_files() -> list[str]:
    """Return the files with tests of linear algebra: only they are collected."""
    texts = {path: path.read_text() for path in sorted((ROOT / "tests").rglob("test_*.py"))}
    return [str(path) for path, text in texts.items() if f"mark.{MARK}" in text]


def small(chosen: list[Processor]) -> list[Processor]:
    """Return two processors at most, whose kernels are not this one's own."""
    own = loaded_kernels({})
    fast = [each for each in chosen if each.name in SMALL_PART]
    return [each for each in fast if loaded_kernels(each.variables) != own]


def run(processor: Processor, arguments: list[str]) -> bool:
    """Run pytest as on the processor, and return whether it passed."""
    said = " ".join(f"{name}={value!r}" for name, value in processor.variables.items())
    print(f"\n== {processor.name}: {said}", flush=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    environment = os.environ | processor.variables
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode == 0


def main() -> None:
    """Run the tests processor by processor; exit with 1 if one of them fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="linear algebra, on two processors")
    parser.add_argument("--only", action="append", help="a processor by name; all without it")
    options, arguments = parser.parse_known_args()
    chosen = list(processors(CACHE))
    if options.only:
        chosen = [each for each in chosen if each.name in options.only]
    if options.small:
        chosen = small(chosen)
        arguments += ["-m", MARK, "-p", "tests.portability.callers", *marked_files()]
    else:
        arguments += ["-m", "not slow"]
    failed = [each.name for each in chosen if not run(each, arguments)]
    print(f"\n{len(chosen) - len(failed)} of {len(chosen)} processors pass {' '.join(failed)}")
    sys.exit(bool(failed) or not chosen)


if __name__ == "__main__":
    main()

"""Starting: how long `hushrank --help` takes."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from harness import Row, Series, check, main, seconds

INTRODUCTION = """## Starting

A new process each time, from start to end."""


def help_text(_is_quick: bool) -> Sequence[Row]:
    """Measure the command line's help, and Python's own start."""
    command = str(Path(sys.executable).parent / "hushrank")
    check("Usage" in _run(command, "--help"), "hushrank --help: expected a usage line")
    ours = Series(seconds(lambda: _run(command, "--help"), 11))
    bare = Series(seconds(lambda: _run(sys.executable, "-c", "pass"), 11))
    checked = f"it prints a usage line; `python -c pass` takes {bare} s of it"
    return [Row("hushrank --help", "s", 0.3, ours, checked=checked)]


def _run(*command: str) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout


if __name__ == "__main__":
    main(INTRODUCTION, (help_text,))

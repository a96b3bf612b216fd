"""The console blocks of the documents: what is shown, what is printed, and one put for the other.

A block holds commands after `$ `, continued after a backslash, each with what it prints; a block of
commands alone shows nothing on purpose, and its commands must succeed. The blocks of a page run in
turn in one folder, beside the files that `tests/documents/files.py` puts there.
"""

import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.commands import hushrank

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"(?<=```console\n)(.*?)(?=^```$)", re.DOTALL | re.MULTILINE)
SHOWS = re.compile(r"^```(console|output)$", re.MULTILINE)
COMMAND = re.compile(r"^\$ (?:.*\\\n)*.*\n", re.MULTILINE)
NEEDS_A_SHELL = re.compile(r"[|<>;&*$`]")
VOLATILE = re.compile(r"^(│ )?seconds")


@dataclass(frozen=True)
class Run:
    """A command as a page shows it, with `$ ` and the end of its line, and what it prints."""

    command: str
    printed: str
    is_silent: bool


def pages() -> list[Path]:
    """Return the pages that show a console, or what a program prints."""
    candidates = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in candidates if SHOWS.search(page.read_text())]


def shown_runs(text: str) -> list[Run]:
    """Return the commands of a page in turn."""
    return [run for block in BLOCK.findall(text) for run in _runs_of(block)]


def rewritten(text: str, run: Callable[[str], str]) -> str:
    """Return a page that shows what its commands print now; `run` takes a command's line."""
    return BLOCK.sub(lambda block: "".join(_shown_anew(run, _runs_of(block[1]))), text)


def printed_by(line: str) -> str:
    """Run a command in the present folder, and return what stands on the terminal then."""
    return printed_and_code(line)[0]


def printed_and_code(line: str) -> tuple[str, int]:
    """Run a command in the present folder; return what it prints, and its exit code."""
    return _by_shell(line) if _needs_a_shell(line) else _in_this_process(line)


def without_layout(printed: str) -> list[list[str]]:
    """Return the lines, a row of a table as its cells whatever its width, without the seconds."""
    found: list[list[str]] = []
    for line in printed.splitlines():
        cells = [cell.strip() for cell in line.strip("│").split("│")]
        if line.startswith("│") and not cells[0] and found:
            rows = zip(found[-1], cells, strict=True)
            found[-1] = [f"{above} {more}".strip() for above, more in rows]
        elif not line.startswith(("┌", "└")):
            found.append(cells)
    return [line for line in found if not line[0].startswith("seconds")]


def _runs_of(block: str) -> list[Run]:
    commands = list(COMMAND.finditer(block))
    ends = [command.start() for command in commands[1:]] + [len(block)]
    shown = [block[command.end() : end] for command, end in zip(commands, ends, strict=True)]
    return [
        Run(command[0], printed, is_silent=not any(shown))
        for command, printed in zip(commands, shown, strict=True)
    ]


def _shown_anew(run: Callable[[str], str], runs: list[Run]) -> Iterator[str]:
    for each in runs:
        printed = run(each.command)
        yield each.command
        yield "" if each.is_silent else _unless_only_times(each.printed, printed)


def _unless_only_times(shown: str, printed: str) -> str:
    """Keep what is shown where only seconds differ: a page changes when there is a reason."""
    old, new = (
        [line for line in text.splitlines() if not VOLATILE.match(line)]
        for text in (shown, printed)
    )
    return shown if old == new else printed


def _needs_a_shell(line: str) -> bool:
    return not line.startswith("$ hushrank ") or bool(NEEDS_A_SHELL.search(line[2:]))


def _in_this_process(line: str) -> tuple[str, int]:
    terminal = io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(terminal),
        redirect_stderr(terminal),
    ):
        patch.setenv("COLUMNS", "80")
        patch.setenv("NO_COLOR", "1")
        code = hushrank(patch, *shlex.split(line.removeprefix("$ hushrank ").replace("\\\n", "")))
    return _tidy(terminal.getvalue()), code


def _by_shell(line: str) -> tuple[str, int]:
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "COLUMNS": "80",
        "NO_COLOR": "1",
    }
    done = subprocess.run(
        ["bash", "-c", line.removeprefix("$ ")],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return _tidy(done.stdout), done.returncode


def _tidy(printed: str) -> str:
    """Leave out progress bars, of which a terminal keeps nothing that a reader needs."""
    lines = [line.rstrip() for line in printed.splitlines() if "━━" not in line]
    return "".join(f"{line}\n" for line in lines)

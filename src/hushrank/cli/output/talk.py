"""How commands talk to people: on standard output, or not at all; what takes long, on the other."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # slow to load
    from rich.console import Console

    from hushrank.workflows.progress import Progress

ARGUMENT = re.compile(
    r"\b([a-z]+(?:_[a-z]+)*)="
    r'(?:\["(?P<listed>[^"]*)"\]|"(?P<text>[^"]*)"|(?P<number>\d+)(?![\w.,])|(?![^\s;,.]))'
)
"""An argument of Python with its value, or with none, as in: say with `columns=` which."""

_settings = {"quiet": False}


def be_quiet(wanted: bool) -> None:
    """Let `for_people` and `working` say nothing from now on, or let them talk."""
    _settings["quiet"] = wanted


def is_quiet() -> bool:
    """Return whether people asked for quiet."""
    return _settings["quiet"]


def for_people(*, beside_output: bool = False, wrap: bool = False) -> "Console":
    """Return where people are told: on standard error where the other output is data."""
    from rich.console import Console

    style = {"markup": False, "highlight": False, "soft_wrap": not wrap}
    return Console(stderr=beside_output, quiet=is_quiet(), **style)  # type: ignore[arg-type]


def printable(text: str) -> str:
    """Return text without control characters: words of others can command no terminal."""
    unknown = "\N{REPLACEMENT CHARACTER}"
    return "".join(letter if letter.isprintable() else unknown for letter in text)


def in_options(text: str) -> str:
    """Return a text that says `best="low"`, as from Python, with the option `--best low` instead.

    What is below the command line speaks of arguments, so that each thing is said in one place.
    """
    return ARGUMENT.sub(_as_option, text)


def _as_option(found: re.Match[str]) -> str:
    value = found["listed"] or found["text"] or found["number"]
    option = f"--{found[1].replace('_', '-')}"
    return f"{option} {value}" if value else option


@contextmanager
def working(step: str) -> Iterator["Progress"]:
    """Show on standard error, if it is a terminal, what is being done; call it with each step.

    A bar and the time left stand beside a step whose share is known, and beside one with a limit
    how long it lasts at most.
    """
    from rich.console import Console
    from rich.progress import Progress as Bar

    from hushrank.cli.output.bars import COLUMNS
    from hushrank.workflows.progress import AtMost, PartDone

    screen = Console(stderr=True, quiet=is_quiet())
    with Bar(*COLUMNS, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task(step, total=None)

        def show(now: str) -> None:
            share = now.share if isinstance(now, PartDone) else None
            if now != bar.tasks[0].description:  # the time left is of this step
                bar.reset(task, description=now)
            bar.update(task, limit=now.seconds if isinstance(now, AtMost) else None)
            bar.tasks[0].total = None if share is None else 1
            bar.update(task, completed=share or 0)

        yield show

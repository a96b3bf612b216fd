"""The programs of a page, in turn, and what they print where the page shows that beneath.

A `python` block is a program; an `output` block right after it is what the program prints.
"""

import io
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

PROGRAM = re.compile(r"```python\n(.*?)```\n(?:\n```output\n(.*?)```\n)?", re.DOTALL)


def programs(text: str) -> list[tuple[str, str | None]]:
    """Return each program of a page, and what it is said to print; None: nothing is said."""
    return [(found[1], found[2]) for found in PROGRAM.finditer(text)]


def printed_in_turn(page: Path) -> Iterator[str]:
    """Run the programs of a page, each after the ones before it, and yield what each prints."""
    known: dict[str, Any] = {"__name__": f"documented_{page.stem.replace('-', '_')}"}
    for number, (program, _) in enumerate(programs(page.read_text()), start=1):
        terminal = io.StringIO()
        with redirect_stdout(terminal):
            exec(compile(program, f"{page.name}, program {number}", "exec"), known)
        yield "".join(f"{line.rstrip()}\n" for line in terminal.getvalue().splitlines())


def with_programs_run(page: Path) -> str:
    """Return the page with what its programs print now, if it shows what any of them prints."""
    text = page.read_text()
    if not any(shown is not None for _, shown in programs(text)):
        return text
    printed = printed_in_turn(page)

    def shown_anew(found: re.Match[str]) -> str:
        new = next(printed)
        if found[2] is None:
            return found[0]
        before, after = found.start(2) - found.start(), found.end(2) - found.start()
        return found[0][:before] + new + found[0][after:]

    return PROGRAM.sub(shown_anew, text)

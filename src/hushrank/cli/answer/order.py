"""Get a person's order, from a file or from the terminal: never from the command line.

What stands on a command line is kept by the shell, and seen by everybody on the machine.
"""

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import typer

from hushrank.errors import HushrankError, require
from hushrank.files.disk import errors_naming


def read_order(file: Path, names: Sequence[str], *, is_partial: bool) -> list[str]:
    """Read the items from a file, one a line, best first; - is standard input.

    Raises HushrankError, which says nothing of the order, where it is none of the items.
    """
    with errors_naming(file):
        order = [line.strip() for line in _text_of(file).splitlines() if line.strip()]
        complaint = _complaint(order, names, is_partial)
        require(complaint is None, complaint or "")
    return order


def _text_of(file: Path) -> str:
    with suppress(UnicodeDecodeError):  # which holds all of it, also as a context
        return sys.stdin.read() if str(file) == "-" else file.read_text("utf-8")
    raise HushrankError("expected text in UTF-8")


def ask_for_order(names: Sequence[str], *, is_partial: bool) -> list[str]:
    """Ask for the numbers of the items, best first, until they are an order."""
    some = ", without those that you leave out" if is_partial else ""
    while True:
        typed = typer.prompt(f"Your order, best first, as numbers{some}", default="")
        numbers = typed.replace(",", " ").split()
        known = [number for number in numbers if _is_number(number, len(names))]
        if len(known) == len(numbers):
            order = [names[int(number) - 1] for number in numbers]
            complaint = _complaint(order, names, is_partial)
        else:
            complaint = f"expected numbers from 1 to {len(names)}"
        if complaint is None:
            return order
        typer.echo(complaint)


def _is_number(text: str, most: int) -> bool:
    return text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= most and len(text) < 9


def _complaint(order: Sequence[str], names: Sequence[str], is_partial: bool) -> str | None:
    """Return what is wrong with an order, without a word of it."""
    if not set(order) <= set(names):
        return "expected items of the survey only, as they are written there"
    if len(set(order)) < len(order):
        return "expected each item once"
    if not is_partial and len(order) < len(names):
        return f"expected all {len(names)} items"
    return None

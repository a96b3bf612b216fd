"""Tables for people, documents for machines; text from files can command no terminal."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hushrank.cli.output.talk import for_people, printable
from hushrank.errors import HushrankError
from hushrank.files.disk import FilePath, is_standard_output, replace_file


def console_beside(written: Iterable[FilePath]) -> Console:
    """Return where words go: standard output, or standard error where a file goes to the former."""
    is_taken = any(map(is_standard_output, written))
    return for_people(beside_output=is_taken)


def say_written(console: Console, written: Iterable[FilePath]) -> None:
    """Say which files there are now."""
    for path in written:
        if not is_standard_output(path):
            console.print(f"wrote {plain(str(path))}")


def result_table(title: str, figures: Mapping[str, str], order: Sequence[str]) -> Table:
    """Return a table of figures, and of an order of item names, best first."""
    table = figures_table(title, figures)
    table.add_row("order, best first", plain(" > ".join(order)))
    return table


def figures_table(title: str, figures: Mapping[str, str]) -> Table:
    """Return a table of figures."""
    table = Table(title=plain(title), title_justify="left", show_header=False)
    for _ in range(2):
        table.add_column(overflow="fold")  # a name is never cut off
    for label, value in figures.items():
        table.add_row(label, value)
    return table


def plain(text: str) -> Text:
    """Return text without control characters, which rich does not read as markup."""
    return Text(printable(text))


def marked(
    released: Mapping[str, Any], raw: Mapping[str, Any] | None = None, *, is_private: bool
) -> dict[str, Any]:
    """Return a document that says in `publishable` which of its keys are not of raw data.

    They are those of what was released, if its noise is secret.
    """
    publishable = list(released) if is_private else []
    return {**released, **(raw or {}), "publishable": publishable}


def write_json(path: Path, document: object, *, secret: bool) -> None:
    """Write a document; a secret one can be read by its owner only."""
    replace_file(path, msgspec.json.format(msgspec.json.encode(document)) + b"\n", secret=secret)


@contextmanager
def in_flags(*names: str) -> Iterator[None]:
    """Let errors that name parameters of a workflow name the options of the command instead.

    What is noted beside an error, as what was spent before it, stays beside it.
    """
    try:
        yield
    except HushrankError as error:
        error.args = (flagged(str(error), *names),)
        raise


def flagged(text: str, *names: str) -> str:
    """Return a text of a workflow with its `max_ratio` written as `--max-ratio`.

    A name that is also a word of English is given with its colon: `protect:`.
    """
    for name in names:
        text = re.sub(rf"(?<![\w-]){re.escape(name)}(?!\w)", f"--{name.replace('_', '-')}", text)
    return text

"""Tables for people; text from files can command neither table nor terminal."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from rich.table import Table
from rich.text import Text

from hushrank.errors import HushrankError


def result_table(title: str, figures: Mapping[str, str], order: Sequence[str]) -> Table:
    """Return a table of figures, and of an order of item names, best first."""
    table = figures_table(title, figures)
    table.add_row("order, best first", plain(" > ".join(order)))
    return table


def figures_table(title: str, figures: Mapping[str, str]) -> Table:
    """Return a table of figures."""
    table = Table(title=plain(title), title_justify="left", show_header=False)
    for label, value in figures.items():
        table.add_row(label, value)
    return table


def plain(text: str) -> Text:
    """Return text without control characters, which rich does not read as markup."""
    unknown = "\N{REPLACEMENT CHARACTER}"
    return Text("".join(letter if letter.isprintable() else unknown for letter in text))


@contextmanager
def in_flags(*names: str) -> Iterator[None]:
    """Let errors that name parameters of a workflow name the options of the command instead."""
    try:
        yield
    except HushrankError as error:
        raise HushrankError(flagged(str(error), *names)) from None


def flagged(text: str, *names: str) -> str:
    """Return a text of a workflow with its `max_ratio` written as `--max-ratio`."""
    for name in names:
        text = re.sub(rf"\b{re.escape(name)}(?!\w)", f"--{name.replace('_', '-')}", text)
    return text

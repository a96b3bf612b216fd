"""Tables for people; text from files can command neither table nor terminal."""

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text


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

"""Tables for people; text from files can command neither table nor terminal."""

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

UNCLEAR = 0.4
"""From here to one half a pair is as good as undecided."""


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


def least_sure(confidence: Sequence[float] | None) -> dict[str, str]:
    """Say how sure the least sure adjacent pair of an order is."""
    if confidence is None:
        return {}
    least = min(confidence)
    doubt = "" if least >= UNCLEAR else ": the pair is likelier the other way round"
    return {"least sure pair": f"right with probability {least:.2f}{doubt}"}


def plain(text: str) -> Text:
    """Return text without control characters, which rich does not read as markup."""
    unknown = "\N{REPLACEMENT CHARACTER}"
    return Text("".join(letter if letter.isprintable() else unknown for letter in text))

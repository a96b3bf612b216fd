"""One self-contained HTML page about one order and how sure it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from hushrank.arrays import Order
from hushrank.files.disk import replace_file
from hushrank.reports.heat_table import HeatTable, heat_table
from hushrank.reports.order_drawing import order_drawing
from hushrank.reports.order_words import counted, leader, sure_word, whole_per_cent
from hushrank.reports.page import (
    box,
    facts,
    figure,
    heading,
    lead,
    page,
    paragraph,
    privacy_box,
    quoted,
    section,
    table,
)

HOW = (
    "A dot is an item's place in this order. A bar holds the places that the item may truly have,"
    " each at 95 % or more: the shortest run of places that is so sure. The shorter, the surer."
)
HOW_UNSURE = "A dot is an item's place in this order. Which others it may have, is not known."


@dataclass(frozen=True, eq=False, repr=False)
class OrderPage:
    """What the page shows.

    `plain` says in plain words what was protected, `statement` exactly; `about` says of what the
    order is how sure, and what else must be said at once, such as ties. `caption`: what may be
    written under the picture. `confidence`: the probability that each adjacent pair is the right
    way round; `intervals`: the best and worst rank (0 = best) of each item; None where unknown.
    `among`: in what the order is so sure; `beside`: a heading and other intervals, for the table.
    `warning`: what of the page must not be published; None where all of it may be. `more`: parts
    of the page beside the tables, as HTML.
    """

    title: str
    plain: str
    statement: str
    about: Sequence[str]
    caption: str
    warning: str | None
    figures: Mapping[str, str]
    names: Sequence[str]
    order: Order
    confidence: Sequence[float] | None
    intervals: Sequence[tuple[int, int]] | None
    among: str = ""
    beside: tuple[str, Sequence[tuple[int, int]]] | None = None
    tables: Sequence[HeatTable] = ()
    more: Sequence[str] = field(default_factory=tuple)


def write_order_report(path: Path, shown: OrderPage) -> None:
    """Write one HTML file, nothing from outside; it appears whole or not at all.

    A page with a warning can be read by its owner only.
    """
    replace_file(path, order_html(shown).encode(), secret=shown.warning is not None)


def order_html(shown: OrderPage) -> str:
    """Return the page: who leads, how sure, what was protected, what to write; then details."""
    tables = (heat_table(each, shown.names, shown.order) for each in shown.tables)
    parts = [
        heading(shown.title),
        "" if shown.warning is None else box(shown.warning, "box warning"),
        _lead(shown),
        _order_section(shown),
        _protection_section(shown),
        section("What to write under the picture", quoted(shown.caption)),
        section("What people prefer", *tables, *shown.more),
        section("Details", facts(shown.figures)),
    ]
    return page(shown.title, "\n".join(filter(None, parts)))


def _lead(shown: OrderPage) -> str:
    leads = leader(shown.names, shown.order, shown.confidence, shown.intervals, shown.among)
    return lead([leads, *filter(None, [counted(shown.confidence), *shown.about])])


def _order_section(shown: OrderPage) -> str:
    how = HOW_UNSURE if shown.intervals is None else HOW
    picture = figure(order_drawing(shown.names, shown.order, shown.intervals), how)
    known = (shown.names, shown.order, shown.confidence, shown.intervals)
    return section("The order, and how sure it is", picture, order_table(*known, shown.beside))


def _protection_section(shown: OrderPage) -> str:
    is_private = not shown.statement.startswith("Not private")
    plain = paragraph(shown.plain) if is_private else ""
    return section("What was protected", plain, privacy_box([shown.statement]))


def order_table(
    names: Sequence[str],
    order: Order,
    confidence: Sequence[float] | None,
    intervals: Sequence[tuple[int, int]] | None,
    beside: tuple[str, Sequence[tuple[int, int]]] | None = None,
) -> str:
    """List the order with the places that items may have, and how sure each is of its place."""
    heads = ["place", "item"]
    rows = [[str(place), names[item]] for place, item in enumerate(order, start=1)]
    if intervals is not None:
        heads.append("may be")
        for row, item in zip(rows, order, strict=True):
            row.append(_span(*intervals[item]))
    if beside is not None:
        heads.append(beside[0])
        for row, item in zip(rows, order, strict=True):
            row.append(_span(*beside[1][item]))
    if confidence is not None:
        heads.append("ahead of the next")
        for row, sure in zip(rows, [*confidence, None], strict=True):
            row.append("" if sure is None else f"{sure_word(sure)} ({_per_cent(sure)})")
    return table(heads, rows, numbers=(0,))


def hierarchy_list(groups: Sequence[Sequence[str]]) -> str:
    """Show which items are split off the rest, one list within the other."""
    inner = ""
    for group in reversed(groups):
        named = ", ".join(f"“{name}”" for name in group)
        inner = f"<ul>\n<li>{escape(named)}{inner}</li>\n</ul>"
    return inner.replace("<ul>", '<ul class="tree">', 1)


def _span(best: int, worst: int) -> str:
    return (
        str(best + 1)
        if best == worst
        else f"{best + 1}\N{NO-BREAK SPACE}to\N{NO-BREAK SPACE}{worst + 1}"
    )


def _per_cent(probability: float) -> str:
    """Return a probability in per cent: nothing is certain that noise could make."""
    if probability > 0.99:
        return "over 99\N{NO-BREAK SPACE}%"
    if probability < 0.01:
        return "under 1\N{NO-BREAK SPACE}%"
    return f"{whole_per_cent(probability)}\N{NO-BREAK SPACE}%"

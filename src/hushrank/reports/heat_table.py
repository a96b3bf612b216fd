"""Tables of shares whose cells are shaded: a picture that is its own table."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from hushrank.arrays import Order, Shares
from hushrank.reports.page import LEVELS, paragraph

MOST_ITEMS = 40
"""Of more items the numbers are in the files only."""
TOO_MANY = "Too many items for a table on a page: the CSV file holds all numbers."


@dataclass(frozen=True, eq=False, repr=False)
class HeatTable:
    """Shares (items, columns) of people under a title; nan = nothing to show.

    `explained` says what a cell is. is_pairs: columns are the items, shades part at one half; else
    columns are ranks.
    """

    title: str
    explained: str
    shares: Shares
    is_pairs: bool


def rank_table(title: str, shares: Shares) -> HeatTable:
    """Return the table of which share of people puts an item (row) at a rank (column)."""
    explained = "Of 100 people, so many put the item of the row at the place of the column."
    return HeatTable(title, explained, shares, is_pairs=False)


def pair_table(title: str, shares: Shares) -> HeatTable:
    """Return the table of which share of people puts the row's item before the column's."""
    explained = (
        "Of 100 people who decide between the two, so many put the item of the row before the item"
        " of the column. Blue: more than half; orange: fewer."
    )
    kept = np.clip(shares.astype(np.float64), 0, 1)
    np.fill_diagonal(kept, np.nan)
    return HeatTable(title, explained, kept, is_pairs=True)


def heat_table(shown: HeatTable, names: Sequence[str], order: Order) -> str:
    """Return the table as HTML, rows in `order`; all of it is escaped."""
    title = f"<h3>{escape(shown.title)}</h3>"
    if len(order) > MOST_ITEMS:
        return f"{title}\n{paragraph(TOO_MANY)}"
    rows = list(order)
    shares = shown.shares[np.ix_(rows, rows)] if shown.is_pairs else shown.shares[rows]
    heads = "".join(
        f'<th scope="col">{_head(place, names[item], shown)}</th>'
        for place, item in enumerate(order, start=1)
    )
    largest = 1.0 if shown.is_pairs else max(float(np.nanmax(shares)), 1e-9)
    body = "\n".join(
        f'<tr><th scope="row" dir="auto">{place}. {escape(names[item])}</th>'
        f"{_cells(row, shown, largest)}</tr>"
        for place, (item, row) in enumerate(zip(order, shares, strict=True), start=1)
    )
    return (
        f'{title}\n{paragraph(shown.explained)}\n<div class="scroll" tabindex="0" role="group"'
        f' aria-label="{escape(shown.title)}">\n<table class="heat">\n<thead><tr><td></td>{heads}'
        f"</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n</div>"
    )


def _head(place: int, name: str, shown: HeatTable) -> str:
    """Return the number of a column; that of an item has its name for those who hear it."""
    return f'<abbr title="{escape(name)}">{place}</abbr>' if shown.is_pairs else str(place)


def _cells(row: Shares, shown: HeatTable, largest: float) -> str:
    return "".join(_cell(float(share), shown.is_pairs, largest) for share in row)


def _cell(share: float, is_pairs: bool, largest: float) -> str:
    if np.isnan(share):
        return "<td></td>"
    strength = abs(2 * share - 1) if is_pairs else share / largest
    level, kind = round(LEVELS * strength), "less" if is_pairs and share < 0.5 else "more"
    named = f' class="{kind}{level}"' if level else ""
    return f"<td{named}>{100 * share:.0f}</td>"

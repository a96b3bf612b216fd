"""One self-contained HTML page about one order and how sure it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from hushrank.arrays import Order, Shares
from hushrank.files.disk import replace_file
from hushrank.reports.order_plots import pair_shares_figure, rank_intervals_figure
from hushrank.reports.page import box, page, picture, privacy_box, summary


@dataclass(frozen=True, eq=False, repr=False)
class OrderPage:
    """What the page shows.

    `confidence`: the probability that each adjacent pair is the right way round; `intervals`: the
    best and worst rank (0 = best) of each item; None where unknown. `pair_shares`: title to shares
    (items, items) of people who put the row's item first. `warning`: what of the page must not be
    published; None where all of it may be.
    """

    title: str
    statement: str
    warning: str | None
    figures: Mapping[str, str]
    names: Sequence[str]
    order: Order
    confidence: Sequence[float] | None
    intervals: Sequence[tuple[int, int]] | None
    pair_shares: Mapping[str, Shares]


@dataclass(frozen=True, eq=False, repr=False)
class SureOrder:
    """An order, with `confidence` and `intervals` as in `OrderPage`."""

    order: Order
    confidence: Sequence[float] | None
    intervals: Sequence[tuple[int, int]] | None


def write_order_report(path: Path, shown: OrderPage) -> None:
    """Write one HTML file, nothing from outside; it appears whole or not at all.

    A page with a warning can be read by its owner only.
    """
    sure = SureOrder(shown.order, shown.confidence, shown.intervals)
    parts = [
        f"<h1>{escape(shown.title)}</h1>",
        privacy_box([shown.statement]),
        "" if shown.warning is None else box(shown.warning, "box warning"),
        summary(shown.figures),
        order_table(shown.names, sure),
        rank_intervals(shown.names, sure),
        _pair_shares(shown),
    ]
    text = page(shown.title, "\n".join(filter(None, parts)))
    replace_file(path, text.encode(), secret=shown.warning is not None)


def order_table(names: Sequence[str], sure: SureOrder) -> str:
    """List the order with the numbers that the pictures use, and how sure each place is."""
    rows = "\n".join(_row(names, sure, place) for place in range(len(sure.order)))
    heads = "".join(
        f'<th scope="col">{head}</th>'
        for head in ("rank", "item", "ahead of the next: probability", "rank, 95 % interval")
    )
    return f"<h2>Consensus order</h2>\n<table>\n<tr>{heads}</tr>\n{rows}\n</table>"


def rank_intervals(names: Sequence[str], sure: SureOrder) -> str:
    """Show which ranks each item may have; nothing where unknown."""
    if sure.intervals is None:
        return ""
    drawn = rank_intervals_figure(names, sure.order, sure.intervals)
    caption = (
        "Each item's place in the order, and the ranks that its exact Borda score may give it: the"
        " run of ranks whose probability is nearest to 95 %. An order that is not by score may"
        " put an item outside."
    )
    return picture("How sure each rank is", drawn, caption)


def _row(names: Sequence[str], sure: SureOrder, place: int) -> str:
    item = sure.order[place]
    is_last = place == len(sure.order) - 1
    likely = "" if sure.confidence is None or is_last else f"{sure.confidence[place]:.3f}"
    ranks = ""
    if sure.intervals is not None:
        best, worst = sure.intervals[item]
        ranks = f"{best + 1} to {worst + 1}"
    name = f"{escape(names[item])} <small>(item {item + 1})</small>"
    return f"<tr><td>{place + 1}</td><td>{name}</td><td>{likely}</td><td>{ranks}</td></tr>"


def _pair_shares(shown: OrderPage) -> str:
    if not shown.pair_shares:
        return ""
    drawn = pair_shares_figure(shown.names, shown.order, shown.pair_shares)
    caption = (
        "The share of people who put the item of the row before the item of the column, in per"
        " cent."
    )
    return picture("Pairs of items", drawn, caption)

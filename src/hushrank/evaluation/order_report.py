"""One self-contained HTML page about one order and how sure it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from hushrank.arrays import Order, Shares
from hushrank.evaluation.order_plots import pair_shares_figure, rank_intervals_figure
from hushrank.evaluation.page import box, page, picture, summary
from hushrank.rankings.disk import replace_file


@dataclass(frozen=True, eq=False, repr=False)
class OrderPage:
    """What the page shows.

    `confidence`: the probability that each adjacent pair is the right way round; `intervals`: the
    best and worst rank (0 = best) of each item; None where unknown. `pair_shares`: title to shares
    (items, items) of people who put the row's item first. `warning`: what must not be published.
    """

    title: str
    statement: str
    warning: str
    figures: Mapping[str, str]
    names: Sequence[str]
    order: Order
    confidence: Sequence[float] | None
    intervals: Sequence[tuple[int, int]] | None
    pair_shares: Mapping[str, Shares]


def write_order_report(path: Path, shown: OrderPage) -> None:
    """Write one HTML file, nothing from outside; it appears whole or not at all."""
    parts = [
        f"<h1>{escape(shown.title)}</h1>",
        box(escape(shown.statement), "box"),
        box(shown.warning, "box warning"),
        summary(shown.figures),
        _order(shown),
        *_pictures(shown),
    ]
    replace_file(path, page(shown.title, "\n".join(filter(None, parts))).encode())


def _order(shown: OrderPage) -> str:
    rows = "\n".join(_row(shown, place) for place in range(len(shown.order)))
    heads = "".join(
        f'<th scope="col">{head}</th>'
        for head in ("rank", "item", "ahead of the next: probability", "rank, 95 % interval")
    )
    return f"<h2>Consensus order</h2>\n<table>\n<tr>{heads}</tr>\n{rows}\n</table>"


def _row(shown: OrderPage, place: int) -> str:
    item = shown.order[place]
    is_last = place == len(shown.order) - 1
    sure = "" if shown.confidence is None or is_last else f"{shown.confidence[place]:.3f}"
    ranks = ""
    if shown.intervals is not None:
        best, worst = shown.intervals[item]
        ranks = f"{best + 1} to {worst + 1}"
    name = f"{escape(shown.names[item])} <small>(item {item + 1})</small>"
    return f"<tr><td>{place + 1}</td><td>{name}</td><td>{sure}</td><td>{ranks}</td></tr>"


def _pictures(shown: OrderPage) -> list[str]:
    pictures = []
    if shown.intervals is not None:
        drawn = rank_intervals_figure(shown.names, shown.order, shown.intervals)
        caption = (
            "Each item's place in the order, and the ranks that its exact Borda score may give it."
        )
        pictures.append(picture("How sure each rank is", drawn, caption))
    if shown.pair_shares:
        drawn = pair_shares_figure(shown.names, shown.order, shown.pair_shares)
        caption = "The share of people who put the item of the row before the item of the column."
        pictures.append(picture("Pairs of items", drawn, caption))
    return pictures

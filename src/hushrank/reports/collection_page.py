"""One self-contained HTML page about a collection."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Literal

import numpy as np

from hushrank.arrays import Order, Shares
from hushrank.errors import require
from hushrank.evaluation.metrics import mean_rank_order
from hushrank.files.disk import replace_file
from hushrank.models.hierarchy import ThinChain
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from hushrank.reports.notebook import notebook_html
from hushrank.reports.order_page import (
    OrderPage,
    SureOrder,
    order_table,
    rank_intervals,
    write_order_report,
)
from hushrank.reports.order_plots import rank_intervals_figure
from hushrank.reports.page import box, page, picture, privacy_box, summary
from hushrank.reports.plots import (
    hierarchy_figure,
    pair_majority_figure,
    rank_marginals_figure,
)

WARNING = (
    "<strong>Do not publish this page.</strong> This was a simulation, so the raw rankings were at"
    " hand, and its errors and what is marked “true” below are exact statistics of them. Those are"
    " not protected by any privacy guarantee."
)
NOT_PRIVATE = (
    "<strong>Do not publish this page.</strong> The noise of the reports is not secret, so they"
    " protect nobody."
)


@dataclass(frozen=True, eq=False, repr=False)
class CollectionPage:
    """What a page about a collection shows: all of it from the reports alone.

    `synthetic` is None where one order only was learnt; else as in `OrderPage` and `SureOrder`.
    """

    title: str
    statement: str
    is_private: bool
    figures: Mapping[str, str]
    names: Sequence[str]
    order: Order
    confidence: Sequence[float] | None
    intervals: Sequence[tuple[int, int]] | None
    pair_shares: Mapping[str, Shares]
    synthetic: Rankings | None
    hierarchy: ThinChain | None


@dataclass(frozen=True, eq=False, repr=False)
class Truth:
    """The raw rankings beside which a page shows what was learnt, and figures computed from them.

    `unranked`: what items that a person leaves out mean for a pair.
    """

    people: Rankings
    figures: Mapping[str, str]
    unranked: Literal["unknown", "last"] = "unknown"


def write_collection_page(path: Path, shown: CollectionPage, truth: Truth | None = None) -> None:
    """Write what was learnt: marginals, an order's intervals, or both; the truth beside.

    Rankings that leave items out have no marginals to be compared with: the page is about pairs.
    """
    figures = {**shown.figures, **_raw_figures(truth)}
    if shown.synthetic is None or (truth is not None and not truth.people.is_complete):
        write_order_report(path, _order_page(shown, truth, figures))
        return
    sure = None
    if shown.intervals is not None:
        sure = SureOrder(shown.order, shown.confidence, shown.intervals)
    write_collection_report(
        path,
        collected=shown.synthetic,
        true=None if truth is None else truth.people,
        chain=shown.hierarchy,
        title=shown.title,
        privacy_statement=shown.statement,
        is_private=shown.is_private,
        figures=figures,
        sure=sure,
    )


def _raw_figures(truth: Truth | None) -> dict[str, str]:
    """Say in words what a star says in a table."""
    figures = {} if truth is None else truth.figures
    return {
        label.replace(" *", " (from the raw rankings)"): said for label, said in figures.items()
    }


def collection_html(shown: CollectionPage) -> str:
    """Return the table of a collection, its order, and one small picture, for a notebook."""
    rows = {**shown.figures, "order, best first": " > ".join(shown.names[i] for i in shown.order)}
    picture, caption = None, ""
    if shown.intervals is not None:
        picture = rank_intervals_figure(shown.names, shown.order, shown.intervals)
        caption = "Which ranks each item may have"
    elif shown.synthetic is not None:
        picture = rank_marginals_figure(shown.synthetic)
        caption = "The share of people who put each item at each rank"
    notes = [shown.statement]
    return notebook_html(shown.title, rows, notes=notes, picture=picture, caption=caption)


def true_shares(true: Rankings, unranked: Literal["unknown", "last"]) -> Shares:
    """Return the share who put a before b, of those who say (items, items): nan if nobody does."""
    counts = majority(true, unranked=unranked)
    deciding = counts + counts.T
    shares: Shares = np.divide(
        counts, deciding, where=deciding > 0, out=np.full(counts.shape, np.nan)
    )
    return shares


def _order_page(
    shown: CollectionPage, truth: Truth | None, figures: Mapping[str, str]
) -> OrderPage:
    shares = dict(shown.pair_shares)
    if truth is not None:
        shares = {"true": true_shares(truth.people, truth.unranked), **shares}
    return OrderPage(
        title=shown.title,
        statement=shown.statement,
        warning=_warning(shown.is_private, truth is not None),
        figures=figures,
        names=shown.names,
        order=shown.order,
        confidence=shown.confidence,
        intervals=shown.intervals,
        pair_shares=shares,
    )


def _warning(is_private: bool, has_truth: bool) -> str | None:
    if has_truth:
        return WARNING
    return None if is_private else NOT_PRIVATE


def write_collection_report(
    path: Path,
    *,
    collected: Rankings,
    true: Rankings | None,
    chain: ThinChain | None,
    title: str,
    privacy_statement: str,
    is_private: bool,
    figures: Mapping[str, str],
    sure: SureOrder | None = None,
) -> None:
    """Write one HTML file: order, pictures and `figures` (label to value), nothing from outside.

    The order is that of the collected mean ranks, unless one is given as `sure`.
    Privacy: with `true` rankings the page shows exact statistics of them, and warns of it, as it
    does where reports protect nobody; a page with a warning can be read by its owner only.
    The file appears whole or not at all.
    Raises HushrankError when rankings are not complete and strict, or about other items.
    """
    _require_same_items(collected, true, chain)
    order = mean_rank_order(collected) if sure is None else sure.order
    warning = _warning(is_private, true is not None)
    body = [
        f"<h1>{escape(title)}</h1>",
        privacy_box([privacy_statement]),
        "" if warning is None else box(warning, "box warning"),
        summary(figures),
        *_consensus(collected, sure),
        *_pictures(collected, true, order),
        "" if chain is None else _hierarchy(chain, collected.names),
    ]
    text = page(title, "\n".join(filter(None, body)))
    replace_file(path, text.encode(), secret=warning is not None)


def _require_same_items(
    collected: Rankings, true: Rankings | None, chain: ThinChain | None
) -> None:
    collected.require_complete_strict("a report")
    if true is not None:
        true.require_complete_strict("a report")
        require(
            true.names == collected.names, "expected true and collected rankings of one item set"
        )
    if chain is not None:
        n_items = collected.n_items
        require(chain.n_items == n_items, f"expected a chain of {n_items} items")


def _consensus(collected: Rankings, sure: SureOrder | None) -> tuple[str, ...]:
    """List the items by their mean collected rank, or in the order given with what is known."""
    if sure is not None:
        return order_table(collected.names, sure), rank_intervals(collected.names, sure)
    items = "\n".join(
        f"<li>{escape(collected.names[item])} <small>(item {item + 1})</small></li>"
        for item in mean_rank_order(collected)
    )
    explanation = "<p>Items by their mean rank in the collected rankings, best first.</p>"
    return (f"<h2>Consensus order</h2>\n{explanation}\n<ol>\n{items}\n</ol>",)


def _pictures(collected: Rankings, true: Rankings | None, order: Order) -> tuple[str, ...]:
    compared = "" if true is None else ", the true shares beside the collected ones"
    return (
        picture(
            "Ranks of the items",
            rank_marginals_figure(collected, true, order),
            f"The share of people who put each item at each rank, in per cent{compared}.",
        ),
        picture(
            "Pairs of items",
            pair_majority_figure(collected, true, order),
            "The share of people who put the item of the row before the item of the column, in per"
            f" cent{compared}.",
        ),
    )


def _hierarchy(chain: ThinChain, names: Sequence[str]) -> str:
    caption = "Which items are split off the rest, from the top, and then ordered on their own."
    return picture("Which items belong together", hierarchy_figure(chain, names), caption)

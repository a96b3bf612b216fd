"""One self-contained HTML page about a collection."""

from collections.abc import Mapping
from html import escape
from pathlib import Path

from hushrank.errors import require
from hushrank.evaluation.metrics import mean_rank_order
from hushrank.evaluation.page import box, page, picture, summary
from hushrank.evaluation.plots import (
    hierarchy_figure,
    pair_majority_figure,
    rank_marginals_figure,
)
from hushrank.models.hierarchy import ThinChain
from hushrank.rankings.disk import replace_file
from hushrank.rankings.profile import Rankings

WARNING = (
    "<strong>Do not publish this page.</strong> This was a simulation, so the raw rankings were at"
    " hand, and its errors and what is marked “true” below are exact statistics of them. Those are"
    " not protected by any privacy guarantee."
)


def write_collection_report(
    path: Path,
    *,
    collected: Rankings,
    true: Rankings | None,
    chain: ThinChain | None,
    title: str,
    privacy_statement: str,
    figures: Mapping[str, str],
) -> None:
    """Write one HTML file: order, pictures and `figures` (label to value), nothing from outside.

    Privacy: with `true` rankings the page shows exact statistics of them, and warns of it.
    The file appears whole or not at all.
    Raises HushrankError when rankings are not complete and strict, or about other items.
    """
    _require_same_items(collected, true, chain)
    body = [
        f"<h1>{escape(title)}</h1>",
        box(escape(privacy_statement), "box"),
        "" if true is None else box(WARNING, "box warning"),
        summary(figures),
        _consensus(collected),
        *_pictures(collected, true, chain),
    ]
    replace_file(path, page(title, "\n".join(filter(None, body))).encode())


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


def _consensus(collected: Rankings) -> str:
    """List the items by their mean collected rank, with the numbers that the pictures use."""
    items = "\n".join(
        f"<li>{escape(collected.names[item])} <small>(item {item + 1})</small></li>"
        for item in mean_rank_order(collected)
    )
    explanation = "<p>Items by their mean rank in the collected rankings, best first.</p>"
    return f"<h2>Consensus order</h2>\n{explanation}\n<ol>\n{items}\n</ol>"


def _pictures(collected: Rankings, true: Rankings | None, chain: ThinChain | None) -> list[str]:
    compared = "" if true is None else ", the true shares beside the collected ones"
    pictures = [
        picture(
            "Ranks of the items",
            rank_marginals_figure(collected, true),
            f"How many people put each item at each rank{compared}.",
        ),
        picture(
            "Pairs of items",
            pair_majority_figure(collected, true),
            f"How many people put the item of the row before the item of the column{compared}.",
        ),
    ]
    if chain is not None:
        caption = "Which items are split off the rest, from the top, and then ordered on their own."
        drawn = hierarchy_figure(chain, collected.names)
        pictures.append(picture("Which items belong together", drawn, caption))
    return pictures

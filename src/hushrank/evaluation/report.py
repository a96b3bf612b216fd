"""One self-contained HTML page about a collection."""

from base64 import b64encode
from collections.abc import Mapping
from html import escape
from pathlib import Path

from matplotlib.figure import Figure

from hushrank.errors import require
from hushrank.evaluation.metrics import mean_rank_order
from hushrank.evaluation.plots import (
    hierarchy_figure,
    pair_majority_figure,
    png,
    rank_marginals_figure,
)
from hushrank.models.hierarchy import ThinChain
from hushrank.rankings.disk import replace_file
from hushrank.rankings.profile import Rankings

STYLE = """
body { font: 1rem/1.5 system-ui, sans-serif; color: #222; background: #fff; margin: 0 auto;
  max-width: 64rem; padding: 1rem; overflow-wrap: anywhere; }
h1 { line-height: 1.2; }
h2 { margin: 2rem 0 .5rem; }
.box { border: 2px solid #0072b2; border-radius: .4rem; padding: .6rem 1rem; margin: 1rem 0; }
.warning { border-color: #b00020; background: #fdecef; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid #ccc; padding: .3rem .8rem .3rem 0; text-align: left;
  vertical-align: top; }
figure { margin: 0; break-inside: avoid; }
img { max-width: 100%; height: auto; }
figcaption { color: #555; font-size: .9rem; }
ol { columns: 16rem; column-gap: 3rem; }
@media print { body { max-width: none; padding: 0; } h2 { break-after: avoid; } }
""".strip()

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"

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
        _box(escape(privacy_statement), "box"),
        "" if true is None else _box(WARNING, "box warning"),
        _summary(figures),
        _consensus(collected),
        *_pictures(collected, true, chain),
    ]
    replace_file(path, _page(title, "\n".join(filter(None, body))).encode())


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


def _page(title: str, body: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _box(content: str, kind: str) -> str:
    return f'<p class="{kind}">{content}</p>'


def _summary(figures: Mapping[str, str]) -> str:
    rows = "\n".join(
        f'<tr><th scope="row">{escape(label)}</th><td>{escape(value)}</td></tr>'
        for label, value in figures.items()
    )
    return f"<h2>Summary</h2>\n<table>\n{rows}\n</table>" if rows else ""


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
        _picture(
            "Ranks of the items",
            rank_marginals_figure(collected, true),
            f"How many people put each item at each rank{compared}.",
        ),
        _picture(
            "Pairs of items",
            pair_majority_figure(collected, true),
            f"How many people put the item of the row before the item of the column{compared}.",
        ),
    ]
    if chain is not None:
        caption = "Which items are split off the rest, from the top, and then ordered on their own."
        drawn = hierarchy_figure(chain, collected.names)
        pictures.append(_picture("Which items belong together", drawn, caption))
    return pictures


def _picture(heading: str, figure: Figure, caption: str) -> str:
    data = b64encode(png(figure)).decode()
    return (
        f'<h2>{heading}</h2>\n<figure>\n<img alt="{escape(caption)}" '
        f'src="data:image/png;base64,{data}">\n<figcaption>{caption}</figcaption>\n</figure>'
    )

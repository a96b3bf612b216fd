"""One self-contained HTML page about a collection."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Literal

import numpy as np

from hushrank.arrays import Order, Shares
from hushrank.errors import require
from hushrank.files.disk import replace_file
from hushrank.models.hierarchy import ThinChain
from hushrank.rankings.marginals import first_order_marginals, majority
from hushrank.rankings.profile import Rankings
from hushrank.reports.heat_table import HeatTable, pair_table, rank_table
from hushrank.reports.notebook import notebook_html
from hushrank.reports.order_drawing import order_drawing
from hushrank.reports.order_page import OrderPage, hierarchy_list, order_html
from hushrank.reports.page import paragraph

WARNING = (
    "<strong>Do not publish this page.</strong> This was a simulation, so the raw rankings were at"
    " hand, and its errors and what is marked “true” below are exact statistics of them. Those are"
    " not protected by any privacy guarantee."
)
NOT_PRIVATE = (
    "<strong>Do not publish this page.</strong> The noise of the reports is not secret, so they"
    " protect nobody."
)
LEARNT = "learnt from the noisy answers"
TRUE = "true"


@dataclass(frozen=True, eq=False, repr=False)
class CollectionPage:
    """What a page about a collection shows: all of it from the reports alone.

    `synthetic` is None where one order only was learnt; else as in `OrderPage`.
    """

    title: str
    plain: str
    statement: str
    caption: str
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

    Privacy: with the truth the page shows exact statistics of raw rankings, and warns of it, as it
    does where reports protect nobody; a page with a warning can be read by its owner only.
    The file appears whole or not at all.
    Raises HushrankError when rankings are about other items.
    """
    _require_same_items(shown, truth)
    warning = WARNING if truth is not None else None if shown.is_private else NOT_PRIVATE
    content = order_html(
        OrderPage(
            title=shown.title,
            plain=shown.plain,
            statement=shown.statement,
            about=(*_alarms(shown.figures), *(() if truth is None else _compared(shown, truth))),
            caption=shown.caption,
            warning=warning,
            figures={**shown.figures, **_raw_figures(truth)},
            names=shown.names,
            order=shown.order,
            confidence=shown.confidence,
            intervals=shown.intervals,
            tables=tuple(_tables(shown, truth)),
            more=() if shown.hierarchy is None else _hierarchy(shown.hierarchy, shown.names),
        )
    )
    replace_file(path, content.encode(), secret=warning is not None)


def collection_html(shown: CollectionPage) -> str:
    """Return the table of a collection, its order, and one small picture, for a notebook."""
    rows = {**shown.figures, "order, best first": " > ".join(shown.names[i] for i in shown.order)}
    drawn = order_drawing(shown.names, shown.order, shown.intervals)
    caption = "" if shown.intervals is None else "Which places each item may have"
    return notebook_html(shown.title, rows, notes=[shown.statement], picture=drawn, caption=caption)


def true_shares(true: Rankings, unranked: Literal["unknown", "last"]) -> Shares:
    """Return the share who put a before b, of those who say (items, items): nan if nobody does."""
    counts = majority(true, unranked=unranked)
    deciding = counts + counts.T
    shares: Shares = np.divide(
        counts, deciding, where=deciding > 0, out=np.full(counts.shape, np.nan)
    )
    return shares


def _require_same_items(shown: CollectionPage, truth: Truth | None) -> None:
    if truth is not None:
        same = tuple(truth.people.names) == tuple(shown.names)
        require(same, "expected true and collected rankings of one item set")
    if shown.hierarchy is not None:
        n_items = len(shown.names)
        require(shown.hierarchy.n_items == n_items, f"expected a chain of {n_items} items")


def _raw_figures(truth: Truth | None) -> dict[str, str]:
    """Say in words what a star says in a table."""
    figures = {} if truth is None else truth.figures
    return {
        label.replace(" *", " (from the raw rankings)"): said for label, said in figures.items()
    }


def _alarms(figures: Mapping[str, str]) -> tuple[str, ...]:
    """Return what speaks against relying on the result: said first, not only among the figures."""
    said = [figures.get(name, "") for name in ("fit", "unseen orders")]
    chains = figures.get("chains", "")
    said += [f"the draws that compute it {chains}"] if chains.startswith("DID NOT") else []
    return tuple(f"{each[0].upper()}{each[1:]}." for each in said if each)


def _compared(shown: CollectionPage, truth: Truth) -> tuple[str, ...]:
    """Say how many neighbours the true majority has the other way round."""
    shares = true_shares(truth.people, truth.unranked)
    turned = sum(shares[a, b] < 0.5 for a, b in zip(shown.order, shown.order[1:], strict=False))
    n_pairs = len(shown.order) - 1
    if turned == 0:
        return ("Of every two neighbours, a majority of the raw rankings has them this way round.",)
    return (
        f"Of {turned} of the {n_pairs} pairs of neighbours, a majority of the raw rankings has the"
        " second one first.",
    )


def _tables(shown: CollectionPage, truth: Truth | None) -> Iterator[HeatTable]:
    """Yield places and pairs, as learnt and as they are; incomplete rankings have no places."""
    ranks, pairs = "Who is placed where", "Two by two"
    true = None if truth is None else truth.people
    if shown.synthetic is not None and (true is None or true.is_complete):
        yield rank_table(f"{ranks}: {LEARNT}", first_order_marginals(shown.synthetic))
        if true is not None:
            yield rank_table(f"{ranks}: {TRUE}", first_order_marginals(true))
        learnt = majority(shown.synthetic) / shown.synthetic.n_people
        yield pair_table(f"{pairs}: {LEARNT}", learnt)
    else:
        for title, shares in shown.pair_shares.items():
            yield pair_table(f"{pairs}: {title}", shares)
    if truth is not None:
        yield pair_table(f"{pairs}: {TRUE}", true_shares(truth.people, truth.unranked))


def _hierarchy(chain: ThinChain, names: Sequence[str]) -> tuple[str, ...]:
    told = "Which items are split off the rest, from the top, and then ordered on their own."
    groups = [[names[item] for item in leaf] for leaf in chain.leaves]
    return (
        f"<h3>{escape('Which items belong together')}</h3>",
        paragraph(told),
        hierarchy_list(groups),
    )

"""The page about an order: what was released, and for its owner what is raw."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from hushrank.aggregators.private.order import ComparedMargins, NoisyMargins, PrivateOrder
from hushrank.files.disk import FilePath
from hushrank.reports.heat_table import HeatTable, pair_table
from hushrank.reports.order_page import OrderPage, write_order_report
from hushrank.workflows.results.consensus.consensus import Consensus
from hushrank.workflows.results.consensus.ties import ties_in_words


def released_tables(consensus: Consensus) -> list[HeatTable]:
    """Who leads whom by noisy margins, as if the largest of them were unanimous."""
    evidence = consensus.found.evidence if isinstance(consensus.found, PrivateOrder) else None
    if not isinstance(evidence, NoisyMargins | ComparedMargins):
        return []
    margins = evidence.margins
    shares = 0.5 + margins / (2 * max(1.0, np.nanmax(np.abs(margins))))
    return [pair_table("Two by two, as released with noise (largest lead = 100)", shares)]


def write_page(
    consensus: Consensus,
    path: FilePath,
    title: str,
    warning: str | None,
    figures: Mapping[str, str],
    tables: Sequence[HeatTable],
    beside: tuple[str, Sequence[tuple[int, int]]] | None = None,
) -> None:
    """Write a page about an order; with a warning only its owner can read it."""
    tied = ties_in_words(consensus.tied, consensus.equally_good_orders)
    shown = OrderPage(
        title=title,
        plain=consensus.plain,
        statement=consensus.privacy,
        about=(*(f"Tied: {each}." for each in tied.values()), consensus.how_sure),
        caption=consensus.caption,
        warning=warning,
        figures=figures,
        names=consensus.names,
        order=consensus.found.order,
        confidence=consensus.confidence,
        intervals=consensus.intervals,
        among=consensus.sure_of.replace("they come", "the ballots come"),
        beside=beside,
        tables=tables,
    )
    write_order_report(Path(path), shown)

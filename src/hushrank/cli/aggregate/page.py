"""The report of an aggregation."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from hushrank.aggregators.private.order import ComparedMargins, NoisyMargins
from hushrank.arrays import Shares
from hushrank.rankings.profile import Rankings
from hushrank.reports.order_page import OrderPage, write_order_report
from hushrank.workflows.aggregate import Aggregated

WARNING = (
    "<strong>Do not publish this page.</strong> What is marked “raw ballots” is exact, and not"
    " protected by any privacy guarantee; only the order, its probabilities and its intervals are."
)


def write_page(
    path: Path, rankings: Rankings, result: Aggregated, figures: Mapping[str, str], *, title: str
) -> None:
    """Write the order with its intervals, and the pair majorities with and without noise."""
    private = result.private
    decided = np.maximum(result.counts + result.counts.T, 1)
    shares: dict[str, Shares] = {"raw ballots": result.counts / decided}
    evidence = None if private is None else private.evidence
    if isinstance(evidence, NoisyMargins | ComparedMargins):
        shares["with noise, released"] = _shares(evidence.margins)
    page = OrderPage(
        title=title,
        statement=result.guarantee,
        warning=WARNING,
        figures={label.replace(" *", " (raw ballots)"): each for label, each in figures.items()},
        names=rankings.names,
        order=result.order,
        confidence=result.confidence,
        intervals=None if result.posterior is None else result.posterior.rank_intervals(),
        pair_shares=shares,
    )
    write_order_report(path, page)


def _shares(margins: Shares) -> Shares:
    """Return shares of people from noisy margins, as if the largest margin were unanimous."""
    shares: Shares = 0.5 + margins / (2 * max(1.0, np.nanmax(np.abs(margins))))
    return shares

"""Pictures of one order: how sure each rank is, and who leads whom."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from hushrank.arrays import Floats, Order, Shares
from hushrank.reports.plots import (
    DARK,
    Heatmap,
    heatmaps_figure,
    item_labels,
    new_figure,
    place_labels,
)

if TYPE_CHECKING:  # an extra, and slow to import
    from matplotlib.figure import Figure

BLUE = "#0072B2"


def rank_intervals_figure(
    names: Sequence[str], order: Order, intervals: Sequence[tuple[int, int]] | None
) -> "Figure":
    """Draw each item of `order` at its place, with the ranks (0 = best) it may truly have.

    intervals[item] = best and worst rank of that item; None where nothing tells.
    """
    labels = place_labels(names, order)
    rows, n_rows = _rows(labels)
    figure = new_figure(6.5, 0.8 + 0.26 * n_rows)
    axes = figure.add_subplot()
    if intervals is not None:
        best, worst = np.array([intervals[item] for item in order]).T + 1
        axes.hlines(rows, best, worst, color=BLUE, lw=3, alpha=0.6)
        for end in (best, worst):  # an interval of one rank has no length
            axes.plot(end, rows, "|", color=BLUE, ms=9, mew=2)
    axes.plot(np.arange(len(order)) + 1, rows, "o", color=DARK, ms=4)
    axes.set_yticks(rows, labels, fontsize=8, parse_math=False)
    axes.set_xlabel(
        "rank (1 = best): dot = in this order, line = ranks that it may have, 95 % or more",
        fontsize=8,
    )
    axes.tick_params(axis="x", labelsize=8)
    axes.locator_params(axis="x", integer=True)
    axes.set_xlim(0.5, len(order) + 0.5)
    axes.set_ylim(n_rows - 0.5, -0.5)  # best above, and no row on the frame
    axes.grid(axis="x", alpha=0.25)
    return figure


def _rows(labels: Sequence[str]) -> tuple[Floats, float]:
    """Return where the rows of labels stand, and the height of all; one line has a height of 1."""
    heights = np.array([max(1.0, 0.2 + 0.55 * (label.count("\n") + 1)) for label in labels])
    ends = heights.cumsum()
    return ends - heights / 2 - 0.5, float(ends[-1])


def pair_shares_figure(
    names: Sequence[str], order: Order, shares: Mapping[str, Shares]
) -> "Figure":
    """Draw the shares (items, items) who put the row's item first, one heatmap a title.

    Rows and columns are in the order given. Estimated shares are cut to [0, 1]; nan stays grey.
    """
    placed = np.ix_(order, order)
    maps = [
        Heatmap(title, np.clip(_without_diagonal(each)[placed], 0, 1))
        for title, each in shares.items()
    ]
    columns = [str(item + 1) for item in order]
    scale = {"cmap": "PuOr", "vmin": 0.0, "vmax": 1.0}
    labels = item_labels(names, order)
    return heatmaps_figure(maps, labels, columns, "before the item of this number", scale)


def _without_diagonal(shares: Shares) -> Shares:
    kept = shares.astype(np.float64)
    np.fill_diagonal(kept, np.nan)
    return kept

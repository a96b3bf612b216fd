"""What was learnt, as pictures for a report or a slide."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from hushrank.arrays import Order
from hushrank.reports.order_plots import pair_shares_figure, rank_intervals_figure
from hushrank.reports.plots import Heatmap, heatmaps_figure, item_labels
from hushrank.workflows.results.collection import Collection
from hushrank.workflows.results.shares import pair_shares, rank_shares

if TYPE_CHECKING:  # an extra, and slow to import
    from matplotlib.figure import Figure


def order_picture(collection: Collection) -> "Figure | None":
    """Draw each item's place and the ranks that it may have; None where that is not known."""
    if collection.intervals is None:
        return None
    return rank_intervals_figure(collection.names, collection.order, collection.intervals)


def rank_picture(collection: Collection) -> "Figure | None":
    """Draw the share of people who put each item at each rank; None where it is not known."""
    found = rank_shares(collection)
    if found is None:
        return None
    order: Order = collection.order
    shares = found.shares[order, :]
    title = f"estimated from {collection.n_people:,} people"
    ranks = [str(rank + 1) for rank in range(len(order))]
    scale = {"cmap": "cividis", "vmin": 0.0, "vmax": float(shares.max())}
    labels = item_labels(collection.names, order)
    return heatmaps_figure([Heatmap(title, shares)], labels, ranks, "rank (1 = best)", scale)


def pair_picture(collection: Collection) -> "Figure | None":
    """Draw the share of people who put an item before another; None where it is not known."""
    found = pair_shares(collection)
    if found is None:
        return None
    title = f"estimated from {collection.n_people:,} people"
    return pair_shares_figure(collection.names, collection.order, {title: found.shares})


PICTURES: Mapping[str, Callable[[Collection], "Figure | None"]] = {
    "order": order_picture,
    "rank-shares": rank_picture,
    "pairs": pair_picture,
}
"""By the name of the table that they show."""

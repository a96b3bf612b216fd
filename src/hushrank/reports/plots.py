"""Pictures of what was learnt: matplotlib figures without global state."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from hushrank.arrays import Order, Shares
from hushrank.evaluation.metrics import mean_rank_order
from hushrank.models.hierarchy import Items, ThinChain
from hushrank.rankings.marginals import first_order_marginals, majority
from hushrank.rankings.profile import Rankings

LONGEST_LABEL = 26
MOST_PRINTED_ITEMS = 12
"""Up to here the cells of a heatmap are large enough to print their numbers."""
MOST_ITEMS_BESIDE = 15
LARGEST_SIDE = 16.0
"""Inches of a heatmap's side."""
DARK = "#222222"


@dataclass(frozen=True, eq=False, repr=False)
class Heatmap:
    """Shares (items, columns) with their title; nan where there is nothing to show."""

    title: str
    shares: Shares


def rank_marginals_figure(
    collected: Rankings, true: Rankings | None = None, order: Order | None = None
) -> Figure:
    """Draw the share of people who put each item at each rank; true ones beside, where known.

    Rows are the items in `order`, else that of their collected mean ranks; one colour scale.
    """
    order = mean_rank_order(collected) if order is None else order
    maps = [
        Heatmap(f"{kind} ({given.n_people:,} rankings)", first_order_marginals(given)[order, :])
        for kind, given in _beside("collected", collected, true)
    ]
    largest = max(float(heatmap.shares.max()) for heatmap in maps)
    ranks = [str(rank + 1) for rank in range(collected.n_items)]
    scale = {"cmap": "cividis", "vmin": 0.0, "vmax": largest}
    return heatmaps_figure(
        maps, item_labels(collected.names, order), ranks, "rank (1 = best)", scale
    )


def pair_majority_figure(
    collected: Rankings, true: Rankings | None = None, order: Order | None = None
) -> Figure:
    """Draw the share of people who put the row's item before the column's; true ones beside.

    Colours diverge at one half: there a pair is undecided. `order` as in `rank_marginals_figure`.
    """
    order = mean_rank_order(collected) if order is None else order
    maps = [
        Heatmap(f"{kind} ({given.n_people:,} rankings)", _majority_shares(given, order))
        for kind, given in _beside("collected", collected, true)
    ]
    columns = [str(item + 1) for item in order]
    scale = {"cmap": "PuOr", "vmin": 0.0, "vmax": 1.0}
    labels = item_labels(collected.names, order)
    return heatmaps_figure(maps, labels, columns, "before the item of this number", scale)


def hierarchy_figure(chain: ThinChain, names: Sequence[str]) -> Figure:
    """Draw which items are split off the rest, from the top; the last leaf is what remains."""
    figure = new_figure(7.0, 0.45 * len(chain.leaves) + 0.6)
    axes = figure.add_subplot()
    step = min(0.25, 3.0 / len(chain.leaves))
    for level, leaf in enumerate(chain.leaves):
        _draw_leaf(axes, level, step, _leaf_label(leaf, names), len(chain.leaves))
    axes.set_xlim(-0.1, step * len(chain.leaves) + 4)
    axes.set_ylim(0.6 - len(chain.leaves), 0.4)
    axes.set_axis_off()
    return figure


def item_labels(names: Sequence[str], items: Sequence[int]) -> list[str]:
    """Return number and name of each of `items`; long names are cut.

    The numbers tell items apart where names were cut, or hold signs that the font lacks.
    """
    return [f"{item + 1} {_short(names[item])}" for item in items]


def png(figure: Figure) -> bytes:
    """Render a figure; signs that the font lacks become boxes."""
    buffer = BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font", append=False)
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        figure.savefig(buffer, format="png", bbox_inches="tight", metadata={"Software": None})
    return buffer.getvalue()


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure, in inches, that renders to pixels and knows no global state."""
    figure = Figure(figsize=(width, height), dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _beside(
    kind: str, collected: Rankings, true: Rankings | None
) -> tuple[tuple[str, Rankings], ...]:
    return ((kind, collected),) if true is None else (("true", true), (kind, collected))


def _majority_shares(rankings: Rankings, order: Order) -> Shares:
    shares: Shares = majority(rankings)[np.ix_(order, order)] / rankings.n_people
    np.fill_diagonal(shares, np.nan)
    return shares


def heatmaps_figure(
    maps: Sequence[Heatmap],
    rows: Sequence[str],
    columns: Sequence[str],
    x_label: str,
    scale: dict[str, Any],
) -> Figure:
    """Draw heatmaps with one colour bar: side by side, or one below the other where they are large.

    Rows and columns have the same labels in each.
    """
    side = min(max(2.6, 0.3 * len(rows)), LARGEST_SIDE)
    n_wide, n_high = (1, len(maps)) if len(rows) > MOST_ITEMS_BESIDE else (len(maps), 1)
    figure = new_figure(2.6 + (side + 0.2) * n_wide, 0.2 + (side + 0.8) * n_high)
    panels = figure.subplots(n_high, n_wide, squeeze=False)
    for axes, heatmap in zip(panels.flat, maps, strict=True):
        image = axes.imshow(heatmap.shares, aspect="auto", interpolation="nearest", **scale)
        if len(rows) <= MOST_PRINTED_ITEMS:
            _print_percentages(axes, heatmap.shares, image)
        axes.set_title(heatmap.title, fontsize=9)
        axes.set_xlabel(x_label, fontsize=8)
        _label_cells(axes, rows if axes in panels[:, 0] else [""] * len(rows), columns, side)
    bar = figure.colorbar(image, ax=panels, shrink=0.8 / n_high)
    bar.set_label("share of people", fontsize=8)
    bar.ax.tick_params(labelsize=7)
    return figure


def _label_cells(axes: Axes, rows: Sequence[str], columns: Sequence[str], side: float) -> None:
    """Name rows and columns of cells, as large as `side` inches allow; names are no formulas."""
    largest = 60 * side / len(rows)
    axes.set_xticks(range(len(columns)), columns, fontsize=min(7, largest * 0.7))
    axes.set_yticks(range(len(rows)), rows, fontsize=min(8, largest), parse_math=False)
    axes.set_facecolor("#dddddd")  # shows where there is no share


def _print_percentages(axes: Axes, shares: Shares, image: Any) -> None:
    """Print each share in per cent, light on dark cells and dark on light ones."""
    colours = image.cmap(image.norm(shares))[..., :3]
    is_dark = colours @ np.array([0.299, 0.587, 0.114]) < 0.5
    for row, column in np.argwhere(~np.isnan(shares)):
        colour = "white" if is_dark[row, column] else DARK
        number = f"{100 * shares[row, column]:.0f}"
        axes.text(column, row, number, ha="center", va="center", fontsize=6.5, color=colour)


def _draw_leaf(axes: Axes, level: int, step: float, label: str, n_leaves: int) -> None:
    """Draw a split and its leaf to the right; the line goes on to the next split, or ends."""
    x, y = level * step, -level
    is_last = level == n_leaves - 1
    if not is_last:
        axes.plot([x, x, x + step], [y, y - 1, y - 1], color=DARK, lw=1.2)
        axes.plot(x, y, marker="o", color=DARK, ms=5)
        axes.plot([x, x + 2 * step], [y, y], color="#0072B2", lw=1.2)
    start = x if is_last else x + 2 * step
    box = {"boxstyle": "round", "fc": "#f2f2f2", "ec": DARK if is_last else "#0072B2", "lw": 0.8}
    text = axes.text(start + 0.1, y, label, va="center", fontsize=8, bbox=box)
    text.set_parse_math(False)


def _leaf_label(leaf: Items, names: Sequence[str]) -> str:
    return fill(", ".join(item_labels(names, leaf)), width=70)


def _short(name: str) -> str:
    words = " ".join(name.split())
    is_long = len(words) > LONGEST_LABEL
    return words[: LONGEST_LABEL - 1].rstrip() + "…" if is_long else words

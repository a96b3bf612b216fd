"""Pictures of what was learnt: matplotlib figures without global state."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

from hushrank.arrays import Shares
from hushrank.errors import needs_extra
from hushrank.reports.fonts import let_fonts_fall_back
from hushrank.reports.svg import wrapped

if TYPE_CHECKING:  # an extra, and slow to import
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LONGEST_LINE, MOST_LINES = 28, 3
MOST_PRINTED_ITEMS = 12
"""Up to here the cells of a heatmap are large enough to print their numbers."""
MOST_ITEMS_BESIDE = 15
LARGEST_SIDE = 16.0
"""Inches of a heatmap's side."""
DARK = "#222222"
NO_FONT = (
    "{signs} in no font that is installed here: boxes stand for them in the picture; install a"
    " font, such as Noto Sans of that writing, or write an .svg"
)


@dataclass(frozen=True, eq=False, repr=False)
class Heatmap:
    """Shares (items, columns) with their title; nan where there is nothing to show."""

    title: str
    shares: Shares


def require_matplotlib(what: str) -> None:
    """Raise HushrankError, which names the extra, where matplotlib is not installed."""
    if find_spec("matplotlib") is None:
        raise needs_extra(what, "pictures")


def item_labels(names: Sequence[str], items: Sequence[int]) -> list[str]:
    """Return number and name of each of `items`; long names are broken into lines.

    The numbers tell items apart where names hold signs that the font lacks.
    """
    return [_in_lines(f"{item + 1} {names[item]}") for item in items]


def place_labels(names: Sequence[str], order: Sequence[int]) -> list[str]:
    """Return place and whole name of each item of an order; long names are broken into lines."""
    placed = enumerate(order, start=1)
    return ["\n".join(wrapped(f"{place}. {names[item]}", LONGEST_LINE)) for place, item in placed]


def png(figure: "Figure") -> bytes:
    """Render a figure; signs that no installed font has become boxes, with a warning."""
    return _rendered(figure, "png", {"Software": None})


def svg(figure: "Figure") -> bytes:
    """Draw a figure with real text, which can be searched and read out."""
    return rendered(figure, "svg")


def rendered(figure: "Figure", form: str) -> bytes:
    """Render a figure as svg, png or pdf, without a date."""
    if form == "png":
        return png(figure)
    from matplotlib import rc_context

    dates = {"svg": "Date", "pdf": "CreationDate"}
    with rc_context({"svg.fonttype": "none", "pdf.fonttype": 42}):
        return _rendered(figure, form, {"Creator": None, dates[form]: None})


def _rendered(figure: "Figure", form: str, metadata: dict[str, None]) -> bytes:
    nowhere = let_fonts_fall_back(figure)
    if nowhere and form != "svg":  # whoever opens an SVG has fonts of their own
        signs = "1 sign of the names is" if len(nowhere) == 1 else f"{len(nowhere)} signs are"
        warnings.warn(NO_FONT.format(signs=signs), stacklevel=3)
    buffer = BytesIO()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font", append=False)
        warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
        figure.savefig(buffer, format=form, bbox_inches="tight", metadata=metadata)
    return buffer.getvalue()


def new_figure(width: float, height: float) -> "Figure":
    """Return an empty figure, in inches, that renders to pixels and knows no global state."""
    require_matplotlib("this picture")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=110, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def heatmaps_figure(
    maps: Sequence[Heatmap],
    rows: Sequence[str],
    columns: Sequence[str],
    x_label: str,
    scale: dict[str, Any],
) -> "Figure":
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


def _label_cells(axes: "Axes", rows: Sequence[str], columns: Sequence[str], side: float) -> None:
    """Name rows and columns of cells, as large as `side` inches allow; names are no formulas."""
    largest = 60 * side / len(rows)
    axes.set_xticks(range(len(columns)), columns, fontsize=min(7, largest * 0.7))
    axes.set_yticks(range(len(rows)), rows, fontsize=min(8, largest), parse_math=False)
    axes.set_facecolor("#dddddd")  # shows where there is no share


def _print_percentages(axes: "Axes", shares: Shares, image: Any) -> None:
    """Print each share in per cent, light on dark cells and dark on light ones."""
    colours = image.cmap(image.norm(shares))[..., :3]
    is_dark = colours @ np.array([0.299, 0.587, 0.114]) < 0.5
    for row, column in np.argwhere(~np.isnan(shares)):
        colour = "white" if is_dark[row, column] else DARK
        number = f"{100 * shares[row, column]:.0f}"
        axes.text(column, row, number, ha="center", va="center", fontsize=6.5, color=colour)


def _in_lines(name: str) -> str:
    """Return a name in lines; what three of them cannot hold is cut, and the cut is shown."""
    lines = wrapped(name, LONGEST_LINE)
    more = "\N{HORIZONTAL ELLIPSIS}" if len(lines) > MOST_LINES else ""
    return "\n".join(lines[:MOST_LINES]) + more

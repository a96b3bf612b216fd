"""Curves with error bars, in rows of panels."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hushrank.experiments.experiment import Scale
from hushrank.reports.plots import new_figure

if TYPE_CHECKING:  # an extra, and slow to import
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

OKABE_ITO = ("#000000", "#E69F00", "#56B4E9", "#009E73", "#CC79A7", "#D55E00", "#0072B2")
"""Colours that colour-blind people tell apart. Source: Okabe, Ito (2008)."""
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.")
REFERENCE_LINES = (":", "-.", "--", (0, (1, 3)))
THOUSANDS = 10_000
"""From here on they are parted by commas."""
SMALLEST_SEEN = 1e-4
"""Below it, an axis that holds 0 as well is linear."""


@dataclass(frozen=True)
class Curve:
    """Means (points,) at x (points,) and how far whiskers reach down and up (2, points).

    A reference has no markers.
    """

    label: str
    x: NDArray[np.float64]
    mean: NDArray[np.float64]
    whiskers: NDArray[np.float64]
    is_reference: bool = False


@dataclass(frozen=True)
class Panel:
    """Curves in one pair of axes."""

    title: str
    curves: tuple[Curve, ...]
    y_label: str
    scale: Scale = "unit"


@dataclass(frozen=True)
class Layout:
    """What stands around the panels of a figure; without ticks at x where that is measured, too."""

    title: str
    note: str
    x_label: str
    has_log_x: bool = False
    is_x_measured: bool = False


def curves_figure(rows: Sequence[Sequence[Panel]], layout: Layout) -> "Figure":
    """Draw panels (rows, columns) of curves with error bars; each row has its legend on the right.

    A label has one colour and one marker in all panels, and no other of a row has both of them.
    """
    n_columns = max(map(len, rows))
    styles = _styles([[curve for panel in panels for curve in panel.curves] for panels in rows])
    figure = new_figure(4.0 * n_columns + 2.2, 3.5 * len(rows) + 0.9)
    for axes_of_row, panels in zip(
        figure.subplots(len(rows), n_columns, squeeze=False), rows, strict=True
    ):
        for axes, panel in zip(axes_of_row, panels, strict=True):
            _draw_panel(axes, panel, layout, styles)
        axes_of_row[0].set_ylabel(panels[0].y_label, fontsize=9)
        _draw_legend(axes_of_row, styles)
    figure.suptitle(layout.title, fontsize=11)
    figure.supxlabel(fill(layout.note, 40 * n_columns + 20), fontsize=8, color="#444444")
    return figure


def set_scale(axes: "Axes", scale: Scale, *, along: str = "y") -> None:
    """Scale one axis of quantities that are never negative."""
    set_limits, limits = (
        (axes.set_ylim, axes.get_ylim) if along == "y" else (axes.set_xlim, axes.get_xlim)
    )
    if scale == "log":
        axes.set(**{f"{along}scale": "log"})
        getattr(axes, f"{along}axis").set_major_formatter("{x:g}")
        getattr(axes, f"{along}axis").set_minor_formatter("")
    elif scale == "symlog":
        getattr(axes, f"set_{along}scale")("symlog", linthresh=SMALLEST_SEEN, linscale=0.5)
        getattr(axes, f"{along}axis").set_major_formatter("{x:g}")
        set_limits(-0.2 * SMALLEST_SEEN, 1.3 * limits()[1])
    elif scale == "unit":
        set_limits(0, 1)
    elif limits()[0] < 0:
        set_limits(0, None)


def _draw_panel(
    axes: "Axes", panel: Panel, layout: Layout, styles: dict[str, dict[str, Any]]
) -> None:
    for curve in panel.curves:
        style = styles[curve.label]
        if curve.is_reference and len(curve.x) == 1:  # a line of one point would not be seen
            style = style | {"marker": "o", "ms": 5, "mfc": "none"}
        spread = curve.whiskers if curve.whiskers.any() else None
        axes.errorbar(curve.x, curve.mean, spread, label=curve.label, capsize=2, **style)
    xs = sorted({float(x) for curve in panel.curves for x in curve.x})
    if layout.has_log_x:
        axes.set_xscale("log")
    if not layout.is_x_measured:
        axes.set_xticks(xs, [f"{x:,.10g}" if x >= THOUSANDS else f"{x:g}" for x in xs])
        axes.set_xticks([], minor=True)
    axes.tick_params(labelsize=8)
    axes.set_xlabel(layout.x_label, fontsize=9)
    axes.set_title(panel.title, fontsize=9)
    axes.grid(alpha=0.25)
    set_scale(axes, panel.scale)


def _draw_legend(axes_of_row: NDArray[Any], styles: dict[str, dict[str, Any]]) -> None:
    """Put one legend of all labels beside the last panel, outside the axes."""
    handles = {}
    for axes in axes_of_row:
        found, labels = axes.get_legend_handles_labels()
        handles.update(dict(zip(labels, found, strict=True)))
    shown = {label: handles[label] for label in styles if label in handles}
    place = {"loc": "center left", "bbox_to_anchor": (1.02, 0.5)}
    axes_of_row[-1].legend(shown.values(), shown, fontsize=8, frameon=False, **place)


def _styles(rows: Sequence[Sequence[Curve]]) -> dict[str, dict[str, Any]]:
    """Give every label its colour, marker and line: the first that none beside it in a row has."""
    chosen: dict[str, int] = {}
    styles: dict[str, dict[str, Any]] = {}
    for curve in (curve for row in rows for curve in row):
        if curve.label not in chosen:
            beside = [row for row in rows if any(each.label == curve.label for each in row)]
            taken = {
                chosen[each.label]
                for row in beside
                for each in row
                if each.label in chosen and each.is_reference == curve.is_reference
            }
            nth = next(n for n in count() if n not in taken)
            chosen[curve.label] = nth
            styles[curve.label] = _reference_style(nth) if curve.is_reference else _curve_style(nth)
    return styles


def _reference_style(nth: int) -> dict[str, Any]:
    return {"color": "#666666", "ls": REFERENCE_LINES[nth % len(REFERENCE_LINES)], "lw": 1.4}


def _curve_style(nth: int) -> dict[str, Any]:
    """After the last colour they begin anew, with other markers and lines."""
    turn, colour = divmod(nth, len(OKABE_ITO))
    marker, line = MARKERS[(colour + turn) % len(MARKERS)], LINES[turn % len(LINES)]
    look = {"color": OKABE_ITO[colour], "marker": marker, "ls": line}
    return look | {"ms": 5, "lw": 1.3, "elinewidth": 0.9}

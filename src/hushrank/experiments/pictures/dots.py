"""Dots with whiskers, one line of text a method: for many methods at few x."""

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

from hushrank.experiments.pictures.curves import OKABE_ITO, Curve, Layout, Panel, set_scale
from hushrank.reports.plots import new_figure

if TYPE_CHECKING:  # an extra, and slow to import
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INCHES_OF_A_METHOD = 0.21
REFERENCE_COLOUR, COLOUR = "#888888", OKABE_ITO[-1]


def dots_figure(rows: Sequence[Sequence[Panel]], layout: Layout) -> "Figure":
    """Draw panels (rows, columns): a method each line, in order of appearance, the quantity along.

    Hollow grey dots are references. The methods of a row have one place in all its panels.
    """
    n_columns = max(map(len, rows))
    labels = [_labels(panels) for panels in rows]
    heights = [INCHES_OF_A_METHOD * len(each) + 0.9 for each in labels]
    figure = new_figure(3.4 * n_columns + 1.8, sum(heights) + 0.9)
    grid = figure.subplots(len(rows), n_columns, squeeze=False, height_ratios=heights)
    for axes_of_row, panels, names in zip(grid, rows, labels, strict=True):
        for axes, panel in zip(axes_of_row, panels, strict=True):
            _draw_panel(axes, panel, names)
            shown = names if axes is axes_of_row[0] else [""] * len(names)
            axes.set_yticks(range(len(names)), shown, fontsize=8)
    figure.suptitle(layout.title, fontsize=11)
    figure.supxlabel(fill(layout.note, 36 * n_columns + 12), fontsize=8, color="#444444")
    return figure


def _labels(panels: Sequence[Panel]) -> list[str]:
    return list(dict.fromkeys(curve.label for panel in panels for curve in panel.curves))


def _draw_panel(axes: "Axes", panel: Panel, names: Sequence[str]) -> None:
    for curve in panel.curves:
        _draw_dots(axes, curve, names.index(curve.label))
    axes.set_ylim(len(names) - 0.5, -0.5)  # the first method on top
    axes.tick_params(labelsize=8)
    axes.set_xlabel(panel.y_label, fontsize=9)
    axes.set_title(panel.title, fontsize=9)
    axes.grid(alpha=0.25)
    set_scale(axes, panel.scale, along="x")


def _draw_dots(axes: "Axes", curve: Curve, line: int) -> None:
    colour = REFERENCE_COLOUR if curve.is_reference else COLOUR
    fill_colour = "white" if curve.is_reference else colour
    style: dict[str, Any] = {"color": colour, "mfc": fill_colour, "fmt": "o", "ms": 5}
    lines = [line] * len(curve.mean)
    axes.errorbar(curve.mean, lines, xerr=curve.whiskers, label=curve.label, capsize=2.5, **style)

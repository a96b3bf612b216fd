"""The picture of a result: its points, as its views want them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hushrank.experiments.experiment import Point, Result, View, Whiskers
from hushrank.experiments.pictures.curves import Curve, Layout, Panel, curves_figure
from hushrank.experiments.pictures.dots import dots_figure

if TYPE_CHECKING:  # an extra, and slow to import
    from matplotlib.figure import Figure


def experiment_figure(result: Result) -> "Figure":
    """Draw the points: a panel for each view."""
    experiment = result.experiment
    panels = [[_panel(result, view) for view in row] for row in experiment.views]
    is_measured = any(view.against for row in experiment.views for view in row)
    layout = Layout(
        experiment.title, _note(result), experiment.x_label, experiment.has_log_x, is_measured
    )
    draw = dots_figure if experiment.picture == "dots" else curves_figure
    return draw(panels, layout)


def _panel(result: Result, view: View) -> Panel:
    shown = [point for point in result.points if _is_shown(point, view)]
    names = dict.fromkeys(point.curve for point in shown)
    curves = tuple(
        _curve([point for point in shown if point.curve == name], view.whiskers) for name in names
    )
    if view.against is not None:
        places = {name: _means(result, view, name) for name in names}
        curves = tuple(replace(curve, x=places[curve.label]) for curve in curves)
    size = result.sizes.get(view.population)
    title = view.title if size is None else view.title.format(n=size.n_people, m=size.n_items)
    return Panel(title, curves, view.y_label, view.scale)


def _means(result: Result, view: View, curve: str) -> NDArray[np.float64]:
    """Return the means of what a view's curve is drawn against."""
    points = (each for each in result.points if each.quantity == view.against)
    same = (
        each.mean for each in points if (each.curve, each.population) == (curve, view.population)
    )
    return np.array(list(same))


def _is_shown(point: Point, view: View) -> bool:
    return (
        point.group in view.groups
        and point.quantity in (view.quantity, "any")
        and point.population == view.population
        and view.x in (None, point.x)
    )


def _curve(points: Sequence[Point], whiskers: Whiskers) -> Curve:
    x, mean, sd, smallest, largest = np.array(
        [(each.x, each.mean, each.sd, each.smallest, each.largest) for each in points]
    ).T
    reach = {
        "sd": np.stack([sd, sd]),
        "range": np.stack([mean - smallest, largest - mean]).clip(min=0),  # means are rounded
        "none": np.zeros((2, len(x))),
    }
    return Curve(points[0].curve, x, mean, reach[whiskers], points[0].group == "reference")


def _note(result: Result) -> str:
    several = max(point.repetitions for point in result.points)
    sizes = list(result.sizes.values())
    people = f"n = {sizes[0].n_people:,} people; " if len(sizes) == 1 else ""
    marks = "dots" if result.experiment.picture == "dots" else "lines"
    means = f"{marks}: means{_what_bars_are(result)}"
    quick = ", a quick run on a part of the data" if result.settings.quick else ""
    exceptions = _exceptions(result.points, several)
    return f"{people}{means} {several} repetitions{exceptions}, seed {result.settings.seed}{quick}."


def _what_bars_are(result: Result) -> str:
    """Say what bars show, which ends where the number of repetitions stands; some have none."""
    drawn = {view.whiskers for row in result.experiment.views for view in row} - {"none"}
    if not drawn:
        return " of"
    is_range = drawn == {"range"}
    return (
        ", whiskers: smallest and largest of"
        if is_range
        else (", error bars: standard deviations over")
    )


def _exceptions(points: Sequence[Point], several: int) -> str:
    """Say which curves have fewer repetitions somewhere; exact ones need no more than one."""
    fewer = {point.curve: point.repetitions for point in points if 1 < point.repetitions < several}
    named = [f"{repetitions} for some of {curve}" for curve, repetitions in fewer.items()]
    return f" ({', '.join(named)})" if named else ""

"""The files of an experiment: its table, its picture, and what repeats it."""

import csv
import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from io import StringIO
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from hushrank import __version__
from hushrank.errors import require
from hushrank.evaluation.experiments.curves import Curve, CurvesLayout, Panel, curves_figure
from hushrank.evaluation.experiments.experiment import Group, Point, Result, Treatment
from hushrank.evaluation.plots import png
from hushrank.rankings.disk import replace_file

TREATMENT_TITLES: dict[Treatment, str] = {
    "simplex": "post-processing: simplex",
    "clip": "post-processing: clip",
    "raw": "no post-processing (unbiased)",
    "any": "",
}
LOGARITHMIC: tuple[Treatment, ...] = ("raw",)
"""Unbiased shares may be off by more than 1: their panels need a logarithmic axis."""


def write_experiment(result: Result, directory: Path) -> tuple[Path, ...]:
    """Write NAME.csv (one row a point), NAME.json and NAME.png; return their paths.

    Raises HushrankError when `directory` cannot be made.
    """
    require(not directory.is_file(), f"expected a directory, got the file {directory}")
    directory.mkdir(parents=True, exist_ok=True)
    stem = directory / result.experiment.name
    table, record, picture = (stem.with_suffix(end) for end in (".csv", ".json", ".png"))
    _write_table(result.points, table)
    text = json.dumps(_record(result), indent=2, ensure_ascii=False) + "\n"
    replace_file(record, text.encode())
    replace_file(picture, png(experiment_figure(result)))
    return table, record, picture


def experiment_figure(result: Result) -> Figure:
    """Draw the points: a row of panels for each set of groups, a column for each treatment."""
    experiment = result.experiment
    panels = [
        [_panel(result.points, title, groups, treatment) for treatment in experiment.columns]
        for title, groups in experiment.rows.items()
    ]
    labels = experiment.x_label, experiment.y_label
    layout = CurvesLayout(experiment.title, _note(result), *labels, experiment.has_log_x)
    return curves_figure(panels, layout)


def _write_table(points: Sequence[Point], path: Path) -> None:
    table = StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(field.name for field in fields(Point))
    for point in points:
        rounded = {"x": f"{point.x:g}", "mean": f"{point.mean:.5f}", "sd": f"{point.sd:.5f}"}
        writer.writerow((asdict(point) | rounded).values())
    replace_file(path, table.getvalue().encode())


def _record(result: Result) -> dict[str, object]:
    return {
        "experiment": result.experiment.name,
        "shows": result.experiment.shows,
        "hushrank": __version__,
        "n_people": result.n_people,
        "n_items": result.n_items,
        **asdict(result.settings),
        "private": False,
        "spread": "sd is the standard deviation of a single repetition",
        "points": [asdict(point) for point in result.points],
    }


def _note(result: Result) -> str:
    several = max(point.repetitions for point in result.points)
    return (
        f"n = {result.n_people:,} people; lines: means, error bars: standard deviations over"
        f" {several} repetitions{_exceptions(result.points, several)}, seed {result.settings.seed}"
        + (", a quick run on a part of the data" if result.settings.quick else "")
        + "."
    )


def _exceptions(points: Sequence[Point], several: int) -> str:
    """Say which curves have fewer repetitions somewhere; exact ones need no more than one."""
    fewer = {point.curve: point.repetitions for point in points if 1 < point.repetitions < several}
    named = [f"{repetitions} for some of {curve}" for curve, repetitions in fewer.items()]
    return f" ({', '.join(named)})" if named else ""


def _panel(
    points: Sequence[Point], title: str, groups: Sequence[Group], treatment: Treatment
) -> Panel:
    shown = [
        point
        for point in points
        if point.group in groups and point.post_process in (treatment, "any")
    ]
    names = dict.fromkeys(point.curve for point in shown)
    curves = tuple(_curve([point for point in shown if point.curve == name]) for name in names)
    full_title = f"{title}; {TREATMENT_TITLES[treatment]}"
    return Panel(full_title, curves, has_log_y=treatment in LOGARITHMIC)


def _curve(points: Sequence[Point]) -> Curve:
    x, mean, sd = np.array([(point.x, point.mean, point.sd) for point in points]).T
    return Curve(points[0].curve, x, mean, sd, is_reference=points[0].group == "reference")

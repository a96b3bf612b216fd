"""The files of an experiment: its table, its picture or text, and what repeats it."""

import csv
import json
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from io import StringIO
from pathlib import Path

from hushrank.errors import require
from hushrank.experiments.experiment import Point, Result, TableForm
from hushrank.experiments.pictures.panels import experiment_figure
from hushrank.files.disk import replace_file
from hushrank.reports.plots import rendered


def write_experiment(
    result: Result, directory: Path, forms: Sequence[str] = ("png",)
) -> tuple[Path, ...]:
    """Write NAME.csv (one row a point), NAME.json and pictures or NAME.md; return their paths.

    forms: of the pictures, `png`, `svg` and `pdf`.

    Raises HushrankError when `directory` cannot be made.
    """
    require(not directory.is_file(), f"expected a directory, got the file {directory}")
    directory.mkdir(parents=True, exist_ok=True)
    stem = directory / result.experiment.name
    table, record = stem.with_suffix(".csv"), stem.with_suffix(".json")
    replace_file(table, _table(result).encode(), secret=False)
    text = json.dumps(_record(result), indent=2, ensure_ascii=False) + "\n"
    replace_file(record, text.encode(), secret=False)
    shown = dict(_shown(result, forms))
    for suffix, content in shown.items():
        replace_file(stem.with_suffix(suffix), content, secret=False)
    return table, record, *map(stem.with_suffix, shown)


def _shown(result: Result, forms: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield a suffix and the content of a file for each form; figures without views are text."""
    if not result.experiment.views:
        yield ".md", _text_table(result).encode()
        return
    for form in dict.fromkeys(forms):
        yield f".{form}", rendered(experiment_figure(result), form)


def _table(result: Result) -> str:
    form = result.experiment.table
    table = StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(form.columns)
    for point in result.points:
        cells = _cells(point, form)
        rounded = {
            column: f"{cell:.{form.decimals}f}"
            for column, cell in cells.items()
            if isinstance(cell, float)
        }
        writer.writerow((cells | rounded | {"x": f"{point.x:g}"}).values())
    return table.getvalue()


def _cells(point: Point, form: TableForm) -> dict[str, object]:
    return {column: getattr(point, field) for column, field in form.columns.items()}


def _record(result: Result) -> dict[str, object]:
    experiment, settings = result.experiment, result.settings
    return {
        "experiment": experiment.name,
        "shows": experiment.shows,
        "hushrank": version("hushrank"),
        **_sizes(result),
        "repetitions": max((point.repetitions for point in result.points), default=0),
        "seed": settings.seed,
        "quick": settings.quick,
        "private": False,
        "spread": "sd is the standard deviation of a single repetition",
        "points": [_cells(point, experiment.table) for point in result.points],
    }


def _sizes(result: Result) -> dict[str, object]:
    """Say how large the populations are; of a single one, without its name."""
    sizes = {name: size._asdict() for name, size in result.sizes.items()}
    return dict(*sizes.values()) if len(sizes) == 1 else {"populations": sizes}


def _text_table(result: Result) -> str:
    """Return the means in Markdown: a row for each curve, a column for each population."""
    curves = dict.fromkeys(point.curve for point in result.points)
    means = {(point.curve, point.population): point.mean for point in result.points}
    titles = [
        f"{each.title}, {result.sizes[each.name].n_people:,} x {result.sizes[each.name].n_items}"
        for each in result.experiment.populations
    ]
    names = [each.name for each in result.experiment.populations]
    rows = [
        [curve, *(f"{means[curve, name]:.4f}" if (curve, name) in means else "" for name in names)]
        for curve in curves
    ]
    lines = [[result.experiment.x_label, *titles], ["---"] * (len(titles) + 1), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)

"""Tables, pictures and records of experiments with several populations."""

import csv
import json
from io import StringIO

import numpy as np
import pytest

from hushrank.experiments.experiment import Experiment, Measurement, Settings, View
from hushrank.experiments.files import write_experiment
from hushrank.experiments.pictures.curves import Curve, Layout, Panel, curves_figure
from hushrank.experiments.pictures.panels import experiment_figure
from hushrank.experiments.populations import SUSHI, mallows_population
from hushrank.experiments.running import run_experiment
from tests.experiments.populations import plackett_luce

DRAWN = mallows_population(50, 4, 0.5)
THREE = Settings(repetitions=3)


def view(**options):
    given = {"title": "t", "groups": ("ours",), "quantity": "excess", "y_label": "y"}
    return View(**(given | options))


def experiment(*views, numbers=(0.25, 0.5, 0.75), **options):
    """Return an experiment of one curve: the same numbers at x = 1 in both populations."""

    def plan(people, quick):
        return [
            Measurement("ours", "curve", 1.0, measure(iter(numbers)), population=name)
            for name in people
        ]

    def measure(stock):
        return lambda draws: {"excess": next(stock)}

    populations = (SUSHI, DRAWN)
    return Experiment("made-up", "Title", "shows", "x", views, plan, populations, **options)


def run(*views, **options):
    return run_experiment(experiment(*views, **options), {"sushi": plackett_luce(30, 3)}, THREE)


def test_the_table_names_populations_and_holds_the_range(tmp_path):
    table, record, _ = write_experiment(run((view(),)), tmp_path)
    rows = list(csv.DictReader(StringIO(table.read_text("utf-8"))))
    assert [row["population"] for row in rows] == ["sushi", "mallows-0.5-4"]
    numbers = {key: float(rows[1][key]) for key in ("mean", "sd", "min", "max", "repetitions")}
    assert numbers == {"mean": 0.5, "sd": 0.25, "min": 0.25, "max": 0.75, "repetitions": 3}
    facts = json.loads(record.read_text("utf-8"))
    assert facts["populations"]["sushi"] == {"n_people": 30, "n_items": 3}
    assert facts["populations"]["mallows-0.5-4"] == {"n_people": 50, "n_items": 4}
    assert facts["points"][1]["min"] == 0.25


def test_an_experiment_without_views_writes_a_text_table(tmp_path):
    paths = write_experiment(run(), tmp_path)
    assert [path.suffix for path in paths] == [".csv", ".json", ".md"]
    header, _, row = paths[-1].read_text("utf-8").splitlines()
    assert header == "| x | Sushi, 30 x 3 | Mallows φ = 0.5, 50 x 4 |"
    assert row == "| curve | 0.5000 | 0.5000 |"


@pytest.mark.parametrize(
    ("whiskers", "numbers", "low", "high"),
    [
        ("sd", (0.25, 0.25, 1.0), 0.5 - 0.4330127, 0.5 + 0.4330127),
        ("range", (0.25, 0.25, 1.0), 0.25, 1.0),
        ("none", (0.25, 0.25, 1.0), None, None),
    ],
)
def test_whiskers_reach_as_far_as_the_view_says(whiskers, numbers, low, high):
    shown = view(population="sushi", scale="linear", whiskers=whiskers)
    figure = experiment_figure(run((shown,), numbers=numbers))
    (axes,), note = figure.axes, figure.get_supxlabel()
    said = {"sd": "standard deviations over 3", "range": "smallest and largest of 3"}
    assert said.get(whiskers, "lines: means of 3 repetitions") in note
    (handle,), _ = axes.get_legend_handles_labels()
    if low is None:
        assert not handle.has_yerr
    else:
        ((_, bottom), (_, top)) = handle.lines[2][0].get_segments()[0]
        assert (bottom, top) == pytest.approx((low, high))


def test_a_panel_shows_its_population_and_its_x_only():
    shown = [view(population="sushi"), view(population="sushi", x=2.0), view(population="other")]
    figure = experiment_figure(run(shown))
    counts = [len(axes.get_legend_handles_labels()[1]) for axes in figure.axes]
    assert counts == [1, 0, 0]


def test_an_axis_that_holds_zero_shows_zero_and_small_numbers():
    points = np.array([0.0, 2e-5, 0.3])
    curve = Curve("c", np.arange(3.0), points, np.zeros((2, 3)))
    panel = Panel("t", (curve,), "y", "symlog")
    (axes,) = curves_figure([[panel]], Layout("t", "n", "x")).axes
    low, high = axes.get_ylim()
    assert low < 0
    assert high > 0.3
    heights = axes.transData.transform([(0, y) for y in points])[:, 1]
    assert heights[1] - heights[0] > 2  # pixels


def test_more_curves_than_colours_all_look_different():
    curves = tuple(
        Curve(f"{n}", np.arange(2.0), np.full(2, n / 20), np.zeros((2, 2))) for n in range(14)
    )
    (axes,) = curves_figure([[Panel("t", curves, "y")]], Layout("t", "n", "x")).axes
    handles, _ = axes.get_legend_handles_labels()
    looks = {
        (each.lines[0].get_color(), each.lines[0].get_marker(), each.lines[0].get_linestyle())
        for each in handles
    }
    assert len(looks) == 14


def test_drawn_people_change_with_the_seed_alone():
    seen = []

    def plan(people, quick):
        seen.append(people["mallows-0.5-4"].ranks.tobytes())
        return [Measurement("ours", "curve", 1.0, lambda draws: {"excess": 0.0})]

    probe = Experiment("made-up", "Title", "shows", "x", (), plan, (DRAWN,))
    for seed in (1, 1, 2):
        run_experiment(probe, {}, Settings(repetitions=seed, seed=seed))
    assert seen[0] == seen[1] != seen[2]


def panels_of(*rows):
    """Return a row of one panel for each list of labels."""
    flat = np.zeros((2, 2))
    return [
        [Panel("t", tuple(Curve(label, np.arange(2.0), np.ones(2), flat) for label in row), "y")]
        for row in rows
    ]


def test_a_label_looks_alike_in_all_rows_and_unlike_those_beside_it():
    rows = (["a", "b"], ["c", "b"], ["d", "a", "c"])
    looks = [
        {
            label: (handle.lines[0].get_color(), handle.lines[0].get_marker())
            for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        for axes in curves_figure(panels_of(*rows), Layout("t", "n", "x")).axes
    ]
    of_label = {label: {row[label] for row in looks if label in row} for label in "abcd"}
    assert all(len(each) == 1 for each in of_label.values())
    assert all(len(set(row.values())) == len(row) for row in looks)
    assert of_label["d"] <= {*looks[0].values()}  # few colours, while they last


def test_a_reference_of_one_point_is_seen():
    point = Curve("raw", np.ones(1), np.ones(1), np.zeros((2, 1)), is_reference=True)
    (axes,) = curves_figure([[Panel("t", (point,), "y")]], Layout("t", "n", "x")).axes
    ((handle,), _) = axes.get_legend_handles_labels()
    assert handle.lines[0].get_marker() == "o"

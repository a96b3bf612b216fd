"""What the experiments promise: the right table, from independent seeds, and all three files."""

import csv
import json
import re
import subprocess
import sys
from functools import partial
from io import StringIO
from itertools import permutations
from math import exp, pi, sqrt

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from hushrank.cli.experiment import experiment as experiment_command
from hushrank.errors import HushrankError
from hushrank.evaluation.metrics import marginal_distance, uniform_second_order_marginals
from hushrank.experiments.experiment import (
    Draws,
    Experiment,
    Measurement,
    Settings,
)
from hushrank.experiments.figures.safari.figure_2 import RuleOne, true_shares
from hushrank.experiments.files import write_experiment
from hushrank.experiments.on_rankings.collection import (
    BASELINES,
    FAITHFUL,
    REPAIRS,
    CollectionTrial,
)
from hushrank.experiments.pictures.panels import experiment_figure
from hushrank.experiments.pictures.treatments import treatment_views
from hushrank.experiments.registry import EXPERIMENTS, experiment_named
from hushrank.experiments.running import run_experiment
from hushrank.mechanisms.harmony import Harmony
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.rankings.marginals import second_order_marginals
from hushrank.rankings.profile import Rankings
from tests.experiments.populations import plackett_luce

SAFARI = [name for name in EXPERIMENTS if name.startswith("safari")]

QUICK = Settings(repetitions=2, seed=5, quick=True)


def draws(seed=0):
    noise, synthesis = np.random.SeedSequence(seed).spawn(2)
    return Draws(np.random.default_rng(noise), np.random.default_rng(synthesis))


def made_up(measure, *, most_repetitions=None):
    """Return an experiment of one point."""
    point = Measurement("proposed", "curve", 1.0, measure, most_repetitions)
    views = treatment_views({"row": ("proposed",)}, ("simplex",), y_label="y")
    return Experiment("made-up", "Title", "shows", "x", views, lambda people, quick: [point])


def plan_for(people):
    return EXPERIMENTS["safari-1a"].plan({"rankings": people}, False)


def measured(experiment, people, settings, **options):
    return run_experiment(experiment, {"rankings": people}, settings, **options)


@pytest.fixture(scope="module")
def people():
    return plackett_luce(400, 4)


@pytest.fixture(scope="module")
def quick_results(people):
    return {name: measured(EXPERIMENTS[name], people, QUICK) for name in SAFARI}


def test_points_hold_mean_and_sample_deviation(people):
    distances = iter([0.1, 0.2, 0.6])
    result = measured(
        made_up(lambda draws: {"simplex": next(distances)}), people, Settings(repetitions=3)
    )
    (point,) = result.points
    assert point.mean == pytest.approx(0.3)
    assert point.sd == pytest.approx(sqrt((0.04 + 0.01 + 0.09) / 2))
    assert point.repetitions == 3


def test_repetitions_and_purposes_have_independent_draws(people):
    seen = []

    def measure(draws):
        seen.extend([draws.noise.integers(2**60), draws.synthesis.integers(2**60)])
        return {"simplex": 0.0}

    measured(made_up(measure), people, Settings(repetitions=4, seed=1))
    measured(made_up(measure), people, Settings(repetitions=4, seed=2))
    assert len(set(seen)) == 16
    measured(made_up(measure), people, Settings(repetitions=4, seed=1))
    assert seen[16:] == seen[:8]


def test_what_is_compared_with_the_measurement_before_it_draws_the_same(people):
    seen = {}

    def point(curve, same_draws):
        def measure(draws):
            seen.setdefault(curve, []).append(draws.noise.integers(2**60))
            return {"simplex": 0.0}

        return Measurement("proposed", curve, 1.0, measure, same_draws=same_draws)

    points = [point(name, name in "bde") for name in "abcdef"]
    views = treatment_views({"row": ("proposed",)}, ("simplex",), y_label="y")
    several = Experiment("made-up", "Title", "shows", "x", views, lambda people, quick: points)
    measured(several, people, Settings(repetitions=3))
    assert seen["a"] == seen["b"]
    assert seen["c"] == seen["d"] == seen["e"]
    assert len({*seen["a"], *seen["c"], *seen["f"]}) == 9


def test_what_draws_nothing_is_measured_once(people):
    probe = made_up(lambda draws: {"any": 0.5}, most_repetitions=1)
    (point,) = measured(probe, people, Settings()).points
    assert (point.repetitions, point.sd) == (1, 0.0)


def test_what_is_expensive_is_measured_less_often_and_says_so(people):
    probe = made_up(lambda draws: {"simplex": 0.5}, most_repetitions=4)
    (point,) = measured(probe, people, Settings(repetitions=10)).points
    assert point.repetitions == 4
    assert measured(probe, people, Settings(repetitions=3)).points[0].repetitions == 3
    ten = plackett_luce(20, 10)
    most = {each.curve: each.most_repetitions for each in plan_for(ten)}
    assert {curve for curve, limit in most.items() if limit == 4} == {"SH", "OLH"}


def test_progress_ends_at_one(people):
    finished = []
    measured(EXPERIMENTS["safari-2"], people, QUICK, on_progress=finished.append)
    assert finished == sorted(finished)
    assert finished[-1] == 1.0


def test_quick_takes_a_part_and_full_takes_all():
    crowd = plackett_luce(700, 7)
    probe = made_up(lambda draws: {"simplex": 0.0})
    quick = measured(probe, crowd, QUICK)
    full = measured(probe, crowd, Settings(repetitions=1))
    assert (quick.sizes, full.sizes) == ({"rankings": (500, 5)}, {"rankings": (700, 7)})


def test_experiments_refuse_what_they_cannot_measure(people):
    probe = EXPERIMENTS["safari-2"]
    with pytest.raises(HushrankError, match="at least 3 items"):
        measured(probe, people.restrict([0, 1]), QUICK)
    partial_ranking = Rankings.from_keys([[1.0, np.nan, 2.0, 3.0]], people.names)
    with pytest.raises(HushrankError, match="complete"):
        measured(probe, partial_ranking, QUICK)
    with pytest.raises(HushrankError, match="safari-1a, safari-1b, safari-2"):
        experiment_named("safari-9")
    with pytest.raises(HushrankError, match="repetitions"):
        Settings(repetitions=0)


@pytest.mark.parametrize("name", SAFARI)
def test_every_curve_has_every_x_and_a_possible_distance(quick_results, name):
    points = quick_results[name].points
    xs = {point.x for point in points}
    curves = {(point.curve, point.quantity) for point in points}
    assert len(points) == len(xs) * len(curves)
    assert all(point.mean >= 0 and point.sd >= 0 for point in points)
    assert all(point.mean <= 1 for point in points if point.quantity in ("simplex", "clip"))


def test_figure_one_has_the_curves_of_the_paper_and_ours(quick_results):
    expected = {"SAFARI", "NoPriv (no noise)", "uniform rankings", "bootstrap floor"}
    expected |= {"GRR", "RAPPOR", "SH", "OLH"} | set(REPAIRS)
    for name in ("safari-1a", "safari-1b"):
        assert {point.curve for point in quick_results[name].points} == expected
    assert {point.x for point in quick_results["safari-1a"].points} == {3, 4}


def test_files_hold_the_points(quick_results, tmp_path):
    result = quick_results["safari-1a"]
    table, record, picture = write_experiment(result, tmp_path / "new" / "folder")
    rows = list(csv.DictReader(StringIO(table.read_text("utf-8"))))
    read = [(row["curve"], row["post_process"], float(row["x"])) for row in rows]
    assert read == [(point.curve, point.quantity, point.x) for point in result.points]
    for row, point in zip(rows, result.points, strict=True):
        assert float(row["mean"]) == pytest.approx(point.mean, abs=1e-5)
        assert float(row["sd"]) == pytest.approx(point.sd, abs=1e-5)
    facts = json.loads(record.read_text("utf-8"))
    assert (facts["seed"], facts["n_people"], facts["private"]) == (5, 400, False)
    assert len(facts["points"]) == len(rows)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_every_panel_says_its_post_processing(quick_results):
    figure = experiment_figure(quick_results["safari-1b"])
    titles = [axes.get_title() for axes in figure.axes]
    assert len(titles) == 4
    assert all("post-processing: " in title for title in titles)
    (note,) = [figure.get_supxlabel()]
    assert "standard deviations over 2 repetitions" in note


def test_a_label_keeps_its_colour_in_a_row(quick_results):
    """And no two labels of a row look the same."""
    figure = experiment_figure(quick_results["safari-1b"])
    for row in (figure.axes[:2], figure.axes[2:]):
        looks = [
            {
                label: (handle.lines[0].get_color(), handle.lines[0].get_marker(), _dashes(handle))
                for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
            }
            for axes in row
        ]
        assert looks[0] == looks[1]
        assert len(set(looks[0].values())) == len(looks[0])


def _dashes(handle):
    return str(handle.lines[0].get_linestyle())


@pytest.mark.parametrize("mechanism", BASELINES.values(), ids=BASELINES)
def test_baselines_reach_the_floor_without_much_noise(mechanism):
    """Three items, six orders: a wrong decoder, or a swapped order, is off by .2 and more."""
    here = CollectionTrial(plackett_luce(20_000, 3), epsilon=8.0)
    distances = here.by_whole_ranking(mechanism, draws())
    assert max(distances.values()) < 0.03


@pytest.mark.parametrize("variant", [FAITHFUL, *REPAIRS.values()], ids=["faithful", *REPAIRS])
def test_safari_reaches_nopriv_without_much_noise(variant):
    """Plackett-Luce is no chain, but of 4 items nearly."""
    here = CollectionTrial(plackett_luce(20_000, 4), epsilon=16.0)
    limit = here.without_noise(draws())["any"] + 0.03
    assert max(here.by_safari(variant, draws()).values()) < limit


def test_reference_lines_are_what_they_are_called(people):
    here = CollectionTrial(people, epsilon=1.0)
    true, uniform = second_order_marginals(people), uniform_second_order_marginals(4)
    assert here.of_uniform(draws())["any"] == pytest.approx(marginal_distance(uniform, true))
    repeated = Rankings.from_orders(np.repeat([[2, 0, 1]], 50, axis=0))
    assert CollectionTrial(repeated, 1.0).by_bootstrap(draws())["any"] == 0
    assert CollectionTrial(repeated, 1.0).without_noise(draws())["any"] == 0


def test_noise_costs_more_at_a_smaller_epsilon():
    people = plackett_luce(5000, 4)
    near, far = CollectionTrial(people, 4.0), CollectionTrial(people, 0.2)
    assert (
        near.by_safari(FAITHFUL, draws())["simplex"] < far.by_safari(FAITHFUL, draws())["simplex"]
    )


def rule_one(people, epsilon):
    return RuleOne(people, true_shares(people), epsilon)


def test_true_shares_of_rule_one_are_counted_shares():
    """Person 1: 0 1 2; person 2: 2 1 0. Triplet (0; 1, 2): rank 0 with 1 first, rank 2 with 2."""
    people = Rankings.from_orders(np.array([[0, 1, 2], [2, 1, 0]]))
    np.testing.assert_array_equal(true_shares(people)[0], [0.5, 0, 0, 0, 0, 0.5])


@pytest.mark.parametrize("mechanism", [GeneralizedRandomizedResponse, Harmony])
@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_raw_errors_are_as_predicted(mechanism, epsilon):
    """Twice the variance, as theorem 4 has it for Harmony, would be 41 % off."""
    here = rule_one(plackett_luce(20_000, 4), epsilon)
    measured = np.mean([here.collected(mechanism, draws(seed))["raw"] for seed in range(8)])
    assert measured == pytest.approx(here.predicted(mechanism, draws())["raw"], rel=0.08)


def test_prediction_agrees_with_the_repaired_theorem():
    """Where noise dominates: |A| (e^ε + 1)^2 / (n (e^ε - 1)^2) for Harmony, in closed form."""
    n_people, n_items, epsilon = 200_000, 4, 0.1
    people = Rankings.from_orders(
        np.array(list(permutations(range(n_items)))), multiplicities=np.full(24, n_people // 24)
    )
    n_questions, n_cells = 12, 2 * n_items
    variance = n_questions * (exp(epsilon) + 1) ** 2 / (people.n_people * (exp(epsilon) - 1) ** 2)
    expected = n_cells / 2 * sqrt(2 / pi * variance)
    here = rule_one(people.expanded(), epsilon)
    assert here.predicted(Harmony, draws())["raw"] == pytest.approx(expected, rel=1e-3)
    assert here.of_uniform(draws())["any"] == pytest.approx(0, abs=1e-12)


def test_sampling_alone_is_the_floor_of_rule_one(people):
    here = rule_one(people, 1.0)
    floor = here.without_noise(draws())["any"]
    assert 0 < floor < here.collected(Harmony, draws())["simplex"]


@pytest.fixture
def command():
    app = typer.Typer()
    app.command()(experiment_command)
    return partial(CliRunner().invoke, app)


def test_command_writes_three_files(command, tmp_path):
    orders = plackett_luce(60, 3).orders() + 1
    columns = "\n".join(f"{a},{b},{c}" for a, b, c in orders)
    data = tmp_path / "people.csv"
    data.write_text(f"apple,pear,plum\n{columns}\n")
    arguments = ["safari-2", "--data", str(data), "--out", str(tmp_path / "out"), "--quick"]
    outcome = command(arguments)
    assert outcome.exit_code == 0, outcome.output
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["safari-2.csv", "safari-2.json", "safari-2.png"]


def test_command_lists_experiments_and_knows_wrong_usage(command):
    listed = command(["--list"])
    assert listed.exit_code == 0
    assert all(name in listed.output for name in EXPERIMENTS)
    assert command([]).exit_code == 2
    assert command(["safari-2", "--repetitions", "0"]).exit_code == 2


def test_command_says_which_files_it_needs_before_it_runs(command, tmp_path):
    out = tmp_path / "out"
    missing = command(["safari-2", "hay-2", "--out", str(out), "--data", "sushi=s.soc"])
    assert missing.exit_code == 1
    assert "safari-2 needs --data FILE" in str(missing.exception)
    missing = command(["hay-2", "--out", str(out), "--data", "sushi=s.soc"])
    assert re.fullmatch(r"hay-2 needs --data jester=FILE \(.*\)", str(missing.exception))
    assert not out.exists()


def test_command_measures_models_without_a_file(command, tmp_path):
    outcome = command(["hay-3", "--out", str(tmp_path), "--quick"])
    assert outcome.exit_code == 0, outcome.output
    assert (tmp_path / "hay-3.csv").exists()


def test_command_repeats_as_often_as_the_experiment_says(command):
    assert "hay-2" in command(["--list"]).output
    assert re.search(r"safari-2 .*\(10 repetitions\)", command(["--list"]).output)


def test_command_imports_nothing_heavy():
    program = "import sys, hushrank.cli.experiment; print('numpy' in sys.modules)"
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert finished.stdout.strip() == "False", finished.stderr

"""An interrupted experiment goes on where it stopped, and ends with the same numbers."""

import json
from dataclasses import replace

import pytest

from hushrank import simulate, write_rankings
from hushrank.engines.tasks import Workers
from hushrank.experiments import running
from hushrank.experiments.experiment import Measurement, Settings
from hushrank.experiments.registry import EXPERIMENTS, how_long
from hushrank.experiments.resuming import unfinished
from hushrank.experiments.running import run_experiment
from tests.commands import hushrank

VIEW = EXPERIMENTS["hay-3"].views[0][0]


def five_numbers(people, quick):
    def drawn(draws):
        return {VIEW.quantity: draws.noise.random()}

    return [Measurement(VIEW.groups[0], "ours", each, drawn) for each in (0.1, 0.2, 0.5, 1, 2)]


TINY = replace(EXPERIMENTS["hay-3"], plan=five_numbers, populations=())
SETTINGS = Settings(2, seed=1, quick=True)


def left_in(folder, settings=SETTINGS, protocols=()):
    return unfinished(TINY, settings, files={}, protocols=protocols, directory=folder)


def test_what_was_measured_is_not_measured_again_and_the_points_are_the_same(monkeypatch, tmp_path):
    whole = run_experiment(TINY, {}, SETTINGS)
    left = left_in(tmp_path)

    def interrupted(points):
        left.add(points)
        if len(left.measured) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_experiment(TINY, {}, SETTINGS, on_points=interrupted)
    again, n_measured, measured = left_in(tmp_path), [], running._measured
    assert len(again.measured) == 3
    monkeypatch.setattr(running, "_measured", lambda *of: n_measured.append(1) or measured(*of))
    resumed = run_experiment(TINY, {}, SETTINGS, measured=again.measured, on_points=again.add)
    assert resumed.points == whole.points
    assert len(n_measured) == len(again.measured) - 3 > 0


def test_other_settings_and_torn_lines_begin_anew(tmp_path):
    left = left_in(tmp_path)
    run_experiment(TINY, {}, SETTINGS, on_points=left.add)
    assert not left_in(tmp_path, Settings(2, seed=2, quick=True)).measured
    assert not left_in(tmp_path, protocols=["mine"]).measured
    left.path.write_text(left.path.read_text()[:-9])
    assert len(left_in(tmp_path).measured) == len(left.measured) - 1
    left.finish()
    assert not left_in(tmp_path).measured


def test_only_the_owner_reads_what_was_measured_whoever_could_before(tmp_path):
    left = left_in(tmp_path)
    left.path.write_text("of another figure")
    left.path.chmod(0o644)
    left.add(())
    assert left.path.stat().st_mode & 0o777 == 0o600


def test_the_command_draws_what_is_asked_for_and_states_the_repetitions_made(
    monkeypatch, tmp_path, capsys
):
    monkeypatch.setitem(EXPERIMENTS, "hay-3", TINY)
    words = ["hay-3", "--quick", "--out", tmp_path, "--format", "svg"]
    assert hushrank(monkeypatch, "experiment", *words) == 0
    assert "--quick takes" in capsys.readouterr().err
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {"hay-3.csv", "hay-3.json", "hay-3.svg"}
    record = json.loads((tmp_path / "hay-3.json").read_text())
    assert record["repetitions"] == max(point["repetitions"] for point in record["points"]) <= 2


def test_how_long_is_said_of_every_experiment():
    for experiment in EXPERIMENTS.values():
        said = how_long(experiment, Settings(experiment.repetitions))
        assert "minutes" in said


def test_workers_measure_the_same_points_and_pass_them_on_in_order():
    whole, passed_on = run_experiment(TINY, {}, SETTINGS), []
    found = run_experiment(
        TINY, {}, SETTINGS, on_points=passed_on.append, workers=Workers("threads", 3)
    )
    assert found.points == whole.points == tuple(point for each in passed_on for point in each)


@pytest.mark.slow
def test_the_command_on_dask_writes_what_one_process_does(monkeypatch, tmp_path):
    """A figure with a model, its sampler and compiled kernels, of which processes get pickles."""
    written = []
    for engine in ("local", "dask"):
        out = tmp_path / engine
        words = ["frontier-people", "--quick", "--repetitions", 1, "--out", out, "--engine", engine]
        data = ["--data", f"sushi={tmp_path / 'people.soc'}"]
        write_rankings(simulate("mallows", people=300, items=5, seed=1), tmp_path / "people.soc")
        assert hushrank(monkeypatch, "experiment", *words, *data) == 0
        written.append((out / "frontier-people.csv").read_text())
    assert written[0] == written[1]

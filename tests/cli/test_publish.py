import json
from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.activities.activity_files import read_activity, write_activity
from hushrank.activities.planted import draw_planted
from hushrank.activities.profile_files import read_profiles, write_profiles
from hushrank.cli.input.reading import ActivityOptions
from hushrank.cli.publish.at_scale import _require_usable
from hushrank.cli.publish.show import PublishPaths
from hushrank.errors import HushrankError
from hushrank.evaluation.attack_targets import Targets
from hushrank.workflows.results.release_comparison import OWNERS
from tests.commands import hushrank
from tests.statistics import random_seed

KEYS = {
    "method",
    "budget",
    "budget_unit",
    "expected_distortion",
    "record_distortion",
    "untouched_bits",
    "leakage_bits",
    "leakage_bits_heldout",
    "not_judged",
    "certified_gap",
    "worst_likelihood_ratio",
    "attack_bound",
    "users",
    "protected_users",
    "items",
    "clusters",
    "groups",
    "private",
    "rehearsal",
    "options",
    "seconds",
    "warnings",
    "privacy_statement",
    "publishable",
}
BUDGETS = {
    "privrank": 0.05,
    "user-level": 0.4,
    "withhold": 0.5,
    "microaggregate": 20,
    "rand": 0.5,
    "frapp": 50,
    "diff": 20,
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """600 users, half of whom protect the planted group."""
    folder = tmp_path_factory.mktemp("publish")
    rng = np.random.default_rng(random_seed())
    log, profiles = draw_planted(600, 80, tilt=0.6, mean_records=15.0, rng=rng)
    activity = log.activity("max")
    profiles = profiles.aligned(activity.users, surplus="dropped")
    asks = np.arange(profiles.n_users) % 2 == 0
    write_activity(activity, folder / "visits.csv")
    write_profiles(profiles.with_protected({"group": asks}), folder / "people.csv")
    return folder


def published(monkeypatch, files, tmp_path, method="privrank", *more):
    out, result = tmp_path / "released.csv", tmp_path / "result.json"
    arguments = ["--profiles", files / "people.csv", "--private", "group", "--method", method]
    arguments += ["--budget", BUDGETS[method], "--output", out, "--json", result, *more]
    code = hushrank(monkeypatch, "publish", "historical", files / "visits.csv", *arguments)
    return code, out, result


@pytest.mark.usefixtures("hasty_attackers")
@pytest.mark.parametrize("method", BUDGETS)
def test_every_method_releases_records_of_protected_users_only(
    monkeypatch, files, tmp_path, method, capsys
):
    page = tmp_path / "page.html"
    code, out, result = published(monkeypatch, files, tmp_path, method, "--report", page)
    assert code == 0, capsys.readouterr().err
    found = json.loads(result.read_text())
    assert found.keys() == KEYS
    assert (found["method"], found["budget"], found["private"]) == (method, BUDGETS[method], True)
    assert found["users"] == 600
    assert 0 <= found["leakage_bits"] < found["untouched_bits"]
    before = read_activity(files / "visits.csv")
    after = read_activity(out).aligned(before.users, before.items)
    profiles = read_profiles(files / "people.csv").aligned(before.users)
    asks = profiles.protected["group"]
    same = abs(before.scores - after.scores).sum(axis=1) == 0
    assert same[~asks].all()
    assert not same[asks].all()
    originals = {tuple(row) for row in before.scores[asks].toarray()}
    if method == "withhold":
        originals.add((0.0,) * before.n_items)
    is_pooled = method == "microaggregate"
    assert ({tuple(row) for row in after.scores[asks].toarray()} <= originals) != is_pooled
    assert (found["attack_bound"] is not None) == is_pooled
    assert "Do not publish this page" in page.read_text()
    assert page.read_text().count("<svg") == (2 if method == "withhold" or is_pooled else 4)
    paid = found["groups"][0]["changed"]
    assert sum(each["changed"] for each in paid) == (~same[asks]).sum()
    assert all((each["withheld"] > 0) == (method == "withhold") for each in paid)
    shown = capsys.readouterr().out
    assert OWNERS in " ".join(shown.split())
    for text in (page.read_text(), shown):
        said = " ".join(text.split())
        nothing = method == "withhold"
        paid = "Released with nothing, by group: " if nothing else "record or none, by group: "
        paid = "mean record, by group: a 100 %" if is_pooled else paid
        assert paid in said
        assert ("Compare with withholding" in said) != nothing
        believed = is_pooled or method in ("user-level", "withhold")
        learnt = "by the classifier" if believed else "as learnt"
        assert said.index("leakage, users held out") < said.index(f"leakage, {learnt}")


def test_nothing_is_released_where_the_figures_cannot_be_written(monkeypatch, files, tmp_path):
    """Whoever tries again would release the same people twice."""

    def full(*_, **__):
        raise HushrankError("no space left")

    monkeypatch.setattr("hushrank.cli.publish.show.write_json", full)
    code, out, _ = published(monkeypatch, files, tmp_path, "rand")
    assert (code, out.exists()) == (1, False)


@pytest.mark.usefixtures("hasty_attackers")
def test_what_is_held_out_is_foretold_and_what_is_hidden_is_attacked(
    monkeypatch, files, tmp_path, capsys
):
    held, told = tmp_path / "held.csv", tmp_path / "told.csv"
    page = tmp_path / "page.html"
    extra = ["--hold-out", held, "--posterior", told, "--report", page, "--seed", 1]
    code, out, result = published(monkeypatch, files, tmp_path, "privrank", *extra)
    assert code == 0
    assert not json.loads(result.read_text())["private"]
    visits, scores, areas = files / "visits.csv", tmp_path / "map.json", tmp_path / "auc.json"
    assert hushrank(monkeypatch, "evaluate", visits, out, "--held-out", held, "--json", scores) == 0
    found = json.loads(scores.read_text())["map"]
    assert all(0 < each["all_users"] < 1 for each in found.values())
    assert found["before"] != found["after"]
    who = ["--profiles", files / "people.csv", "--private", "group", "--posterior", told]
    assert hushrank(monkeypatch, "attack", visits, out, *who, "--json", areas) == 0
    attacks = json.loads(areas.read_text())
    assert attacks["worst_untouched"] < 0.1 < attacks["worst"]
    assert attacks["worst"] == min(attacks["released"].values())
    assert "channel posterior" in attacks["released"]
    printed = capsys.readouterr().out
    assert "worst" in printed
    assert printed.count("From raw data: for you, protected by nothing.") == 2
    secrets = (out, held, told, result, page, scores, areas)  # draws from a seed are no secret
    assert all(path.stat().st_mode & 0o77 == 0 for path in secrets)
    figures = (result, scores, areas)
    assert all(json.loads(path.read_text())["publishable"] == [] for path in figures)


@pytest.mark.usefixtures("hasty_attackers")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--budget", 2], "--budget: expected 0 to 1, a distance by kendall, got 2"),
        (["--budget", "nan"], "--budget: expected 0 to 1, a distance by kendall, got nan"),
        (["--method", "rand", "--budget", 1.5], "expected a probability from 0 to 1"),
        (["--method", "rand", "--budget", 0.5, "--keep-own"], "rand takes no --max-ratio"),
        (["--method", "frapp", "--budget", 0.5], "--budget: expected a finite ratio of at least 1"),
        (["--method", "diff", "--budget", -1], "expected a finite steepness"),
        (["--method", "user-level", "--budget", 0], "expected a --budget above 0"),
        (
            ["--method", "withhold", "--budget", 1.5],
            "--budget: expected a share of 0 to 1 to withhold",
        ),
        (["--protect", 0.4], "--budget and --protect: expected one of them"),
        (["--private", "age"], "line 1: there is no attribute 'age'; its attributes are group"),
        (["--clusters", 5000], "expected 1..300 --clusters"),
        (["--bins", "age=18"], "--bins cuts attributes that --private names"),
        (["--output", "/nowhere/at/all.csv"], "expected a path in an existing folder"),
        (["--output", "released.txt"], "expected an extension"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(
    monkeypatch, files, tmp_path, capsys, arguments, message
):
    given = ["--profiles", files / "people.csv", "--private", "group", "--budget", 0.05]
    given += ["--output", tmp_path / "released.csv", *arguments]
    assert hushrank(monkeypatch, "publish", "historical", files / "visits.csv", *given) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "released.csv").exists()


@pytest.mark.usefixtures("hasty_attackers")
def test_a_budget_is_found_by_what_it_protects(monkeypatch, files, tmp_path, capsys):
    monkeypatch.setattr("hushrank.workflows.publish.rehearse.STEPS", 1)
    monkeypatch.setattr("hushrank.workflows.publish.rehearse.REHEARSALS", 2)
    result = tmp_path / "result.json"
    given = ["--profiles", files / "people.csv", "--private", "group", "--method", "withhold"]
    given += ["--protect", 0.1, "--output", tmp_path / "released.csv", "--json", result]
    assert hushrank(monkeypatch, "publish", "historical", files / "visits.csv", *given) == 0
    found = json.loads(result.read_text())
    assert found["rehearsal"]["wanted"] == found["options"]["protect"] == 0.1
    assert found["rehearsal"]["promised"] >= 0.1
    assert found["rehearsal"]["budget"] == found["budget"]
    assert "95% of releases" in " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("hasty_attackers")
def test_that_everybody_is_withheld_is_warned_of(monkeypatch, files, tmp_path, capsys):
    page = tmp_path / "page.html"
    asked = ["--budget", 1, "--report", page]
    code, _, result = published(monkeypatch, files, tmp_path, "withhold", *asked)
    assert code == 0
    said = "Nothing is released of any user who protects something"
    assert said in capsys.readouterr().err
    assert said in page.read_text()
    assert said in json.loads(result.read_text())["warnings"][0]


def test_what_cannot_be_rehearsed_is_said_in_english(monkeypatch, files, tmp_path, capsys):
    people = tmp_path / "people.csv"
    lines = (files / "people.csv").read_text().splitlines()
    everybody = (f"{line.rsplit(',', 1)[0]},all" for line in lines[1:])
    people.write_text("\n".join([lines[0], *everybody]))
    given = ["--profiles", people, "--private", "group", "--protect", 0.4, "--method", "withhold"]
    given += ["--output", tmp_path / "released.csv"]
    assert hushrank(monkeypatch, "publish", "historical", files / "visits.csv", *given) == 1
    expected = "--protect: expected 20 or more users of each value who protect nothing"
    assert expected in capsys.readouterr().err


def test_no_output_overwrites_an_input(monkeypatch, files, capsys):
    visits = files / "visits.csv"
    before = visits.read_bytes()
    given = ["--profiles", files / "people.csv", "--private", "group", "--budget", 0.05]
    code = hushrank(monkeypatch, "publish", "historical", visits, *given, "--output", visits)
    assert code == 1
    assert "expected different files to read and to write" in capsys.readouterr().err
    assert visits.read_bytes() == before


def test_a_release_of_everything_is_not_evaluated(monkeypatch, files, tmp_path, capsys):
    """What is to be foretold would stand in it."""
    visits, held = files / "visits.csv", tmp_path / "held.csv"
    published(monkeypatch, files, tmp_path, "rand", "--hold-out", held)
    assert hushrank(monkeypatch, "evaluate", visits, visits, "--held-out", held) == 1
    assert "publish with --hold-out" in capsys.readouterr().err


def test_copies_are_counted_among_all_that_was_released():
    """Also of protected users who do not tell: their released records are there for all to see."""
    scores = csr_array(np.array([[1.0, 0], [0, 1], [1, 1], [1, 1], [1, 0], [0, 1]]))
    activity = Activity(scores, tuple("abcdef"), ("x", "y"))
    targets = Targets(
        np.array([0, 1, 2]), np.array([3]), np.array([0, 1, 1, 0, -1, -1]), ("n", "y")
    )
    with pytest.raises(HushrankError):  # too few open users to learn from
        targets.release(activity)
    targets = replace(targets, open_users=np.array([2, 3]))
    assert targets.release(activity).n_copies.tolist() == [2, 2, 2]


def test_what_cannot_be_told_by_one_posterior_is_refused_before_anything_is_released(
    monkeypatch, files, tmp_path, capsys
):
    people = tmp_path / "mixed.csv"
    lines = (files / "people.csv").read_text().splitlines()
    extra = ["age", *("young" if n % 2 else "old" for n in range(len(lines) - 1))]
    asks = ["protects", *(("none", "group", "age")[n % 3] for n in range(len(lines) - 1))]
    rows = (line.rsplit(",", 1)[0] for line in lines)
    mixed = (",".join(cells) for cells in zip(rows, extra, asks, strict=True))
    people.write_text("\n".join(mixed) + "\n")
    out = tmp_path / "out.csv"
    arguments = ["--profiles", people, "--private", "group,age", "--budget", 0.05]
    arguments += ["--output", out, "--posterior", tmp_path / "told.csv"]
    assert hushrank(monkeypatch, "publish", "historical", files / "visits.csv", *arguments) == 1
    assert "--posterior needs users" in capsys.readouterr().err
    assert not out.exists()


def test_a_posterior_of_a_value_called_user_is_refused_before_anything_is_released(
    monkeypatch, files, tmp_path, capsys
):
    """Its column would take the place of that of the users."""
    people, out = tmp_path / "roles.csv", tmp_path / "out.csv"
    _, *lines = (files / "people.csv").read_text().splitlines()
    users = [line.split(",")[0] for line in lines]
    roles = (f"{user},{('user', 'admin')[n % 2]}" for n, user in enumerate(users))
    people.write_text("\n".join(["user,role", *roles]) + "\n")
    arguments = ["--profiles", people, "--private", "role", "--budget", 0.05, "--output", out]
    told = ["--posterior", tmp_path / "told.csv"]
    whole = [files / "visits.csv", *arguments]
    assert hushrank(monkeypatch, "publish", "historical", *whole, *told) == 1
    assert "a posterior needs values that are not called user" in capsys.readouterr().err
    assert not out.exists()
    assert hushrank(monkeypatch, "publish", "historical", *whole) == 0


def test_the_json_says_what_voids_its_figures(monkeypatch, files, tmp_path):
    _, _, result = published(monkeypatch, files, tmp_path, "privrank", "--keep-own", "--seed", 3)
    said = json.loads(result.read_text())["privacy_statement"]
    assert "no differential privacy" in said
    assert "--keep-own" in said
    assert "--seed" in said


def test_without_a_budget_nothing_is_released_and_budgets_are_suggested(
    monkeypatch, files, tmp_path, capsys
):
    out = tmp_path / "released.csv"
    asked = ["--profiles", files / "people.csv", "--private", "group", "--output", out]
    assert hushrank(monkeypatch, "publish", "historical", files / "visits.csv", *asked) == 1
    assert "expected --budget: for data of this size try budgets of" in capsys.readouterr().err
    assert not out.exists()


def test_a_budget_that_is_more_than_can_be_used_is_warned_of(monkeypatch, files, tmp_path, capsys):
    out, result = tmp_path / "released.csv", tmp_path / "result.json"
    asked = ["--profiles", files / "people.csv", "--private", "group", "--output", out]
    for budget, is_warned in ((0.9, True), (0.001, False)):
        words = [*asked, "--budget", budget, "--json", result]
        assert hushrank(monkeypatch, "publish", "historical", files / "visits.csv", *words) == 0
        said = " ".join(capsys.readouterr().err.split())
        assert ("more than can be used" in said) == is_warned
        assert ("do with their users; for data of this size try budgets of" in said) == is_warned
        assert bool(json.loads(result.read_text())["warnings"]) == is_warned


def test_few_users_who_tell_are_no_comfort(monkeypatch, files, tmp_path, capsys):
    lines = (files / "people.csv").read_text().splitlines()
    few = tmp_path / "few.csv"
    few.write_text("\n".join(lines[:30]))
    out = tmp_path / "released.csv"
    asked = ["--profiles", few, "--private", "group", "--budget", 0.05, "--output", out]
    figures, page = tmp_path / "figures.json", tmp_path / "page.html"
    asked += ["--json", figures, "--report", page]
    assert hushrank(monkeypatch, "publish", "historical", files / "visits.csv", *asked) == 0
    printed = capsys.readouterr()
    assert "cannot be judged" in printed.err
    printed = " ".join(printed.out.split())
    found = json.loads(figures.read_text())
    for each in (found, *found["groups"]):
        assert (
            each["untouched_bits"] is each["leakage_bits"] is each["leakage_bits_heldout"] is None
        )
    assert found["not_judged"] == "not judged: too few users tell their value"
    assert "cannot be judged" in page.read_text()
    assert "bits of" not in page.read_text()
    assert printed.count("not judged: too few users") == 3
    assert "0.0000" not in printed


def test_times_that_are_left_out_are_mentioned(monkeypatch, files, tmp_path, capsys):
    rows = (files / "visits.csv").read_text().splitlines()
    timed = tmp_path / "timed.csv"
    timed.write_text("\n".join([rows[0] + ",time", *(f"{row},7" for row in rows[1:])]))
    out = tmp_path / "released.csv"
    asked = ["--profiles", files / "people.csv", "--private", "group", "--budget", 0.05]
    assert hushrank(monkeypatch, "publish", "historical", timed, *asked, "--output", out) == 0
    assert "Times are not released" in capsys.readouterr().out
    assert "time" not in out.read_text().splitlines()[0]


def test_who_learns_from_open_users_says_how_to_have_some(monkeypatch, files, tmp_path, capsys):
    out, people = tmp_path / "released.csv", tmp_path / "people.csv"
    lines = (files / "people.csv").read_text().splitlines()
    people.write_text("\n".join(",".join(line.split(",")[:2]) for line in lines))
    who = ["--profiles", people, "--private", "group"]
    visits, how = files / "visits.csv", ["--method", "user-level", "--budget", 0.3]
    assert hushrank(monkeypatch, "publish", "historical", visits, *who, *how, "--output", out) == 1
    assert hushrank(monkeypatch, "attack", visits, visits, *who) == 1
    assert capsys.readouterr().err.count("column `protects`") == 2


@pytest.mark.parametrize("file", ["hold_out", "posterior", "report"])
def test_what_needs_all_records_in_one_process_is_refused_piece_by_piece(file):
    paths = dict.fromkeys([each.name for each in fields(PublishPaths)])
    asked = PublishPaths(**{**paths, "output": Path("released"), file: Path("more")})
    with pytest.raises(HushrankError, match="need all records in one process"):
        _require_usable(SimpleNamespace(protect=None), asked, ActivityOptions())

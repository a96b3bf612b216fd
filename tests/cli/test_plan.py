import json
from itertools import chain
from math import ceil, inf

import pytest

from hushrank.cli.plan.show import _people
from hushrank.protocols.registry import PROTOCOLS
from tests.commands import hushrank

ASKED = ("--items", 6, "--people", 3000, "--epsilon", 1)
POPULATIONS = {"uniform", "mallows", "plackett-luce", "mixture", "favourites", "cards"}


@pytest.fixture
def planned(monkeypatch, tmp_path, capsys):
    """The plan of one situation: for people, and for machines."""
    out = tmp_path / "plan.json"
    assert hushrank(monkeypatch, "plan", *ASKED, "--json", out) == 0
    return capsys.readouterr().out, json.loads(out.read_text())


def test_it_says_all_it_foretells(planned):
    printed, document = planned
    assert document.keys() == {
        "n_items",
        "n_people",
        "epsilon",
        "wanted_distance",
        "wanted_excess",
        "private_model",
        "shuffled",
        "fewest_people",
        "most_people",
        "populations",
        "mallows_dispersion",
        "of_nobody",
        "protocols",
        "recommendations",
    }
    assert document["populations"].keys() == document["of_nobody"].keys() == POPULATIONS
    assert document["protocols"].keys() == PROTOCOLS.keys()
    for name, each in document["protocols"].items():
        assert each.keys() == {
            "protocol",
            "errors",
            "people_needed",
            "influence",
            "by_liars",
            "by_picking",
            "report_bits",
            "question_bits",
            "rounds",
            "note",
        }
        assert each["errors"].keys() == each["people_needed"].keys() == POPULATIONS
        assert name in printed
        for errors in each["errors"].values():
            assert errors.keys() == {"distance", "excess", "half_width"}
    for recommended in document["recommendations"]:
        assert recommended["reason"] in " ".join(printed.split())


def test_the_tables_show_the_document_s_numbers(planned):
    printed, document = planned
    errors = document["protocols"]["max-entropy"]["errors"]
    rows = [line for line in printed.splitlines() if line.startswith("  max-entropy ")]
    for name in POPULATIONS:
        needed = document["protocols"]["max-entropy"]["people_needed"][name]
        assert f"{errors[name]['distance']:.3f}" in rows[0]
        assert f"{errors[name]['excess']:.4f}" in rows[1]
        assert f"{needed:,}" in rows[2]


def test_it_says_what_liars_can_move(planned):
    printed, document = planned
    chosen = document["protocols"][document["recommendations"][0]["protocol"]]
    assert 0.01 < chosen["by_liars"] <= chosen["by_picking"] <= 1
    said = " ".join(printed.split())
    assert "If 1 person in 100 lies" in said
    assert f"{points(chosen['by_liars'])} in {chosen['protocol']}" in said
    assert "or 100 if all of them pick one question" in said
    hardest = document["protocols"]["order"]["by_liars"]
    assert hardest < chosen["by_liars"]
    assert f"Hardest to bend: {points(hardest)} in order" in said


def points(share):
    """Points of 100, of two digits: never less than liars move."""
    above = ceil(1000 * share) / 10
    return f"{above:g}" if above < 10 else str(ceil(100 * share))


def test_it_fits_in_80_columns(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    for situation in ((2, 200, 0.05), (7, 1_000_000, 8), (7, 200, 0.05), (10, 5000, 1)):
        arguments = zip(("--items", "--people", "--epsilon"), situation, strict=True)
        assert hushrank(monkeypatch, "plan", *chain.from_iterable(arguments)) == 0
        printed = capsys.readouterr().out
        assert max(map(len, printed.splitlines())) <= 80
        assert "…" not in printed


@pytest.mark.parametrize("goal", ["winner", "order", "shares"])
@pytest.mark.parametrize(("items", "people"), [(2, 20), (64, 10**9)])
def test_a_goal_is_answered_in_80_columns_for_few_and_for_many(
    monkeypatch, capsys, tmp_path, goal, items, people
):
    monkeypatch.setenv("COLUMNS", "80")
    out = tmp_path / "advice.json"
    asked = ("--items", items, "--people", people, "--goal", goal, "--json", out)
    assert hushrank(monkeypatch, "plan", *asked) == 0
    printed = capsys.readouterr().out
    assert max(len(line) for line in printed.splitlines() if str(out) not in line) <= 80
    assert "By formulas" in printed
    assert "an even guess" in printed
    document = json.loads(out.read_text())
    commands = {each["command"] for each in document["choices"]}
    assert commands == ({"collect"} if goal == "shares" else {"collect", "aggregate"})


def test_a_plan_without_epsilon_or_goal_says_what_is_missing(monkeypatch, capsys):
    assert hushrank(monkeypatch, "plan", "--items", 5, "--people", 500) == 2
    assert "--goal" in capsys.readouterr().err


@pytest.mark.parametrize("beyond", [("--people", 100), ("--items", 51)])
def test_beyond_the_simulations_the_goals_are_named(monkeypatch, capsys, beyond):
    assert hushrank(monkeypatch, "plan", *ASKED, *beyond) == 1
    assert "--goal" in capsys.readouterr().err


def test_the_same_question_has_the_same_answer(monkeypatch, capsys):
    answers = []
    for _ in range(2):
        assert hushrank(monkeypatch, "plan", *ASKED) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1]


def test_people_beyond_a_million_are_null(monkeypatch, tmp_path, capsys):
    out = tmp_path / "plan.json"
    options = ("--error", 0.0001, "--json", out)
    assert hushrank(monkeypatch, "plan", *ASKED, *options) == 0
    needed = json.loads(out.read_text())["protocols"]["safari"]["people_needed"]
    assert set(needed.values()) == {None}
    assert "> 1 M" in capsys.readouterr().out


def test_few_people_may_be_more_than_needed(monkeypatch, tmp_path, capsys):
    out = tmp_path / "plan.json"
    assert hushrank(monkeypatch, "plan", *ASKED, "--error", 0.9, "--json", out) == 0
    document = json.loads(out.read_text())
    needed = document["protocols"]["max-entropy"]["people_needed"]
    assert set(needed.values()) == {document["fewest_people"]} == {200}
    assert "≤ 200" in capsys.readouterr().out
    assert document["most_people"] == 1_000_000


@pytest.mark.parametrize(("items", "is_said"), [(12, False), (20, False), (21, True), (50, True)])
def test_it_says_which_errors_are_extrapolated(monkeypatch, tmp_path, capsys, items, is_said):
    out = tmp_path / "plan.json"
    assert hushrank(monkeypatch, "plan", *ASKED, "--items", items, "--json", out) == 0
    note = json.loads(out.read_text())["protocols"]["max-entropy"]["note"]
    said = f"simulated up to 20 items: errors at {items} are extrapolated"
    assert (note is not None and said in note) == is_said
    assert (f"max-entropy: {said}" in " ".join(capsys.readouterr().out.split())) == is_said


@pytest.mark.parametrize("items", [9, 15])
def test_what_holds_of_several_protocols_is_said_once(monkeypatch, tmp_path, capsys, items):
    out = tmp_path / "plan.json"
    assert hushrank(monkeypatch, "plan", *ASKED, "--items", items, "--json", out) == 0
    printed = " ".join(capsys.readouterr().out.split())
    notes = {name: each["note"] for name, each in json.loads(out.read_text())["protocols"].items()}
    for note in set(notes.values()) - {None}:
        names = [name for name, each in notes.items() if each == note]
        assert printed.count(note) == 1
        assert f"{', '.join(names)}: {note}." in printed
    if items == 9:
        assert "grr, rappor, sh, olh: no prediction beyond 7 items" in printed


def test_wanted_errors_change_who_is_needed(monkeypatch, tmp_path):
    needed = []
    for error, excess in ((0.2, 0.02), (0.1, 0.005)):
        out = tmp_path / "plan.json"
        options = ("--error", error, "--excess", excess, "--json", out)
        assert hushrank(monkeypatch, "plan", *ASKED, *options) == 0
        protocols = json.loads(out.read_text())["protocols"]
        needed.append(
            [protocols[name]["people_needed"]["mallows"] for name in ("max-entropy", "pairs")]
        )
    assert all(less < more for less, more in zip(*needed, strict=True))


@pytest.mark.parametrize(
    ("option", "number", "said"),
    [
        ("--items", 51, "2 to 50 items, got 51"),
        ("--items", 1, "2 to 50 items, got 1"),
        ("--people", 100, "200 to 1,000,000 people, got 100"),
        ("--epsilon", "nan", "expected a positive finite --epsilon, got nan"),
        ("--epsilon", 0, "expected a positive finite --epsilon, got 0"),
        ("--epsilon", 20, "0.05 to 8.0 nats of --epsilon, got 20"),
        ("--error", 0, "--error: expected a number between 0 and 1, got 0"),
        ("--excess", "nan", "--excess: expected a number between 0 and 1, got nan"),
    ],
)
def test_bad_numbers_are_one_clear_line(monkeypatch, capsys, option, number, said):
    assert hushrank(monkeypatch, "plan", *ASKED, option, number) == 1
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_folder_that_is_not_there_is_said_before_the_work(monkeypatch, tmp_path, capsys):
    assert hushrank(monkeypatch, "plan", *ASKED, "--json", tmp_path / "no" / "plan.json") == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize(
    ("needed", "said"),
    [(None, "-"), (inf, "> 1 M"), (1e6, "1 M"), (999_900.0, "999,900"), (20.0, "≤ 200")],
)
def test_more_people_than_any_plan_has_are_not_the_most_that_one_has(needed, said):
    assert _people(needed) == said

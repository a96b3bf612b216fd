"""Where results go: tables, pictures, standard output, and a second release."""

import csv
import json
import os
import sys
from io import StringIO

import pytest
from rich.console import Console

from hushrank.cli.output.console import console_beside, result_table
from hushrank.errors import HushrankError
from hushrank.files.disk import LEDGER
from hushrank.workflows.ledger import Ledger
from tests.commands import hushrank

BALLOTS = "a,b,c\n" + "1,2,3\n1,3,2\n2,1,3\n" * 40
BEGINNINGS = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
MEASURES = {
    "aggregate": {"place", "ahead_of_next", "chance_of_rank", "share_at_rank", "share_before"},
    "aggregate --epsilon 1 --method p-borda-knorm": {
        "place",
        "ahead_of_next",
        "chance_of_rank",
        "noisy_score",
    },
    "aggregate --epsilon 1 --method p-sample": {"place"},
    "collect --epsilon 4 --protocol pairs": {
        "place",
        "ahead_of_next",
        "chance_of_rank",
        "share_before",
    },
}


@pytest.fixture
def ballots(tmp_path):
    path = tmp_path / "ballots.csv"
    path.write_text(BALLOTS)
    return path


def run(monkeypatch, command, ballots, *more):
    name, *options = command.split()
    return hushrank(monkeypatch, name, ballots, "--form", "ranks", *options, *more)


@pytest.mark.parametrize("command", MEASURES)
def test_one_tidy_table_holds_the_numbers_behind_the_pictures(monkeypatch, ballots, command):
    out = ballots.with_name("out.csv")
    assert run(monkeypatch, command, ballots, "--csv", out) == 0
    rows = list(csv.DictReader(StringIO(out.read_text())))
    assert {row["measure"] for row in rows} == MEASURES[command]
    places = [row for row in rows if row["measure"] == "place"]
    assert [row["value"] for row in places] == ["1", "2", "3"]
    for row in rows:
        if row["low"]:
            assert float(row["low"]) <= float(row["value"]) <= float(row["high"])


def test_what_goes_to_standard_output_stands_there_alone(monkeypatch, ballots, capfd):
    for option, path in (("--json", "-"), ("--json", "/dev/stdout"), ("--csv", "-")):
        assert run(monkeypatch, "aggregate", ballots, option, path) == 0
        told = capfd.readouterr()
        assert told.out.startswith("{" if option == "--json" else "measure,")
        assert "Aggregated from" in told.err
        assert "wrote" not in told.err
    assert run(monkeypatch, "aggregate", ballots, "--json", "-", "--csv", "/dev/stdout") == 1


def test_a_process_that_reads_is_written_to(monkeypatch, ballots):
    reads, writes = os.pipe()
    assert run(monkeypatch, "aggregate", ballots, "--csv", f"/dev/fd/{writes}") == 0
    os.close(writes)
    with os.fdopen(reads) as file:
        assert file.readline().startswith("measure,")


@pytest.mark.parametrize(
    ("form", "begins"), [("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_a_figure_has_the_form_of_its_name(monkeypatch, ballots, form, begins):
    out = ballots.with_name(f"out.{form}")
    assert run(monkeypatch, "aggregate", ballots, "--figure", out) == 0
    assert out.read_bytes().startswith(BEGINNINGS[form])


def test_a_figure_of_no_known_form_is_refused_before_anything_is_done(monkeypatch, ballots, capsys):
    assert run(monkeypatch, "aggregate", ballots, "--figure", "x.gif") == 1
    assert "ends in .svg, .png, .pdf" in capsys.readouterr().err


def test_a_second_release_needs_force_and_says_what_is_spent(monkeypatch, ballots, capsys):
    release = ballots.with_name("order.json")
    private = "aggregate --epsilon 0.5"
    assert run(monkeypatch, private, ballots, "--release", release, "--title", "The club") == 0
    assert "1 private result so far, epsilon 0.5 in all" in capsys.readouterr().out
    first = release.read_text()
    assert run(monkeypatch, private, ballots, "--release", release) == 1
    assert "spends epsilon again (ballots.csv: 1 private result so far" in capsys.readouterr().err
    assert release.read_text() == first
    assert run(monkeypatch, private, ballots, "--release", release, "--force") == 0
    assert "2 private results so far, epsilon 1 in all" in capsys.readouterr().out
    assert len(json.loads(ballots.with_name(LEDGER).read_text())["releases"]) == 2


@pytest.mark.parametrize("option", ["--release", "--json", "--csv", "--report"])
def test_no_output_takes_the_place_of_a_ledger_or_a_folder(monkeypatch, ballots, capsys, option):
    """Else what was spent would be forgotten; or be spent for what cannot be written."""
    private, ledger = "aggregate --epsilon 0.5 --force", ballots.with_name(LEDGER)
    for _ in range(2):
        assert run(monkeypatch, private, ballots, option, ledger) == 1
        assert run(monkeypatch, private, ballots, option, ballots.parent) == 1
        held = ledger.read_bytes() if ledger.exists() else None
        assert run(monkeypatch, "aggregate --epsilon 0.5", ballots) == 0
        assert held is None or len(held) < ledger.stat().st_size
    assert len(json.loads(ledger.read_text())["releases"]) == 2


def test_a_result_that_is_only_seen_is_written_down(monkeypatch, ballots, capsys):
    private = "aggregate --epsilon 0.5 --method p-borda-knorm"
    assert run(monkeypatch, private, ballots, "--csv", ballots.with_name("numbers.csv")) == 0
    assert "1 private result so far, epsilon 0.5 in all" in capsys.readouterr().out
    assert run(monkeypatch, private, ballots, "--no-ledger") == 0
    assert "Not written down (--no-ledger)" in capsys.readouterr().out
    assert run(monkeypatch, private, ballots, "--seed", 1) == 0
    assert len(json.loads(ballots.with_name(LEDGER).read_text())["releases"]) == 1


def test_nobody_sees_a_result_that_could_not_be_written_down(monkeypatch, ballots, capsys):
    """Else it would cost what nobody adds up."""

    def full(*_):
        raise HushrankError("no space left")

    monkeypatch.setattr(Ledger, "with_result", full)
    release = ballots.with_name("order.json")
    assert run(monkeypatch, "aggregate --epsilon 1", ballots, "--release", release) == 1
    assert "Aggregated" not in capsys.readouterr().out
    assert not release.exists()


def test_a_release_that_nobody_adds_up_is_refused(monkeypatch, ballots, capsys):
    release = ballots.with_name("order.json")
    assert run(monkeypatch, "aggregate --epsilon 1 --no-ledger", ballots, "--release", release) == 1
    assert "expected no --no-ledger with it" in capsys.readouterr().err
    assert not release.exists()


def test_a_release_says_when_and_what_it_is_in_plain_words(monkeypatch, ballots):
    release = ballots.with_name("order.json")
    arguments = ("--release", release, "--title", "The club")
    assert run(monkeypatch, "aggregate --epsilon 1", ballots, *arguments) == 0
    told = json.loads(release.read_text())
    assert (told["title"], told["candidates"], len(told["date"])) == ("The club", 3, 10)
    assert "at most 73.2 times in 100" in told["statement"]  # e / (1 + e), rounded up
    assert told["hushrank"]


@pytest.mark.parametrize("name", ["Pneumonoultramicroscopicsilicovolcanoconiosis" * 3, "項目" * 60])
def test_a_table_cuts_no_name_off(name, capsys):
    Console(width=80, file=sys.stdout).print(result_table("Found", {"items": "2"}, (name, "Tea")))
    said = capsys.readouterr().out
    assert "\u2026" not in said
    assert "".join(c for c in said if c.isalnum()).count(name[0]) >= name.count(name[0])


@pytest.mark.parametrize("place", [0, 1, 2])
def test_words_leave_standard_output_alone_where_any_of_several_files_goes_there(place):
    written = ["a.csv", "b.json", "c.svg"]
    assert not console_beside(written).stderr
    written[place] = "-"
    assert console_beside(written).stderr

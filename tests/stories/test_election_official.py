"""An election official has cast vote records of two contests, and wants one order that is right."""

import json
from pathlib import Path

import numpy as np
import pytest

from hushrank.rankings.files import read_rankings, write_rankings
from hushrank.rankings.profile import Rankings
from tests.commands import hushrank

HEADER = (
    "Cast Vote Record,Precinct,Ballot Style,"
    + ",".join(f"Mayor Choice {place} of 3 Citywide (101)" for place in (1, 2, 3))
    + ",Clerk 1st Choice (102),Clerk 2nd Choice (102)"
)
VOTES = (
    *(["Rivera", "undervote", "undervote"] for _ in range(40)),
    *(["Okafor", "Rivera", "undervote"] for _ in range(25)),
    *(["Lindqvist", "Rivera", "Okafor"] for _ in range(20)),
    *(["Okafor", "undervote", "Lindqvist"] for _ in range(5)),
    *(["Lindqvist", "Lindqvist", "Okafor"] for _ in range(3)),
    *(["Write-in", "overvote", "Rivera"] for _ in range(2)),
    *(["undervote", "undervote", "undervote"] for _ in range(4)),
)
"""Rivera beats each other candidate head to head; one write-in is only ever ranked first."""


@pytest.fixture
def records(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [
        f"{number},Ward {number % 5},Style A,{','.join(vote)},Aziz,Novak"
        for number, vote in enumerate(VOTES, start=1)
    ]
    path = Path("cvr.csv")
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


def run(monkeypatch, capsys, command):
    code = hushrank(monkeypatch, *command)
    said = capsys.readouterr()
    return code, said.out + said.err


def test_the_winner_of_cast_vote_records_leads(records, monkeypatch, capsys):
    code, said = run(monkeypatch, capsys, ["look", records])
    assert code == 0
    assert "2 questions: 'Mayor Citywide (101)' (columns 4 to 6)" in said
    assert "choose one with --columns" in said
    mayor = ["--columns", "Mayor*"]
    code, said = run(monkeypatch, capsys, ["look", records, *mayor])
    assert "line 97, 98, 99 and" not in said
    assert "lines 97, 98, 99, 100: nothing is ranked; left out" in said
    assert "lines 95, 96: two items in one place; the ballot ends before them" in said
    assert f"  hushrank aggregate {records} --columns 'Mayor*'" in said
    out = ["--drop", "write-ins", "--json", "result.json"]
    code, said = run(monkeypatch, capsys, ["aggregate", records, *mayor, *out])
    assert code == 0
    first_line = said.splitlines()[0]
    assert first_line.startswith("cvr.csv: 93 people, 3 items; places 1 to 3 in columns 4 to 6;")
    assert "6 empty left out" in first_line
    assert "3 with an item twice (its first place)" in first_line
    assert "5 with skipped places (closed up)" in first_line
    assert "1 item dropped by 'write-ins' *" in first_line
    result = json.loads(Path("result.json").read_text())
    assert result["order"][0] == "Rivera"
    assert result["optimal_proven"]
    assert result["reading"]["people"] == 93


def test_a_release_holds_no_count_of_ballots(records, monkeypatch, capsys):
    options = ["--columns", "4-6", "--epsilon", 4, "--drop", "write-ins", "--release", "order.json"]
    code, said = run(monkeypatch, capsys, ["aggregate", records, *options])
    assert code == 0, said
    released = json.loads(Path("order.json").read_text())
    assert "reading" not in released
    assert 93 not in released.values()


def test_candidates_below_a_share_are_told_by_ballots_and_refused_with_privacy(
    records, monkeypatch, capsys
):
    share = ["aggregate", records, "--columns", "4-6", "--drop", "30%"]
    assert run(monkeypatch, capsys, share)[0] == 0
    code, said = run(monkeypatch, capsys, [*share, "--epsilon", 1])
    assert code == 1
    assert "told by the raw ballots: name them instead" in said


def test_the_reading_that_would_crown_another_is_said(tmp_path, monkeypatch, capsys):
    """Hardly anybody ranks Zoe; of those who do, nobody puts another before her."""
    keys = np.array([[1, 2, np.nan]] * 6 + [[2, 1, np.nan]] * 5 + [[2, np.nan, 1]])
    write_rankings(Rankings.from_keys(keys, ("Ann", "Bob", "Zoe")), tmp_path / "b.soi")
    code, said = run(monkeypatch, capsys, ["aggregate", tmp_path / "b.soi"])
    assert code == 0
    assert "12 ballots incomplete (what they leave out comes last)" in said
    assert "first with unranked unknown" in said
    told = ["aggregate", tmp_path / "b.soi", "--unranked", "unknown"]
    assert "(what they leave out is unknown)" in run(monkeypatch, capsys, told)[1]
    assert "Zoe, not Ann" in said


BLT = """\
4 2
-2
3 1 3 4 0
4 1 3 2 0
2 4 1=3 0
1 2 0
0
"Ann"
"Ben"
"Cem"
"Dee"
"Board"
"""


def test_ballots_of_a_counting_program_are_read(tmp_path):
    path = tmp_path / "board.blt"
    path.write_text(BLT)
    ballots = read_rankings(path)
    assert ballots.names == ("Ann", "Cem", "Dee")
    assert ballots.ranks.tolist() == [[0, 1, 2], [0, 1, 255], [1, 1, 0]]
    assert ballots.people_of_rows.tolist() == [3, 4, 2]
    assert str(ballots.reading) == (
        "board.blt: 9 people, 3 items; BLT; 2 ballots with ties,"
        " 4 incomplete (what they leave out comes last), 1 empty left out; 1 candidate withdrawn,"
        " left out"
    )


def test_marks_of_candidates_and_places_are_read(tmp_path):
    """As Dominion exports them: four rows of headers, the first of another length."""
    contest = ['"Mayor (RCV) (Vote For=1)"'] * 4
    marks = ["Ann (1)", "Ann (2)", "Ben (1)", "Ben (2)"]
    names = "CvrNumber,TabulatorNum,BatchId,RecordId"
    rows = ["1,1,1,1,1,0,0,1", "2,1,1,2,0,0,1,0", "3,1,1,3,1,0,1,0", "4,1,1,4,0,1,1,0"]
    lines = ["2026 Town,5.10.50", f",,,,{','.join(contest)}", f",,,,{','.join(marks)}"]
    path = tmp_path / "cvr.csv"
    path.write_text("\n".join([*lines, f"{names},NP,NP,NP,NP", *rows]) + "\n")
    ballots = read_rankings(path)
    assert ballots.names == ("Ann", "Ben")
    assert ballots.ranks.tolist() == [[0, 1], [255, 0], [1, 0]]
    assert ballots.reading.irregular.overvoted == 0
    assert ballots.reading.irregular.empty == 1


def test_records_that_stand_for_several_ballots_are_never_counted_as_one(
    tmp_path, monkeypatch, capsys
):
    """A city publishes each combination of choices once, with how many ballots had it."""
    path = tmp_path / "city.csv"
    rows = ["W-1,Ann,Bob,3", "W-1,Bob,Ann,40", "W-2,Ann,Bob,1", "W-2,Ann,,1"]
    header = "Precinct,1ST CHOICE MAYOR,2ND CHOICE MAYOR,Count"
    path.write_text("\n".join([header, *rows]) + "\n")
    code, said = run(monkeypatch, capsys, ["aggregate", path, "--epsilon", 1])
    assert code == 1
    assert "column 4 (Count) may say how many people a row stands for" in said
    code, said = run(monkeypatch, capsys, ["aggregate", path, "--weight", "4"])
    assert code == 0
    assert "45 people, 2 items" in said
    assert "Bob > Ann" in said


def test_counts_before_ballots_are_read(tmp_path, monkeypatch, capsys):
    path = tmp_path / "board.abif"
    path.write_text("27: Ann > Bob > Cem\n5: Bob > Cem\n1: Cem\n")
    code, said = run(monkeypatch, capsys, ["aggregate", path])
    assert code == 0
    assert "33 people, 3 items" in said
    assert "Ann > Bob > Cem" in said


CLERKS = (
    "Mairie de Testville : résultats;;;;\nexporté le 3 mars;;;;\n"
    "Bureau;Premier choix;Deuxième choix;Troisième choix;Nombre\n"
    "Bureau 1;Noël;Zoé;Anne;40\nBureau 1;Zoé;undervote;XXX;25\nBureau 2;Anne;Zoé;XXX;20\n"
    "Bureau 2;overvote;Zoé;Anne;2\nBureau 3;XXX;XXX;XXX;4\n;;;;\n"
)
"""Titles, accents of Windows, words for what is no candidate, counts, a blank row at the end."""


def test_a_clerks_table_is_asked_about_and_then_counted(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("mairie.csv").write_bytes(CLERKS.replace("\n", "\r\n").encode("cp1252"))
    code, said = run(monkeypatch, capsys, ["aggregate", "mairie.csv"])
    assert code == 1
    assert "column 5 (Nombre) may say how many people a row stands for: say --weight 5" in said
    out = ["--weight", "Nombre", "--json", "result.json"]
    code, said = run(monkeypatch, capsys, ["aggregate", "mairie.csv", *out])
    assert code == 0
    first_line = said.splitlines()[0]
    assert first_line.startswith("mairie.csv: 85 people, 3 items; places 1 to 3 in columns 2 to 4;")
    assert "XXX is no item: 5 times an empty place" in first_line
    assert "lines 1 to 2 are titles; text with semicolons in Windows-1252" in first_line
    assert json.loads(Path("result.json").read_text())["order"] == ["Zoé", "Noël", "Anne"]


@pytest.mark.parametrize(
    "last", ["Total,,,24", ",,,24", "Sum,3,,24", "Total: 24,,,", "24 ballots,,,"]
)
def test_the_sum_below_the_ballots_is_no_ballot(last, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rows = "Ann,Bob,Cem,12\nBob,Ann,Cem,7\nCem,Ann,Bob,5"
    Path("board.csv").write_text(f"1st,2nd,3rd,Votes\n{rows}\n{last}\n,,,\n")
    code, said = run(monkeypatch, capsys, ["aggregate", "board.csv", "--weight", "Votes"])
    assert code == 0, said
    first_line = said.splitlines()[0]
    assert first_line.startswith("board.csv: 24 people, 3 items;")
    assert "line 5 is a sum, no ballot: left out" in first_line
    assert "Ann > Bob > Cem" in said


def test_a_candidate_of_that_name_is_a_candidate(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("oil.csv").write_text("1st,2nd\nTotal,Shell\nShell,Total\nTotal,\n")
    code, said = run(monkeypatch, capsys, ["aggregate", "oil.csv"])
    assert code == 0, said
    assert said.startswith("oil.csv: 3 people, 2 items;")


def test_how_many_put_whom_where_is_no_ballot(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    counts = "Candidate,1st,2nd,3rd\nAnn,12,3,9\nBob,7,17,0\nCem,5,4,15\nTotal,24,24,24\n"
    Path("counts.csv").write_text(counts)
    code, said = run(monkeypatch, capsys, ["aggregate", "counts.csv"])
    assert code == 1
    assert "columns 2 to 4: expected names of items, got numbers that hardly recur" in said
    assert "12" not in said

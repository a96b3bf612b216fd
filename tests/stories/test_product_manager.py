"""A product manager exports a form, and wants to know what people want, and to show it around."""

import json
from pathlib import Path

import pytest

from tests.commands import hushrank

FEATURES = ("Dark mode", "Offline", "Sharing", "Search")
ANSWERS = (
    *([2, 1, 4, 3] for _ in range(60)),
    *([1, 2, 3, 4] for _ in range(30)),
    *([1, 1, 3, 4] for _ in range(5)),
    *(["", 1, "", ""] for _ in range(10)),
    *(["", "", "", ""] for _ in range(3)),
)
ORDINALS = {1: "1st choice", 2: "2nd choice", 3: "3rd choice", 4: "4th choice", "": ""}


@pytest.fixture
def form(tmp_path, monkeypatch):
    """A grid of Google Forms: a row an item, ordinals in the cells, e-mails beside them."""
    monkeypatch.chdir(tmp_path)
    titles = ",".join(f'"What first, please? [{feature}]"' for feature in FEATURES)
    header = f'"Timestamp","Email Address",{titles},"Anything else?"'
    rows = [
        f'"2026/03/0{n % 9 + 1} 10:00:00 AM GMT+1","person{n}@firm.example",'
        + ",".join(f'"{ORDINALS[rank]}"' for rank in answer)
        + ',"yes, please; soon"'
        for n, answer in enumerate(ANSWERS)
    ]
    path = Path("forms.csv")
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def run(monkeypatch, capsys, *command):
    code = hushrank(monkeypatch, *command)
    said = capsys.readouterr()
    return code, said.out + said.err


def test_an_export_is_understood_at_the_first_try(form, monkeypatch, capsys):
    code, said = run(monkeypatch, capsys, "aggregate", form)
    assert code == 0
    assert said.splitlines()[0] == (
        "forms.csv: 105 people, 4 items; places of the items in columns 3 to 6; 5 ballots with"
        " ties, 10 incomplete (what they leave out comes last), 3 empty left out;"
        " columns Timestamp, Email Address, Anything else? ignored *"
    )
    assert "Offline > Dark mode" in " ".join(said.split())
    assert "firm.example" not in said


def test_what_is_shown_around_betrays_nobody(form, monkeypatch, capsys):
    code, said = run(
        monkeypatch, capsys, "aggregate", form, "--epsilon", 5, "--release", "order.json"
    )
    assert code == 0, said
    released = json.loads(Path("order.json").read_text())
    assert released["order"][0] == "Offline"
    assert "reading" not in released
    assert 105 not in released.values()


def test_stars_are_asked_about_and_then_read(form, monkeypatch, capsys):
    stars = Path("stars.csv")
    stars.write_text("Timestamp,Tea,Milk,Cola\n" + "x,5,4,1\ny,5,5,3\nz,4,5,\n" * 4)
    code, said = run(monkeypatch, capsys, "aggregate", stars)
    assert code == 1
    assert "--best low" in said
    assert "--best high" in said
    code, said = run(monkeypatch, capsys, "aggregate", stars, "--best", "high")
    assert code == 0
    assert "the highest is best" in said
    assert "what they leave out is unknown" in said


def test_a_table_without_ballots_is_no_result(form, monkeypatch, capsys):
    people = Path("people.csv")
    people.write_text("id,age\n1,34\n2,51\n3,19\n")
    code, said = run(monkeypatch, capsys, "aggregate", people)
    assert code == 1
    assert "expected ballots" in said


QUALTRICS = (
    "StartDate,Status,Progress,Finished,Q3_1,Q3_2,Q3_3,Q3_4,Q4\n"
    "Start Date,Response Type,Progress,Finished,"
    + ",".join(f"Rank them. - {feature}" for feature in FEATURES)
    + ",Anything else?\n"
    + ",".join(['"{""ImportId"":""QID""}"'] * 9)
    + "\n"
)


def test_an_export_with_three_lines_of_headers_is_read(form, monkeypatch, capsys):
    rows = [f"2026-03-01,IP Address,100,True,{','.join(map(str, a))},thanks\n" for a in ANSWERS]
    Path("qualtrics.csv").write_text(QUALTRICS + "".join(rows))
    code, said = run(monkeypatch, capsys, "aggregate", "qualtrics.csv")
    assert code == 0, said
    assert said.startswith("qualtrics.csv: 105 people, 4 items; places of the items in columns 5")
    assert "Offline > Dark mode" in " ".join(said.split())


def test_what_nobody_filled_in_is_no_feature(form, monkeypatch, capsys):
    rows = [f"{n},,{','.join(map(str, a))},\n" for n, a in enumerate(ANSWERS)]
    Path("forms.csv").write_text(f"ID,Name,{','.join(FEATURES)},Tags\n{''.join(rows)}")
    code, said = run(monkeypatch, capsys, "look", "forms.csv")
    assert code == 0
    assert "105 people, 4 items" in said
    assert "columns ID, Name, Tags ignored" in said


def test_two_questions_are_told_apart_by_their_titles(form, monkeypatch, capsys):
    orders = ["Search;Sharing;", "Sharing;Search;", "Search;Sharing;"] * 20
    rows = [f"{n},{order},{order}\n" for n, order in enumerate(orders)]
    Path("forms.csv").write_text("ID,Build first?,Drop first?\n" + "".join(rows))
    code, said = run(monkeypatch, capsys, "aggregate", "forms.csv")
    assert code == 1
    assert "'Build first?' (column 2), 'Drop first?' (column 3); choose one with --columns" in said
    code, said = run(monkeypatch, capsys, "aggregate", "forms.csv", "--columns", "Build first?")
    assert code == 0
    assert "Search > Sharing" in said


@pytest.mark.parametrize(
    "table",
    [
        "Rank,ann,bo,cy\n1,Tea,Milk,Tea\n2,Milk,Tea,Cola\n3,Cola,Cola,Milk\n",
        "Drink,ann,bo,cy\nTea,1,2,1\nMilk,2,1,3\nCola,3,3,2\n",
    ],
)
def test_a_table_with_a_column_for_each_person_is_turned_round_first(
    table, form, monkeypatch, capsys
):
    Path("turned.csv").write_text(table)
    for told in ((), ("--columns", "2-4", "--form", "places")):
        code, said = run(monkeypatch, capsys, "aggregate", "turned.csv", *told)
        assert code == 1
        assert "columns 2 to 4: expected a line for each ballot, got a column for each" in said


def test_numbers_behind_items_are_places_or_refused(form, monkeypatch, capsys):
    Path("drinks.csv").write_text('who,drinks\nann,"Tea (1), Milk (2)"\nbo,"Milk (1), Tea (2)"\n')
    code, said = run(monkeypatch, capsys, "aggregate", "drinks.csv", "--columns", 2)
    assert code == 0, said
    assert said.startswith("drinks.csv: 2 people, 2 items;")
    Path("drinks.csv").write_text('who,drinks\nann,"Tea (9), Milk (2)"\nbo,"Milk (4), Tea (3)"\n')
    code, said = run(monkeypatch, capsys, "aggregate", "drinks.csv", "--columns", 2)
    assert code == 1
    assert "expected items best first, got items with numbers behind them" in said

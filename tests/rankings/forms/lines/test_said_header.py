"""How many lines stand above the ballots may be said: then nothing that a ballot says matters."""

from collections import Counter
from itertools import cycle, islice, permutations
from json import dumps

import pandas as pd
import pytest
from typer.testing import CliRunner

from hushrank.cli.main import app
from hushrank.errors import HushrankError
from hushrank.rankings.files import read_rankings
from tests.files.test_spreadsheets import excel

DRINKS = ("tea", "milk", "cola")
TURNS = [*islice(cycle(permutations(DRINKS)), 36)]
PLACES = [",".join(turn) for turn in TURNS]
RANKS = [",".join(str(turn.index(drink) + 1) for drink in DRINKS) for turn in TURNS]
LISTS = [" > ".join(turn) for turn in TURNS]
OF_QUALTRICS = [
    "Q1_1,Q1_2,Q1_3",
    "Rank - tea,Rank - milk,Rank - cola",
    ",".join(['"{""ImportId"":""x""}"'] * 3),
]
OF_VOTES = ["Mayor," * 4, "tea(1),tea(2),milk(1),milk(2),", "CvrNumber,TabulatorNum,,,"]


def read(tmp_path, lines, **said):
    path = tmp_path / "ballots.csv"
    path.write_text("\n".join(lines) + "\n")
    return read_rankings(path, **said)


@pytest.mark.parametrize(
    ("above", "ballots", "said"),
    [
        ([], PLACES, {"header": 0}),
        ([], LISTS, {"header": 0}),
        (["1st,2nd,3rd"], PLACES, {"header": 1}),
        (["tea,milk,cola"], RANKS, {"header": 1}),
        (["ballot"], LISTS, {"header": 1}),
        (["Drinks", "1st,2nd,3rd"], PLACES, {"header": 2}),
        (["Drinks,,", "1st,2nd,3rd"], PLACES, {"header": 2}),
        (["Drinks", "of the club", "tea,milk,cola"], RANKS, {"header": 3}),
        (["Drinks", "", "tea,milk,cola"], RANKS, {"header": 3}),
        (['"Drinks\nof the club"', "tea,milk,cola"], RANKS, {"header": 2}),
        (["Drinks", "ballot"], LISTS, {"header": 2}),
        (["Drinks,Drinks,Drinks", "1st choice,2nd choice,3rd choice"], PLACES, {"header": 2}),
        (OF_QUALTRICS, RANKS, {"header": 3}),
    ],
)
def test_lines_that_are_said_are_the_header(tmp_path, above, ballots, said):
    found = read(tmp_path, [*above, *ballots], **said)
    assert [tuple(ranking) for ranking in found] == TURNS
    assert not any("line" in remark for remark in found.reading.remarks)


def sheet_of(above, ballots):
    return excel([*above, *(line.split(",") for line in ballots)])


@pytest.mark.parametrize("empty", [[[]], [[], []], [[""] * 3]])
def test_rows_of_a_sheet_count_as_it_numbers_them(tmp_path, empty):
    path = tmp_path / "ballots.xlsx"
    above = [*empty[:1], ["Drinks"], *empty, [*DRINKS]]
    path.write_bytes(sheet_of(above, RANKS))
    assert [*map(tuple, read_rankings(path, header=len(above)))] == TURNS
    path.write_bytes(sheet_of([*above, [], []], [*RANKS[:9], "", *RANKS[9:]]))
    assert [*map(tuple, read_rankings(path, header=len(above)))] == TURNS


@pytest.mark.parametrize("said", [1, 3])
def test_an_empty_row_of_a_sheet_is_not_the_last_of_a_header(tmp_path, said):
    path = tmp_path / "ballots.xlsx"
    path.write_bytes(sheet_of([[], ["Drinks"], [], [*DRINKS]], RANKS))
    with pytest.raises(HushrankError, match=f"row {said} is empty, expected the number"):
        read_rankings(path, header=said)


def test_lines_of_cast_votes_may_be_said(tmp_path):
    lines = ["City,1.0,,,", "Mayor,Mayor,Mayor,Mayor,", *OF_VOTES[1:], "1,0,0,1,9", "0,1,1,0,8"]
    assert [*map(tuple, read(tmp_path, lines, header=4, columns=["1-4"]))] == [
        ("tea", "milk"),
        ("milk", "tea"),
    ]


@pytest.mark.parametrize(
    ("above", "said", "error"),
    [
        (["a,b,c", "d,e,f", "g,h,i"], {"header": 3}, "header: expected one line of names, two of"),
        (["a,b,c"], {"header": 40}, "header: expected at least 1 row below 40 lines"),
        (["tea,milk,cola"], {"header": -1}, "header: expected a number of lines"),
    ],
)
def test_a_header_that_is_none_is_refused(tmp_path, above, said, error):
    with pytest.raises(HushrankError, match=error):
        read(tmp_path, [*above, *RANKS], **said)


def test_columns_that_have_names_of_their_own_have_a_header(tmp_path):
    """A first row may be of it: of a survey tool's export that another program has read."""
    frame = pd.DataFrame([DRINKS, *(row.split(",") for row in RANKS)], columns=["a", "b", "c"])
    path = tmp_path / "ballots.json"
    path.write_text(dumps(frame.to_dict("records")))
    for source in (frame, path):
        assert [*map(tuple, read_rankings(source, header=2))] == TURNS
        with pytest.raises(HushrankError, match="columns of such a table have names"):
            read_rankings(source, header=0)


ODD = [
    *("x,y,z", "1st,2nd,3rd", "id,age,weight", "tea>milk,,", "CvrNumber,TabulatorNum,x", ",,"),
    *("9,9,9", "total,,", "tea,,", "★,★★,★★★"),
]


@pytest.mark.parametrize(
    ("above", "ballots", "said"),
    [
        ([], PLACES, {"header": 0, "form": "places"}),
        (["1st,2nd,3rd"], PLACES, {"header": 1}),
        (["Drinks", "1st,2nd,3rd"], PLACES, {"header": 2}),
        (["tea,milk,cola"], RANKS, {"header": 1}),
    ],
)
@pytest.mark.parametrize("own", ODD)
@pytest.mark.parametrize("at", [0, 1, 35])
@pytest.mark.parametrize("n_gone", [0, 1])
def test_what_one_ballot_says_moves_no_others(tmp_path, above, ballots, said, own, at, n_gone):
    before = Counter(map(repr, read(tmp_path, [*above, *ballots], **said)))
    lines = [*above, *ballots[:at], own, *ballots[at + n_gone :]]
    try:
        after = Counter(map(repr, read(tmp_path, lines, **said)))
    except HushrankError:
        return
    assert (before - after).total() <= n_gone
    assert (after - before).total() <= 1


def test_the_command_line_says_it_as_well(tmp_path):
    path = tmp_path / "ballots.csv"
    path.write_text("hates,1st,2nd\n" + "\n".join(PLACES) + "\n")
    run = CliRunner().invoke(app, ["look", str(path)])
    assert "say with --header" in " ".join(run.output.split())
    run = CliRunner().invoke(app, ["look", str(path), "--header", "1"])
    said = " ".join(run.output.split())
    assert "places 1 to 2 in columns 2 and 3" in said
    assert "--header 1" in said


@pytest.mark.parametrize(
    ("lines", "form", "said"),
    [
        (["1,x,3", *RANKS], "ranks", "header=1"),
        (["★,★★,★★★", *["★★★,★,★★"] * 36], None, "header=1"),
        (["4,tea", *["2,tea", "3,milk"] * 18], "places", "header="),
    ],
)
def test_a_first_line_that_may_be_a_ballot_is_asked_about(tmp_path, lines, form, said):
    with pytest.raises(HushrankError, match=f"say {said}"):
        read(tmp_path, lines, form=form)
    assert read(tmp_path, lines, form=form, header=1, best="high" if "★" in lines[0] else None)

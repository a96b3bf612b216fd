"""Headers of several lines, and titles above them, are no ballots and no items."""

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest

from hushrank.errors import HushrankError
from hushrank.files.columns import Table, text_columns
from hushrank.rankings.files import read_rankings
from hushrank.rankings.forms.layouts import of_items
from hushrank.rankings.forms.layouts.layout import Layout
from hushrank.rankings.forms.lines import first_line, headings

DRINKS = ("tea", "milk", "cola")
RANKS = "1,2,3\n2,1,3\n1,3,2\n"
BALLOTS = [["tea", "milk", "cola"], ["milk", "tea", "cola"], ["tea", "cola", "milk"]]
PLACES = "".join(",".join(ballot) + "\n" for ballot in BALLOTS)


def read(tmp_path, text, encoding="utf-8", **options):
    path = tmp_path / "ballots.csv"
    path.write_bytes(text.encode(encoding))
    return read_rankings(path, **options)


@pytest.mark.parametrize(
    ("above", "said"),
    [
        ("Drinks of the club\n", "line 1 is a title"),
        ("Drinks of the club,,\n", "line 1 is a title"),
        (",Drinks of the club,\n", "line 1 is a title"),
        ("Drinks\u2028of the \x85club\n", "line 1 is a title"),
        ("Drinks\nas of 3 March\n", "lines 1 to 2 are titles"),
        ("Drinks,,\nas of 3 March,,\n", "lines 1 to 2 are titles"),
        ('"Drinks: tea or milk"\n\n', "lines 1 to 2 are titles"),
    ],
)
@pytest.mark.parametrize("table", [",".join(DRINKS) + "\n" + RANKS, "1st,2nd,3rd\n" + PLACES])
def test_titles_above_the_header_are_passed_over_and_said(tmp_path, above, said, table):
    rankings = read(tmp_path, above + table)
    assert [list(person) for person in rankings] == BALLOTS
    assert said in str(rankings.reading)
    short = table.rstrip("\n").rpartition("\n")[0] + "\n2,x,1\n"
    if "1,2" in table:
        line = len((above + short).encode().splitlines())
        with pytest.raises(HushrankError, match=f"line {line}, column 2: expected a place"):
            read(tmp_path, above + short)


def test_how_a_text_is_written_is_said_beside_its_title(tmp_path):
    table = ("Café,thé,lait\n" + RANKS + "1,2,\n").replace(",", ";")
    rankings = read(tmp_path, "Umfrage für den Sommer\n" + table, "cp1252")
    assert rankings.names == ("Café", "thé", "lait")
    assert "text with semicolons in Windows-1252; line 1 is a title" in str(rankings.reading)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("tea\ntea;milk\nmilk;tea\n", "lists that may be ticked boxes without an order"),
        ("tea,,\nmilk,tea,cola\ntea,milk,cola\n", "expected ballots: one column a place"),
    ],
)
def test_a_first_ballot_of_one_item_is_no_title(tmp_path, text, said):
    with pytest.raises(HushrankError, match=said):
        read(tmp_path, text)


def test_a_bracket_of_json_is_no_title(tmp_path):
    text = '[\n["cola","milk"],\n["milk","tea"],\n["tea","milk","cola"]]'  # two commas a line
    rankings = read(tmp_path, text)
    assert [len(list(person)) for person in rankings] == [2, 2, 3]
    assert str(rankings.reading).endswith("JSON")


def test_a_header_above_lists_is_no_title(tmp_path):
    lists = PLACES.replace(",", ";")
    assert "title" not in str(read(tmp_path, "ballot\n" + lists).reading)
    assert read(tmp_path, "ballot\n" + lists).n_people == 3


def test_places_in_the_second_line_of_the_header_are_no_items(tmp_path):
    head = "Drinks,Drinks,Drinks,Age\nFirst choice,Second choice,Third choice,\n"
    rankings = read(tmp_path, head + PLACES.replace("\n", ",34\n"))
    assert [list(person) for person in rankings] == BALLOTS
    two = "Drinks,,Sweets,\n1st choice,2nd choice,1st choice,2nd choice\n"
    text = two + "tea,milk,cake,pie\nmilk,tea,pie,cake\n"
    with pytest.raises(HushrankError, match=r"2 questions: 'Drinks' \(columns 1 and 2\), 'Sweets'"):
        read(tmp_path, text)
    assert read(tmp_path, text, columns=["Sweets"]).names == ("cake", "pie")


def test_a_first_ballot_in_words_is_no_header(tmp_path):
    text = "tea,milk,cola\nFirst choice,Second choice,Third choice\n2nd choice,1st choice,\n"
    rankings = read(tmp_path, text)
    assert rankings.n_people == 2


def test_a_question_of_several_lines_is_a_name(tmp_path):
    names = ",".join(f'"Rank the drinks,\nplease [{drink}]"' for drink in DRINKS)
    rows = "".join(f"x,{row},y\n" for row in RANKS.splitlines())
    rankings = read(tmp_path, f'When,{names},"Other\nremarks"\n' + rows)
    assert rankings.names == DRINKS


NAMES = [f"item{n:02}" for n in range(40)]
RANKS_OF_MANY = [",".join(map(str, (np.arange(1, 41) * step) % 41)) for step in range(1, 41)]
PLACES_OF_MANY = [",".join(np.roll(NAMES, n)) for n in range(40)]
ORDINALS = ["1st", "2nd", "3rd", *(f"{n}th" for n in range(4, 41))]


def of_many(cells, rows):
    return "\n".join([",".join(cells), *rows]) + "\n"


@pytest.mark.parametrize("place", [0, 20, 39])
@pytest.mark.parametrize(
    ("others", "one", "said"),
    [
        (range(101, 141), "99", "expected a header, got numbers"),
        (range(101, 141), "tea", "as it holds a place or a score"),
        (NAMES, "7", "as it holds a place or a score"),
        ([""] * 40, "tea", "expected a name for column"),
    ],
)
def test_a_header_of_many_columns_is_told_by_each(tmp_path, others, one, said, place):
    header = [*map(str, others)]
    header[place] = one
    with pytest.raises(HushrankError, match=said):
        read(tmp_path, of_many(header, RANKS_OF_MANY))


@pytest.mark.parametrize("place", [0, 20, 39])
def test_a_row_that_says_many_places_is_a_ballot_where_one_is_a_number(tmp_path, place):
    choices, row = ["choice"] * 40, [*ORDINALS]
    text = of_many(choices, [",".join(row), *PLACES_OF_MANY])
    with pytest.raises(HushrankError, match="line 2: expected a ballot, got places"):
        read(tmp_path, text, form="places", header=1)
    row[place] = str(place + 1)
    text = of_many(choices, [",".join(row), *PLACES_OF_MANY])
    assert read(tmp_path, text, form="places", header=1).n_people == 41


@pytest.mark.parametrize("place", [0, 20, 39])
def test_one_of_many_numbers_that_is_rounded_names_nobody_and_nothing(tmp_path, place):
    numbers = [str(n) for n in range(40)]
    numbers[place] = "1.23E+17"
    people = of_many(["id", "tea", "milk"], [f"{number},1,2" for number in numbers])
    places = of_many(["1st", "2nd"], [f"tea,{number}" for number in numbers])
    named = of_many(["1st", "2nd"], [f"0,{number}" for number in numbers])
    said = {"form": "places", "header": 1}
    for text, asked in ((people, {"id": "id"}), (places, {}), (named, said)):
        with pytest.raises(HushrankError, match="large numbers that are rounded"):
            read(tmp_path, text, **asked)


@pytest.mark.parametrize("place", [1, 20, 38])
def test_a_second_row_that_names_all_but_one_of_many_columns_continues_no_header(place):
    for last, last_below in (("note", ""), ("", "last")):
        header, below = ["id", *[""] * 38, last], ["", *NAMES[:38], last_below]
        assert headings._continues(header, below)
        below[place] = ""
        assert not headings._continues(header, below)


@pytest.mark.parametrize("n_names", [2, 40])
def test_titles_stand_above_no_header_of_which_one_name_is_a_number(n_names):
    below = [str(n) for n in range(101, 141)]
    for last in ("tea", *map(str, range(12))):
        header = [*NAMES[: n_names - 1], last, *[""] * (40 - n_names)]
        titles = headings.without_titles(table_of([["A", *[""] * 39], header, below, below]))[1]
        assert bool(titles) == (last == "tea")


@pytest.mark.parametrize("place", [0, 20, 39])
def test_a_line_of_many_places_is_alike_what_it_heads_unless_one_names_none(place):
    rows, places = table_of([[""] * 40, NAMES]), [*ORDINALS]
    rows = replace(rows, may_lack_header=True)
    assert next(first_line._fewer([NAMES, places], rows)).may_be_alike
    places[place] = "tea"
    assert not next(first_line._fewer([NAMES, places], rows)).may_be_alike


@pytest.mark.parametrize("place", [0, 20, 39])
def test_lines_and_rows_are_as_wide_as_the_last_column_that_either_fills(place):
    cells = ["tea" if n == place else "" for n in range(40)]
    for header, row in ((cells, [""] * 40), ([""] * 40, cells)):
        (line,), rows = first_line._as_wide_as([header], table_of([header, row]))
        assert (len(line), len(rows.header), len(rows.columns)) == (place + 1,) * 3


@pytest.mark.parametrize("place", [0, 20, 39])
def test_titles_of_many_places_may_be_numbers_unless_one_says_no_place(place):
    numbers = [str(n) for n in range(1, 41)]
    for others, one, is_refused in (
        (numbers, numbers[place], False),
        (numbers, "x", True),
        (NAMES, "7", True),
    ):
        titles = [*others[:place], one, *others[place + 1 :]]
        head = headings.headed(table_of([titles, NAMES, NAMES[::-1]]))
        header = first_line.Header(head, (first_line.Fewer(head, 0, True),))
        with (
            pytest.raises(HushrankError, match="a place or a score")
            if is_refused
            else nullcontext()
        ):
            first_line.require_titles(header, Layout("places", tuple(range(40))))


@pytest.mark.parametrize("place", [0, 20, 39])
def test_one_cell_of_many_makes_another_row_of_what_are_places_but_for_one(place):
    rows = np.tile(np.arange(1, 41), (3, 1)).astype(str).tolist()
    rows[0][0] = "x"
    for row, is_one in ((0, True), (1, False)):
        rows[row][place] = "x"
        head = headings.headed(table_of([NAMES, *rows]))
        assert of_items._has_one_other_row(head, range(40)) == is_one


def test_a_column_without_a_name_before_others_numbers_rows_or_is_refused(tmp_path):
    numbers, turns = [*range(40)], ["1,2,3", "2,3,1", "3,1,2"]
    for header, ballots in ((",tea,milk,cola", turns), (",1st,2nd,3rd", PLACES.split())):
        lines = [f"{n},{ballots[n % 3]}" for n in numbers]
        assert read(tmp_path, "\n".join([header, *lines])).n_items == 3
        lines[7] = lines[7].replace("7,", "99,", 1)
        with pytest.raises(HushrankError, match="a name, or numbers of rows one by one"):
            read(tmp_path, "\n".join([header, *lines]))
    counts = [f"{2 + n % 5},{PLACES.split()[n % 3]}" for n in numbers]
    assert read(tmp_path, "\n".join([",1st,2nd,3rd", *counts])).n_people == 40


def table_of(rows):
    return Table((*rows[0],), text_columns(rows[1:], 40), lambda row: f"line {row + 2}")

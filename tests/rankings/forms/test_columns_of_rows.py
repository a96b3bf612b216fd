"""Where rows tell which columns there are, or how text is stored, one row moves none of others."""

from collections import Counter
from contextlib import suppress
from datetime import date
from itertools import cycle, islice, permutations
from json import dumps
from uuid import UUID
from zipfile import ZipFile

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hushrank.activities.activity_files import read_activity
from hushrank.activities.profile_files import read_profiles
from hushrank.errors import HushrankError
from hushrank.files import data_frames
from hushrank.files.tables import read_table
from hushrank.rankings.files import read_rankings
from hushrank.rankings.forms.asked import Asked
from hushrank.rankings.forms.columns import require_steady
from hushrank.rankings.forms.lines import headings
from hushrank.rankings.forms.long import require_one_of_each
from tests.files.test_spreadsheets import excel

TURNS = [*islice(cycle(permutations(("tea", "milk", "cola"))), 30)]
LOOSELY = {pd: {}, pl: {"strict": False}}
NESTED = [{"Drinks": {name: n for n, name in enumerate(turn, 1)}} for turn in TURNS]


def counted(path, **asked):
    """Return how many people have each ranking, by what their items are called."""
    return Counter(map(repr, read_rankings(path, **asked)))


@pytest.mark.parametrize("key", [" milk", "milk ", "\tmilk"])
def test_a_blank_in_a_key_within_a_record_renames_no_item_of_others(tmp_path, key):
    path = tmp_path / "ballots.json"
    path.write_text(dumps([*NESTED, {"Drinks": {"tea": 1, "milk": 2, key: 3}}]))
    with pytest.raises(HushrankError, match="each key in one spelling"):
        read_rankings(path)


@pytest.mark.parametrize("own", [{"Age": 5}, {"1": ""}, {"Drinks": "x"}])
def test_a_key_of_one_record_does_not_move_the_numbers_of_columns(tmp_path, own):
    path = tmp_path / "ballots.json"
    path.write_text(dumps(NESTED))
    before = counted(path, columns=["1-3"])
    path.write_text(dumps([*NESTED, {**NESTED[0], **own}]))
    with pytest.raises(HushrankError, match="by their names, not by numbers"):
        read_rankings(path, columns=["1-3"])
    if "Age" in own:
        assert counted(path, columns=["Drinks*"]) - before == Counter([repr(TURNS[0])])


def test_a_key_of_one_record_that_is_called_like_a_pattern_does_not_stand_for_it(tmp_path):
    path = tmp_path / "ballots.json"
    path.write_text(dumps([*NESTED[:12], {"Drinks*": 1}]))
    with pytest.raises(HushrankError, match="one row at most says something in a column called so"):
        read_rankings(path, columns=["drinks*"])


RATINGS = [
    {"user_id": n // 3, "movieid": n % 3 + 1, "rating": 5 - (n + n // 3) % 3} for n in range(90)
]
TWO_PLACES = [{"choice 1": a, "choice 2": b} for a, b in ["12", "21", "13"] * 12]
ONE_NESTED = [{"hot": {"tea": n % 2 + 1}, "cola": 2 - n % 2} for n in range(90)]
TICKS = [{"Ann(1)": n % 2, "Bo(1)": n % 3 % 2} for n in range(40)]


@pytest.mark.parametrize("n_records", [12, 90])
@pytest.mark.parametrize(
    ("records", "own", "asked"),
    [
        (RATINGS, {"user_id": 99, "stars": None}, {"best": "high"}),
        (RATINGS, {"user_id": 99, "stars": 4}, {"best": "high", "form": "scores"}),
        (TWO_PLACES, {"choice 4": None}, {}),
        (TWO_PLACES, {"choice 4": 3}, {"best": "high"}),
        (TICKS, {"Ann(2)": None}, {"best": "high"}),
        (ONE_NESTED, {"hot": {"tea": 3, "milk": "-"}}, {}),
    ],
)
def test_a_key_of_one_record_does_not_tell_how_all_others_are_read(
    tmp_path, n_records, records, own, asked
):
    path, others = tmp_path / "ballots.json", records[:n_records]
    path.write_text(dumps(others))
    read_rankings(path, **asked)
    path.write_text(dumps([*others, {**others[0], **own}]))
    one_row = "some columns say something in one row at most|got rating and stars"
    with pytest.raises(HushrankError, match=one_row):
        read_rankings(path, **asked)


def test_items_that_one_record_alone_ranks_and_remarks_leave_all_others_as_they_were(tmp_path):
    path = tmp_path / "ballots.json"
    path.write_text(dumps(NESTED))
    before = counted(path, columns=["Drinks*"])
    own = {"Drinks": {"tea": 1, "milk": 2, "rum": 3}, "remark": "with ice"}
    path.write_text(dumps([*NESTED, own]))
    after = counted(path, columns=["Drinks*"])
    assert after - before == Counter([repr(("tea", "milk", "rum"))])


def test_blanks_behind_a_name_make_nobody_another_person(tmp_path):
    rows = [(f"p{n}", *turn) for n, turn in enumerate(TURNS)]
    again = pd.DataFrame([*rows, ("p3 ", *TURNS[0])], columns=["pid", "1st", "2nd", "3rd"])
    assert len(read_rankings(again, id="pid")) == len(TURNS)
    scores = [
        (f"p{n}", name, place) for n, turn in enumerate(TURNS) for place, name in enumerate(turn)
    ]
    scores[1] = ("p0 ", *scores[1][1:])
    found = read_rankings(pd.DataFrame(scores, columns=["person", "item", "rank"]))
    assert Counter(map(repr, found)) == Counter(map(repr, TURNS))


def sheet(*contests):
    written = [
        f"<Contest><Name>{name}</Name><Id>{name}</Id><Options>"
        + "".join(
            f"<Option><Name>{each}</Name><Id>{name} {each}</Id><Value>{value}</Value></Option>"
            for each, value in options
        )
        + "</Options></Contest>"
        for name, options in contests
    ]
    return f"<Cvr><Contests>{''.join(written)}</Contests></Cvr>"


def archive(path, sheets):
    with ZipFile(path, "w") as opened:
        for number, text in enumerate(sheets):
            opened.writestr(f"cvr/1_{UUID(int=number)}.xml", text)
    return path


MAYOR, CLERK = ("Mayor", [("Ann", "10"), ("Bo", "01")]), ("Clerk", [("Di", "10"), ("Ed", "01")])


def test_the_contests_of_the_first_sheet_do_not_decide_which_columns_have_which_number(tmp_path):
    path, sheets = tmp_path / "export.zip", [sheet(CLERK, MAYOR)] * 30
    both = [
        counted(archive(path, [*own, *sheets]), columns=["1-2"]) for own in ((), [sheet(MAYOR)])
    ]
    assert both == [Counter({repr(("Di", "Ed")): 30})] * 2


def test_a_place_that_one_sheet_alone_has_does_not_move_the_numbers_of_columns(tmp_path):
    own = sheet(("Clerk", [("Di", "010")]), MAYOR)
    path = archive(tmp_path / "export.zip", [*[sheet(CLERK, MAYOR)] * 30, own])
    with pytest.raises(HushrankError, match="by their names, not by numbers"):
        read_rankings(path, columns=["3-4"])
    assert counted(path, columns=["Mayor*"]) == Counter({repr(("Ann", "Bo")): 31})


@pytest.mark.parametrize("name", ["£5", "b\xa0c", "20°", "½ pint", "café", "茶"])
def test_one_cell_in_another_encoding_does_not_respell_the_items_of_others(tmp_path, name):
    path = tmp_path / "ballots.csv"
    text = "1st,2nd\n" + f"{name},tea\ntea,{name}\n" * 20
    path.write_bytes(text.encode() + b"th\xe9,tea\n")
    with pytest.raises(HushrankError, match="line 42: expected text in UTF-8"):
        read_rankings(path)


def test_a_second_line_of_a_header_is_no_ballot_where_a_row_is_longer(tmp_path):
    path = tmp_path / "ballots.csv"
    rows = [",".join(["7", *turn, ""]) for turn in TURNS]
    rows.insert(9, "7,tea,9,cola,milk")
    path.write_text("\n".join(["Respondent ID,Drinks,,,", ",1st,2nd,3rd,", *rows]) + "\n")
    assert read_rankings(path, form="places").n_people == len(TURNS) + 1
    path.write_text("\n".join(["No.,Drinks,Drinks,Drinks,", ",1st,2nd,3rd,", *rows]) + "\n")
    with pytest.raises(HushrankError, match="line 2: cannot tell whether it is of the header"):
        read_rankings(path, form="places")
    with pytest.raises(HushrankError, match="line 2: expected a ballot, got places"):
        read_rankings(path, form="places", header=1)


IDS = ["{&quot;ImportId&quot;:1}", "{&quot;ImportId&quot;:2}"]
OF_LISTS = [["Start", "Q1"], ["Start Date", "Drinks"], IDS]
OF_PARTS = [["Drinks", "", "", "id"], ["tea", "milk", "cola", ""]]


@pytest.mark.parametrize(
    ("header", "rows"),
    [
        (OF_LISTS, [[7, " &gt; ".join(turn)] for turn in TURNS]),
        (OF_PARTS, [[1, 3, 2, n] for n in range(30)]),
    ],
)
def test_a_cell_beside_a_sheet_makes_no_ballots_of_lines_of_its_header(tmp_path, header, rows):
    path = tmp_path / "ballots.xlsx"
    for own in ([], [[*rows[0], "see above"]]):
        path.write_bytes(excel([*header, *rows, *own]))
        found = read_rankings(path)
        assert sorted(found.names) == ["cola", "milk", "tea"]
        assert found.n_people == len(rows) + len(own)


@pytest.mark.parametrize(
    ("first", "rows", "asked"),
    [
        ([1, "-", 2, ""], [[1, 2, 3, "x"], [3, 2, 1, ""]] * 15, {}),
        (["**", "***", "*", ""], [["*", "****", "**", "x"], ["**", "*", "***", ""]] * 15, {}),
        (["tea", "milk", "cola", ""], [[*turn, "x"] for turn in TURNS], {"form": "places"}),
    ],
)
def test_a_first_ballot_below_a_missing_name_is_no_line_of_the_header(tmp_path, first, rows, asked):
    """It fills the column without a name, and leaves out one that has a name."""
    path = tmp_path / "ballots.xlsx"
    path.write_bytes(excel([["black", "green", "", "why"], first, *rows]))
    with pytest.raises(HushrankError, match=r"cannot tell (how many lines|whether it names)"):
        read_rankings(path, **asked, columns=["1-3"])


@pytest.mark.parametrize("own", ["see above", "n/a"])
@pytest.mark.parametrize("asked", [{}, {"best": "high"}, {"header": 1}])
def test_a_cell_beside_a_sheet_takes_no_item_that_nobody_ranks(tmp_path, own, asked):
    path = tmp_path / "ballots.xlsx"
    rows = [["tea", "cola", "milk"], *([1, 2, ""], [2, 1, ""]) * 20]
    for sheet in (rows, [*rows, [1, 2, "", own]]):
        path.write_bytes(excel(sheet))
        assert read_rankings(path, **asked).names == ("tea", "cola", "milk")


@pytest.mark.parametrize("own", ["tea>milk", '["tea","milk"]'])
@pytest.mark.parametrize("n_rows", [6, 12, 29, 40])
@pytest.mark.parametrize("header", [["first"], []])
def test_a_ballot_beside_a_sheet_is_not_all_that_is_read(tmp_path, own, n_rows, header):
    path, rows = tmp_path / "ballots.xlsx", [["tea"], ["milk"], ["cola"]] * 14
    if not header:
        rows = [[*turn] for turn in TURNS] * 7
    lines = [header, *rows[:n_rows]] if header else rows[:n_rows]
    path.write_bytes(excel(lines))
    assert read_rankings(path).n_people == n_rows
    path.write_bytes(excel([*lines, [*rows[0], "", own]]))
    with pytest.raises(HushrankError, match="say form=, columns="):
        read_rankings(path)


@pytest.mark.parametrize("at", [1, 2])
def test_a_cell_beside_a_sheet_makes_no_titles_of_the_ballots_above_it(tmp_path, at):
    """Of seven ballots it would leave five or six."""
    path = tmp_path / "ballots.xlsx"
    lists = [
        "tea>cola>water",
        "tea>milk>cola",
        "tea>milk",
        "milk",
        "tea",
        "water>cola",
        "tea>milk>water",
    ]
    rows = [["Which do you like?"], ["ballot"], *([each] for each in lists)]
    path.write_bytes(excel(rows))
    assert read_rankings(path, header=2).n_people == 7
    rows[2 + at] = ["tea>cola>water", "", "see above"]
    path.write_bytes(excel(rows))
    with pytest.raises(HushrankError, match="a line of names below the titles"):
        read_rankings(path)


@pytest.mark.parametrize("own", ["27: tea > milk", "tea > milk"])
@pytest.mark.parametrize("asked", [{}, {"form": "lists"}])
def test_a_cell_beside_counted_ballots_makes_no_names_of_their_counts(tmp_path, own, asked):
    path = tmp_path / "ballots.xlsx"
    rows = [["ballot"], *([f"27: {' > '.join(turn)}"] for turn in TURNS)]
    path.write_bytes(excel(rows))
    assert read_rankings(path, header=1, **asked).n_people == 27 * len(TURNS)
    path.write_bytes(excel([*rows, [own, "see above"]]))
    with pytest.raises(HushrankError, match="a count and a ballot"):
        read_rankings(path, header=1, **asked)


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
@pytest.mark.parametrize("is_parquet", [False, True])
def test_an_empty_place_in_a_frame_renames_no_numbers_of_others(tmp_path, library, is_parquet):
    turns, path = [*permutations((11, 12, 13), 2)] * 6, tmp_path / "ballots.parquet"
    for own in ((11, 12), (11, float("nan"))):
        first, second = zip(*turns, own, strict=True)
        frame = library.DataFrame({"1st choice": first, "2nd choice": second}, **LOOSELY[library])
        if is_parquet:
            (frame.to_parquet if library is pd else frame.write_parquet)(path)
        assert read_rankings(path if is_parquet else frame).names == ("11", "12", "13")


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
@pytest.mark.parametrize("has_arrow", [True, False])
@pytest.mark.parametrize("own", [b"A", date(2026, 1, 1), ["A"]])
@pytest.mark.parametrize("is_empty", [False, True])
def test_one_cell_that_is_no_text_takes_no_place_from_all_ballots(
    monkeypatch, library, has_arrow, own, is_empty
):
    monkeypatch.setattr(data_frames, "find_spec", lambda name: name if has_arrow else None)
    rows = [*permutations("ABC", 2)] * 6
    names = {True: "tea,cola,milk", False: "1st choice,2nd choice,3rd choice"}[is_empty].split(",")
    firsts = [1, 2] * 18 if is_empty else [row[0] for row in rows]
    seconds = [2, 1] * 18 if is_empty else [row[1] for row in rows]
    last = [None if is_empty else "C"] * 35
    read = []
    for cell in (None, own):
        columns = [firsts, seconds, [*last, cell]]
        with suppress(HushrankError):
            frame = library.DataFrame(dict(zip(names, columns, strict=True)), **LOOSELY[library])
            read.append(read_rankings(frame))
    before = read[0]
    assert before.n_items == 3
    assert all({*before.names} <= {*each.names} for each in read)
    assert all([*before[:35]] == [*each[:35]] for each in read)


def test_a_person_that_is_neither_text_nor_number_is_refused():
    people = [date(2026, 1, day) for day in (1, 1, 2)]
    frame = pd.DataFrame({"tea": [1, 2, 1], "cola": [2, 1, 2], "who": people})
    with pytest.raises(HushrankError, match="id: expected text or numbers in column 3"):
        read_rankings(frame, id="who")


@pytest.mark.parametrize("title", [[], [["My poll"]]])
@pytest.mark.parametrize("asked", [{}, {"form": "ranks"}, {"best": "high"}])
@pytest.mark.parametrize("n_ballots", [8, 40])
def test_a_first_ballot_that_is_longer_than_a_sheet_renames_no_items(
    tmp_path, title, asked, n_ballots
):
    path, above = tmp_path / "ballots.xlsx", [*title, ["tea", "cola", "milk", "rum"]]
    ballots = [[1, 2, 3, 4], [2, 1, 4, 3]] * (n_ballots // 2)
    path.write_bytes(excel([*above, *ballots]))
    assert read_rankings(path, **asked).names == ("tea", "cola", "milk", "rum")
    path.write_bytes(excel([*above, [2, "", 1, "", "see above"], *ballots]))
    with pytest.raises(
        HushrankError,
        match=r"how many lines are the header|names columns or is a ballot|expected a name",
    ):
        read_rankings(path, **asked)


@pytest.mark.parametrize("large", [2**53 + 2, 123456789012345678])
def test_an_empty_place_beside_large_numbers_is_refused_where_they_are_rounded(large):
    turns = [*permutations((large, large + 32, large + 64), 2)] * 6
    names = ["1st choice", "2nd choice"]
    assert read_rankings(pd.DataFrame(turns, columns=names)).n_items == 3
    with pytest.raises(HushrankError, match="large numbers that are rounded"):
        read_rankings(pd.DataFrame([*turns, (large, None)], columns=names))


def test_a_row_without_an_id_makes_no_one_person_of_large_ids_that_are_rounded():
    names = ["id", "1st choice", "2nd choice"]
    rows = [(0, *turn) for turn in permutations(("tea", "milk", "cola"), 2)]
    frame = pd.DataFrame(rows * 2, columns=names)
    frame["id"] = [10**17 + n for n in range(12)]
    assert read_rankings(frame, id="id").n_people == 12
    more = pd.concat([frame, pd.DataFrame([(float("nan"), "tea", "milk")], columns=names)])
    with pytest.raises(HushrankError, match="column 1 has large numbers that are rounded"):
        read_rankings(more, id="id")


@pytest.mark.parametrize("column", ["person", "item"])
def test_people_and_items_by_large_numbers_are_refused_where_these_are_rounded(column):
    rows = [(person, item, person) for person in (1, 2, 3) for item in (1, 2)]
    frame = pd.DataFrame(rows, columns=["person", "item", "score"])
    frame[column] += 10**17
    assert read_rankings(frame).n_people == 3
    frame[column] = frame[column].astype(float)
    with pytest.raises(HushrankError, match=f"'{column}' has large numbers that are rounded"):
        read_rankings(frame)


@pytest.mark.parametrize(("kind", "least"), [("float32", 2**24), ("float16", 2**11)])
@pytest.mark.parametrize("has_arrow", [True, False])
def test_people_by_numbers_of_narrow_floats_are_refused_where_these_are_rounded(
    monkeypatch, kind, least, has_arrow
):
    """Of 2^24 and 2^24 + 1 a float of 32 bits makes one number, and of two people one."""
    if not has_arrow:
        monkeypatch.setattr(data_frames, "find_spec", lambda name: None)
    rows = [(person, item, person) for person in (1, 2, 3) for item in (1, 2)]
    frame = pd.DataFrame(rows, columns=["person", "item", "score"])
    frame["person"] = frame["person"].astype(kind)
    assert read_rankings(frame).n_people == 3
    frame["person"] = (frame["person"].astype(int) + least).astype(kind)
    with pytest.raises(HushrankError, match="'person' has large numbers that are rounded"):
        read_rankings(frame)
    with pytest.raises(HushrankError, match="'user' has large numbers that are rounded"):
        read_activity(frame.rename(columns={"person": "user"}))


@pytest.mark.parametrize("again", ["ann@x.org\u200b", "Ann@x.org"])
def test_a_person_who_may_be_written_in_two_ways_is_not_counted_twice(tmp_path, again):
    path, cells = tmp_path / "table.csv", [("ann@x.org", "tea"), (again, "milk"), ("b", "tea")]
    ballots = [f"{who},{name},cola" for who, name in cells]
    path.write_text("\n".join(["who,1st choice,2nd choice", *ballots]), "utf-8")
    with pytest.raises(
        HushrankError, match=r"id: column 1 has values that look alike.*2 and line 3$"
    ):
        read_rankings(path, id="who")
    assert read_rankings(path).n_people == 3
    for title, read in (("person", read_rankings), ("user", read_activity)):
        rows = [f"{who},{item},1" for who, item in cells]
        path.write_text("\n".join([f"{title},item,score", *rows]), "utf-8")
        with pytest.raises(
            HushrankError, match=rf"'{title}' has values that look alike.*2 and line 3$"
        ):
            read(path)
    path.write_text(f"user,gender\nann@x.org,f\n{again},m\n", "utf-8")
    with pytest.raises(HushrankError, match="'user' has values that look alike"):
        read_profiles(path)


@pytest.mark.parametrize("nobody", ["NULL", "NA", "-"])
def test_people_whom_nobody_names_are_not_one(tmp_path, nobody):
    path, cells = tmp_path / "table.csv", [("a", "tea"), (nobody, "milk"), (nobody, "tea")]
    path.write_text("\n".join(["who,1st choice", *(f"{who},{name}" for who, name in cells)]))
    with pytest.raises(HushrankError, match=r"id: column 1 has values like NULL.*; see line 3$"):
        read_rankings(path, id="who")
    for title, read in (("person", read_rankings), ("user", read_activity)):
        rows = [f"{who},{name},1" for who, name in cells]
        path.write_text("\n".join([f"{title},item,score", *rows]))
        with pytest.raises(HushrankError, match=rf"'{title}' has values like NULL.*; see line 3$"):
            read(path)


def test_what_names_nobody_in_a_dictionary_and_in_no_row_is_nobody_s_id():
    known = ["a", "b", "NULL", "b\u200b", "1e+17"]
    who = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), known)
    table = pa.table({"who": who, "1st choice": ["tea", "milk", "milk"]})
    assert read_rankings(table, id="who").n_people == 2


def test_what_a_dictionary_lists_and_no_row_has_is_no_item():
    listed = ["tea", "milk", "nobody's"]
    places = [pa.DictionaryArray.from_arrays(pa.array(each), listed) for each in ([0, 1], [1, 0])]
    found = read_rankings(pa.table({"1st choice": places[0], "2nd choice": places[1]}))
    assert found.names == ("milk", "tea")
    assert found.is_complete


def test_large_scores_of_narrow_floats_are_the_numbers_that_they_are():
    scores = [2.0**24, 1.7e9, 2.0**100]
    frame = pd.DataFrame({"user": ["a", "b", "c"], "item": ["x", "x", "x"], "score": scores})
    frame["score"] = frame["score"].astype("float32")
    assert read_activity(frame).scores.data.tolist() == frame["score"].astype(float).tolist()


@pytest.mark.parametrize("large", [1234567890123450, -(10**15)])
def test_people_by_more_digits_than_a_sheet_keeps_are_refused(tmp_path, large):
    path, head = tmp_path / "ballots.xlsx", ["who", "1st choice", "2nd choice"]
    rows = [[large, "tea", "milk"], [large, "milk", "tea"], [1, "tea", "milk"]]
    path.write_bytes(excel([head, *rows]))
    with pytest.raises(HushrankError, match="id: column 1 has large numbers that are rounded"):
        read_rankings(path, id="who")
    path.write_bytes(excel([head, *[[each // 10, *names] for each, *names in rows]]))
    assert read_rankings(path, id="who").n_people == 2


@pytest.mark.parametrize("key", ["points", "Rating", "rank", "user", "movie"])
def test_what_one_person_adds_to_all_their_rows_makes_no_ballots_of_numbers(tmp_path, key):
    """As two scores a row each row would be a ballot, of two items."""
    path = tmp_path / "ratings.json"
    rows = [{"person": f"p{n // 14}", "item": n % 14, "rating": n % 5 + 1} for n in range(420)]
    path.write_text(dumps(rows))
    before = counted(path, best="high")
    path.write_text(dumps([*({**row, key: 3} for row in rows[:14]), *rows[14:]]))
    with pytest.raises(HushrankError, match="one column each of people, items and scores, got"):
        read_rankings(path, best="high")
    assert key == "Rating" or counted(path, best="high", ignore=[key]) == before


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_a_key_of_all_rows_of_one_person_makes_no_marks_of_places(tmp_path, n_rows):
    path = tmp_path / "ballots.json"
    people = [{**turn, "who": f"p{n}"} for n, turn in enumerate(NESTED)]
    own = [{**NESTED[0], "who": "x", "Drinks (2)": "1"}] * n_rows
    path.write_text(dumps([*people, *own]))
    with pytest.raises(HushrankError, match="some columns say something in one row at most"):
        read_rankings(path, id="who", best="low")


@pytest.mark.parametrize("n_names", [1, 60])
def test_a_number_of_a_column_is_refused_among_however_many_names(tmp_path, n_names):
    """As one row's column would move it."""
    path, names = tmp_path / "ballots.json", [f"item {n}" for n in range(n_names)]
    path.write_text(dumps([{"tea": 1, "milk": 2}, {"tea": 2, "milk": 1}, {"tea": 1, "x": 2}]))
    head = headings.headed(read_table(path))
    require_steady(head, names)
    for n in range(1, 41):
        with pytest.raises(HushrankError, match="its number moves others"):
            require_steady(head, [*names, f"{n}-{n + 1}"])


@pytest.mark.parametrize("lacking", ["person", "item", "score"])
def test_several_columns_of_a_kind_are_refused_only_beside_the_two_others(lacking):
    several = [["person", "user"], ["item", "movie"], ["score", "rank"]]
    columns = [name for kind in several for name in kind]
    with pytest.raises(HushrankError, match="expected one column each"):
        require_one_of_each(columns, Asked())
    require_one_of_each([name for kind in several if lacking not in kind for name in kind], Asked())

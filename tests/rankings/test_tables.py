import re
import sys
from io import BytesIO

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from hushrank.errors import HushrankError
from hushrank.files.arrow_tables import parse_parquet
from hushrank.files.csv_tables import parse_csv
from hushrank.rankings.files import read_rankings
from hushrank.rankings.forms.asked import Asked
from hushrank.rankings.forms.cleaning import ballots_of
from hushrank.rankings.forms.tables import ballots_of_table
from hushrank.rankings.profile import Rankings
from hushrank.rankings.rank_columns import unmistakable_names
from hushrank.rankings.written_tables import format_csv, format_parquet


def table_rankings(table, form=None, header=None):
    asked = Asked(form=form, header=header)
    return ballots_of(ballots_of_table(table, asked), "table", asked)


def csv_rankings(text, form=None, header=None):
    return table_rankings(parse_csv(text.encode()), form, header)


def parquet_of(**columns):
    sink = BytesIO()
    parquet.write_table(pa.table(columns), sink)
    return sink.getvalue()


def parquet_rankings(**columns):
    return table_rankings(parse_parquet(parquet_of(**columns)))


TITLE = "if line 1 is a title of the whole table, delete it"
PLACES = Rankings.from_keys(
    [[3, 1, 2], [np.nan, 1, np.nan], [1, 2, 3]], ["apple", "pear", "plum"], np.array([1, 4, 2])
)
RANKS = Rankings.from_keys(
    [[3, 1, 1], [np.nan, 1, np.nan], [1, 2, 3]], ["plum", "pear", "apple"], np.array([1, 4, 2])
)


@pytest.mark.parametrize("ballot", [["3", "1", "2"], ["0", "1"], ["1", "2", "4"], ["1", "2", "3"]])
def test_a_first_ballot_is_not_taken_for_a_header(ballot):
    with pytest.raises(HushrankError, match="line 1: expected a header"):
        csv_rankings(",".join(ballot) + "\n" + ",".join(ballot) + "\n")


def test_one_column_a_place_holds_names_best_first():
    text = "place_1,place_2,place_3,weight\npear,plum,apple,1\npear,,,4\napple,pear,plum,2\n"
    assert csv_rankings(text) == PLACES


def test_one_column_an_item_holds_ranks_that_may_tie_or_be_empty():
    text = "plum,Weight,pear,apple\n3,1,1,1\n,4,1,\n1,2,2,3\n"
    assert csv_rankings(text) == RANKS


def test_ranks_matter_by_their_order_only():
    assert csv_rankings("a,b,c\n10,2.0,2\n", "ranks") == csv_rankings("a,b,c\n3,1,1\n")


def test_blank_lines_and_blanks_around_cells_are_passed_over():
    assert csv_rankings(" 1 , 2\r\n\r\n b ,a \r\na,  \r\n") == csv_rankings("1,2\nb,a\na,\n")


def test_quoted_names_may_hold_commas_quotes_and_newlines():
    rankings = csv_rankings('1,2\n"pear, green","the ""old"" plum"\n"two\nlines",\n')
    assert rankings.names == ("pear, green", 'the "old" plum', "two\nlines")


def test_a_file_of_several_blocks_reads_as_one():
    """Five million characters; the blocks meet other items first and end within quotes."""
    apple, pear, plum = (f'"{fruit}' + "_\n" * 500 + '!"' for fruit in ("apple", "pear", "plum"))
    ballots = [f"{apple},{pear}"] * 1500 + [f"{plum},{apple}"] * 1500
    counted = csv_rankings("\n".join(["1,2", *ballots])).counted()
    assert counted.ranks.tolist() == [[0, 1, 255], [1, 255, 0]]
    assert counted.people_of_rows.tolist() == [1500, 1500]


@pytest.mark.parametrize(
    ("header", "form"),
    [
        ("1\nfig\n", "places 1 to 1 in column 1"),
        ("1,2,weight\nfig,pear,3\n", "places 1 to 2 in columns 1 and 2"),
        ("Place_1,place 2\nfig,pear\n", "places 1 to 2 in columns 1 and 2"),
        ("place_2,place_1\npear,fig\n", "places 1 to 2 in columns 2 and 1"),
        ("pear,plum\n2,1\n", "places of the items in columns 1 and 2"),
        ("score,Person,item\n3,zoe,fig\n", "one score a row, the highest is best"),
        ("rank,Person,item\n1,zoe,fig\n", "one rank a row, the lowest is best"),
    ],
)
def test_header_and_cells_tell_the_form(header, form):
    assert csv_rankings(header).reading.form == form


def test_a_stated_form_overrides_the_header():
    assert csv_rankings("1,2\n2,1\n", "ranks", header=1).ranks.tolist() == [[1, 0]]
    assert csv_rankings("1,2\n2,1\n", "places").ranks.tolist() == [[1, 0]]
    assert csv_rankings("1,2\n7,1\n", "places").names == ("1", "7")
    assert csv_rankings("first,then\nplum,pear\n", "places").names == ("pear", "plum")


@pytest.mark.parametrize("beside", ["age", "user", "Which school?"])
def test_a_stated_form_makes_no_place_of_what_stands_beside_places(beside):
    names = [beside, "place_1", "place_2"]
    turns = [("tea", "milk"), ("milk", "tea"), ("cola", "tea")] * 4
    frame = pd.DataFrame([(str(n), *turn) for n, turn in enumerate(turns)], columns=names)
    with pytest.raises(
        HushrankError, match="column 1: expected a place, as the names of columns 2"
    ):
        read_rankings(frame, form="places")
    assert read_rankings(frame, form="places", ignore=[beside]).n_items == 3
    assert read_rankings(frame, form="places", columns=["place*"]).n_items == 3


def test_repeated_items_of_a_header_become_distinct():
    assert csv_rankings("pear,pear\n1,2\n").names == ("pear", "pear (2)")


def test_a_prefix_on_every_column_is_no_part_of_the_names():
    assert csv_rankings("rank of 1,rank of weight\n2,1\n").names == ("1", "weight")
    assert csv_rankings("rank of 1,pear\n2,1\n").names == ("rank of 1", "pear")


@pytest.mark.parametrize(
    "names",
    [
        ["1", "2", "3"],
        ["place_1", "place_2", "place_3"],
        ["person", "item", "score"],
        ["pear", "WEIGHT", "plum"],
        ["rank of a", "rank of b", "rank of c"],
        ["# NUMBER ALTERNATIVES: 3", "b", "c"],
        ["10 1", "b", "c"],
        ["a,b", 'c"d', "'e'"],
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_awkward_names_round_trip_as_ranks(names, weighted):
    rankings = Rankings.from_keys(
        [[1, 1, np.nan], [np.nan, np.nan, 1]], names, np.array([2, 3]) if weighted else None
    )
    assert csv_rankings(format_csv(rankings, "ranks").decode()) == rankings
    assert table_rankings(parse_parquet(format_parquet(rankings))) == rankings


@pytest.mark.parametrize("weighted", [False, True])
def test_a_single_item_round_trips_and_blank_rows_are_left_out(weighted):
    people = np.array([2, 3]) if weighted else None
    rankings = Rankings.from_keys([[np.nan], [1]], ["pear"], people)
    for form in ("ranks", "places"):
        again = csv_rankings(format_csv(rankings, form).decode())
        assert again == rankings.select(np.array([1]))
        assert again.reading.irregular.empty == (2 if weighted else 1)


def test_places_round_trip():
    assert csv_rankings(format_csv(PLACES, "places").decode()) == PLACES


@pytest.mark.parametrize(
    ("keys", "expectation"),
    [([[1, 1]], "holds no ties"), ([[1, np.nan]], "holds no item that nobody ranks")],
)
def test_places_refuse_what_they_cannot_hold(keys, expectation):
    with pytest.raises(HushrankError, match=expectation):
        format_csv(Rankings.from_keys(keys, ["pear", "plum"]), "places")


@pytest.mark.parametrize("write", [lambda r: format_csv(r, "ranks"), format_parquet])
def test_a_name_that_no_line_can_hold_is_refused(write):
    with pytest.raises(HushrankError, match=r"for item 2$"):
        write(Rankings.from_keys([[1, 2]], ["pear", "pl\num"]))


PLACE = "a place of 1 to 2, or nothing"
TWO_CELLS = "2 cells parted by commas in every row, as the header has"
BAD_ROWS = [
    ("1,2\npear,plum\n{}\n", "pear", f"{TWO_CELLS}, got 1"),
    ("1,2\npear,plum\n{}\n", "pear,plum,fig", f"{TWO_CELLS}, got 3"),
    ("a,b\n1,2\n{}\n", "1", f"{TWO_CELLS}, got 1"),
    *(
        ("a,b\n1,2\n{}\n1,1\n", cells, f"{PLACE}, got {found}")
        for cells, found in (
            ("0,1", "zero"),
            ("-1,1", "a negative number"),
            ("1.5,1", "a number that is not whole"),
            ("pear,1", "text"),
            ("nan,1", "text"),
            ("inf,1", "text"),
            ("1e99,1", "another whole number"),
            ("3,1", "another whole number"),
            ("0x1,1", "text"),
        )
    ),
    *(
        (
            "a,weight\n1,2\n{}\n1,1\n",
            f"1,{weight}",
            "a weight that is a whole number of 1..1000000000000",
        )
        for weight in ("0", "-3", "2.5", "many", "", "1e13", "inf", "nan")
    ),
]


@pytest.mark.parametrize(("text", "row", "expectation"), BAD_ROWS)
def test_a_bad_row_is_named_by_its_line_only(text, row, expectation):
    with pytest.raises(HushrankError) as caught:
        csv_rankings(text.format(row))
    assert re.sub(", column 1:", ":", str(caught.value)) == f"line 3: expected {expectation}"
    assert caught.value.__context__ is None


def test_the_line_counts_blank_lines_and_newlines_in_quotes():
    with pytest.raises(HushrankError, match=r"^line 7, column 1: expected a place"):
        csv_rankings('a,b\n1,2\n\n\n"2",1\n\n0,1\n')
    with pytest.raises(HushrankError, match=r"^line 5: expected a weight"):
        csv_rankings('1,weight\n"pe\nar",1\n\nplum,0\n')


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_end_in_any_newline_and_none_is_lost(newline):
    """The first line may end in a lone carriage return while the others do not."""
    rankings = csv_rankings(f"a,b{newline}1,2\r\n2,1\n")
    assert rankings.ranks.tolist() == [[0, 1], [1, 0]]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('a,b\n1,2\n2,"1\n', 3),
        ('1,2\npear,plum\nplum,"pear\nfig,plum\n\n', 4),
        ('1\n"pear"\n"plum\n', 3),
        ('1\n"pear"\n"plum""', 3),
        ('1,2\npear,"\n', 2),
        ('1,"2\npear,plum\nfig,"\nplum,pear\n', 1),
        ('"pear\n1\n2\n', 1),
    ],
)
def test_a_quote_that_is_not_closed_swallows_no_rows(text, line):
    with pytest.raises(HushrankError, match=f"^line {line}: expected a closing quote"):
        csv_rankings(text)


def test_quotes_within_a_cell_are_part_of_it():
    assert csv_rankings('1,2\n5" pear,plum\nplum,5" pear').names == ('5" pear', "plum")


def test_a_cell_that_is_too_long_for_python_is_told_by_its_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    long_cell = "x" * 200_000
    for text in (f'1,weight\nplum,1\n"{long_cell}",1\n', f'1,2\nplum,2\n"{long_cell}",1\n\nplum\n'):
        with pytest.raises(HushrankError, match=r"^line 3: expected cells of at most 131,072 char"):
            csv_rankings(text)


@pytest.mark.parametrize(
    ("text", "expectation"),
    [
        ("\npear\n", "line 1: expected a header that names every column"),
        ("pear,,plum\n1,2,3\n", "column 2: expected a name, or numbers of rows one by one"),
        ("pear,plum\n", "line 2: expected at least 1 row below the header"),
        ("pear,plum", "line 2: expected at least 1 row below the header"),
        ("pear,plum\n\n\r\n", "line 2: expected at least 1 row below the header"),
        ("pear\n \n\n", "line 2: expected at least 1 row below the header"),
        ("weight\n1\n", "line 1: expected a column beside the weight"),
        ("weight,a,weight\n1,1,1\n", "line 1: expected at most one weight column"),
        ("1,2\n,\n", "expected at least 1 ranked item"),
    ],
)
def test_a_bad_header_or_an_empty_table_is_refused(text, expectation):
    with pytest.raises(HushrankError) as caught:
        csv_rankings(text)
    assert str(caught.value) == expectation


def test_parquet_reads_text_and_numbers_of_any_width():
    ranks = {
        "plum": pa.array([3, None, 1], pa.uint8()),
        "pear": pa.array([1.0, 1.0, 2.0]),
        "weight": pa.array(["1", "4", "2"]),
        "apple": [1.0, float("nan"), 3.0],
    }
    assert parquet_rankings(**ranks) == RANKS
    places = {
        "1": pa.array(["pear", "pear", "apple"]).dictionary_encode(),
        "2": ["plum", None, "pear"],
        "3": pa.array(["apple", "", "plum"], pa.large_string()),
        "weight": pa.array([1, 4, 2], pa.int16()),
    }
    assert parquet_rankings(**places) == PLACES


def test_items_of_a_parquet_file_may_be_numbers():
    assert parquet_rankings(**{"1": [10, 9], "2": [9, None]}).names == ("9", "10")


@pytest.mark.parametrize(
    ("columns", "expectation"),
    [
        (
            {"a": [1, 0], "b": [2, 1]},
            "row 2, column 1: expected a place of 1 to 2, or nothing, got zero",
        ),
        ({"a": [[1], [2]]}, "expected columns of text or numbers"),
        ({"a": pa.array([2**31 - 1], pa.date32())}, "expected columns of text or numbers"),
        ({"a": pa.array([2**62], pa.timestamp("us"))}, "expected columns of text or numbers"),
        ({"a": [b"x", b"y"]}, "expected columns of text or numbers"),
        ({"a": pa.array([], pa.int8())}, "expected at least 1 row"),
        ({"": [1, 1]}, f"line 1: expected a name for column 1; {TITLE}"),
        ({}, "expected a whole Parquet file with columns of text or numbers"),
    ],
)
def test_a_bad_parquet_table_is_refused(columns, expectation):
    with pytest.raises(HushrankError) as caught:
        parquet_rankings(**columns)
    assert str(caught.value) == expectation


def test_a_damaged_parquet_file_is_refused():
    content = format_parquet(RANKS)
    for at in range(4, len(content) - 4, 7):
        damaged = content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]
        try:
            table_rankings(parse_parquet(damaged))
        except HushrankError as error:
            assert "expected" in str(error)  # noqa: PT017 (a damaged comment may load as well)


def test_items_that_only_a_dictionary_of_the_file_names_are_no_items():
    names = pa.DictionaryArray.from_arrays([0, 1, 0, 1], ["a", "b", "zebra"])
    content = parquet_of(person=[1, 1, 2, 2], item=names, score=[1.0, 2.0, 2.0, 1.0])
    assert table_rankings(parse_parquet(content)).names == ("a", "b")


MANY = [f"item {n}" for n in range(30)]


def many(**changes):
    """Rankings of 30 people of 30 items, weighted, some of whose last names are changed."""
    names = [changes.get(f"n{n}", name) for n, name in enumerate(MANY)]
    orders = np.array([np.roll(np.arange(30), n) for n in range(30)])
    return Rankings.from_orders(orders, names, np.arange(1, 31))


@pytest.mark.parametrize("form", ["places", "ranks"])
def test_many_rows_of_many_items_round_trip(form):
    again = csv_rankings(format_csv(many(), form).decode())
    columns = [again.names.index(name) for name in MANY]
    assert again.restrict(columns) == many()
    assert again.people_of_rows.tolist() == list(range(1, 31))


@pytest.mark.parametrize("item", [0, 29])
def test_one_name_of_many_that_says_that_a_place_is_empty_is_refused(item):
    with pytest.raises(HushrankError, match=f"the name of item {item + 1} says that a place"):
        format_csv(many(**{f"n{item}": "n/a"}), "places")


@pytest.mark.parametrize("item", [0, 29])
def test_one_of_many_items_that_nobody_ranks_has_no_place(item):
    keys = np.arange(30.0)
    keys[item] = np.nan
    with pytest.raises(HushrankError, match="no item that nobody ranks"):
        format_csv(Rankings.from_keys(keys[None], MANY), "places")


@pytest.mark.parametrize("item", [0, 29])
@pytest.mark.parametrize("name", ["weight", "17", "a name of more than twenty letters, parted"])
def test_one_name_of_many_that_is_no_plain_one_has_all_prefixed(item, name):
    again = unmistakable_names(many(**{f"n{item}": name}))
    assert again[item] == f"rank of {name}"
    assert again[15] == "rank of item 15"


def test_items_that_only_late_columns_rank_are_told_by_them():
    keys = np.full((2, 30), np.nan)
    keys[:, -2:] = [[1, 2], [2, 1]]
    assert unmistakable_names(Rankings.from_keys(keys, MANY)) == MANY

"""What `read_rankings` takes beside files: tables in memory and lists of lists of names."""

import traceback

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from hushrank.errors import HushrankError
from hushrank.rankings.files import read_rankings
from hushrank.rankings.profile import Rankings

RANKS = {"tea": [1, 2, 1], "coffee": [2, 1, None], "milk": [3, 3, None]}
PLACES = {"1": ["tea", "coffee", "tea"], "2": ["coffee", "tea", None], "3": ["milk", "milk", None]}
SCORES = {"person": ["p", "p", "q"], "item": ["tea", "milk", "tea"], "score": [4.5, 1.0, 2.0]}
SECRET = "a name that no error may show"


def from_file(tmp_path, columns):
    path = tmp_path / "rankings.csv"
    rows = zip(*columns.values(), strict=True)
    lines = [",".join("" if cell is None else str(cell) for cell in row) for row in rows]
    path.write_text("\n".join([",".join(columns), *lines]) + "\n")
    return read_rankings(path)


class Frame:
    """A data frame as other libraries have it: nothing but the Arrow C stream interface."""

    def __init__(self, columns):
        self.table = pa.table(columns)

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


class Batch:
    """The same with the Arrow C array interface alone."""

    def __init__(self, columns):
        self.batch = pa.RecordBatch.from_pydict(columns)

    def __arrow_c_array__(self, requested_schema=None):
        return self.batch.__arrow_c_array__(requested_schema)


def as_categories(columns):
    """Return text columns as polars has categories: unsigned numbers of texts."""
    return {
        name: pa.array(values).dictionary_encode().cast(pa.dictionary(pa.uint32(), pa.string()))
        if isinstance(values[0], str)
        else values
        for name, values in columns.items()
    }


@pytest.mark.parametrize("columns", [RANKS, PLACES, SCORES], ids=["ranks", "places", "scores"])
@pytest.mark.parametrize("make", [pa.table, pa.RecordBatch.from_pydict, Frame, Batch])
def test_a_table_in_memory_reads_as_its_file(tmp_path, make, columns):
    expected = from_file(tmp_path, columns)
    assert read_rankings(make(columns)) == expected
    assert read_rankings(make(as_categories(columns))) == expected


def test_the_form_overrides_what_the_header_says():
    table = pa.table({"a": ["x", "y"], "b": ["y", "x"]})
    assert read_rankings(table, form="places").names == ("x", "y")
    with pytest.raises(HushrankError, match="expected a file of the form order, got a table"):
        read_rankings(table, form="order")


def test_the_index_of_a_pandas_frame_is_not_read():
    metadata = {b"pandas": b'{"index_columns": ["__index_level_0__"]}'}
    table = pa.table({"a": [1, 2], "b": [2, 1], "__index_level_0__": [7, 9]})
    assert read_rankings(table.replace_schema_metadata(metadata)).names == ("a", "b")


def test_where_a_row_was_in_a_pandas_frame_is_no_item_of_a_file(tmp_path):
    """`frame[frame.a > 1].to_parquet(..)` writes it: items would be called by people's rows."""
    names = ("a", "b", "__index_level_0__")
    for texts, asked in ((["x", "y"], {"form": "places"}), ([4, 5], {"best": "high"})):
        columns = (texts, texts[::-1], [7, 9])
        written = pa.table(dict(zip(names, columns, strict=True)))
        parquet.write_table(written, tmp_path / "b.parquet")
        found = read_rankings(tmp_path / "b.parquet", **asked)
        assert found == read_rankings(pa.table(dict(zip("ab", columns, strict=False))), **asked)


@pytest.mark.parametrize("title", ["Unnamed: 0", "Unnamed: 0.1", "index"])
def test_where_a_row_was_in_a_pandas_frame_is_no_score(title):
    """As `read_csv` calls what `to_csv` wrote without a name, and `reset_index` an index."""
    rng = np.random.default_rng(1)
    scores = {name: rng.integers(1, 6, 20).tolist() for name in ("tea", "milk", "juice")}
    beside = {title: [3 * row for row in range(20)]}
    assert read_rankings(pa.table(beside | scores), best="high").names == ("tea", "milk", "juice")


def test_lists_are_ballots_best_first():
    found = read_rankings([["b", "a", "10", "9"], ["a"], ("9", {"a", "b"}), []])
    expected = [[3, 2, 1, 0], [np.nan, np.nan, 0, np.nan], [0, np.nan, 1, 1]]
    assert found == Rankings.from_keys(expected, ("9", "10", "a", "b"))


def test_a_list_of_places_reads_as_the_file_of_it(tmp_path):
    rows = [list(row) for row in zip(*PLACES.values(), strict=True)]
    assert read_rankings(rows) == read_rankings(rows, form="places") == from_file(tmp_path, PLACES)
    assert read_rankings([[" tea ", ["coffee"]]]).names == ("coffee", "tea")


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (3, TypeError, "source: expected a path, a table such as a data frame, or a list"),
        ({"a": [1]}, TypeError, "source: expected a path"),
        ([SECRET], TypeError, "source: expected ballot 1 as a list of names, got str"),
        ([["a"], 3], TypeError, "source: expected ballot 2 as a list of names, got int"),
        ([["a", 3]], TypeError, "source: expected the names of ballot 1 as text"),
        ([["a", {3}]], TypeError, "source: expected the names of ballot 1 as text"),
        ([], HushrankError, "expected at least 1 ranked item"),
        ([[], []], HushrankError, "expected at least 1 ranked item"),
        ([["a"], [SECRET, SECRET]], HushrankError, "ballot 2: expected each item at most once"),
        ([[SECRET, None, "b"]], HushrankError, "ballot 1: expected no filled place after an empty"),
        ([[SECRET, " "]], HushrankError, "ballot 1: expected names that are not blank"),
        ([[SECRET, []]], HushrankError, "ballot 1: expected names that are not blank"),
        (pa.table({}), HushrankError, "table: expected columns of text or numbers"),
        (pa.table({"a": [[1]]}), HushrankError, "table: expected columns of text or numbers"),
        (pa.table({"a": [SECRET]}), HushrankError, "table: expected ballots: one column a place"),
    ],
)
def test_what_is_no_rankings_is_refused_without_showing_any(source, error, message):
    with pytest.raises(error, match=message) as refused:
        read_rankings(source)
    assert SECRET not in str(refused.value)


@pytest.mark.parametrize("error", [RuntimeError, KeyError, OSError, ArithmeticError])
def test_an_error_of_another_library_is_not_shown(error):
    class Broken:
        def __arrow_c_stream__(self, requested_schema=None):
            raise error(SECRET)

    with pytest.raises(HushrankError, match="table: expected columns of text or numbers") as caught:
        read_rankings(Broken())
    shown = "".join(traceback.format_exception(caught.value))
    assert SECRET not in shown


def test_a_list_has_one_form():
    with pytest.raises(HushrankError, match="expected a list of lists of names"):
        read_rankings([["a", "b"]], form="ranks")


@pytest.mark.parametrize("place", [0, 20, 40])
def test_one_blank_name_of_many_that_share_a_place_is_refused(place):
    names = [f"item {n}" for n in range(40)]
    assert read_rankings([[names]]).n_items == 40
    names.insert(place, " ")
    with pytest.raises(HushrankError, match="ballot 1: expected names that are not blank"):
        read_rankings([[names]])


MANY = [f"item {n}" for n in range(47)]


def with_change(at, name):
    return [*MANY[:at], name, *MANY[at + 1 :]]


@pytest.mark.parametrize("place", [0, 40])
@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        (3, TypeError, "expected the names of ballot 30 as text"),
        ({3}, TypeError, "expected the names of ballot 30 as text"),
        (None, HushrankError, "ballot 30: expected no filled place after an empty one"),
        (" ", HushrankError, "ballot 30: expected names that are not blank"),
        ({"item 46"}, HushrankError, "ballot 30: expected each item at most once"),
    ],
)
def test_one_bad_place_of_a_long_ballot_is_refused(place, name, error, message):
    with pytest.raises(error, match=message):
        read_rankings([*[MANY] * 29, with_change(place, name)])


@pytest.mark.parametrize("name", [3, "item 46"])
def test_one_bad_name_of_many_that_share_a_place_is_refused(name):
    with pytest.raises((TypeError, HushrankError), match="ballot 1"):
        read_rankings([[with_change(40, name)]])


def test_all_of_many_ballots_of_many_places_and_names_are_read():
    ballots = [MANY[n:] + MANY[:n] for n in range(30)] + [["late", MANY[:40]]]
    found = read_rankings(ballots)
    assert found.n_items == 48
    assert list(found) == [*map(tuple, ballots[:30]), ("late", frozenset(MANY[:40]))]

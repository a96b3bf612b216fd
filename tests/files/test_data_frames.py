import sys
from dataclasses import make_dataclass
from datetime import date

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hushrank.errors import HushrankError
from hushrank.files import data_frames as frames
from hushrank.rankings.files import read_rankings

COLUMNS = {"item": ["tea", "coffee"], "ahead of the next": [0.75, None]}
MANY = 60
WIDE = {f"item {n}": [f"{row} of {n}" for row in range(MANY)] for n in range(MANY)}
LIBRARIES = pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
WITH_ARROW = pytest.mark.parametrize("has_arrow", [False, True])


def installed(monkeypatch, *libraries):
    """Let these alone be found."""
    monkeypatch.setattr(frames, "find_spec", lambda name: name if name in libraries else None)


class Result:
    def __arrow_c_stream__(self, requested_schema=None):
        return frames.arrow_stream(COLUMNS, requested_schema)


def test_a_result_is_read_through_the_arrow_interface():
    assert pa.table(Result()).to_pydict() == COLUMNS


def test_a_frame_is_an_arrow_table_where_pandas_is_not_installed(monkeypatch):
    monkeypatch.setattr(frames, "find_spec", lambda name: None if name == "pandas" else name)
    assert frames.to_frame(COLUMNS).to_pydict() == COLUMNS


def test_a_frame_is_of_pandas_where_it_is_installed():
    frame = frames.to_frame(COLUMNS)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame["item"]) == COLUMNS["item"]


def test_polars_reads_a_result_as_it_is():
    assert pl.DataFrame(Result()).to_dict(as_series=False) == COLUMNS


@LIBRARIES
def test_ballots_are_read_from_a_data_frame(library):
    frame = library.DataFrame({"tea": [1, 2, 1], "coffee": [2, 1, 2]})
    rankings = read_rankings(frame)
    assert rankings.names == ("tea", "coffee")
    assert rankings.ranks.tolist() == [[0, 1], [1, 0], [0, 1]]


@LIBRARIES
@WITH_ARROW
def test_a_long_and_wide_frame_is_read_whole(library, has_arrow, monkeypatch):
    installed(monkeypatch, *["pyarrow"] * has_arrow)
    table = frames.parse_frame(library.DataFrame(WIDE))
    assert table.header == (*WIDE,)
    read = [[each.texts[code] for code in each.codes] for each in table.columns]
    assert read == [*WIDE.values()]


@LIBRARIES
@WITH_ARROW
def test_what_is_no_text_in_one_of_many_rows_or_columns_is_not_read(
    library, has_arrow, monkeypatch
):
    installed(monkeypatch, *["pyarrow"] * has_arrow)
    days = {f"day {n}": [date(2026, 1, 1)] * 2 for n in range(MANY)}
    table = frames.parse_frame(library.DataFrame(days | {"item": ["tea", "coffee"]}))
    assert [each.is_read for each in table.columns] == [False] * MANY + [True]
    with pytest.raises(HushrankError, match="expected columns of text or numbers"):
        frames.parse_frame(library.DataFrame(days))


def test_a_day_in_one_of_many_rows_is_no_text(monkeypatch):
    installed(monkeypatch)
    cells = ["tea"] * 47 + [date(2026, 1, 1)] + ["tea"] * 12
    table = frames.parse_frame(pd.DataFrame({"mixed": cells, "item": ["tea"] * MANY}))
    assert [each.is_read for each in table.columns] == [False, True]


def test_an_index_of_many_levels_is_not_read():
    index = pd.MultiIndex.from_arrays([["a", "b"]] * MANY, names=[*WIDE])
    frame = pd.DataFrame({"tea": [1, 2]}, index=index)
    assert frames.parse_frame(frame).header == ("tea",)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_long_and_wide_frame_is_made_whole(library, monkeypatch):
    installed(monkeypatch, library)
    made = pa.table(frames.to_frame(WIDE))
    assert made.to_pydict() == WIDE


def test_all_fields_of_many_rows_are_columns():
    names = [name.replace(" ", "_") for name in WIDE]
    row = make_dataclass("Row", names)
    found = frames.columns_of([row(*cells) for cells in zip(*WIDE.values(), strict=True)])
    assert found == dict(zip(names, WIDE.values(), strict=True))


def test_frames_cost_nothing_until_one_is_made():
    assert "pyarrow" not in vars(sys.modules[frames.__name__])

import sys

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from hushrank.files import data_frames as frames
from hushrank.rankings.files import read_rankings

COLUMNS = {"item": ["tea", "coffee"], "ahead of the next": [0.75, None]}


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


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_ballots_are_read_from_a_data_frame(library):
    frame = library.DataFrame({"tea": [1, 2, 1], "coffee": [2, 1, 2]})
    rankings = read_rankings(frame)
    assert rankings.names == ("tea", "coffee")
    assert rankings.ranks.tolist() == [[0, 1], [1, 0], [0, 1]]


def test_frames_cost_nothing_until_one_is_made():
    assert "pyarrow" not in vars(sys.modules[frames.__name__])

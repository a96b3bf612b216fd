"""What `pip install .` alone can do, and what is said where an extra is missing."""

import sys
from datetime import date

import pandas as pd
import polars as pl
import pytest

import hushrank
from hushrank.errors import HushrankError
from hushrank.files import data_frames

BALLOTS = [["tea", "coffee", "milk"], ["coffee", "tea"], ["tea", "milk", "coffee"]]


@pytest.fixture
def core_alone(monkeypatch):
    for name in ("pyarrow", "matplotlib"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.fixture
def no_frames(core_alone, monkeypatch):
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("core_alone")
@pytest.mark.parametrize("name", ["ballots.csv", "ballots.csv.gz", "ballots.toc", "ballots.soi"])
def test_rankings_are_written_and_read(name, tmp_path):
    rankings = hushrank.read_rankings(BALLOTS)
    path = tmp_path / name
    hushrank.write_rankings(rankings if "toc" not in name else rankings[:1], path)
    assert hushrank.read_rankings(path).names == rankings.names


@pytest.mark.usefixtures("core_alone")
def test_activity_is_written_and_read(tmp_path):
    activity, profiles = hushrank.simulate_activity(users=50, items=20, seed=1)
    hushrank.write_activity(activity, tmp_path / "activity.csv")
    hushrank.write_profiles(profiles, tmp_path / "profiles.csv")
    again = hushrank.read_activity(tmp_path / "activity.csv")
    assert (again.users, again.n_records) == (activity.users, activity.n_records)


@pytest.mark.usefixtures("core_alone")
@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_a_data_frame_is_read_column_by_column(library):
    frame = library.DataFrame({"tea": [1, 2, None], "coffee": [2, 1, 1], "milk": [3, None, 2]})
    rankings = hushrank.read_rankings(frame)
    assert rankings.names == ("tea", "coffee", "milk")
    assert rankings.is_ranked.tolist() == [[True] * 3, [True, True, False], [False, True, True]]


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_a_data_frame_is_read_as_pyarrow_reads_it(library, monkeypatch):
    frame = library.DataFrame(
        {
            "text": ["a ", None, "b"],
            "number": [1, 2, 3],
            "part": [0.5, None, 2.0],
            "yes": [True, False, True],
            "day": [date(2026, 1, 1)] * 3,
        }
    )
    by_pyarrow = data_frames.parse_frame(frame)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    by_column = data_frames.parse_frame(frame)
    assert by_column.header == by_pyarrow.header
    rows = range(by_pyarrow.n_rows)
    assert [*map(by_column.cells, rows)] == [*map(by_pyarrow.cells, rows)]
    read = [[column.is_read for column in table.columns] for table in (by_column, by_pyarrow)]
    assert read[0] == read[1]


@pytest.mark.usefixtures("core_alone")
def test_a_result_becomes_the_frame_that_there_is(monkeypatch):
    consensus = hushrank.aggregate(hushrank.read_rankings(BALLOTS), method="borda")
    assert list(consensus.to_frame()["item"]) == list(consensus.items)
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert isinstance(consensus.to_frame(), pl.DataFrame)


@pytest.mark.usefixtures("no_frames")
def test_without_any_library_of_frames_the_extra_is_named():
    consensus = hushrank.aggregate(hushrank.read_rankings(BALLOTS), method="borda")
    with pytest.raises(HushrankError, match=r"extra `parquet`: pip install '\.\[parquet\]' in the"):
        consensus.to_frame()


@pytest.mark.usefixtures("core_alone")
def test_parquet_and_pixels_name_their_extras(tmp_path):
    rankings = hushrank.read_rankings(BALLOTS)
    with pytest.raises(HushrankError, match=r"a Parquet file needs the extra `parquet`"):
        hushrank.write_rankings(rankings, tmp_path / "ballots.parquet")
    (tmp_path / "ballots.parquet").write_bytes(b"PAR1....PAR1")
    with pytest.raises(HushrankError, match=r"ballots.parquet: a Parquet file needs the extra"):
        hushrank.read_rankings(tmp_path / "ballots.parquet")
    consensus = hushrank.aggregate(rankings, method="borda")
    assert consensus.picture(".svg").startswith(b"<svg")
    for form in (".png", ".pdf"):
        with pytest.raises(HushrankError, match=r"needs the extra `pictures`: pip install '\.\["):
            consensus.picture(form)

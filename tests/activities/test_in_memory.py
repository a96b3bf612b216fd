"""Activities and profiles from tables in memory."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from hushrank.activities.activity_files import read_activity, read_log, write_log
from hushrank.activities.planted import draw_planted
from hushrank.activities.profile_files import read_profiles, write_profiles
from hushrank.errors import HushrankError


def test_tables_read_as_files_do(tmp_path):
    log, profiles = draw_planted(40, 10, rng=np.random.default_rng(1))
    write_log(log, tmp_path / "log.parquet", secret=False)
    write_profiles(profiles, tmp_path / "people.parquet")
    visits = pa.parquet.read_table(tmp_path / "log.parquet")
    people = pa.parquet.read_table(tmp_path / "people.parquet")
    assert read_log(visits) == read_log(tmp_path / "log.parquet")
    assert read_activity(visits) == read_activity(tmp_path / "log.parquet")
    found = read_profiles(people, attributes=["group"])
    assert found.users == profiles.users
    assert found.protected["group"].all()


def test_an_error_of_a_table_names_what_was_expected_and_no_line():
    with pytest.raises(HushrankError, match=r"^table: expected the columns user and item"):
        read_activity(pa.table({"user": ["a"]}))
    with pytest.raises(HushrankError, match=r"^table: row 2: expected a score that is a number"):
        read_activity(pa.table({"user": ["a", "b"], "item": ["x", "x"], "score": [1, -1]}))


@pytest.mark.parametrize("read", [read_activity, read_log, read_profiles])
def test_what_is_no_table_is_named(read):
    with pytest.raises(TypeError, match="source: expected a path or a table"):
        read([["a", "b"]])

"""Rows that lie on a disk for a while are gone afterwards, whoever comes late."""

import os
import stat

import numpy as np
import pyarrow as pa
import pytest

from hushrank.errors import HushrankError
from hushrank.files.spread import (
    remove_files,
    require_reached,
    rows_of_bucket,
    scratch_folder,
    write_buckets,
)

ROWS = pa.record_batch([[1, 2, 3]], names=["row"])


def test_only_its_owner_enters_a_scratch_folder(tmp_path):
    """Raw records lie there, beside those of others who use the same disk."""
    before = os.umask(0)
    try:
        with scratch_folder(tmp_path) as folder:
            assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    finally:
        os.umask(before)


def test_a_scratch_folder_is_gone_after_an_error_too(tmp_path):
    """Else raw records would stay."""
    with pytest.raises(HushrankError), scratch_folder(tmp_path) as folder:
        write_buckets(f"{folder}/gone", ROWS, np.array([0, 1, 0]), 2)
    assert not list(tmp_path.iterdir())


def test_a_task_that_comes_late_leaves_nothing_in_a_folder_that_is_being_removed(
    tmp_path, monkeypatch
):
    """A worker of another machine ends its task while the caller removes the folder, by file."""
    came, remove = [], os.rmdir

    def with_a_late_task(*path, **told):
        if not came:
            came.append("late")
            with pytest.raises(HushrankError, match="No such file"):
                write_buckets(folder, ROWS, np.array([0, 1, 0]), 2)
        remove(*path, **told)

    with scratch_folder(tmp_path) as folder:
        write_buckets(folder, ROWS, np.array([0, 1, 0]), 2)
        monkeypatch.setattr(os, "rmdir", with_a_late_task)
    assert came
    assert not list(tmp_path.iterdir())


def test_rows_come_back_from_any_of_many_buckets_and_files(tmp_path):
    rows = pa.record_batch([list(range(300))], names=["row"])
    bucket = np.arange(300) % 60
    paths = [write_buckets(str(tmp_path), rows, bucket, 60) for _ in range(30)]
    for n in (0, 47, 59):
        found = [batch["row"].to_pylist() for batch in rows_of_bucket(paths, n)]
        assert found == [[*range(n, 300, 60)]] * 30
    remove_files(paths)
    assert not list(tmp_path.iterdir())


def test_one_of_many_folders_that_is_not_reached_is_named(tmp_path):
    folders = [str(tmp_path)] * 47
    assert require_reached(folders, 7) == 7
    with pytest.raises(HushrankError, match="gone: expected a folder that every worker reaches"):
        require_reached([*folders, str(tmp_path / "gone")], 7)


def test_what_goes_wrong_names_the_folder_and_none_of_its_files(tmp_path):
    """In the system's words: Arrow's own quote the file's name."""
    gone = tmp_path / "gone"
    with pytest.raises(HushrankError, match=r"gone: No such file or directory$"):
        write_buckets(str(gone), ROWS, np.array([0, 1, 0]), 2)
    with pytest.raises(HushrankError, match=r"gone: No such file or directory$"):
        list(rows_of_bucket([str(gone / "rows.arrow")], 0))
    torn = tmp_path / "rows.arrow"
    torn.write_bytes(b"ARROW1 and then nothing")
    with pytest.raises(HushrankError, match=r": expected the rows that were written there$"):
        list(rows_of_bucket([str(torn)], 0))

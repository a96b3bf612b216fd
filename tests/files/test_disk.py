import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from hushrank.errors import HushrankError
from hushrank.files.disk import (
    LEDGER,
    keep_to_owner,
    outputs,
    replace_file,
    require_apart,
    require_own_tables,
)

MANY = 60


def test_a_file_that_others_may_not_read_is_so_before_it_holds_anything(tmp_path, monkeypatch):
    path, sizes = tmp_path / "kept", []
    path.touch(mode=0o600)
    chmod = Path.chmod

    def watched(self, mode):
        sizes.append(self.stat().st_size)
        chmod(self, mode)

    monkeypatch.setattr(Path, "chmod", watched)
    replace_file(path, bytes(2**20), secret=False)
    assert sizes == [0]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_file_is_replaced_on_the_disk_too_before_anybody_goes_on(tmp_path, monkeypatch):
    """Else a crash of the machine brings back a ledger without a result that somebody has seen."""
    synced, fsync = [], os.fsync

    def watched(descriptor):
        synced.append((stat.S_ISDIR(os.fstat(descriptor).st_mode), (tmp_path / "kept").exists()))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", watched)
    replace_file(tmp_path / "kept", b"new", secret=True)
    assert synced == [(False, False), (True, True)]


def test_a_secret_is_its_owner_s_where_others_could_read_what_was_there(tmp_path):
    path = tmp_path / "kept"
    path.touch(mode=0o644)
    path.chmod(0o644)
    replace_file(path, b"new", secret=True)
    assert path.stat().st_mode & 0o777 == 0o600


def test_that_a_ledger_would_be_written_over_is_said_before_anything_is_done(tmp_path):
    ledger, link = tmp_path / LEDGER, tmp_path / "other"
    ledger.write_bytes(b"spent")
    link.symlink_to(ledger)
    for path in (ledger, link):
        with pytest.raises(HushrankError, match="that of a ledger"):
            outputs([path], beside=[])
    assert ledger.read_bytes() == b"spent"


def test_what_a_link_leads_to_must_be_there_before_anything_is_done(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "none" / "file")
    with pytest.raises(HushrankError, match="an existing folder"):
        outputs([link], beside=[])
    (tmp_path / "none").mkdir()
    assert outputs([link, tmp_path / "file"], beside=[]) == [link, tmp_path / "file"]


def test_a_folder_where_no_file_may_be_made_is_said_before_anything_is_done(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda folder, mode: (folder, mode) != (tmp_path, os.W_OK))
    with pytest.raises(HushrankError, match="in which files may be made"):
        outputs([tmp_path / "file"], beside=[])
    assert outputs([os.devnull], beside=[]) == [os.devnull]
    assert outputs([tmp_path / "file"], beside=[], appends=True) == [tmp_path / "file"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.access", lambda *_: False)
    assert outputs(["-"], beside=[]) == ["-"]


@pytest.mark.parametrize("step", [(os, "fsync"), (Path, "replace"), (Path, "chmod")])
def test_what_could_not_be_written_is_nowhere_and_what_was_there_stays(tmp_path, monkeypatch, step):
    """Else raw figures would stay in a hidden file that nobody knows of."""

    def full(*_):
        raise OSError(28, "No space left on device")

    path = tmp_path / "kept"
    path.write_bytes(b"old")
    monkeypatch.setattr(*step, full)
    with pytest.raises(HushrankError, match="kept: No space left"):
        replace_file(path, b"raw", secret=False)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("name", ["a", "a[1]", "a[!b]"])
def test_a_file_of_a_folder_that_is_read_is_not_written_whatever_it_is_called(tmp_path, name):
    """Signs of patterns are signs like others in the name of a folder that is there."""
    folder = tmp_path / name
    folder.mkdir()
    (folder / "x.parquet").touch()
    with pytest.raises(HushrankError, match="expected different files to read and to write"):
        require_apart([folder / "x.parquet"], [folder])
    require_apart([folder / "y.parquet"], [folder])


def test_one_of_many_files_that_would_destroy_another_is_refused(tmp_path):
    files = [tmp_path / f"{n}" for n in range(MANY)]
    others = [tmp_path / f"read {n}" for n in range(MANY)]
    assert outputs([*files, None], beside=[None, *others]) == files
    twice = [*files[:-1], files[47]]
    for written, read in ((twice, []), (files, [*others[:-1], files[47]])):
        with pytest.raises(HushrankError, match="47: expected different files"):
            outputs(written, beside=read)


def test_no_file_of_many_in_a_folder_that_is_read_is_written(tmp_path):
    files = [tmp_path / f"{n}" for n in range(MANY)]
    for file in files:
        file.touch()
    for file in files:
        with pytest.raises(HushrankError, match="expected different files"):
            require_apart([file], [tmp_path])


@pytest.mark.parametrize(
    ("name", "said"),
    [("no/x", "in an existing folder"), (LEDGER, "that of a ledger"), ("", "this is a folder")],
)
def test_one_of_many_files_that_cannot_be_written_is_refused_before_anything_is_done(
    tmp_path, name, said
):
    files = [tmp_path / f"{n}" for n in range(MANY)]
    with pytest.raises(HushrankError, match=said):
        outputs([*files, tmp_path / name], beside=[])


OWN = "CREATE TABLE IF NOT EXISTS a (x, y); CREATE TABLE IF NOT EXISTS b (z PRIMARY KEY);"


def test_a_database_of_our_tables_or_of_none_is_ours():
    with closing(sqlite3.connect(":memory:")) as database:
        for statements in ("", OWN):
            database.executescript(statements)
            require_own_tables(database, OWN, "expected a memory")


@pytest.mark.parametrize(
    "statements",
    [
        "CREATE TABLE a (x, y)",
        "CREATE TABLE a (x, y); CREATE TABLE b (z)",
        "CREATE TABLE a (x); CREATE TABLE b (z PRIMARY KEY)",
        f"{OWN} CREATE TABLE c (x)",
        f"{OWN} CREATE VIEW c AS SELECT * FROM a",
        f"{OWN} CREATE TRIGGER t AFTER INSERT ON a BEGIN DELETE FROM b; END",
    ],
)
def test_a_database_of_other_tables_or_with_steps_of_its_own_is_refused(statements):
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(statements)
        with pytest.raises(HushrankError, match="expected a memory, this is another database"):
            require_own_tables(database, OWN, "expected a memory")


@pytest.mark.parametrize(("place", "said"), [("no/x", "in an existing folder"), ("", "a folder")])
def test_what_cannot_be_written_is_refused_before_anything_is_done(tmp_path, place, said):
    with pytest.raises(HushrankError, match=said):
        outputs([tmp_path / place], beside=[])


def test_an_empty_file_that_others_read_is_its_owner_s_before_it_holds_a_secret(tmp_path):
    path = tmp_path / "kept"
    path.touch(mode=0o644)
    path.chmod(0o644)
    keep_to_owner(path)
    assert path.stat().st_mode & 0o777 == 0o600

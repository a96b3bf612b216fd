import os
import stat
from pathlib import Path

from hushrank.files.disk import replace_file


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

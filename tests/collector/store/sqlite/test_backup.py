import asyncio
import sqlite3
import stat

import pytest

from hushrank.collector.store.opening import open_store
from hushrank.collector.store.sqlite.connections import copy
from hushrank.collector.store.store import StoreFailure
from hushrank.errors import HushrankError
from tests.collector.store.running import NOW, kinds, on_store, open_survey, upload

N_UPLOADS = 2000


def test_a_backup_is_whole_at_one_moment_while_people_report(tmp_path):
    backup = tmp_path / "backup.sqlite"

    async def scenario(store):
        await open_survey(store)
        sending = asyncio.gather(
            *(store.accept([upload(n, b"%d" % n, b"%d" % n)], now=NOW) for n in range(N_UPLOADS))
        )
        await asyncio.sleep(0)
        await store.backup(backup)
        await sending
        copied = await open_store(str(backup))
        n_reports = (await copied.counts("s", 0)).reported
        found = await kinds(copied)
        assert len(found) == 2 * n_reports
        assert {number for _, number, _ in found} <= {0, 1}
        numbers = [number for number in range(N_UPLOADS) if (0, 0, b"%d" % number) in found]
        uploads = [upload(number, b"%d" % number, b"%d" % number) for number in numbers]
        assert await copied.accept(uploads, now=NOW) == ["same"] * n_reports
        await copied.close()

    on_store(str(tmp_path / "store.sqlite"), scenario)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.glob("backup*")] == ["backup.sqlite"]


def test_a_backup_never_replaces_a_file(tmp_path):
    backup = tmp_path / "backup.sqlite"
    backup.write_text("precious")

    async def scenario(store):
        with pytest.raises(HushrankError, match=r"backup.sqlite: File exists"):
            await store.backup(backup)
        with pytest.raises(HushrankError, match="expected a path in an existing folder"):
            await store.backup(tmp_path / "nowhere" / "backup.sqlite")

    on_store(str(tmp_path / "store.sqlite"), scenario)
    assert backup.read_text() == "precious"


def test_a_backup_that_fails_leaves_nothing(tmp_path):
    gone = sqlite3.connect(":memory:")
    gone.close()
    with pytest.raises(StoreFailure):
        copy(gone, tmp_path / "backup.sqlite")
    assert not list(tmp_path.iterdir())


def test_a_backup_that_is_interrupted_leaves_nothing(tmp_path):
    """A part of the store, of which nobody knows, would keep what is deleted later."""

    class Interrupted:
        def backup(self, copied):
            copied.execute("CREATE TABLE answers (report)")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        copy(Interrupted(), tmp_path / "backup.sqlite")
    assert not list(tmp_path.iterdir())


def test_a_backup_has_its_name_when_it_is_whole(tmp_path):
    """Whoever is killed before leaves no file that would be opened as an empty store."""
    backup = tmp_path / "backup.sqlite"

    class Looking:
        def backup(self, copied):
            copied.execute("CREATE TABLE answers (report)")
            assert not backup.exists()

    for _ in range(2):
        (tmp_path / "backup.sqlite.part").write_bytes(b"what was left by whoever was killed")
        copy(Looking(), backup)
        assert [path.name for path in tmp_path.iterdir()] == ["backup.sqlite"]
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600
        backup.unlink()


def test_a_file_that_others_make_meanwhile_is_not_replaced_either(tmp_path):
    backup = tmp_path / "backup.sqlite"

    class Slow:
        def backup(self, copied):
            backup.write_text("precious")

    with pytest.raises(HushrankError, match=r"backup.sqlite: File exists"):
        copy(Slow(), backup)
    assert backup.read_text() == "precious"
    assert [path.name for path in tmp_path.iterdir()] == ["backup.sqlite"]

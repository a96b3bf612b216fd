import asyncio
import sqlite3
import stat
from threading import Barrier
from unittest.mock import Mock

import pytest

from hushrank.collector.store.migrations import steps
from hushrank.collector.store.opening import open_store
from hushrank.collector.store.sqlite import connections
from hushrank.collector.store.sqlite.connections import open_for_writing
from hushrank.collector.store.store import StoreFailure
from hushrank.errors import HushrankError
from tests.collector.store import version_1
from tests.collector.store.running import NOW, on_store, open_survey, upload

SECOND = "ALTER TABLE surveys ADD COLUMN note TEXT NOT NULL DEFAULT '';\n\nCREATE TABLE more (a);\n"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.sqlite"


@pytest.fixture
def old(path):
    """A file of version 1."""
    connection = sqlite3.connect(path)
    connection.executescript(version_1.SQLITE.read_text())
    connection.close()
    return path


def value(path, sql):
    connection = sqlite3.connect(path)
    (found,) = connection.execute(sql).fetchone()
    connection.close()
    return found


def test_only_its_owner_reads_a_store(path):
    async def scenario(store):
        await open_survey(store)
        for name in ("store.sqlite", "store.sqlite-wal", "store.sqlite-shm"):
            assert stat.S_IMODE((path.parent / name).stat().st_mode) == 0o600

    on_store(str(path), scenario)


def test_a_commit_waits_for_the_disk(path):
    connection = open_for_writing(path)
    settings = ("journal_mode", "synchronous", "foreign_keys", "secure_delete")
    found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in settings]
    connection.close()
    assert found == ["wal", 2, 1, 1]


def test_what_is_deleted_is_overwritten_however_sqlite_was_built(path, monkeypatch):
    """Debian's overwrites unless told not to, most others do not unless told to."""
    connect = sqlite3.connect

    def careless(*given, **named):
        connection = connect(*given, **named)
        connection.execute("PRAGMA secure_delete = OFF")
        return connection

    monkeypatch.setattr(sqlite3, "connect", careless)
    connection = open_for_writing(path)
    (overwrites,) = connection.execute("PRAGMA secure_delete").fetchone()
    connection.close()
    assert overwrites == 1


def test_a_store_of_version_1_is_opened_with_all_that_is_in_it(old):
    on_store(str(old), version_1.check)
    assert value(old, "PRAGMA user_version") == len(steps("sqlite"))


def test_an_old_store_gets_each_step_that_it_lacks_once(old):
    known = (steps("sqlite")[0], SECOND)
    for _ in range(2):
        open_for_writing(old, known).close()
        assert value(old, "PRAGMA user_version") == 2
    assert value(old, "SELECT note FROM surveys") == ""


def test_a_step_that_fails_leaves_the_store_as_it_was(old):
    known = (steps("sqlite")[0], SECOND + "\nINSERT INTO missing VALUES (1);\n")
    with pytest.raises(HushrankError, match="cannot be opened as a store: no such table"):
        open_for_writing(old, known)
    assert value(old, "PRAGMA user_version") == 1
    on_store(str(old), version_1.check)


def test_a_store_of_a_newer_hushrank_is_refused_and_left_alone(old):
    open_for_writing(old, (*steps("sqlite"), SECOND)).close()
    before = old.read_bytes()
    with pytest.raises(HushrankError, match=r"written by a newer hushrank.*update hushrank"):
        asyncio.run(open_store(str(old)))
    assert old.read_bytes() == before


def test_what_is_no_store_is_refused_and_left_alone(path):
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (a)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(HushrankError, match="expected a store of hushrank, this is another"):
        asyncio.run(open_store(str(path)))
    assert path.read_bytes() == before
    path.write_text("Dear diary, " * 1000)
    with pytest.raises(HushrankError, match="file is not a database"):
        asyncio.run(open_store(str(path)))
    assert path.read_text() == "Dear diary, " * 1000


def test_a_folder_that_is_missing_is_named(tmp_path):
    with pytest.raises(
        HushrankError, match=r"nowhere/store\.sqlite: expected a path in an existing"
    ):
        asyncio.run(open_store(str(tmp_path / "nowhere" / "store.sqlite")))


def test_several_processes_make_one_store(path):
    async def open_all():
        stores = await asyncio.gather(*(open_store(str(path)) for _ in range(5)))
        await open_survey(stores[0])
        told = await asyncio.gather(
            *(store.accept([upload(1, b"%d" % n)], now=NOW) for n, store in enumerate(stores))
        )
        assert sorted(told) == [["new"], *[["other"]] * 4]
        for store in stores:
            await store.close()

    asyncio.run(open_all())


@pytest.mark.parametrize("code", [sqlite3.SQLITE_BUSY, sqlite3.SQLITE_BUSY_RECOVERY])
def test_who_makes_a_store_at_the_same_moment_waits(path, monkeypatch, code):
    """SQLite's own patience does not hold for the step to a log."""
    errors = iter([sqlite3.OperationalError("locked"), sqlite3.OperationalError("locked")])
    run = connections._run

    def busy_twice(connection, statements):
        for error in errors:
            error.sqlite_errorcode = code
            raise error
        run(connection, statements)

    monkeypatch.setattr(connections, "_run", busy_twice)
    on_store(str(path), open_survey)


def test_what_is_wrong_with_a_disk_is_said_at_once(path, monkeypatch):
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR
    monkeypatch.setattr(connections, "_run", Mock(side_effect=[error]))
    with pytest.raises(HushrankError, match="cannot be opened as a store: disk I/O error"):
        asyncio.run(open_store(str(path)))


def test_a_closed_store_has_closed_all_of_its_connections(path):
    async def scenario(store):
        three = Barrier(3)
        reads = [store._readers.read(lambda _, all: all.wait(), three) for _ in range(3)]
        await asyncio.gather(*reads)
        opened = [*store._readers._connections]
        await store.close()
        assert len(opened) == 3
        for connection in opened:
            with pytest.raises(sqlite3.ProgrammingError, match="closed"):
                connection.execute("SELECT 1")

    on_store(str(path), scenario)


def test_a_closed_store_does_nothing_more(path):
    async def scenario(store):
        await store.close()
        for wait in (store.load("s"), store.create("s", b""), store.all(), store.ready()):
            with pytest.raises(StoreFailure, match="closed"):
                await wait

    on_store(str(path), scenario)

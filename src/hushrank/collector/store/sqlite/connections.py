"""Open a store's SQLite file: its owner's alone, durable, of the newest schema."""

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

from hushrank.collector.store.migrations import missing, steps
from hushrank.collector.store.store import StoreFailure
from hushrank.errors import HushrankError, require
from hushrank.files.disk import FilePath, errors_naming, keep_to_owner, require_folder

APPLICATION_ID = 0x68757368
"""Says in the file's head that it is ours: "hush"."""

_OLDEST = (3, 37)
PATIENCE = 10
"""Seconds: another process may hold the file, such as a command."""
_FOR_WRITING = (
    f"PRAGMA busy_timeout = {1000 * PATIENCE}",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA cache_size = -65536",
    "PRAGMA wal_autocheckpoint = 4000",
)
_FOR_READING = (f"PRAGMA busy_timeout = {1000 * PATIENCE}", "PRAGMA query_only = ON")


def open_for_writing(path: Path, known: tuple[str, ...] | None = None) -> sqlite3.Connection:
    """Open the file, make it where there is none, and bring it to the newest schema.

    Raises HushrankError where it is no store, or one that a newer hushrank wrote, or where it has
    another name, a hard link: what is in the log FILE-wal would be missed by that.
    """
    require(
        sqlite3.sqlite_version_info >= _OLDEST,
        f"the store needs SQLite 3.37 or newer, Python has {sqlite3.sqlite_version}",
    )
    require_folder(path)
    keep_to_owner(path)
    require(path.stat().st_nlink <= 1, f"{path}: expected a file of one name, without links")
    connection = _connect(path, "rw")
    try:
        with _opening(path):
            _require_ours(connection, path)
            _prepare(connection)
            _migrate(connection, steps("sqlite") if known is None else known, path)
    except BaseException:
        connection.close()
        raise
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """Open a file that `open_for_writing` has opened before."""
    connection = _connect(path, "ro")
    with failures():
        _run(connection, _FOR_READING)
    return connection


def copy(connection: sqlite3.Connection, path: FilePath) -> None:
    """Write all that the connection sees now to a new file, which only its owner reads.

    It has its name when it is whole: an interruption leaves a file that ends in .part, if anything.
    """
    target = Path(path)
    part = target.with_name(f"{target.name}.part")
    require_folder(target)
    with errors_naming(target):
        _require_new(target)
        part.unlink(missing_ok=True)
        part.touch(mode=0o600)
    try:
        with failures():
            copied = _connect(part, "rw")
            try:
                connection.backup(copied)
            finally:
                copied.close()
        with errors_naming(target):
            _require_new(target)
            part.rename(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _require_new(path: Path) -> None:
    if path.exists():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))


@contextmanager
def failures() -> Iterator[None]:
    """Turn what goes wrong in SQLite into StoreFailure."""
    try:
        yield
    except sqlite3.Error as error:
        failure = StoreFailure(f"the store failed: {error}")
    else:
        return
    raise failure


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    with failures():
        return sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            isolation_level=None,  # transactions begin where the code says so
            check_same_thread=False,
        )


@contextmanager
def _opening(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        failure = HushrankError(f"{path}: cannot be opened as a store: {error}")
    else:
        return
    raise failure


def _require_ours(connection: sqlite3.Connection, path: Path) -> None:
    is_empty = not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    is_ours = connection.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID
    require(is_empty or is_ours, f"{path}: expected a store of hushrank, this is another database")


def _prepare(connection: sqlite3.Connection) -> None:
    """Set what holds for writing; of processes that make one file, SQLite lets none wait here."""
    ends = monotonic() + PATIENCE
    while True:
        try:
            return _run(connection, _FOR_WRITING)
        except sqlite3.OperationalError as error:
            is_busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not is_busy or monotonic() > ends:
                raise
        sleep(0.01)


def _migrate(connection: sqlite3.Connection, known: tuple[str, ...], path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")  # of two processes that open it, one migrates
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        for number, script in enumerate(missing(version, known, str(path)), start=version + 1):
            _run(connection, script.split(";\n\n"))
            connection.execute(f"PRAGMA user_version = {number}")
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _run(connection: sqlite3.Connection, statements: tuple[str, ...] | list[str]) -> None:
    for statement in statements:
        connection.execute(statement)

"""What a device keeps: values under names, changed all or none, by one process at a time."""

import errno
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Protocol, TypeVar

import msgspec

from hushrank.errors import HushrankError, require
from hushrank.files.disk import errors_naming, keep_to_owner, require_own_tables
from hushrank.files.encodings import UNREADABLE

T = TypeVar("T", bound=msgspec.Struct)

WAIT_SECONDS = 30.0
"""How long another process may keep the file."""
SETTINGS = "PRAGMA synchronous=EXTRA; PRAGMA secure_delete=ON;"
TABLE = "CREATE TABLE IF NOT EXISTS kept (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID"
EXPECTED = "expected the memory of a device, whole"
REASONS = {
    sqlite3.SQLITE_BUSY: "another process keeps it open",
    sqlite3.SQLITE_FULL: os.strerror(errno.ENOSPC),
    sqlite3.SQLITE_READONLY: os.strerror(errno.EACCES),
}
GET = "SELECT value FROM kept WHERE name = ?"
PUT = "INSERT OR REPLACE INTO kept VALUES (?, ?)"
DROP = "DELETE FROM kept WHERE name = ?"


class Drawer:
    """The memory while it is open: nobody else reads or changes it."""

    def __init__(
        self, get: Callable[[str], bytes | None], put: Callable[[str, bytes | None], None]
    ) -> None:
        """Read and write bytes under names; None stands for nothing."""
        self._get, self._put = get, put

    def get(self, name: str, kind: type[T]) -> T | None:
        """Return what is kept under a name, None where nothing is."""
        found = self._get(name)
        with suppress(*UNREADABLE):  # of text in another encoding it holds all, as a context
            return None if found is None else msgspec.json.decode(found, type=kind)
        raise HushrankError("expected what this version of hushrank keeps")

    def put(self, name: str, value: msgspec.Struct) -> None:
        """Keep a value under a name, in place of what was there."""
        self._put(name, msgspec.json.encode(value))

    def drop(self, name: str) -> None:
        """Keep nothing under a name any more."""
        self._put(name, None)


class Memory(Protocol):
    """Where a device keeps what it must not forget."""

    def opened(self) -> AbstractContextManager[Drawer]:
        """Open the memory: what is put is kept, durably, when the block ends, nothing if it fails.

        Nobody else, in no other process, reads or changes anything meanwhile.
        """


class FileMemory:
    """A memory in one SQLite file: made where there is none, for its owner alone.

    It says what its owner answered: who takes it away should be trusted with that.
    Raises HushrankError, which names the file, where it cannot be read or written, or where it has
    another name, a hard link: what a crash leaves unfinished is found by the first name only.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Begin the file where there is none; it is opened for each change only."""
        self._path = Path(path)
        with errors_naming(self._path):
            require(self._path.parent.is_dir(), "expected a path in an existing folder")
            keep_to_owner(self._path)
        with self.opened():
            pass

    @contextmanager
    def opened(self) -> Iterator[Drawer]:
        """Lock the file, and write all that was put, to the disk, or nothing."""
        with closing(self._locked()) as database:
            yield Drawer(partial(self._get, database), partial(self._put, database))
            with self._errors():
                database.execute("COMMIT")

    def _locked(self) -> sqlite3.Connection:
        with self._errors():
            require(self._path.stat().st_nlink <= 1, "expected a file of one name, without links")
            database = sqlite3.connect(self._path, timeout=WAIT_SECONDS, isolation_level=None)
            try:
                database.executescript(SETTINGS)
                database.execute("BEGIN IMMEDIATE")
                require_own_tables(database, TABLE, EXPECTED)
                database.execute(TABLE)
            except BaseException:
                database.close()
                raise
            return database

    def _get(self, database: sqlite3.Connection, name: str) -> bytes | None:
        with self._errors():
            row = database.execute(GET, (name,)).fetchone()
            require(row is None or isinstance(row[0], bytes), EXPECTED)
        return None if row is None else row[0]

    def _put(self, database: sqlite3.Connection, name: str, value: bytes | None) -> None:
        with self._errors():
            if value is None:
                database.execute(DROP, (name,))
            else:
                database.execute(PUT, (name, value))

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn what goes wrong with the file into one HushrankError that names it."""
        try:
            with errors_naming(self._path):
                yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            raise HushrankError(f"{self._path}: {REASONS.get(code, EXPECTED)}") from None


class SimulatedMemory:
    """A memory that ends with the process: of simulated people, and of tests."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._kept: dict[str, bytes] = {}
        self._lock = Lock()

    @contextmanager
    def opened(self) -> Iterator[Drawer]:
        """Lock the memory; keep all that was put, or nothing."""
        with self._lock:
            changed: dict[str, bytes | None] = {}
            yield Drawer(lambda name: changed.get(name, self._kept.get(name)), changed.__setitem__)
            for name, value in changed.items():
                self._kept.pop(name, None)
                self._kept |= {} if value is None else {name: value}

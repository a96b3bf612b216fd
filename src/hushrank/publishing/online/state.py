"""The state of a stream in one file: nothing released is lost or drawn again, whenever it stops."""

import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import NamedTuple

import numpy as np

from hushrank.arrays import Indices, Integers
from hushrank.errors import HushrankError, require
from hushrank.files.disk import keep_to_owner, require_own_tables
from hushrank.publishing.online.documents import (
    current_to_bytes,
    user_from_bytes,
    user_to_bytes,
    whole_numbers,
)
from hushrank.publishing.online.user import StreamUser

TABLES = """
CREATE TABLE IF NOT EXISTS stream (version INTEGER, settings TEXT, position INTEGER, setup BLOB);
CREATE TABLE IF NOT EXISTS users (number INTEGER PRIMARY KEY, counted INTEGER NOT NULL, \
withheld INTEGER NOT NULL, told REAL NOT NULL, worst_told REAL NOT NULL, state BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS channels (number INTEGER PRIMARY KEY, current BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS batch (first INTEGER, released BLOB NOT NULL, note BLOB NOT NULL);
"""
EXPECTED = "expected a state of a stream that nobody else uses"
USER = "INSERT OR REPLACE INTO users VALUES (?, ?, ?, ?, ?, ?)"
CHANNEL = "INSERT OR REPLACE INTO channels VALUES (?, ?)"
TOTALS = """
SELECT count(*), coalesce(sum(counted), 0), coalesce(sum(withheld), 0), coalesce(max(told), 0.0),
coalesce(max(worst_told), 0.0), coalesce(avg(told), 0.0), count(*) FILTER (WHERE NOT (
counted >= 0 AND withheld >= 0 AND told >= 0 AND worst_told >= 0
AND typeof(counted) = 'integer' AND typeof(withheld) = 'integer'
AND typeof(told) = 'real' AND typeof(worst_told) = 'real')) FROM users
"""


@dataclass(frozen=True, eq=False, repr=False)
class Batch:
    """What was released last: item numbers, -1 = withheld, from activity number `first` on.

    note: what whoever wrote it wants to know of it after a crash.
    """

    first: int
    released: Integers
    note: bytes = b""

    def __repr__(self) -> str:
        """Say which activities, not what was released."""
        return f"Batch({len(self.released)} activities from {self.first})"


class StreamTotals(NamedTuple):
    """Protected users with an activity, and what of them was released; leakages in nats.

    most_leaked, most_worst_leaked: the largest sums of one user; mean_leaked: the mean of users.
    """

    n_users: int
    n_released: int
    n_withheld: int
    most_leaked: float
    most_worst_leaked: float
    mean_leaked: float


def stored_setup(path: str | os.PathLike[str]) -> bytes | None:
    """Return the `setup` that a state was begun with; None where there is no file yet."""
    if not os.path.exists(path) or os.path.getsize(path) == 0:
        return None
    state = StreamState(path, None)
    try:
        return state.setup
    finally:
        state.close()


class StreamState:
    """A SQLite file with the position, all users' states, and the last batch that was released.

    Each batch is committed in one transaction, before anything of it is released. So whoever writes
    releases out appends `last_batch` as far as it is missing from his output, then goes on with the
    activity at `position`: every activity is released once, and drawn once.
    Privacy: the file is about the users, and as secret as their activity; only its owner reads it.
    Raises HushrankError for a file of other settings, a damaged one, or one that is in use.
    """

    def __init__(
        self, path: str | os.PathLike[str], settings: str | None, setup: bytes = b""
    ) -> None:
        """Open the file, or begin one; `settings` says what the stream is made of.

        settings None: whatever the file holds. setup: kept in a file that is begun.
        """
        self._path = os.fspath(path)
        with self._errors():
            require(Path(path).parent.is_dir(), "expected a path in an existing folder")
            keep_to_owner(path)
            self._database = sqlite3.connect(path, timeout=0.1, isolation_level=None)
            try:
                self._begin(settings, setup)
            except BaseException:
                self._database.close()
                raise

    def _begin(self, settings: str | None, setup: bytes) -> None:
        self._database.executescript("PRAGMA locking_mode=EXCLUSIVE; PRAGMA synchronous=FULL;")
        self._database.execute("BEGIN EXCLUSIVE")
        require_own_tables(self._database, TABLES, EXPECTED)
        for statement in TABLES.strip().splitlines():
            self._database.execute(statement)
        row = self._database.execute("SELECT version, settings FROM stream").fetchone()
        if row is None and settings is not None:
            self._database.execute("INSERT INTO stream VALUES (1, ?, 0, ?)", (settings, setup))
            row = (1, settings)
        self._database.execute("COMMIT")
        same = row is None or row == (1, row[1] if settings is None else settings)
        require(same, "expected a state of the same population, budget and rules")

    @property
    def position(self) -> int:
        """How many activities were taken in and decided upon."""
        with self._errors():
            (position,) = self._database.execute("SELECT position FROM stream").fetchone()
            _require_kinds((position, int))
            require(position >= 0, EXPECTED)
        return int(position)

    @property
    def last_batch(self) -> Batch:
        """The batch that ends at `position`."""
        with self._errors():
            row = self._database.execute("SELECT first, released, note FROM batch").fetchone()
            first, released, note = row or (0, b"", b"")
            _require_kinds((first, int), (released, bytes), (note, bytes))
            return Batch(first, whole_numbers(released, "<i8").astype(np.int64), note)

    @property
    def setup(self) -> bytes | None:
        """What the file was begun with; None where it was not."""
        with self._errors():
            row = self._database.execute("SELECT setup FROM stream").fetchone()
            if row is None:
                return None
            _require_kinds((row[0], bytes))
        return bytes(row[0])

    @property
    def totals(self) -> StreamTotals:
        """What was released of all protected users so far."""
        with self._errors():
            *totals, n_damaged = self._database.execute(TOTALS).fetchone()
            require(n_damaged == 0, EXPECTED)
            return StreamTotals(*totals)

    def load_user(self, number: int) -> StreamUser | None:
        """Return the user's state; None for one without any."""
        asked = "SELECT state, current FROM users LEFT JOIN channels USING (number) WHERE number=?"
        with self._errors():
            row = self._database.execute(asked, (int(number),)).fetchone()
            if row is None:
                return None
            content, current = row
            _require_kinds((content, bytes), (current, bytes | None))
            return user_from_bytes(content, current)

    def commit(self, released: Indices, users: Mapping[int, StreamUser], note: bytes = b"") -> None:
        """Write a batch from `position` on and the users it changed: all of it or nothing."""
        position = self.position
        batch = position, np.asarray(released).astype("<i8").tobytes(), note
        states = [(int(number), *_columns(user)) for number, user in users.items()]
        renewed = {n: user.current for n, user in users.items() if user.is_renewed}
        channels = [(int(n), current_to_bytes(made)) for n, made in renewed.items() if made]
        with self._errors(), self._transaction():
            self._database.executemany(USER, states)
            self._database.executemany(CHANNEL, channels)
            self._database.execute("DELETE FROM batch")
            self._database.execute("INSERT INTO batch VALUES (?, ?, ?)", batch)
            self._database.execute("UPDATE stream SET position = ?", (position + len(released),))
        for user in users.values():
            user.is_renewed = False

    def close(self) -> None:
        """Close the file; another process may then open it."""
        self._database.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._database.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._database.execute("ROLLBACK")
            raise
        self._database.execute("COMMIT")

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn what goes wrong with the file into one HushrankError that names it."""
        try:
            yield
        except HushrankError as error:
            message = str(error)
        except OSError as error:
            message = error.strerror or "cannot be opened"
        except sqlite3.Error:
            message = EXPECTED
        else:
            return
        raise HushrankError(f"{self._path}: {message}") from None


def _require_kinds(*cells: tuple[object, type | UnionType]) -> None:
    """Raise HushrankError for what is not of the kind that is written: SQLite holds any."""
    require(all(isinstance(cell, kind) for cell, kind in cells), EXPECTED)


def _columns(user: StreamUser) -> tuple[int, int, float, float, bytes]:
    sums = user.n_released, user.n_withheld, user.leakage, user.worst_leakage
    return (*sums, user_to_bytes(user))

"""Where stores of random operations live: what a crash leaves, and how it is found."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from hushrank.collector.store.opening import open_store
from hushrank.collector.store.store import Store


class Place(Protocol):
    """A place for one store at a time."""

    can_back_up: bool
    event_share: float
    """Of the steps of a sequence, how many happen to the store itself."""

    async def new(self) -> Store:
        """Open an empty store."""

    async def reopen(self) -> Store:
        """Open the store that was closed."""

    async def crash(self, store: Store) -> Store:
        """Let the store's process die as it is now, and open what is left."""

    async def restore(self, backup: Path) -> Store:
        """Open a backup in the place of the store, which was closed."""

    async def leave(self, store: Store) -> None:
        """Close the store, or keep it open for the next one here."""

    async def end(self) -> None:
        """Close what was kept open."""


@dataclass
class SqlitePlace:
    """A folder with the file of a store."""

    folder: Path
    can_back_up = True
    event_share = 0.04

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / "store.sqlite"

    async def new(self) -> Store:
        """Open an empty file."""
        self._remove()
        return await self.reopen()

    async def reopen(self) -> Store:
        """Open the file."""
        return await open_store(str(self.path))

    async def crash(self, store: Store) -> Store:
        """Copy the files while the store works: what a dead machine would find."""
        left = self.folder / "left"
        left.mkdir()
        for name in ("store.sqlite", "store.sqlite-wal"):
            shutil.copy(self.folder / name, left)
        await store.close()
        self._remove()
        for path in left.iterdir():
            path.replace(self.folder / path.name)
        left.rmdir()
        return await self.reopen()

    async def restore(self, backup: Path) -> Store:
        """Put the backup in the file's place."""
        self._remove()
        shutil.copy(backup, self.path)
        return await self.reopen()

    async def leave(self, store: Store) -> None:
        """Close the file."""
        await store.close()

    async def end(self) -> None:
        """Nothing is open."""

    def _remove(self) -> None:
        for path in self.folder.glob("store.sqlite*"):
            path.unlink()


@dataclass
class PostgresPlace:
    """A database, which is emptied for each new store."""

    address: str
    idle: Store | None = None
    can_back_up = False
    event_share = 0.02  # a new connection takes as long as twenty operations

    async def new(self) -> Store:
        """Empty the database."""
        store = self.idle or await self.reopen()
        await store._pool.execute(_EMPTY)
        return store

    async def reopen(self) -> Store:
        """Connect."""
        return await open_store(self.address)

    async def crash(self, store: Store) -> Store:
        """Cut all connections, in the middle of what goes on."""
        store._pool.terminate()
        return await self.reopen()

    async def restore(self, backup: Path) -> Store:
        """Nothing that a store does itself."""
        raise NotImplementedError

    async def leave(self, store: Store) -> None:
        """Keep the connections: to make them takes as long as a sequence."""
        self.idle = store

    async def end(self) -> None:
        """End the connections."""
        if self.idle:
            await self.idle.close()


_EMPTY = """
    DELETE FROM hushrank.answers; DELETE FROM hushrank.surveys;
    DELETE FROM hushrank.secrets; DELETE FROM hushrank.signing_keys;
"""

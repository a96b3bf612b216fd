"""Open a store by its address."""

from hushrank.collector.store.store import Store
from hushrank.errors import HushrankError

_SQLITE = "sqlite:///"


async def open_store(address: str) -> Store:
    """Open the store of an address, and make it where there is none; await its `close` at the end.

    sqlite:///collector.sqlite (or sqlite:////var/lib/... from the root), a plain path, or
    postgresql://user:password@host:port/database.
    Raises HushrankError where there is no such store; no message holds a password.
    """
    scheme = address.partition("://")[0] if "://" in address else ""
    if scheme == "sqlite":
        return await _open_sqlite(_path_in(address))
    if scheme in ("postgresql", "postgres"):
        return await _open_postgres(address)
    if scheme:
        raise HushrankError(
            f"store: expected sqlite:///PATH, a path or postgresql://..., got {scheme}://..."
        )
    return await _open_sqlite(address)


def _path_in(address: str) -> str:
    path = address.removeprefix(_SQLITE)
    if path == address or not path:
        raise HushrankError("store: expected a path after sqlite:///")
    return path


async def _open_sqlite(path: str) -> Store:
    from hushrank.collector.store.sqlite.store import SqliteStore

    return await SqliteStore.open(path)


async def _open_postgres(address: str) -> Store:
    from hushrank.collector.store.postgres.store import PostgresStore

    return await PostgresStore.open(address)

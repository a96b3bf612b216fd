"""Connect to a store's PostgreSQL database, durable, of the newest schema."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeAlias
from urllib.parse import urlsplit

from hushrank.collector.store.batches import ServerAway
from hushrank.collector.store.migrations import missing, steps
from hushrank.collector.store.store import StoreFailure
from hushrank.errors import HushrankError, needs_extra, require

Connection: TypeAlias = Any  # of asyncpg, which ships no types
Pool: TypeAlias = Any

LOCKS = 0x68757368
"""Of all advisory locks in the database, those of this class are ours: "hush"."""

_MOST_CONNECTIONS = 8
_PATIENCE = 10.0
"""Seconds to wait for the server when the store is opened, and for others when it is closed."""
_LONGEST = 60.0
"""Seconds that a statement may take, unless it says otherwise."""
UNLIMITED = 1e9
"""Seconds for a statement that may take as long as it takes: asyncpg takes None for _LONGEST."""


async def open_pool(address: str, known: tuple[str, ...] | None = None) -> Pool:
    """Connect, bring the database to the newest schema, and return a pool of connections.

    The store's tables are in the schema `hushrank` of the database.
    Raises HushrankError where the server cannot be reached, does not let us in, or might lose what
    it has acknowledged; no message holds the address, which may hold a password.
    """
    with _connecting(address):
        pool = await _pool(address, {})
        try:
            async with pool.acquire() as lent:
                is_durable = await _is_durable(lent)
                await _migrate(lent, steps("postgres") if known is None else known)
        except BaseException:
            await pool.close()
            raise
        if is_durable:
            return pool
        await pool.close()
        return await _pool(address, {"synchronous_commit": "on"})


async def close_pool(pool: Pool) -> None:
    """End the connections, those too that somebody does not give back."""
    try:
        async with asyncio.timeout(_PATIENCE):
            await pool.close()
    except TimeoutError:
        pool.terminate()


@contextmanager
def failures() -> Iterator[None]:
    """Turn what goes wrong in PostgreSQL into StoreFailure, which quotes no value."""
    asyncpg = _asyncpg()
    away = (
        asyncpg.PostgresConnectionError,
        asyncpg.OperatorInterventionError,  # such as a shutdown
        asyncpg.InterfaceError,
        asyncpg.InternalClientError,  # such as a statement just when the connection is cut
        OSError,
        TimeoutError,
    )
    try:
        yield
    except (asyncpg.PostgresError, *away) as error:
        kind = ServerAway if isinstance(error, away) else StoreFailure
        failure = kind(f"the store failed: {type(error).__name__}")
    else:
        return
    raise failure


@asynccontextmanager
async def connection(pool: Pool) -> AsyncIterator[Connection]:
    """Lend a connection on which each statement is a transaction of its own."""
    with failures():
        async with pool.acquire() as lent:
            yield lent


@asynccontextmanager
async def transaction(pool: Pool) -> AsyncIterator[Connection]:
    """Lend a connection for one transaction, which is committed at the end."""
    async with connection(pool) as lent, lent.transaction(isolation="read_committed"):
        yield lent


def _asyncpg() -> Any:
    try:
        import asyncpg
    except ImportError:
        raise needs_extra("a store in PostgreSQL", "collector") from None
    return asyncpg


async def _keep_as_it_is(connection: Connection) -> None:
    """Do nothing to a connection that is given back: no session state is ever set."""


async def _pool(address: str, settings: dict[str, str]) -> Pool:
    return await _asyncpg().create_pool(
        address,
        min_size=1,
        max_size=_MOST_CONNECTIONS,
        timeout=_PATIENCE,
        command_timeout=_LONGEST,
        server_settings=settings,
        reset=_keep_as_it_is,
    )


async def _is_durable(connection: Connection) -> bool:
    """Return whether a commit waits for the disk. Raises HushrankError where none ever does."""
    fsync, commit = await connection.fetchrow(
        "SELECT current_setting('fsync'), current_setting('synchronous_commit')"
    )
    require(
        fsync == "on", "store: the server runs with fsync off and may lose what it acknowledged"
    )
    return bool(commit != "off")


async def _migrate(connection: Connection, known: tuple[str, ...]) -> None:
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1, 0)", LOCKS, timeout=UNLIMITED)
        if not await connection.fetchval("SELECT to_regnamespace('hushrank') IS NOT NULL"):
            await connection.execute(
                "CREATE SCHEMA hushrank;"
                " CREATE TABLE hushrank.schema_version AS SELECT 0 AS version"
            )
        require(
            await connection.fetchval("SELECT to_regclass('hushrank.schema_version') IS NOT NULL"),
            "store: the database has a schema named hushrank that is not ours",
        )
        version = await connection.fetchval("SELECT version FROM hushrank.schema_version")
        for script in missing(version, known, "store"):
            await connection.execute(script, timeout=UNLIMITED)  # it may write all reports anew
        if version < len(known):
            await connection.execute("UPDATE hushrank.schema_version SET version = $1", len(known))


@contextmanager
def _connecting(address: str) -> Iterator[None]:
    asyncpg = _asyncpg()
    try:
        yield
    except (asyncpg.PostgresError, OSError, TimeoutError) as error:
        words = _SAID.get(type(error).__name__, "expected a PostgreSQL server that lets us in")
        message = f"store: {words} ({type(error).__name__}) at {_server(address)}"
    except (asyncpg.InterfaceError, ValueError):
        message = "store: expected postgresql://user:password@host:port/database"
    else:
        return
    raise HushrankError(message)


_SAID = {
    "InvalidPasswordError": "the PostgreSQL server does not take this user and password",
    "InvalidAuthorizationSpecificationError": "the PostgreSQL server does not take this user",
    "InvalidCatalogNameError": "there is no such database; make it with createdb",
    "InsufficientPrivilegeError": "the user may not make the schema hushrank in the database",
    "ConnectionRefusedError": "no PostgreSQL server answers",
    "TimeoutError": "no PostgreSQL server answers in time",
    "TooManyConnectionsError": "the PostgreSQL server has no connection left",
}


def _server(address: str) -> str:
    """Return host and port of the address, and nothing else of it."""
    try:
        parts = urlsplit(address)
        return f"{parts.hostname or 'the local socket'}:{parts.port or 5432}"
    except ValueError:
        return "its address"

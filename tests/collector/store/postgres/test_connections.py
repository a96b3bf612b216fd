import asyncio

import asyncpg
import pytest

from hushrank.collector.store.batches import ServerAway
from hushrank.collector.store.migrations import steps
from hushrank.collector.store.opening import open_store
from hushrank.collector.store.postgres import connections
from hushrank.collector.store.postgres.connections import failures, open_pool
from hushrank.errors import HushrankError
from tests.collector.store import version_1
from tests.collector.store.running import on_store, open_survey

pytestmark = pytest.mark.end_to_end  # it starts a server

SECOND = "ALTER TABLE hushrank.surveys ADD COLUMN note text NOT NULL DEFAULT '';"


@pytest.fixture
def old(server, database):
    """A database of version 1."""
    name = database.partition("@/")[2].partition("?")[0]
    server.run("psql", "-q", "-v", "ON_ERROR_STOP=1", "-f", str(version_1.POSTGRES), name)
    return database


def opened(address, known):
    """Bring the database to the newest of some schemas."""

    async def run():
        pool = await open_pool(address, known)
        await pool.close()

    asyncio.run(run())


def value(address, sql):
    async def run():
        connection = await asyncpg.connect(address)
        try:
            return await connection.fetchval(sql)
        finally:
            await connection.close()

    return asyncio.run(run())


def test_a_store_of_version_1_is_opened_with_all_that_is_in_it(old):
    on_store(old, version_1.check)
    assert value(old, "SELECT version FROM hushrank.schema_version") == len(steps("postgres"))


def test_an_old_store_gets_each_step_that_it_lacks_once(old):
    for _ in range(2):
        opened(old, (steps("postgres")[0], SECOND))
        assert value(old, "SELECT version FROM hushrank.schema_version") == 2
    assert value(old, "SELECT note FROM hushrank.surveys") == ""


def test_reports_of_rounds_that_ended_long_ago_are_sorted_when_the_store_is_opened(old):
    add = "INSERT INTO hushrank.answers VALUES ({}, 1, 0, 0, 0, '')"
    for number in (1007, 1003, 1005):
        value(old, add.format(number))
    opened(old, steps("postgres"))
    lies = "SELECT array_agg(number ORDER BY ctid) FROM hushrank.answers WHERE number > 1000"
    assert value(old, lies) == [1003, 1005, 1007]


def test_a_step_may_take_as_long_as_it_takes(old, monkeypatch):
    monkeypatch.setattr(connections, "_LONGEST", 2.0)
    opened(old, (steps("postgres")[0], "DO 'BEGIN PERFORM pg_sleep(3); END';"))
    assert value(old, "SELECT version FROM hushrank.schema_version") == 2


def test_a_step_that_fails_leaves_the_store_as_it_was(old):
    with pytest.raises(HushrankError, match="UndefinedTableError"):
        opened(old, (steps("postgres")[0], SECOND + "INSERT INTO missing VALUES (1)"))
    assert value(old, "SELECT version FROM hushrank.schema_version") == 1
    on_store(old, version_1.check)


def test_a_store_of_a_newer_hushrank_is_refused(old):
    opened(old, (*steps("postgres"), SECOND))
    with pytest.raises(HushrankError, match=r"written by a newer hushrank.*update hushrank"):
        asyncio.run(open_store(old))
    assert value(old, "SELECT version FROM hushrank.schema_version") == len(steps("postgres")) + 1


def test_a_schema_of_somebody_else_is_left_alone(database):
    value(database, "CREATE SCHEMA hushrank")
    with pytest.raises(HushrankError, match="a schema named hushrank that is not ours"):
        asyncio.run(open_store(database))


def test_several_processes_make_one_store(database):
    async def open_all():
        stores = await asyncio.gather(*(open_store(database) for _ in range(5)))
        await open_survey(stores[0])
        for store in stores:
            assert (await store.load("s")).blob == b"blob"
            await store.close()

    asyncio.run(open_all())


def test_a_server_that_may_lose_what_it_acknowledged_is_refused(server, database):
    value(database, "ALTER SYSTEM SET fsync = off")
    value(database, "SELECT pg_reload_conf()")
    try:
        while value(database, "SELECT current_setting('fsync')") == "on":
            continue  # the server takes a moment to read its settings
        with pytest.raises(HushrankError, match="fsync off"):
            asyncio.run(open_store(database))
    finally:
        value(database, "ALTER SYSTEM RESET fsync")
        value(database, "SELECT pg_reload_conf()")


def test_commits_are_durable_where_the_database_says_otherwise(database):
    value(database, "ALTER ROLE hushrank SET synchronous_commit = off")
    try:

        async def scenario(store):
            shown = "SELECT current_setting('synchronous_commit')"
            assert await store._pool.fetchval(shown) == "on"

        on_store(database, scenario)
    finally:
        value(database, "ALTER ROLE hushrank RESET synchronous_commit")


def test_a_statement_just_when_the_connection_is_cut_says_that_the_server_is_away():
    with pytest.raises(ServerAway), failures():
        raise asyncpg.InternalClientError("cannot switch to state 12; another operation (2)")


def test_a_database_that_is_missing_is_told_in_words(server):
    with pytest.raises(HushrankError, match="there is no such database; make it with createdb"):
        asyncio.run(open_store(server.address("missing")))

import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.collector.store.postgres_server import NoPostgres, Server, postgres_server

_NUMBERS = count()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A PostgreSQL server, which ends with the tests."""
    try:
        with postgres_server() as running:
            yield running
    except NoPostgres as why:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(why))


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.end_to_end)])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a new store, of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'store.sqlite'}"
    running: Server = request.getfixturevalue("server")
    return running.new_database(f"test{next(_NUMBERS)}")

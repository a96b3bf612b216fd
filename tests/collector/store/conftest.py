import os
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from hushrank.collector.store.batches import Batches
from hushrank.collector.store.sqlite.writer import Writer
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


@pytest.fixture
def served(monkeypatch):
    """The sizes of batches; one that fails is followed by as many of one as it had."""
    sizes = []
    for kind, name in ((Batches, "_do"), (Writer, "_outcomes")):
        serve = getattr(kind, name)

        def counted(self, batch, *way, serve=serve):
            sizes.append(len(batch))
            return serve(self, batch, *way)

        monkeypatch.setattr(kind, name, counted)
    return sizes

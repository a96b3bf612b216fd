from itertools import count

import pytest

from tests.collector.store.postgres_server import Server

_NUMBERS = count()


@pytest.fixture
def database(server: Server) -> str:
    """The address of an empty database."""
    return server.new_database(f"empty{next(_NUMBERS)}")

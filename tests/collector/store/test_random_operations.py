import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.collector.store.places import Place, PostgresPlace, SqlitePlace
from tests.collector.store.postgres_server import Server, in_memory
from tests.collector.store.sequences import follow

pytestmark = pytest.mark.end_to_end

N_SEQUENCES = int(os.environ.get("HUSHRANK_STORE_SEQUENCES", "200"))
"""For each store; `make check` runs 400, and `make test-stores` 200,000."""
FIRST_SEED = int(os.environ.get("HUSHRANK_TEST_SEED", "0"))
N_TESTS = 4
"""For several processors."""
AT_ONCE = 4


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory, where there is one: no machine dies here."""
    made = Path(tempfile.mkdtemp(dir=in_memory()))
    yield made
    shutil.rmtree(made)


@pytest.mark.parametrize("nth", range(N_TESTS))
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_store_does_what_the_model_does(kind, nth, folder, request):
    """Sequences of uploads, replays, conflicts, clock steps, rounds, crashes, restarts, backups."""
    seeds = iter(range(FIRST_SEED + nth, FIRST_SEED + N_SEQUENCES, N_TESTS))

    def place(lane: Path) -> Place:
        if kind == "sqlite":
            return SqlitePlace(lane)
        server: Server = request.getfixturevalue("server")
        return PostgresPlace(server.new_database(f"lane{os.getpid()}_{next(_LANES)}"))

    async def run(lane: Path, place: Place) -> int:
        n_steps = sum([await follow(place, seed, lane) for seed in seeds])
        await place.end()
        return n_steps

    async def all_lanes() -> list[int]:
        lanes = [folder / str(lane) for lane in range(AT_ONCE)]
        for lane in lanes:
            lane.mkdir()
        return await asyncio.gather(*(run(lane, place(lane)) for lane in lanes))

    assert sum(asyncio.run(all_lanes())) > 5 * N_SEQUENCES / N_TESTS


_LANES = count()

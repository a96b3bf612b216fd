"""One random sequence of operations on a store and on the model, which must not differ."""

import asyncio
from copy import deepcopy
from pathlib import Path
from random import Random

from tests.collector.store.model import ModelStore
from tests.collector.store.operations import READS, Operation, Operations, Side, outcome, told
from tests.collector.store.places import Place
from tests.collector.store.running import open_round

LENGTH = 40
EVENTS = {"restart": 1, "crash": 1, "beside": 1, "restore": 1}
"""What happens to the store itself, and to no model."""


async def follow(place: Place, seed: int, folder: Path) -> int:
    """Run one sequence; return how many operations it had. Raises AssertionError."""
    sequence = Sequence(place, seed, folder)
    await sequence.run()
    return sequence.step


class Sequence:
    """A store, its model, and what is done with both."""

    def __init__(self, place: Place, seed: int, folder: Path) -> None:
        self.place, self.folder, self.seed = place, folder, seed
        self.random = Random(seed)
        self.operations = Operations(self.random)
        self.model = Side(ModelStore())
        self.step = 0

    async def run(self) -> None:
        self.side = Side(await self.place.new())
        try:
            for survey in ("s", "t"):  # so that something happens in short sequences
                await self.do("create", lambda side, survey=survey: side.store.create(survey, b""))
                await self.do("open", lambda side, survey=survey: open_round(side.store, survey, 0))
            for _ in range(self.random.randrange(LENGTH)):
                if self.random.random() < self.place.event_share:
                    await self.happen()
                else:
                    await self.do(*self.operations.draw())
            await self.compare(*READS)
        finally:
            await self.place.leave(self.side.store)

    async def do(self, name: str, operation: Operation) -> None:
        """Do the same with both."""
        self.step += 1
        found, expected = await outcome(operation, self.side), await outcome(operation, self.model)
        assert found == expected, self.words(name)

    async def happen(self) -> None:
        """Let something happen to the store."""
        self.step += 1
        names = [name for name in EVENTS if self.place.can_back_up or name != "restore"]
        await getattr(self, self.random.choice(names))()
        await self.compare("surveys", "kinds", "counts")

    async def restart(self) -> None:
        await self.side.store.close()
        self.side.store = await self.place.reopen()

    async def crash(self) -> None:
        """Die while somebody uploads: afterwards it is there or not, and can be sent again."""
        operation = self.operations.unheard()
        unheard = asyncio.create_task(outcome(operation, self.side))
        await asyncio.sleep(self.random.choice((0, 0, 0.001)))
        self.side.store = await self.place.crash(self.side.store)
        await asyncio.gather(unheard, return_exceptions=True)
        found, expected = await outcome(operation, self.side), await outcome(operation, self.model)
        assert found == expected or (found, expected) == (["same"], ["new"]), self.words("crash")

    async def beside(self) -> None:
        """Let another process do something."""
        mine = self.side.store
        self.side.store = await self.place.reopen()
        try:
            await self.do("beside", self.operations.draw()[1])
        finally:
            await self.side.store.close()
            self.side.store = mine

    async def restore(self) -> None:
        """Go on from a backup as if nothing had happened since."""
        backup = self.folder / "backup"
        await self.side.store.backup(backup)
        before = deepcopy(self.model), list(self.side.given)
        await self.do("after the backup", self.operations.draw()[1])
        await self.side.store.close()
        self.side.store = await self.place.restore(backup)
        self.model, self.side.given = before
        backup.unlink()

    async def compare(self, *names: str) -> None:
        """Compare what both tell."""
        now = self.operations.now
        for name in names:
            found, expected = [
                await told(each.store, name, now) for each in (self.side, self.model)
            ]
            assert found == expected, self.words(name)

    def words(self, name: str) -> str:
        return f"seed {self.seed}, step {self.step}: {name}"

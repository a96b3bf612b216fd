"""A process that is killed: it works on a store as fast as it can and says what was acknowledged.

    python -m tests.collector.store.busy_process ADDRESS FIRST

Each thing that the store acknowledged is one line on standard output, written at once. Names are
whole numbers from FIRST on: of a person, and of what they report.
"""

import asyncio
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from itertools import count

from hushrank.collector.store.opening import open_store
from hushrank.collector.store.store import Answer, Incoming, Store
from hushrank.errors import HushrankError
from tests.collector.store.running import KEY, NOW, open_round, person

SURVEY = "s"
CALLERS = 24
DECKS = 3
TALLIES = b"tallies"
SECONDS_A_ROUND = 0.2


def answers(name: int) -> tuple[Answer, ...]:
    """Return what a person reports: each answer says whose it is and how many there are."""
    n_answers = 1 + name % 3
    return tuple(Answer(0, n, b"%d of %d, %d" % (n, n_answers, name)) for n in range(n_answers))


@dataclass
class Work:
    """The store, and the round in which this process is."""

    store: Store
    round: int = 0

    async def resume(self) -> None:
        """Go on where a process that was killed has stopped."""
        with suppress(HushrankError):  # the survey is there
            await self.store.create(SURVEY, b"")
        while await self.store.round(SURVEY, self.round + 1):
            self.round += 1
        await open_round(self.store, SURVEY, self.round)

    async def ask(self, names: "count[int]") -> None:
        """Let people join and report, one after another."""
        for name in names:
            place = await self.store.join(SURVEY, round := self.round, name % DECKS, person(name))
            if place:
                say("joined", name, round, place.number, place.position)
                upload = Incoming(SURVEY, round, place.number, answers(name), KEY)
                (became,) = await self.store.accept([upload], now=NOW)
                say(became, name, round, place.number)
            else:
                await asyncio.sleep(0.01)  # the next round opens soon

    async def turn_rounds(self) -> None:
        """Close the open round and open the next, again and again."""
        while True:
            await asyncio.sleep(SECONDS_A_ROUND)
            await self.store.close_round(SURVEY, self.round)
            say("closed", self.round, (await self.store.counts(SURVEY, self.round)).reported)
            await self.store.keep_tallies(SURVEY, self.round, TALLIES)
            say("kept", self.round)
            if await open_round(self.store, SURVEY, self.round + 1):  # else another did just then
                self.round += 1


async def main(address: str, first: int) -> None:
    """Work until killed."""
    work, names = Work(await open_store(address)), count(first)
    await work.resume()
    say("ready")
    await asyncio.gather(work.turn_rounds(), *(work.ask(names) for _ in range(CALLERS)))


def say(*words: object) -> None:
    """Write a line at once and as a whole."""
    os.write(1, f"{' '.join(map(str, words))}\n".encode())


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))

import asyncio
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random

import pytest

from hushrank.collector.store.opening import open_store
from hushrank.collector.store.store import Incoming, Store
from tests.collector.store.busy_process import SURVEY, TALLIES, answers
from tests.collector.store.postgres_server import NoPostgres, Server, postgres_server
from tests.collector.store.running import KEY, NOW, kinds, person

pytestmark = pytest.mark.end_to_end

N_KILLS = int(os.environ.get("HUSHRANK_STORE_KILLS", "5"))
KILLS_OF_A_STORE = 10
"""Then a new store is taken: it takes longer and longer to check all of one."""
LONGEST = 0.6
"""Seconds of work before a process is killed; rounds change in less."""
ROOT = Path(__file__).parents[3]


class Busy:
    """A process at work, and what it said."""

    def __init__(self, address: str, first: int) -> None:
        command = [sys.executable, "-m", "tests.collector.store.busy_process", address, str(first)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)

    def await_ready(self) -> None:
        assert self.process.stdout
        assert self.process.stdout.readline() == "ready\n"

    def kill(self) -> list[list[str]]:
        """Kill it as it is; return the lines that it wrote."""
        self.process.kill()
        said, _ = self.process.communicate()
        return [line.split() for line in said.splitlines(keepends=True) if line.endswith("\n")]


async def check(address: str, said: list[list[str]], closed: dict[int, int]) -> None:
    """Check that all that was acknowledged is there, and nothing twice."""
    store = await open_store(address)
    try:
        for words in said:
            if words[0] == "closed" and len(words) == 3:  # no upload that came too late
                closed[int(words[1])] = int(words[2])
        await check_rounds(store, closed)
        await check_reports(store, said)
        await check_joined(store, said)
        for words in said:
            if words[0] == "kept":
                kept = await store.round(SURVEY, int(words[1]))
                assert kept
                assert kept.tallies == TALLIES
    finally:
        await store.close()


async def check_rounds(store: Store, closed: dict[int, int]) -> None:
    """Every report is whole and counted once, and a closed round never changes."""
    for round in count():
        found = await store.round(SURVEY, round)
        if not found:
            break
        reported = (await store.counts(SURVEY, round)).reported
        answered: Counter[str] = Counter()
        for (_, nth, report), times in (await kinds(store, SURVEY, round)).items():
            assert times == 1
            words = report.decode().replace(",", "").split()
            assert int(words[0]) == nth
            answered[words[3]] += 1
        assert all(n_answers == 1 + int(name) % 3 for name, n_answers in answered.items())
        assert len(answered) == reported
        assert reported == sum(each.reports for each in await store.progress(SURVEY, round))
        assert closed.get(round, reported) == reported
        assert not (round in closed and found.is_open)


async def check_reports(store: Store, said: list[list[str]]) -> None:
    """Whoever was told "new" has their report, whoever was told "closed" has none."""
    for told, stored in (("new", "same"), ("closed", "closed")):
        sent = [
            Incoming(SURVEY, int(round), int(number), answers(int(name)), KEY)
            for outcome, name, round, number in (words for words in said if len(words) == 4)
            if outcome == told
        ]
        if told == "closed":  # so that nothing is added to a round that is open
            sent = [one for one in sent if not await is_open(store, one.round)]
        assert set(await store.accept(sent, now=NOW)) <= {stored}


async def check_joined(store: Store, said: list[list[str]]) -> None:
    """Nobody has another's place, and whoever joined an open round keeps theirs."""
    places = [tuple(map(int, words[1:])) for words in said if words[0] == "joined"]
    assert len({number for _, _, number, _ in places}) == len(places)
    of_deck = defaultdict(list)
    for name, round, _, position in places:
        of_deck[round, name % 3].append(position)
    for positions in of_deck.values():
        assert len(set(positions)) == len(positions)
    last = max((round for _, round, _, _ in places), default=0)
    for name, round, number, position in places:
        if round == last and await is_open(store, round):
            kept = await store.join(SURVEY, round, 99, person(name))
            assert kept
            assert (kept.number, kept.position, kept.is_new) == (number, position, False)


async def is_open(store: Store, round: int) -> bool:
    found = await store.round(SURVEY, round)
    return bool(found and found.is_open)


def kill_again_and_again(addresses: Iterator[str], n_processes: int, server: Server | None) -> int:
    """Kill processes at random times; return how many reports were acknowledged before."""
    random, n_acknowledged, closed = Random(N_KILLS), 0, {}
    for kill in range(N_KILLS):
        if kill % KILLS_OF_A_STORE == 0:
            address, closed = next(addresses), {}
        busy = [Busy(address, (kill * n_processes + n) * 10**6) for n in range(n_processes)]
        for process in busy:
            process.await_ready()
        time.sleep(random.uniform(0, LONGEST))
        if server and kill % 5 == 4:
            server.crash()
        said = [words for process in busy for words in process.kill()]
        if server and kill % 5 == 4:
            server.start()
        asyncio.run(check(address, said, closed))
        n_acknowledged += sum(words[0] == "new" for words in said)
    return n_acknowledged


def test_sqlite_keeps_what_it_acknowledged_when_its_process_is_killed(tmp_path):
    files = (str(tmp_path / f"{n}.sqlite") for n in count())
    assert kill_again_and_again(files, 1, None) > 10 * N_KILLS


def test_postgres_keeps_what_it_acknowledged_when_processes_or_the_server_are_killed():
    try:
        with postgres_server() as server:
            databases = (server.new_database(f"crashes{n}") for n in count())
            assert kill_again_and_again(databases, 2, server) > 10 * N_KILLS
    except NoPostgres as why:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(why))

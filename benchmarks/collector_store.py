"""Stores of live collections: durable reports a second, and a million of them counted.

Run by its own command, `make bench-stores`, which writes the page: it needs both cores, a disk, and
PostgreSQL.
"""

import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from harness import Row, Series, check, is_quick, table

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from hushrank.collector.store.numbers import number_of  # noqa: E402
from hushrank.collector.store.opening import open_store  # noqa: E402 (after the path)
from hushrank.collector.store.store import Answer, Incoming, NewRound, Store  # noqa: E402
from tests.collector.store.postgres_server import NoPostgres, postgres_server  # noqa: E402

PAGE = ROOT / "docs" / "benchmarks" / "collector_stores.md"
INTRODUCTION = """# The stores of a live collector

Written by `make bench-stores`; do not edit. The stores alone, without HTTP, called by one process;
[the whole collector](collector.md) has a page of its own. Times are those of the wall clock,
medians with the least and the most in brackets; callers and store share {cores} cores, and the load
average of the machine was {before:.1f} before and {after:.1f} after. Files are on a disk whose
fsync takes {fsync:.1f} ms. A caller asks again as soon as its commit is acknowledged. To count
means to read all reports of a round and say how many there are of each kind; what a protocol learns
from them comes after.
"""
NOW = datetime(2026, 11, 22, tzinfo=UTC)
REPETITIONS = 5
CHECKED = "all were acknowledged as new, and the counts of the store are those that were sent"


@dataclass(frozen=True)
class Bench:
    """One store, and what is measured on it."""

    name: str
    address: str
    size: int
    """How many reports are stored to be counted."""
    surveys: Iterator[int] = field(default_factory=count)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    async def rows(self) -> list[Row]:
        """Measure everything."""
        store = await open_store(self.address)
        try:
            rows = [row for callers in (64, 256) for row in await self.singles(store, callers)]
            rows += [await self.joins(store), await self.batches(store)]
            rows.append(
                await self.counting(store, "of 5,760 kinds", lambda n: b"%d" % (n // 240 % 24))
            )
            rows.append(
                await self.counting(
                    store, "all different", lambda n: b'{"hash":"%032x","value":%d}' % (n, n % 16)
                )
            )
            return rows
        finally:
            await store.close()

    async def singles(self, store: Store, n_callers: int) -> list[Row]:
        """Measure callers who send one report each, again and again."""
        rates, halves, lates = [], [], []
        for _ in range(REPETITIONS + 1):
            waits, spent = await self._callers(store, n_callers, self._sending(store))
            rates.append(len(waits) / spent)
            halves.append(1000 * waits[len(waits) // 2])
            lates.append(1000 * waits[len(waits) * 99 // 100])
        task = f"{self.name}: {n_callers} callers, a report each"
        late = 100.0 if n_callers == 256 else None
        return [
            Row(task, "reports/s", 4000, Series(rates[1:]), checked=CHECKED),
            Row(f"{task}: median wait", "ms", None, Series(halves[1:])),
            Row(f"{task}: 99th percentile of waits", "ms", late, Series(lates[1:])),
        ]

    async def joins(self, store: Store) -> Row:
        """Measure people who join."""

        async def joining(survey: str) -> None:
            person = next(self.numbers).to_bytes(32, "big")
            place = await store.join(survey, 0, 0, person)
            check(place and place.is_new, "join: expected a new place")

        rates = []
        for _ in range(REPETITIONS + 1):
            waits, spent = await self._callers(store, 256, joining)
            rates.append(len(waits) / spent)
        checked = "every place is new, and the store counts as many"
        task = f"{self.name}: 256 callers, a person each"
        return Row(task, "joins/s", None, Series(rates[1:]), checked=checked)

    async def batches(self, store: Store) -> Row:
        """Measure a backend that sends a thousand reports at a time, four times at once."""
        rates, n_requests = [], max(self.size // 50_000, 1)
        for _ in range(REPETITIONS + 1):
            survey = await self._survey(store)
            callers = [
                [[self._upload(survey, b"7") for _ in range(1000)] for _ in range(n_requests)]
                for _ in range(4)
            ]
            begin = time.perf_counter()
            await asyncio.gather(*(self._requests(store, requests) for requests in callers))
            rates.append(4000 * n_requests / (time.perf_counter() - begin))
        task = f"{self.name}: 4 callers, 1,000 reports each"
        return Row(task, "reports/s", 60_000, Series(rates[1:]), checked=CHECKED)

    async def _requests(self, store: Store, requests: Iterable[Sequence[Incoming]]) -> None:
        for sent in requests:
            told = await store.accept(sent, now=NOW)
            check(Counter(told) == {"new": len(sent)}, "accept: expected new ones")

    async def counting(self, store: Store, which: str, report: Callable[[int], bytes]) -> Row:
        """Measure how long it takes to count stored reports."""
        survey = await self._survey(store)
        for start in range(0, self.size, 10_000):
            sent = [self._upload(survey, report(start + n)) for n in range(10_000)]
            await store.accept(sent, now=NOW)
        spent = []
        for _ in range(REPETITIONS):
            begin = time.perf_counter()
            found = 0
            async for kinds in store.kinds(survey, 0):
                found += sum(kinds.times.values())
            spent.append(time.perf_counter() - begin)
            check(found == self.size, "kinds: expected all reports")
        task = f"{self.name}: {self.size:,} reports counted, {which}"
        return Row(task, "s", 2.0, Series(spent), checked="their number is that of the reports")

    def _sending(self, store: Store) -> Callable[[str], Awaitable[None]]:
        async def send(survey: str) -> None:
            told = await store.accept([self._upload(survey, b"7")], now=NOW)
            check(told == ["new"], "accept: expected a new one")

        return send

    async def _callers(
        self, store: Store, n_callers: int, ask: Callable[[str], Awaitable[None]]
    ) -> tuple[list[float], float]:
        """Let callers ask; return how long each waited, sorted, and how long all took."""
        survey = await self._survey(store)
        waits: list[float] = []

        async def caller() -> None:
            for _ in range(max(self.size // 50_000, 1)):
                begin = time.perf_counter()
                await ask(survey)
                waits.append(time.perf_counter() - begin)

        begin = time.perf_counter()
        await asyncio.gather(*(caller() for _ in range(n_callers)))
        spent = time.perf_counter() - begin
        counts = await store.counts(survey, 0)
        check(counts.joined + counts.reported == len(waits), "counts: expected as many")
        return sorted(waits), spent

    async def _survey(self, store: Store) -> str:
        survey = f"survey-{next(self.surveys)}"
        await store.create(survey, b"")
        await store.save(survey, b"", 1, opens=NewRound(0, b""))
        return survey

    def _upload(self, survey: str, report: bytes) -> Incoming:
        number = number_of(next(self.numbers))
        return Incoming(survey, 0, number, (Answer(0, number % 240, report),), os.urandom(16))


def main() -> None:
    """Measure each store that there is, and write the page."""
    size = 20_000 if is_quick() else 1_000_000
    before = os.getloadavg()[0]
    with ExitStack() as stack:
        folder = stack.enter_context(_folder())
        fsync = _fsync(folder)
        rows = asyncio.run(Bench("SQLite", str(folder / "store.sqlite"), size).rows())
        try:
            server = stack.enter_context(postgres_server(on_disk=True))
        except NoPostgres as why:
            rows.append(Row("PostgreSQL", "reports/s", None, skipped=str(why)))
        else:
            bench = Bench("PostgreSQL", server.new_database("bench"), size)
            rows += asyncio.run(bench.rows())
    about = {"cores": os.cpu_count() or 1, "before": before, "after": os.getloadavg()[0]}
    page = f"{INTRODUCTION.format(fsync=fsync, **about)}\n\n{table(rows)}\n"
    if is_quick():
        sys.stdout.write(page)
    else:
        PAGE.write_text(page, encoding="utf-8")


@contextmanager
def _folder() -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp())
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _fsync(folder: Path) -> float:
    """Return how many milliseconds it takes until 4 KiB more of a file are on the disk."""
    waits = []
    with open(folder / "fsync", "wb", buffering=0) as file:
        for _ in range(200):
            file.write(bytes(4096))
            begin = time.perf_counter()
            os.fsync(file.fileno())
            waits.append(time.perf_counter() - begin)
    return 1000 * sorted(waits)[100]


if __name__ == "__main__":
    main()

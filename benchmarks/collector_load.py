"""A live collector under load, over loopback HTTP: `make bench-collector` writes the page.

Clients and the collector, and PostgreSQL where it is the store, share the machine's cores. An
answer counts when it says 201, and in the end the store must have as many reports as answers.
"""

import asyncio
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import uvloop
from environments import ROOT
from harness import Row, Series, check, is_quick, table

sys.path.insert(0, str(ROOT))

from hushrank.collector.draft import make_draft
from hushrank.collector.service import Service
from hushrank.collector.store.numbers import number_of
from hushrank.collector.store.opening import open_store
from hushrank.collector.tokens import Assignment, sign
from tests.collector.store.postgres_server import NoPostgres, postgres_server

PAGE = ROOT / "docs" / "benchmarks" / "collector.md"
REPETITIONS = 5
LINES, SENDERS = 1_000, 4
LOAD = "{:.1f} before and {:.1f} after"
INTRODUCTION = """# A live collector under load

Written by `make bench-collector`; do not edit. Wall-clock time over loopback HTTP, after one run
that is not counted; medians, with the least and the most in brackets. Clients, the collector (one
process) and the store share {cores} cores; the load average of the machine was {load}{rank}. Every
answer waits for its durable commit. A run is {size:,} reports; all connections open in the same
moment, and the slowest waits are those of their first requests. The processor's time is that of
the collector's process alone, user and system: it is what a report costs whatever else the machine
does.

"""
CHECKED = "every answer said 201, and the store has as many reports as there were answers"


@dataclass(frozen=True)
class Collector:
    """A collector that runs, and the survey that it asks."""

    name: str
    store: str
    port: int
    process: int
    survey: str
    fingerprint: str
    n_categories: Sequence[int]
    keys: dict[int, bytes]


class Numbers:
    """Assignments that nobody had: the store takes their numbers as they come."""

    last = 0


def uploads(collector: Collector, n_uploads: int) -> list[bytes]:
    """Return uploads of as many people, as a device would send them."""
    made = []
    for _ in range(n_uploads):
        Numbers.last += 1
        question = random.randrange(len(collector.n_categories))
        place = Assignment(
            collector.survey, 0, 0, number_of(Numbers.last), Numbers.last, (question,)
        )
        value = random.randrange(collector.n_categories[question])
        report = {
            "version": 2,
            "survey": collector.fingerprint,
            "question": question,
            "report": value,
        }
        body = {
            "assignment": sign(place, collector.keys),
            "idempotency_key": os.urandom(16).hex(),
            "reports": [report],
        }
        made.append(msgspec.json.encode(body))
    return made


def request(collector: Collector, path: str, media_type: str, body: bytes) -> bytes:
    """Return the bytes of a request."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{collector.port}\r\n"
    head += f"Content-Type: {media_type}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


class Caller(asyncio.Protocol):
    """A connection that sends one request after another."""

    def __init__(self, requests: Iterator[bytes], waits: list[float], status: bytes) -> None:
        """Send `requests`, note how long each waited, and expect `status` of all."""
        self._requests, self._waits, self._status = requests, waits, status
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.last = b""
        self._got = b""

    def connection_made(self, transport: Any) -> None:
        """Begin."""
        self._transport = transport
        self._next()

    def data_received(self, data: bytes) -> None:
        """Take an answer in, and ask again when it is whole."""
        self._got += data
        head, end, body = self._got.partition(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head)
        if end and length and len(body) >= int(length[1]):
            self._waits.append(time.perf_counter() - self._begun)
            if not head.startswith(b"HTTP/1.1 " + self._status):
                self.done.set_exception(RuntimeError(head[:12].decode()))
                return
            self.last, self._got = body, b""
            self._next()

    def connection_lost(self, error: Exception | None) -> None:
        """Fail, unless all was sent."""
        if not self.done.done():
            self.done.set_exception(error or ConnectionError("hung up"))

    def _next(self) -> None:
        self._begun = time.perf_counter()
        sent = next(self._requests, None)
        if sent is not None:
            self._transport.write(sent)
        elif not self.done.done():
            self.done.set_result(None)

    def close(self) -> None:
        """Hang up."""
        self._transport.close()


async def send(
    collector: Collector, requests: Sequence[bytes], n_connections: int, status: bytes
) -> tuple[float, list[float]]:
    """Send requests over so many connections; return how long all took, and each, sorted."""
    loop = asyncio.get_running_loop()
    waits: list[float] = []
    left = iter(requests)
    begin = time.perf_counter()
    callers = [
        (await loop.create_connection(lambda: Caller(left, waits, status), "127.0.0.1", port))[1]
        for port in [collector.port] * n_connections
    ]
    await asyncio.gather(*(caller.done for caller in callers))
    spent = time.perf_counter() - begin
    for caller in callers:
        caller.close()
    return spent, sorted(waits)


async def singles(collector: Collector, n_connections: int, size: int) -> list[Row]:
    """Measure devices that send a report each."""
    rates, halves, lates, slowest, costs = [], [], [], [], []
    for _ in range(REPETITIONS + 1):
        bodies = uploads(collector, size)
        sent = [request(collector, "/v1/reports", "application/json", body) for body in bodies]
        before = processor_seconds(collector.process)
        spent, waits = await send(collector, sent, n_connections, b"201")
        costs.append(1e6 * (processor_seconds(collector.process) - before) / size)
        rates.append(size / spent)
        halves.append(1_000 * waits[size // 2])
        lates.append(1_000 * waits[size * 99 // 100])
        slowest.append(1_000 * waits[-1])
    task = f"{collector.name}: {n_connections} connections, a report each"
    late = 100.0 if n_connections == 256 else None
    return [
        Row(task, "reports/s", 4_000, Series(rates[1:]), checked=CHECKED),
        Row(f"{task}: median wait", "ms", None, Series(halves[1:])),
        Row(f"{task}: 99th percentile of waits", "ms", late, Series(lates[1:])),
        Row(f"{task}: slowest wait", "ms", None, Series(slowest[1:])),
        Row(f"{task}: processor", "µs", None, Series(costs[1:])),
    ]


async def batches(collector: Collector, size: int) -> list[Row]:
    """Measure a backend that sends a thousand reports a request."""
    rates, costs = [], []
    n_requests = max(size // LINES, SENDERS)
    for _ in range(REPETITIONS + 1):
        bodies = [b"\n".join(uploads(collector, LINES)) for _ in range(n_requests)]
        path, media_type = "/v1/reports/batch", "application/x-ndjson"
        sent = [request(collector, path, media_type, body) for body in bodies]
        before = processor_seconds(collector.process)
        spent, _ = await send(collector, sent, SENDERS, b"200")
        n_reports = LINES * n_requests
        costs.append(1e6 * (processor_seconds(collector.process) - before) / n_reports)
        rates.append(n_reports / spent)
    task = f"{collector.name}: {SENDERS} connections, {LINES:,} reports a request"
    return [
        Row(task, "reports/s", 60_000, Series(rates[1:]), checked=CHECKED),
        Row(f"{task}: processor", "µs", None, Series(costs[1:])),
    ]


async def memory(collector: Collector, n_connections: int) -> list[Row]:
    """Measure what open connections take."""
    before = resident_megabytes(collector.process)
    asked = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    connections = []
    for _ in range(n_connections):
        reader, writer = await asyncio.open_connection("127.0.0.1", collector.port)
        writer.write(asked)
        await reader.readuntil(b"}")
        connections.append(writer)
    after = resident_megabytes(collector.process)
    for writer in connections:
        writer.close()
    name = f"{collector.name}: memory"
    return [
        Row(f"{name} after the load above", "MB", None, Series([before])),
        Row(f"{name} with {n_connections:,} connections open", "MB", None, Series([after])),
    ]


async def measure(collector: Collector, size: int) -> list[Row]:
    """Measure everything of a collector that runs."""
    rows = [row for n in (64, 256) for row in await singles(collector, n, size)]
    rows += await batches(collector, size)
    rows += await memory(collector, 1_000)
    store = await open_store(collector.store)
    try:
        found = (await store.counts(collector.survey, 0)).reported
    finally:
        await store.close()
    check(found == Numbers.last, f"expected {Numbers.last} reports in the store, got {found}")
    body = uploads(collector, 1)[0]
    rows.append(Row(f"{collector.name}: a report", "bytes", 400, Series([len(body)])))
    return rows


async def prepare(address: str) -> tuple[str, str, list[int], dict[int, bytes]]:
    """Open a survey of 10 items in a store; return what assignments of it need."""
    fields = {
        "title": "Load",
        "items": [{"name": f"item {number}"} for number in range(10)],
        "asked_by": "a benchmark",
        "purpose": "",
        "contact": "nobody",
        "privacy_notice": "",
        "expected_people": 100_000,
    }
    store = await open_store(address)
    try:
        service = Service(store)
        survey = await service.create(make_draft(fields))
        await service.open(survey)
        await service.rotate_key()
        keys = {key.number: key.key for key in await store.signing_keys()}
        asked = msgspec.json.decode(await service.announcement(survey))["first_round"][0]
        document = msgspec.json.decode(await service.document(survey, 0, 0))
    finally:
        await store.close()
    mechanisms = document["head"]["mechanisms"]
    sizes = [mechanisms[one["mechanism"]]["n_categories"] for one in document["questions"]]
    return survey, asked, sizes, keys


@contextmanager
def running(name: str, address: str, folder: Path) -> Iterator[Collector]:
    """Run a collector as its administrator would."""
    survey, fingerprint, sizes, keys = asyncio.run(prepare(address))
    command = [sys.executable, "-m", "hushrank", "serve", "--store", address, "--port", "0"]
    command += ["--backend", "127.0.0.1"]
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log)
        try:
            assert process.stdout is not None
            said = process.stdout.readline().decode()
            port = int(said.rpartition(":")[2])
            pid = process.pid
            yield Collector(name, address, port, pid, survey, fingerprint, sizes, keys)
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(20)
            process.kill()
            process.communicate()


def processor_seconds(process: int) -> float:
    """Return the user and system time of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_megabytes(process: int) -> float:
    """Return the resident memory of a process."""
    status = Path(f"/proc/{process}/status").read_text()
    kilobytes = next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]
    return int(kilobytes) / 1_000


def rank() -> str:
    """Say whether this run went before what else ran on the machine."""
    group = Path("/proc/self/autogroup")
    nice = int(group.read_text().split()[-1]) if group.exists() else 0
    return f", and this run went before what else ran (nice {nice})" if nice else ""


def rows_of(name: str, address: str, folder: Path, size: int) -> list[Row]:
    """Run a collector over a store and measure it."""
    Numbers.last = 0
    with running(name, address, folder) as collector:
        return uvloop.run(measure(collector, size))


def main() -> None:
    """Measure a collector on each store that there is, and write the page."""
    size = 1_000 if is_quick() else 50_000
    before = os.getloadavg()[0]
    with ExitStack() as stack:
        folder = Path(tempfile.mkdtemp())
        stack.callback(shutil.rmtree, folder)
        rows = rows_of("SQLite", str(folder / "collector.sqlite"), folder, size)
        try:
            server = stack.enter_context(postgres_server(on_disk=True))
        except NoPostgres as why:
            rows.append(Row("PostgreSQL", "reports/s", None, skipped=str(why)))
        else:
            rows += rows_of("PostgreSQL", server.new_database("bench"), folder, size)
    cores = os.cpu_count() or 1
    load = LOAD.format(before, os.getloadavg()[0])
    page = f"{INTRODUCTION.format(cores=cores, load=load, size=size, rank=rank())}{table(rows)}\n"
    if is_quick():
        sys.stdout.write(page)
    else:
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()

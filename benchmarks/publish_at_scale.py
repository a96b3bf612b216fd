"""What a publication of many users takes: time, memory of all processes, and disk, step by step.

    python benchmarks/publish_at_scale.py FOLDER USERS RECORDS [WORKERS]

Activity on 10,000 items is made up and written as Parquet, in any order, as a log has it; who is
who stands in a CSV file. Memory is what all processes hold together, shared pages once. The release
is removed.
"""

import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from shutil import rmtree
from subprocess import PIPE, Popen
from threading import Event, Thread
from time import perf_counter

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from hushrank.activities.profile_files import read_profiles
from hushrank.engines.tasks import Workers
from hushrank.workflows.publish.files import publish_files

N_ITEMS, RECORDS_OF_A_FILE, RECORDS_OF_A_GROUP = 10_000, 2**23, 2**20
LOOK = 0.5
"""Seconds between looks at memory."""
GIGABYTE = 1e9


def write_input(folder: Path, n_users: int, n_records: int) -> None:
    """Write who did what; each user has a record, and the others are anybody's.

    A few items have most of the records; half of the users like other items than the others do.
    """
    rng = np.random.default_rng(1)
    (folder / "visits").mkdir(parents=True)
    is_other = rng.random(n_users) < 0.5
    ends = np.cumsum(1 / (np.arange(N_ITEMS) + 20.0))
    for number, start in enumerate(range(0, n_records, RECORDS_OF_A_FILE)):
        rows = np.arange(start, min(start + RECORDS_OF_A_FILE, n_records))
        users = np.where(rows < n_users, rows * 7_368_787 % n_users, 0)
        users[rows >= n_users] = rng.integers(n_users, size=int((rows >= n_users).sum()))
        items = np.searchsorted(ends, rng.random(len(rows)) * ends[-1])
        turned = is_other[users] & (rng.random(len(rows)) < 0.3)
        items[turned] = (items[turned] + N_ITEMS // 2) % N_ITEMS
        table = pa.table({"user": users + 1, "item": items.astype(np.int16)})
        path = folder / "visits" / f"{number:04}.parquet"
        parquet.write_table(table, path, row_group_size=RECORDS_OF_A_GROUP)
    write_people(folder / "people.csv", is_other)


def write_people(path: Path, is_other: NDArray[np.bool_]) -> None:
    """Write who is of which kind."""
    kinds = ("one", "other")
    with path.open("w") as file:
        file.write("user,kind\n")
        file.writelines(f"{n + 1},{kinds[int(other)]}\n" for n, other in enumerate(is_other))


def publish(folder: Path, n_workers: int) -> None:
    """Publish the activity in a folder, and say when which step begins."""
    print("reading people", flush=True)
    people = read_profiles(folder / "people.csv")
    told = {"scratch": folder, "private": ["kind"], "budget": 0.02}
    publish_files(
        folder / "visits",
        people,
        folder / "released",
        workers=Workers("processes", n_workers),
        progress=lambda step: None if hasattr(step, "share") else print(step, flush=True),
        **told,  # type: ignore[arg-type]
    )
    spent = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    seconds = [each.ru_utime + each.ru_stime for each in spent]
    print(f"processor seconds: {seconds[0]:.0f} here, {seconds[1]:.0f} in workers", flush=True)


class Watch:
    """The most that a process and its children held, since it was asked last."""

    def __init__(self, process: int, folder: Path) -> None:
        """Begin to look."""
        self._process, self._folder, self._over = process, folder, Event()
        self._most = (0.0, 0.0, 0.0)
        self._thread = Thread(target=self._look)
        self._thread.start()

    def most(self) -> tuple[float, float, float]:
        """Return gigabytes of all processes, of the one that calls, and of the scratch folder."""
        most, self._most = self._most, (0.0, 0.0, 0.0)
        return most

    def end(self) -> None:
        """Look no more."""
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(LOOK):
            own = memory_of(self._process)
            total = own + sum(map(memory_of, children_of(self._process)))
            now = total, own, size_of(self._folder)
            self._most = tuple(map(max, zip(self._most, now, strict=True)))  # type: ignore[assignment]


def memory_of(process: int) -> float:
    """Return gigabytes that a process holds, its part of shared ones; 0 where it has ended."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024 / GIGABYTE


def children_of(process: int) -> Sequence[int]:
    """Return the processes that a process started."""
    try:
        tasks = [*Path(f"/proc/{process}/task").iterdir()]
        return [int(each) for task in tasks for each in (task / "children").read_text().split()]
    except OSError:
        return []


def size_of(folder: Path) -> float:
    """Return gigabytes of the scratch folder in a folder."""
    found = 0
    for path in folder.glob("hushrank-*/*"):
        try:
            found += path.stat().st_size
        except OSError:
            continue
    return found / GIGABYTE


def main(folder: Path, n_users: int, n_records: int, n_workers: int) -> None:
    """Print what each step took."""
    if not (folder / "people.csv").exists():
        write_input(folder, n_users, n_records)
    rmtree(folder / "released", ignore_errors=True)
    command = [sys.executable, __file__, "--publish", str(folder), str(n_workers)]
    began = last = perf_counter()
    step = "starting"
    with Popen(command, stdout=PIPE, text=True) as process:
        watch = Watch(process.pid, folder)
        for line in chain(process.stdout or (), ["end"]):
            now, most = perf_counter(), watch.most()
            print(
                f"{step:40} {now - last:7.1f} s; GB at most: {most[0]:5.2f} in all processes,"
                f" {most[1]:5.2f} in the one that calls, {most[2]:5.2f} on the disk",
                flush=True,
            )
            step, last = line.strip(), now
        watch.end()
    released = sum(path.stat().st_size for path in (folder / "released").iterdir()) / GIGABYTE
    print(f"{perf_counter() - began:.0f} s in all; {released:.2f} GB were released")
    rmtree(folder / "released")


if __name__ == "__main__":
    if sys.argv[1] == "--publish":
        publish(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        main(Path(sys.argv[1]), *map(int, sys.argv[2:4]), int((sys.argv[4:] or ["2"])[0]))

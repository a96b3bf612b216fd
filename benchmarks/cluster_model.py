"""Where more cores stop paying: a model of Dask's scheduler, beside what it does with idle tasks.

    python benchmarks/cluster_model.py

One scheduler hands tasks out one after the other; a worker imports, then works, one task at a
time; sums of 16 go to a task each. The model is a simulation of these events. It is checked with
tasks that sleep, on a real scheduler, so that what else runs on the machine hardly matters.
"""

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from heapq import heapify, heapreplace

import dask
from distributed import LocalCluster

from hushrank.engines.tasks import FAN_IN, Workers

STARTING = 2.2
"""Seconds of a processor until a worker has imported what it needs."""


@dataclass(frozen=True)
class Job:
    """So many tasks of so many seconds of one core each."""

    name: str
    n_tasks: int
    seconds: float

    @property
    def alone(self) -> float:
        """Seconds of one process that needs no scheduler."""
        return self.n_tasks * self.seconds


JOBS = (
    Job("1e9 reports", 120, 8.4e6 / 77e6),
    Job("1e10 reports", 1200, 8.4e6 / 77e6),
    Job("1e9 ballots of 10", 1910, 5.2e5 / 5.0e6),
    Job("1e9 people by short cut, a round", 3820, 5.2e5 / 4.0e6),
)
"""Their rates are those of docs/scaling.md; people are looked at once, and asked once."""


def predicted(job: Job, n_cores: int, *, a_task: float, starting: float = STARTING) -> float:
    """Return the seconds until the sum is known; a_task: of the scheduler, for each task."""
    free, handed_out = [starting] * n_cores, 0.0
    heapify(free)
    level, ends = [job.seconds] * job.n_tasks, 0.0
    while True:
        done = []
        for seconds in level:
            handed_out = max(handed_out, ends) + a_task
            done.append(max(free[0], handed_out) + seconds)
            heapreplace(free, done[-1])
        ends = max(done)
        if len(level) == 1:
            return ends
        level = [0.001] * -(-len(level) // FAN_IN)


def pays_until(job: Job, *, a_task: float) -> int:
    """Return with how many cores, of powers of two, a doubling still saves a fifth of the time."""
    cores = 1
    while predicted(job, 2 * cores, a_task=a_task) < 0.8 * predicted(job, cores, a_task=a_task):
        cores *= 2
    return cores


def asleep(seconds: float, piece: int) -> int:
    """Sleep, as a task that another core works on."""
    time.sleep(seconds)
    return piece


def measured(n_threads: int, n_tasks: int, seconds: float) -> tuple[float, float]:
    """Return wall seconds, and the processor's of client and scheduler, of tasks that sleep."""
    with LocalCluster(
        n_workers=1, threads_per_worker=n_threads, processes=False, dashboard_address=None
    ) as cluster:
        workers = Workers(cluster.scheduler_address)
        workers.add_up(asleep, 0.0, range(4))
        wall, own = time.perf_counter(), time.process_time()
        workers.add_up(asleep, seconds, range(n_tasks))
        return time.perf_counter() - wall, time.process_time() - own


def main(cores: Sequence[int]) -> None:
    """Print what was measured beside the model, and what the model says of more cores."""
    waited, busy = (each / 2000 for each in measured(2, 2000, 0.0))
    print(
        f"an empty task: {1000 * busy:.2f} ms of a processor, {1000 * waited:.2f} ms as it is busy"
    )
    for n_threads, n_tasks, seconds in ((1, 30, 0.5), (2, 60, 0.5), (16, 240, 1.0), (128, 640, 2)):
        wall, _ = measured(n_threads, n_tasks, seconds)
        job = Job("asleep", n_tasks, seconds)
        stated = predicted(job, n_threads, a_task=waited, starting=0.0)
        print(f"{n_threads:4} at once, {n_tasks} of {seconds} s: {wall:.2f} s, model {stated:.2f}")
    for job in JOBS:
        of_cores = partial(predicted, job, a_task=busy)
        each = ", ".join(f"{n}: {of_cores(n):.1f} s" for n in cores)
        until = pays_until(job, a_task=busy)
        print(f"{job.name}: alone {job.alone:.0f} s; {each}; pays until {until}")


if __name__ == "__main__":
    with dask.config.set({"distributed.logging.distributed": 50}):
        main([int(each) for each in sys.argv[1:]] or [1, 2, 16, 128, 1000])

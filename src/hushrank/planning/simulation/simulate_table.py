"""Simulate the table of predictions: `python -m hushrank.planning.simulation.simulate_table`.

Families named behind it are simulated anew; without a name, what the table lacks; with `--items`
only where people rank so many. The same seeds give the same table, however many processes, or
workers of Dask, share the work:
`python -m hushrank.planning.simulation.simulate_table --engine dask --scheduler tcp://host:8786`.
"""

from argparse import ArgumentParser
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from multiprocessing import get_context

import numpy as np
from numpy.typing import NDArray

from hushrank.engines.tasks import Workers
from hushrank.errors import require
from hushrank.planning.grid import (
    ITEMS,
    LEAST_DISTANCE,
    LEAST_EXCESS,
    LEAST_RELATIVE_EXCESS,
    PRECISE,
    GridPoint,
    Task,
    seed_of,
    tasks,
)
from hushrank.planning.populations import ReferencePopulation
from hushrank.planning.simulation.people import People
from hushrank.planning.simulation.trials import Trial, trial_of
from hushrank.planning.table import (
    TABLE,
    Record,
    key_of,
    points_of,
    read_records,
    write_records,
)

N_PROCESSES = 2
MANY_PEOPLE = 100_000
N_CROWDS, N_CROWDS_OF_MANY, N_CROWDS_KEPT = 8, 2, 32
"""How many crowds are drawn from a population; repetitions take them in turn."""


def simulate_table(
    families: Sequence[str], workers: Workers | None = None, *, n_items: Sequence[int] = ()
) -> None:
    """Simulate the families anew, or what is missing; write the table after each task.

    workers: where tasks run; None: in two processes of this machine, without Dask.
    n_items: of which numbers of items; none: of all.
    """
    unknown = [family for family in families if family not in ITEMS]
    require(not unknown, f"expected families of {', '.join(ITEMS)}, got {', '.join(unknown)}")
    known = set() if families else {(each.key, each.points) for each in read_records()}
    every = chain.from_iterable(map(tasks, families or ITEMS))
    some = (task for task in every if not n_items or task.n_items in n_items)
    chosen = [task for task in some if (key_of(task), points_of(task)) not in known]
    if workers is not None:
        workers.each(_simulated, None, chosen, lambda _, record: _keep(record))
        return
    with get_context("spawn").Pool(N_PROCESSES) as pool:
        for record in pool.imap_unordered(simulate_task, chosen):
            _keep(record)


def _keep(record: Record) -> None:
    """Write the table with one more record, or with another one of the same task."""
    kept = [other for other in read_records() if other.key != record.key]
    write_records([*kept, record])
    print(f"{record.track}, {record.items} items, {record.population}", flush=True)


def _simulated(_: None, task: Task) -> Record:
    return simulate_task(task)


def simulate_task(task: Task) -> Record:
    """Return the mean errors at every point of a task."""
    means = [_mean_errors(task, point) for point in task.points]
    return Record.of(task, np.array(means))


def _mean_errors(task: Task, point: GridPoint) -> NDArray[np.float64]:
    strength, n_people = point
    rng = np.random.default_rng(seed_of(task.track, task.population.name, task.n_items, point))
    n_crowds = N_CROWDS if n_people < MANY_PEOPLE else N_CROWDS_OF_MANY
    least, most = task.repetitions
    trials: list[Trial] = []
    while len(trials) < least or (len(trials) < most and not _is_precise(task, trials)):
        people = _crowd(task.population, task.n_items, n_people, len(trials) % n_crowds)
        trials.append(trial_of(task.track)(people, strength, rng))
    means: NDArray[np.float64] = _errors(trials).mean(axis=0)
    return means


@lru_cache(maxsize=N_CROWDS_KEPT)
def _crowd(population: ReferencePopulation, n_items: int, n_people: int, number: int) -> People:
    """Draw people: the same for all tracks and families."""
    seed = seed_of("people", population.name, n_items, (number, n_people))
    drawn = population.draw(n_people, n_items, rng=np.random.default_rng(seed))
    return People(drawn, prefer_nothing=population.name == "uniform")


def _is_precise(task: Task, trials: Sequence[Trial]) -> bool:
    """Whether the means of distance and excess are known well enough, where there are any.

    Where nobody prefers anything an excess is all but noise, and small: it is not waited for.
    """
    if len(trials) < 2:
        return False
    n_known = 1 if task.population.name == "uniform" and task.family != "uniform" else 2
    errors = _errors(trials)[:, :n_known]
    doubts = errors.std(axis=0, ddof=1) / np.sqrt(len(trials))
    least = LEAST_RELATIVE_EXCESS if task.has_relative_excess else LEAST_EXCESS
    allowed = PRECISE * np.maximum(errors.mean(axis=0), (LEAST_DISTANCE, least)[:n_known])
    return not (doubts > allowed).any()  # nan is not above


def _errors(trials: Sequence[Trial]) -> NDArray[np.float64]:
    return np.array([(each.distance, each.excess, each.half_width) for each in trials])


def _main() -> None:
    parser = ArgumentParser(prog="python -m hushrank.planning.simulation.simulate_table")
    parser.add_argument("families", nargs="*", help=f"of {', '.join(ITEMS)}")
    parser.add_argument("--items", nargs="+", type=int, default=(), help="how many people rank")
    parser.add_argument("--engine", choices=("local", "dask"), default="local")
    parser.add_argument("--scheduler", help="Dask: threads, processes or tcp://host:8786")
    parser.add_argument("--workers", type=int, help="how many threads or processes")
    asked = parser.parse_args()
    scheduler = asked.scheduler or "processes"
    on_dask = Workers(scheduler, asked.workers) if asked.engine == "dask" else None
    simulate_table(asked.families, on_dask, n_items=asked.items)


if __name__ == "__main__":
    _main()
    print(f"wrote {TABLE}")

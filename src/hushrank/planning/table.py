"""The table of simulated errors that stands beside this file."""

from collections.abc import Iterable
from math import isnan
from pathlib import Path
from typing import Literal, TypeAlias, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from hushrank.files.disk import replace_file
from hushrank.planning.grid import GridPoint, Task

TABLE = Path(__file__).with_name("table.jsonl")

PlannedQuantity: TypeAlias = Literal["distance", "excess", "half_width"]
QUANTITIES: tuple[PlannedQuantity, ...] = get_args(PlannedQuantity)
Key: TypeAlias = tuple[str, int, str]


class Record(msgspec.Struct, frozen=True):
    """The mean errors of one task, point by point; None where the track has none of the kind."""

    track: str
    items: int
    population: str
    points: tuple[GridPoint, ...]
    distance: tuple[float, ...] | None
    excess: tuple[float, ...] | None
    half_width: tuple[float, ...] | None

    @classmethod
    def of(cls, task: Task, means: NDArray[np.float64]) -> "Record":
        """Take means (points; distance, excess, half-width), to three digits."""
        return cls(*key_of(task), points_of(task), *map(_numbers, means.T.tolist()))

    @property
    def key(self) -> Key:
        """What it is about."""
        return self.track, self.items, self.population


def key_of(task: Task) -> Key:
    """Return the key of a task's record."""
    return task.track, task.n_items, task.population.name


def points_of(task: Task) -> tuple[GridPoint, ...]:
    """Return its points as the table has them."""
    return tuple((_rounded(strength), n_people) for strength, n_people in task.points)


def read_records() -> tuple[Record, ...]:
    """Read the table; empty where there is none yet."""
    if not TABLE.exists():
        return ()
    lines = TABLE.read_bytes().splitlines()
    return tuple(msgspec.json.decode(line, type=Record) for line in lines)


def write_records(records: Iterable[Record]) -> None:
    """Write the table, one line a record."""
    lines = [msgspec.json.encode(record) for record in sorted(records, key=lambda one: one.key)]
    replace_file(TABLE, b"\n".join([*lines, b""]), secret=False)


def _numbers(means: list[float]) -> tuple[float, ...] | None:
    return None if isnan(means[0]) else tuple(map(_rounded, means))


def _rounded(number: float) -> float:
    return float(f"{number:.3g}")

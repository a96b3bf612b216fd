"""Errors that fall the more is known: what rises among neighbours is noise, and averaged."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from hushrank.planning.grid import BY_INFORMATION, BY_LOSS
from hushrank.planning.table import QUANTITIES, Record
from hushrank.protocols.registry import MECHANISMS

N_TURNS = 3
BY_EPSILON = ("safari", *MECHANISMS)
FALLING = (*BY_LOSS, *BY_EPSILON, *BY_INFORMATION)


Kind: TypeAlias = tuple[str, int, str]
"""What records must share to be smoothed together."""


def kind_of(record: Record) -> Kind:
    """Return the family, or else the track, with items and population."""
    family = record.track.split("/")[0]
    return family if family in BY_EPSILON else record.track, record.items, record.population


def smoothed(records: Sequence[Record]) -> tuple[Record, ...]:
    """Return the records of one kind with falling errors, if they are of a protocol.

    Each row of errors is replaced by the nearest falling row in least squares, where a record's
    points stand in order of what is known; for protocols simulated at every epsilon this is done
    along epsilon too, in turns. Half-widths that are parts of others need not fall. Nor need the
    errors of max-entropy in the uniform population, because its prior is right before anybody has
    answered.
    """
    family, population = records[0].track.split("/")[0], records[0].population
    knows_before = family == "max-entropy" and population == "uniform"
    some = sorted(records, key=lambda record: record.points[0][0])
    return tuple(_falling(some) if family in FALLING and not knows_before else some)


def _falling(records: list[Record]) -> Iterator[Record]:
    changed: list[dict[str, tuple[float, ...]]] = [{} for _ in records]
    for quantity in QUANTITIES:
        rows = [getattr(record, quantity) for record in records]
        is_part = quantity == "half_width" and records[0].track.split("/")[0] in BY_INFORMATION
        if rows[0] is None or is_part:
            continue
        for values, row in zip(changed, _fall(np.array(rows)), strict=True):
            values[quantity] = tuple(row.tolist())
    for record, values in zip(records, changed, strict=True):
        yield msgspec.structs.replace(record, **values)


def _fall(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Make values (epsilons, points) fall along both axes: points stand in order of reach."""
    falling = values
    for _ in range(N_TURNS if len(values) > 1 else 1):
        falling = _fall_along(_fall_along(falling).T).T
    return falling


def _fall_along(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    if rows.shape[1] == 1:
        return rows
    from scipy.optimize import isotonic_regression  # slow to load

    return np.array([isotonic_regression(row, increasing=False).x for row in rows])

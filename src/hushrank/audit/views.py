"""At what of a release an attacker may look: whole rows, single numbers, how two of them differ."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hushrank.audit.subject import Observations

Rows: TypeAlias = NDArray[np.float64]

MOST_COLUMNS = 12
"""Pairs of more columns than that are not looked at: their number would grow as its square."""
NOTHING = -(2.0**60)
"""Stands for nan, which is equal to nothing."""


@dataclass(frozen=True)
class View:
    """One number for each release (draws,), by name. `is_plain`: one that is there as it is."""

    name: str
    of: Callable[[Rows], Rows]
    is_plain: bool = False


def views_of(seen: Observations) -> Iterator[View]:
    """Yield what to look at in observations of this width."""
    width = table_of(seen).shape[1]
    for column in range(width):
        yield View(f"number {column}", partial(_number, column), is_plain=True)
        yield View(f"last bit of number {column}", partial(_last_bit, column))
        yield View(f"fraction of number {column}", partial(_fraction, column))
    for one, other in combinations(range(min(width, MOST_COLUMNS)), 2):
        yield View(f"number {one} less {other}", partial(_difference, one, other))
        yield View(f"number {one} plus {other}", partial(_sum, one, other))
    if width > 1:
        yield View("whole row", whole_row)


def _number(column: int, rows: Rows) -> Rows:
    return rows[:, column]


def _last_bit(column: int, rows: Rows) -> Rows:
    return last_bit(rows[:, column])


def _fraction(column: int, rows: Rows) -> Rows:
    return rows[:, column] % 1


def _difference(one: int, other: int, rows: Rows) -> Rows:
    return rows[:, one] - rows[:, other]


def _sum(one: int, other: int, rows: Rows) -> Rows:
    return rows[:, one] + rows[:, other]


def table_of(seen: Observations) -> Rows:
    """Return observations as floats (draws, columns), which hold whole numbers up to 2^53."""
    return seen.reshape(len(seen), -1).astype(np.float64)


def last_bit(numbers: Rows) -> Rows:
    """Return the exponent of the lowest binary digit that is set: how fine a number is.

    Source: Mironov (CCS 2012), what floating-point noise betrays.
    """
    finite = np.where(np.isfinite(numbers), numbers, 0.0)
    mantissas, exponents = np.frexp(finite)
    whole = np.abs(np.ldexp(mantissas, 53)).astype(np.int64)
    trailing = np.log2(np.maximum(whole & -whole, 1))
    return np.where(whole == 0, NOTHING, exponents - 53 + trailing)


def whole_row(rows: Rows) -> Rows:
    """Return a number for each row that equal rows share: a hash of 52 bits, the same anywhere."""
    bits = np.ascontiguousarray(rows + 0.0).view(np.uint64)
    mixed = np.zeros(len(rows), dtype=np.uint64)
    for column in range(bits.shape[1]):
        mixed = (mixed ^ bits[:, column]) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return (mixed >> np.uint64(12)).astype(np.float64)

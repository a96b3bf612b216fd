"""Reports, counted here and not in the database.

A database would sort all of them, or spill them to the disk, when most are different, as hashed
reports are; and to read them takes it as long as to count them.
"""

from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from hushrank.collector.store.store import Kind

Row: TypeAlias = tuple[int, int, bytes, int]
"""Part, question and report of an answer, and 1."""

ROWS_AT_ONCE = 2**12
"""Others have their turn after so many; with more, Python's collector of garbage has more to do."""

MOST_KINDS = 2**17
"""At a time in memory: with more of them, what is counted so far is given away."""


class Counting:
    """Counts rows, as long as there are fewer kinds than rows by far."""

    def __init__(self) -> None:
        """Begin with none."""
        self._times: Counter[Row] = Counter()
        self._n_rows = 0
        self._is_worth_it = True

    def add(self, rows: Sequence[Row]) -> list[Kind]:
        """Count some rows; return what there is no room for."""
        if not self._is_worth_it:
            return [tuple.__new__(Kind, row) for row in rows]  # Kind(*row) takes twice as long
        self._times.update(rows)
        self._n_rows += len(rows)
        if len(self._times) < MOST_KINDS:
            return []
        self._is_worth_it = self._n_rows > 2 * MOST_KINDS
        return self.take()

    def take(self) -> list[Kind]:
        """Return what was counted since this was last called."""
        counted, self._times, self._n_rows = self._times, Counter(), 0
        return [
            tuple.__new__(Kind, (part, question, report, times))
            for (part, question, report, _), times in counted.items()
        ]

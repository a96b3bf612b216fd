"""Reports, counted here and not in the database.

A database would sort all of them, or spill them to the disk, when most are different, as hashed
reports are; and to read them takes it as long as to count them.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import TypeAlias

from hushrank.collector.store.store import Kinds

Row: TypeAlias = tuple[int, int, bytes]
"""Part, question and report of an answer."""

ROWS_AT_ONCE = 2**12
"""Others have their turn after so many; with more, Python's collector of garbage has more to do."""

MOST_KINDS = 2**17
"""At a time in memory: with more of them, what is counted so far is given away."""


class Counting:
    """Counts the reports to each question, some at a time: a question is looked up once for many.

    Cost: a list's append and a counter's update for each report, both in C.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._waiting: defaultdict[tuple[int, int], list[bytes]] = defaultdict(list)
        self._n_waiting = 0
        self._times: defaultdict[tuple[int, int], Counter[bytes]] = defaultdict(Counter)

    def add(self, rows: Iterable[Row]) -> list[Kinds]:
        """Count some rows; return what there is no room for."""
        waiting, n_rows = self._waiting, 0
        for part, question, report in rows:
            waiting[part, question].append(report)
            n_rows += 1
        self._n_waiting += n_rows
        if self._n_waiting < MOST_KINDS:
            return []
        self._count()
        n_kinds = sum(map(len, self._times.values()))
        return self.take() if n_kinds >= MOST_KINDS else []

    def take(self) -> list[Kinds]:
        """Return what was counted since this was last called."""
        self._count()
        counted, self._times = self._times, defaultdict(Counter)
        return [Kinds(part, question, times) for (part, question), times in counted.items()]

    def _count(self) -> None:
        for question, reports in self._waiting.items():
            self._times[question].update(reports)
        self._waiting.clear()
        self._n_waiting = 0

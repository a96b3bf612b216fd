"""Which event tells two inputs apart best, learnt from draws that then prove nothing."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from hushrank.audit.bounds import loss_at_least
from hushrank.audit.subject import Observations
from hushrank.audit.views import NOTHING, Rows, View, table_of, views_of

Score: TypeAlias = Callable[[Rows], Rows]

MOST_VALUES = 4096
"""Of a view: each has a ratio of its own. More of them are put into bins of equal size."""
BINS = 64
THRESHOLDS = 64


@dataclass(frozen=True, eq=False)
class Event:
    """The releases whose score reaches a threshold. `of_first`: the first input shows it oftener.

    expected: the loss in nats that the draws which chose it would prove.
    """

    view: str
    score: Score
    threshold: float
    of_first: bool
    expected: float

    def happens(self, seen: Observations) -> int:
        """Return in how many observations it happens."""
        scores = self.score(table_of(seen))
        sign = 1 if self.of_first else -1
        return int((sign * scores >= self.threshold).sum())


@dataclass(frozen=True, eq=False)
class _Ratios:
    """Log-ratios of how often two inputs show each value of a view; 0 for values never seen."""

    view: View
    edges: Rows
    logs: Rows
    is_exact: bool

    @classmethod
    def learnt(cls, view: View, one: Rows, other: Rows) -> "_Ratios":
        values = [_plain(view.of(rows)) for rows in (one, other)]
        edges = np.unique(np.concatenate(values))
        is_exact = len(edges) <= MOST_VALUES
        if not is_exact:
            edges = np.unique(np.quantile(edges, np.arange(1, BINS) / BINS, method="lower"))
        places = [np.searchsorted(edges, each, side="left") for each in values]
        counts = [np.bincount(each, minlength=len(edges) + 1) + 0.5 for each in places]
        return cls(view, edges, np.log(counts[0] / counts[1]), is_exact)

    def __call__(self, rows: Rows) -> Rows:
        values = _plain(self.view.of(rows))
        places = np.searchsorted(self.edges, values, side="left")
        known = np.append(self.edges, np.inf)[places] == values
        scores: Rows = np.where(known | (not self.is_exact), self.logs[places], 0.0)
        return scores


def best_event(one: Observations, other: Observations, *, delta: float, error: float) -> Event:
    """Return the event that promises the largest loss, from draws of two inputs.

    Half of the draws teach the ratios of each view, the other half chooses view and threshold.
    """
    rows = [table_of(each) for each in (one, other)]
    half = min(map(len, rows)) // 2
    taught, chosen = [each[:half] for each in rows], [each[half : 2 * half] for each in rows]
    events = (
        event
        for name, score in _scores(taught[0], taught[1])
        for event in _thresholds(name, score, chosen, delta, error)
    )
    return max(events, key=lambda event: event.expected)


def _scores(one: Rows, other: Rows) -> Iterator[tuple[str, Score]]:
    """Yield the scores of all views, and the sum of those of single numbers: naive Bayes."""
    alone = []
    for view in views_of(one):
        ratios = _Ratios.learnt(view, one, other)
        yield view.name, ratios
        if view.is_plain:
            alone.append(ratios)
    if len(alone) > 1:
        yield "all numbers together", lambda rows: np.sum([each(rows) for each in alone], axis=0)


def _thresholds(
    name: str, score: Score, chosen: list[Rows], delta: float, error: float
) -> Iterator[Event]:
    first, second = (score(rows) for rows in chosen)
    for of_first in (True, False):
        ours, theirs = (first, second) if of_first else (-second, -first)
        values = np.unique(ours)
        steps = values[np.linspace(0, len(values) - 1, min(THRESHOLDS, len(values))).astype(int)]
        hits, others = (
            len(each) - np.searchsorted(np.sort(each), steps, side="left")
            for each in (ours, theirs)
        )
        losses = loss_at_least(hits, others, len(ours), delta=delta, error=error)
        best = int(losses.argmax())
        yield Event(name, score, float(steps[best]), of_first, float(losses[best]))


def _plain(values: Rows) -> Rows:
    return np.where(np.isnan(values), NOTHING, values)

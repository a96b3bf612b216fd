"""One round of a collection: who answers what, and the tallies of their reports."""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Answers, Counts, Ranks
from hushrank.engines.crowd import rows_of
from hushrank.errors import HushrankError
from hushrank.mechanisms.local import Reporting, SimulatedRows, SimulatedTally, Tally
from hushrank.questions.relative_order import RelativeOrder
from hushrank.randomness import Randomness
from hushrank.surveys.assignment import assign_questions
from hushrank.surveys.survey import Survey, Tallies

Report: TypeAlias = Callable[[Reporting, Answers, Counts], Counts]
"""Lets people report answers (people, ...), sorted by question: the supports (questions, k).

The third argument is where each question begins, and where the last one ends.
"""


def collect(survey: Survey, ranks: Ranks, rng: Randomness, report: Report, n_batch: int) -> Tallies:
    """Let the people of `ranks` answer the survey, `n_batch` of them at a time."""
    starts = range(0, len(ranks), n_batch)
    batches = (ranks[start : start + n_batch] for start in starts)
    items = survey.items_at_once
    if items is None:
        return _collect_in_turn(survey, batches, rng, report)
    return _collect_at_once(survey, items, batches, rng, report)


def simulate_each(
    mechanism: Reporting, categories: Answers, ends: Counts, *, rng: np.random.Generator
) -> Counts:
    """Draw supports (questions, k) without the reports, from categories sorted by question."""
    if isinstance(mechanism, SimulatedRows):
        rows = (categories[start:end] for start, end in pairwise(ends.tolist()))
        each = [mechanism.simulate_rows(some, rng=rng).support for some in rows]
        return np.stack(each).astype(np.int64)
    if not isinstance(mechanism, SimulatedTally):
        raise HushrankError(f"{type(mechanism).__name__} has no tally short cut")
    k = mechanism.n_categories
    slices = (categories[start:end] for start, end in pairwise(ends.tolist()))
    counts = (np.bincount(some, minlength=k) for some in slices)
    drawn = [mechanism.simulate_tally(each, rng=rng).support for each in counts]
    return np.stack(drawn).astype(np.int64)


def _collect_at_once(
    survey: Survey,
    items: NDArray[np.intp],
    batches: Iterable[Ranks],
    rng: Randomness,
    report: Report,
) -> Tallies:
    """Sort the people by question, and let them all answer in one pass.

    The order of some items is that of their ranks alone, whichever items they are.
    """
    mechanism, question = survey.mechanisms[0], RelativeOrder(tuple(range(items.shape[1])))
    supports = np.zeros((len(items), mechanism.n_categories), dtype=np.int64)
    n_reports = np.zeros(len(items), dtype=np.int64)
    for ranks in batches:
        for people, ends in _sorted_by_question(survey, len(ranks), rng):
            named = _ranks_of_items(ranks, people, np.repeat(items, np.diff(ends), axis=0))
            supports += report(mechanism, question.answer(named), ends)
            n_reports += np.diff(ends)
    return tuple(map(Tally, supports, n_reports.tolist()))


def _collect_in_turn(
    survey: Survey, batches: Iterable[Ranks], rng: Randomness, report: Report
) -> Tallies:
    """Sort the people by question, and let the people of one question after the other answer."""
    tallies = [Tally.empty(mechanism.n_categories) for mechanism in survey.mechanisms]
    for ranks in batches:
        for people, ends in _sorted_by_question(survey, len(ranks), rng):
            in_order = rows_of(ranks, people)
            for number in np.flatnonzero(np.diff(ends)):
                some = in_order[ends[number] : ends[number + 1]]
                categories = survey.questions[number].answer(some)
                alone = np.array([0, len(some)])
                (support,) = report(survey.mechanisms[number], categories, alone)
                tallies[number] += Tally(support, len(some))
    return tuple(tallies)


def _ranks_of_items(ranks: Ranks, people: NDArray[np.intp], items: NDArray[np.intp]) -> Ranks:
    """Return ranks[people, items] (people, s), each person's items being a row of `items`."""
    named = np.empty(items.shape, dtype=ranks.dtype, order="F")
    for place in range(items.shape[1]):
        named[:, place] = ranks[people, items[:, place]]
    return named


def _sorted_by_question(
    survey: Survey, n_people: int, rng: Randomness
) -> Iterator[tuple[NDArray[np.intp], Counts]]:
    """Yield, for each answer of a person, the people by question and where each question ends."""
    for assigned in assign_questions(survey, n_people, rng=rng).T:
        counts = np.bincount(assigned, minlength=len(survey.questions))
        yield np.argsort(assigned, kind="stable"), np.concatenate([[0], counts.cumsum()])

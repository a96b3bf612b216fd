"""Tally the reports to many questions at once."""

from itertools import pairwise

import numpy as np

from hushrank.arrays import Counts, Reports
from hushrank.mechanisms.local import Reporting

MOST_DISTINCT_REPORTS = 1024
"""Reports of so few kinds are counted by kind."""


def support_each(mechanism: Reporting, reports: Reports, ends: Counts) -> Counts:
    """Tally reports (people, ...), sorted by question, for each question: supports (questions, k).

    A tally is a sum: where the reports are a few whole numbers, how often each came is counted
    for all questions at once, and each number is tallied once.
    """
    n_questions = len(ends) - 1
    n_kinds = _n_kinds(reports) if n_questions > 1 else 0
    if not 0 < n_kinds <= MOST_DISTINCT_REPORTS:
        slices = (reports[start:end] for start, end in pairwise(ends.tolist()))
        return np.stack([mechanism.tally(some).support for some in slices]).astype(np.int64)
    number = np.repeat(np.arange(n_questions), np.diff(ends))
    came = np.bincount(number * n_kinds + reports, minlength=n_questions * n_kinds)
    return support_by_kind(mechanism, came.reshape(n_questions, n_kinds), reports.dtype)


def support_by_kind(mechanism: Reporting, came: Counts, kind: np.dtype[np.generic]) -> Counts:
    """Tally came[question, report] = how often it came, for whole-number reports of a type."""
    kinds = np.flatnonzero(came.any(axis=0)).astype(kind)
    each = [mechanism.tally(kinds[nth : nth + 1]).support for nth in range(kinds.size)]
    if not each:
        return np.zeros((len(came), mechanism.n_categories), dtype=np.int64)
    supports: Counts = came[:, kinds] @ np.stack(each)
    return supports


def _n_kinds(reports: Reports) -> int:
    """Return a bound of whole-number reports (people,), or 0."""
    is_whole = reports.ndim == 1 and reports.dtype.kind in "iu" and reports.size > 0
    return int(reports.max()) + 1 if is_whole else 0

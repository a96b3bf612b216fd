"""Test whether reports fall on the questions about an item as often as questions are dealt."""

from collections.abc import Iterator
from math import exp, log

import numpy as np

from hushrank.poisoning.findings import Finding
from hushrank.surveys.survey import Survey, Tallies


def suspicions_of_dealing(survey: Survey, tallies: Tallies) -> Iterator[Finding]:
    """Yield for each item how likely so many reports on questions about it are, or more.

        P(as many) <= exp(-n KL(observed share || dealt share))

    Questions are dealt evenly, without repetition, so that sums have the moments of independent
    draws at most; a report may be missing, whatever the question. Who joins until a question suits
    is found so.   Source: Hoeffding (JASA 1963), theorems 1 and 4.
    """
    n_reports = np.array([tally.n_reports for tally in tallies])
    about = {item: [] for each in survey.questions for item in each.items}  # type: ignore[var-annotated]
    for number, question in enumerate(survey.questions):
        for item in question.items:
            about[item].append(number)
    for item, questions in about.items():
        if len(questions) < len(n_reports) and n_reports.sum():
            dealt = len(questions) / len(n_reports)
            observed = float(n_reports[questions].sum() / n_reports.sum())
            p_value = exp(-float(n_reports.sum()) * _divergence(observed, dealt))
            yield Finding("asked", None, item, True, p_value)


def _divergence(observed: float, dealt: float) -> float:
    """Return the Kullback-Leibler divergence of two coins, 0 where no more than dealt is seen."""
    if observed <= dealt:
        return 0.0
    rest = (1 - observed) * log((1 - observed) / (1 - dealt)) if observed < 1 else 0.0
    return observed * log(observed / dealt) + rest

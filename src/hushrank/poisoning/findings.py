"""What a test of reports finds, and how many tests share one false alarm rate."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from hushrank.mechanisms.local import Reporting, Tally
from hushrank.questions.question import Question


@dataclass(frozen=True)
class Finding:
    """Reports that honest devices cannot have sent, but with probability p_value, over all tests.

    answer: of a question, the answer of that number. item: all answers that put it first.
    total: of a question, how many answers the reports speak for. asked: how many reports there are
    on all questions about an item.
    """

    kind: Literal["answer", "item", "total", "asked"]
    question: int | None
    number: int | None
    is_too_many: bool
    p_value: float


@dataclass(frozen=True)
class Suspicion:
    """Whether reports look like what honest devices can send: `findings` say where they do not.

    p_value: honest reports, whatever people think, look as odd as this with at most this
    probability. n_tests: how many were made. An attacker who answers like honest people with a
    chosen ranking is never found.
    """

    p_value: float
    n_tests: int
    findings: tuple[Finding, ...]

    @property
    def is_suspicious(self) -> bool:
        """Whether some reports cannot be honest, but for the false alarm rate."""
        return bool(self.findings)


@dataclass(frozen=True, eq=False, repr=False)
class AnsweredQuestion:
    """A question that somebody answered."""

    number: int
    question: Question
    mechanism: Reporting
    tally: Tally


def half_of(n_tests: int, least: float, raw: Iterable[Finding], false_alarm: float) -> Suspicion:
    """Return what tests found whose own p values are `raw`, the least of all `least`.

    Each must be so many times smaller than the false alarm rate as there are tests, twice.
    """
    tests = 2 * n_tests
    adjusted = (replace(each, p_value=min(1.0, tests * each.p_value)) for each in raw)
    found = tuple(each for each in adjusted if each.p_value <= false_alarm)
    return Suspicion(min(1.0, tests * least) if n_tests else 1.0, n_tests, found)

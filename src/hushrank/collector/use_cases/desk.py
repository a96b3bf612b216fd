"""Where the reports of one part of a round come in, and are checked before anything is kept."""

from functools import lru_cache

import msgspec

from hushrank.collector.store.store import Answer
from hushrank.errors import HushrankError
from hushrank.surveys.wire import PublishedSurvey
from hushrank.surveys.wire_documents import SentReport

MOST_REMEMBERED = 8_192
"""Kinds of reports of one part: those to 240 questions of 24 answers each have room."""


class Desk:
    """Checks reports to one part, those that are plain numbers once for all who send the same.

    Privacy: what is remembered is which reports there are, without who sent them or how many did.
    """

    def __init__(self, part: int, published: PublishedSurvey) -> None:
        """Take reports to what was published as this part."""
        self._part, self._published = part, published
        self._remembered = lru_cache(MOST_REMEMBERED)(self._read)

    def answers(self, sent: tuple[SentReport, ...], asked: tuple[int, ...]) -> tuple[Answer, ...]:
        """Return what the store keeps of the reports of somebody who was asked these questions.

        Raises HushrankError, saying nothing of any report, where one of them is to another survey
        or question, or such as no device can have sent.
        """
        is_number = len(sent) == 1 and type(sent[0].report) is int
        answered, answers = self._remembered(sent) if is_number else self._read(sent)
        if answered != asked:
            raise HushrankError("expected a report to each question")
        return answers

    def _read(self, sent: tuple[SentReport, ...]) -> tuple[tuple[int, ...], tuple[Answer, ...]]:
        """Return the questions that were answered, and the answers."""
        read = [self._published.read_report(each) for each in sent]
        answers = [Answer(self._part, n, msgspec.json.encode(value)) for n, value in read]
        return tuple([n for n, _ in read]), tuple(answers)

"""The random words that people's devices drew, in the order that the local engine reads them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Words
from hushrank.mechanisms.local import Reporting
from hushrank.mechanisms.local_hashing import OptimisedLocalHashing, SuccinctHistogram
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.randomness import Randomness
from hushrank.surveys.survey import Round, Survey

LOTS = 2**32
HASHING = (OptimisedLocalHashing, SuccinctHistogram)


class Taped:
    """Secret randomness, as far as anybody asks, that remembers every word it gave."""

    def __init__(self, seed: int) -> None:
        self._source = np.random.default_rng(seed)
        self._tape = bytearray()
        self.randomness = Randomness(self._read, is_private=True)

    def _read(self, size: int) -> bytes:
        drawn = self._source.bytes(size)
        self._tape += drawn
        return drawn

    @property
    def words(self) -> Words:
        return np.frombuffer(bytes(self._tape), dtype="<u8")


@dataclass
class Drew:
    """What one person drew: their lot, and in each round the words of each question's report."""

    lot: int = 0
    rounds: dict[int, dict[int, Words]] = field(default_factory=dict)


def engine_tape(rounds: Sequence[Round], everybody: Sequence[Drew]) -> bytes:
    """Return what `engines.local.run` reads, so that each of its people draws what theirs drew."""
    return b"".join(np.asarray(words, dtype="<u8").tobytes() for words in _tape(rounds, everybody))


def _tape(rounds: Sequence[Round], everybody: Sequence[Drew]) -> Iterator[Words]:
    lots_are_drawn = False
    for number, surveys in enumerate(rounds):
        for survey in surveys:
            if survey.lots != (0, 1) and not lots_are_drawn:
                yield np.array([drew.lot << 32 for drew in everybody], dtype=np.uint64)
                lots_are_drawn = True
            low, high = survey.lots
            asked = [drew for drew in everybody if low <= drew.lot / LOTS < high]
            yield from _survey_tape(survey, [drew.rounds[number] for drew in asked])


def _survey_tape(survey: Survey, answers: Sequence[dict[int, Words]]) -> Iterator[Words]:
    drawn, columns = _floyd(survey, [tuple(each) for each in answers])
    yield from drawn.T
    for column in columns.T:
        people = np.argsort(column, kind="stable")
        in_turn = survey.items_at_once is None
        for _, some in groupby(people, key=lambda person: column[person] if in_turn else 0):
            group = list(some)
            mechanism = survey.mechanisms[column[group[0]]]
            yield from _of_crowd(mechanism, [answers[one][int(column[one])] for one in group])


def _floyd(
    survey: Survey, asked: Sequence[tuple[int, ...]]
) -> tuple[NDArray[np.uint64], NDArray[np.intp]]:
    """Return draws by which `assign_questions` gives these questions, and in what order."""
    n_questions, n_answers = len(survey.questions), survey.answers_per_person
    drawn = np.empty((len(asked), n_answers), dtype=np.uint64)
    assigned = np.empty((len(asked), n_answers), dtype=np.intp)
    for person, questions in enumerate(asked):
        left = set(questions)
        assert len(left) == n_answers
        for nth in reversed(range(n_answers)):
            newest = n_questions - n_answers + nth
            chosen = newest if newest in left else min(left)
            left.remove(chosen)
            drawn[person, nth] = assigned[person, nth] = chosen
    return drawn, assigned


def words_of_reports(mechanisms: Sequence[Reporting], words: Words) -> list[Words]:
    """Split the words that a device drew among the reports that it drew them for."""
    if isinstance(mechanisms[0], SubsetOrder):
        return [words]
    sizes = [3 if isinstance(mechanism, HASHING) else 1 for mechanism in mechanisms]
    assert sum(sizes) == len(words)
    return np.split(words, np.cumsum(sizes)[:-1])


def _of_crowd(mechanism: Reporting, each: Sequence[Words]) -> Iterator[Words]:
    """Yield the words of people who report at once, as the mechanism reads those of a crowd."""
    if isinstance(mechanism, SubsetOrder):
        n_swaps = len(mechanism.swap_words)
        yield from (words[:-n_swaps] for words in each)
        yield from np.stack([words[-n_swaps:] for words in each]).T
    elif isinstance(mechanism, HASHING):
        yield from (words[:2] for words in each)
        yield np.array([words[2] for words in each])
    else:
        assert isinstance(mechanism, GeneralizedRandomizedResponse | NamedMember)
        yield np.concatenate(each)

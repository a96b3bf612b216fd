"""Drive any protocol on this machine: every person's device is simulated."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from hushrank.accounting.composition import total_epsilon
from hushrank.accounting.spend import Spend
from hushrank.arrays import Categories, Ranks
from hushrank.errors import HushrankError, require
from hushrank.mechanisms.local import LocalMechanism, SimulatedTally, Tally
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.assignment import assign_questions
from hushrank.surveys.survey import Survey, Tallies

T = TypeVar("T")
Protocol: TypeAlias = Generator[Survey, Tallies, T]
"""Yields surveys, receives their tallies, returns its outcome."""

Report: TypeAlias = Callable[[LocalMechanism, Categories], Tally]
"""Lets people report their categories through a mechanism and tallies the reports."""

MOST_RANKS = 2**32
"""4 gigabytes, one row a person."""
MOST_BYTES_OF_A_BATCH = 2**26
MOST_PEOPLE_OF_A_BATCH = 2**20


@dataclass(frozen=True, repr=False)
class Outcome(Generic[T]):
    """What a protocol returned, what each round cost, and whether the noise was secret."""

    result: T
    spends: tuple[Spend, ...]
    n_people: int
    is_private: bool

    @property
    def epsilon(self) -> float:
        """The largest privacy loss of any person, in nats."""
        return total_epsilon(self.spends)

    @property
    def privacy_statement(self) -> str:
        """What was protected, for whom, and at what cost, in one line."""
        if not self.is_private:
            return f"Not private: simulated {self.epsilon:g}-LDP reports whose noise is not secret."
        everybody = all(spend.lots == (0.0, 1.0) for spend in self.spends)
        rounds = ", ".join(f"{spend.release} {spend.epsilon:g}" for spend in self.spends)
        rounds += "" if everybody else ", of different people"
        return (
            f"The reports protect each of {self.n_people:,} people by {self.epsilon:g}-LDP"
            f" (in nats: {rounds}) against everybody, the collector included."
        )


def run(protocol: Protocol[T], rankings: Rankings, *, rng: Randomness) -> Outcome[T]:
    """Let every person of `rankings` answer the protocol's surveys through their own device.

    Raises HushrankError, before anything is drawn, unless all rankings are complete and strict.
    Cost: linear in people; batches bound the memory.
    """

    def report(mechanism: LocalMechanism, categories: Categories) -> Tally:
        return mechanism.tally(mechanism.randomise(categories, rng=rng))

    crowd = _Crowd(_people(rankings), rng)
    return _drive(
        protocol, lambda survey: _collect(survey, crowd, report, _people_of_a_batch(survey)), crowd
    )


def simulate(protocol: Protocol[T], rankings: Rankings, *, rng: np.random.Generator) -> Outcome[T]:
    """Draw the tallies instead of the reports: exact in distribution, and protects nobody.

    The short cut for domains that no simulation of single devices can reach.
    Raises HushrankError as `run` does, and when a mechanism has no `simulate_tally`.
    """

    def report(mechanism: LocalMechanism, categories: Categories) -> Tally:
        if not isinstance(mechanism, SimulatedTally):
            raise HushrankError(f"{type(mechanism).__name__} has no tally short cut")
        counts = np.bincount(categories, minlength=mechanism.n_categories)
        return mechanism.simulate_tally(counts, rng=rng)

    crowd = _Crowd(_people(rankings), Randomness(rng.bytes, is_private=False))
    return _drive(
        protocol, lambda survey: _collect(survey, crowd, report, MOST_PEOPLE_OF_A_BATCH), crowd
    )


def run_without_noise(protocol: Protocol[T], rankings: Rankings) -> T:
    """Return what the protocol learns when everybody answers every question truthfully: "NoPriv".

    Each tally is its expectation, so the unbiased shares are the exact shares.
    """
    ranks, people = rankings.ranks, rankings.people_of_rows
    crowd = _Crowd(_people(rankings), Randomness.replayed(b""))

    def expected(survey: Survey) -> Tallies:
        tallies = []
        for question, mechanism in zip(survey.questions, survey.mechanisms, strict=True):
            counts = np.bincount(question.answer(ranks), people, minlength=mechanism.n_categories)
            p, q = mechanism.hit_rate, mechanism.false_hit_rate
            support = np.asarray(counts * (p - q) + q * len(crowd), dtype=np.float64)
            tallies.append(Tally(support, len(crowd)))
        return tuple(tallies)

    return _drive(protocol, expected, crowd).result


@dataclass(frozen=True, eq=False, repr=False)
class _Crowd:
    """The people, and the source of their draws."""

    ranks: Ranks
    rng: Randomness

    def __len__(self) -> int:
        return len(self.ranks)

    @cached_property
    def lots(self) -> NDArray[np.float64]:
        """Each person's lot, uniform in [0, 1), drawn when a survey first asks a part of them."""
        return (self.rng.words(len(self)) >> np.uint64(11)) / 2.0**53

    def asked(self, survey: Survey) -> Ranks:
        start, stop = survey.lots
        if (start, stop) == (0, 1):
            return self.ranks
        return _rows(self.ranks, np.flatnonzero((start <= self.lots) & (self.lots < stop)))


def _drive(
    protocol: Protocol[T], collect: Callable[[Survey], Tallies], crowd: _Crowd
) -> Outcome[T]:
    spends: list[Spend] = []
    try:
        survey = next(protocol)
        while True:
            survey.require_fits(crowd.ranks.shape[1])
            spends.append(survey.spend)
            survey = protocol.send(collect(survey))
    except StopIteration as end:
        return Outcome(end.value, tuple(spends), len(crowd), crowd.rng.is_private)
    except Exception as error:
        if spends:  # what people paid is not undone by what failed later
            error.add_note(f"up to {total_epsilon(spends):g} nats a person were spent before")
        raise


def _people(rankings: Rankings) -> Ranks:
    rankings.require_complete_strict("collect")
    size = rankings.n_people * rankings.n_items
    require(size <= MOST_RANKS, f"expected at most {MOST_RANKS:,} ranks in all, got {size:,}")
    return rankings.expanded().ranks


def _collect(survey: Survey, crowd: _Crowd, report: Report, n_batch: int) -> Tallies:
    ranks = crowd.asked(survey)
    tallies = [Tally.empty(mechanism.n_categories) for mechanism in survey.mechanisms]
    for start in range(0, len(ranks), n_batch):
        batch = ranks[start : start + n_batch]
        for number, answering in _by_question(survey, batch, crowd.rng):
            categories = survey.questions[number].answer(answering)
            tallies[number] += report(survey.mechanisms[number], categories)
    return tuple(tallies)


def _by_question(survey: Survey, ranks: Ranks, rng: Randomness) -> Iterator[tuple[int, Ranks]]:
    """Yield each question with the ranks of the people who answer it: sorted once, then sliced."""
    for assigned in assign_questions(survey, len(ranks), rng=rng).T:
        by_question = np.argsort(assigned, kind="stable")
        in_order = _rows(ranks, by_question)
        ends = np.bincount(assigned, minlength=len(survey.questions)).cumsum()
        for number, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
            if start < end:
                yield number, in_order[start:end]


def _rows(ranks: Ranks, rows: NDArray[np.intp]) -> Ranks:
    """Return ranks[rows], column-major as before."""
    taken = np.empty((len(rows), ranks.shape[1]), dtype=ranks.dtype, order="F")
    for column in range(ranks.shape[1]):
        # every row exists: "clip" spares a copy of the output that "raise" would make
        np.take(ranks[:, column], rows, out=taken[:, column], mode="clip")
    return taken


def _people_of_a_batch(survey: Survey) -> int:
    """Return how many people's reports fit in the memory of a batch."""
    nobody, silence = np.zeros(0, dtype=np.intp), Randomness.replayed(b"")
    widths = (m.randomise(nobody, rng=silence) for m in set(survey.mechanisms))
    largest = max(int(np.prod(reports.shape[1:])) * reports.itemsize for reports in widths)
    return max(1, min(MOST_PEOPLE_OF_A_BATCH, MOST_BYTES_OF_A_BATCH // largest))

"""Drive any protocol on this machine: every person's device is simulated."""

from collections.abc import Callable, Generator, Sequence
from typing import Protocol as Interface
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from hushrank.accounting.composition import require_within
from hushrank.accounting.spend import Spend
from hushrank.accounting.words import loss_in_words
from hushrank.arrays import Answers, Counts, Reports
from hushrank.engines.crowd import Budgets, Crowd
from hushrank.engines.outcome import Outcome, epsilons_of
from hushrank.engines.rounds import collect, simulate_each
from hushrank.mechanisms.local import Reporting, Tally
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.supports import support_each
from hushrank.surveys.survey import Round, RoundTallies, Survey, Tallies, require_round

__all__ = ["Outcome", "Protocol", "before_each", "held_to", "run", "run_without_noise", "simulate"]

T = TypeVar("T")
Protocol: TypeAlias = Generator[Round, RoundTallies, T]
"""Yields rounds of surveys, receives their tallies, returns its outcome."""

Forward: TypeAlias = Callable[[Reports, Counts], Reports]
"""Passes reports (people, ...) on, sorted by question as they came; where each begins, and ends."""

MOST_BYTES_OF_A_BATCH = 2**26
MOST_PEOPLE_OF_A_BATCH = 2**20


def run(
    protocol: Protocol[T],
    rankings: Rankings,
    *,
    rng: Randomness,
    budgets: Budgets | None = None,
    on_share: Callable[[float], None] | None = None,
    forward: Forward | None = None,
) -> Outcome[T]:
    """Let every person of `rankings` answer the protocol's surveys through their own device.

    `budgets` (people,) are the most that each person spends, in nats: public numbers, which decide
    who is asked. A protocol that could ask more of anybody is stopped before it does.
    on_share: told now and then which share of the answers to a survey is there.
    forward: what stands between devices and tallies, such as a shuffler; None: nothing.
    Raises HushrankError, before anything is drawn, unless all rankings are strict, and complete if
    the protocol cannot do without.
    Cost: linear in people; batches bound the memory.
    """
    crowd = Crowd.of(rankings, rng, budgets)
    return drive(
        protocol, lambda survey: answers_of_devices(survey, crowd, on_share, forward), crowd
    )


def simulate(
    protocol: Protocol[T],
    rankings: Rankings,
    *,
    rng: np.random.Generator,
    budgets: Budgets | None = None,
) -> Outcome[T]:
    """Draw the tallies instead of the reports: exact in distribution, and protects nobody.

    The short cut for domains that no simulation of single devices can reach.
    Raises HushrankError as `run` does, and when a mechanism has no `simulate_tally`.
    """
    crowd = Crowd.of(rankings, Randomness(rng.bytes, is_private=False), budgets)
    return drive(protocol, lambda survey: answers_by_short_cut(survey, crowd, rng), crowd)


def answers_of_devices(
    survey: Survey,
    crowd: Crowd,
    on_share: Callable[[float], None] | None = None,
    forward: Forward | None = None,
) -> Tallies:
    """Let everybody whom the survey asks answer through a device of their own.

    on_share: told which part of the answers there is, in (0, 1]. forward: as in `run`.
    """
    people, done = crowd.asked(survey), 0

    def report(mechanism: Reporting, answers: Answers, ends: Counts) -> Counts:
        nonlocal done
        sent = mechanism.randomise(answers, rng=crowd.rng)
        came = sent if forward is None else forward(sent, ends)
        support = support_each(mechanism, came, ends)
        done += len(answers)
        if on_share is not None:
            on_share(done / (len(people) * survey.answers_per_person))
        return support

    return collect(survey, people, crowd.rng, report, _people_of_a_batch(survey))


def answers_by_short_cut(survey: Survey, crowd: Crowd, rng: np.random.Generator) -> Tallies:
    """Draw what everybody's reports add up to, without the reports."""

    def report(mechanism: Reporting, answers: Answers, ends: Counts) -> Counts:
        return simulate_each(mechanism, answers, ends, rng=rng)

    return collect(survey, crowd.asked(survey), crowd.rng, report, MOST_PEOPLE_OF_A_BATCH)


def run_without_noise(protocol: Protocol[T], rankings: Rankings) -> T:
    """Return what the protocol learns when everybody answers every question truthfully: "NoPriv".

    Each tally is its expectation, so the unbiased shares are the exact shares.
    """
    ranks, people = rankings.ranks, rankings.people_of_rows
    crowd = Crowd.of(rankings, Randomness.replayed(b""))

    def expected(survey: Survey) -> Tallies:
        tallies = []
        for question, mechanism in zip(survey.questions, survey.local_mechanisms, strict=True):
            answers = question.answer(ranks)
            held = np.repeat(people, answers[0].size)  # by a person: one category, or several
            counts = np.bincount(answers.ravel(), held, minlength=mechanism.n_categories)
            p, q = mechanism.rates.hit_rate, mechanism.rates.false_hit_rate
            support = np.asarray(counts * (p - q) + q * len(crowd), dtype=np.float64)
            tallies.append(Tally(support, len(crowd)))
        return tuple(tallies)

    return drive(protocol, expected, crowd).result


def held_to(protocol: Protocol[T], epsilon: float) -> Protocol[T]:
    """Pass a protocol's rounds on, as long as they cost no person more than epsilon, in nats.

    Raises HushrankError before a round asks anybody that would: a plug-in may ask for more.
    """
    spends: list[Spend] = []

    def check(surveys: Round) -> None:
        spends.extend(survey.spend for survey in surveys)
        require_within(spends, epsilon)

    return before_each(protocol, check)


def before_each(protocol: Protocol[T], check: Callable[[Round], None]) -> Protocol[T]:
    """Pass a protocol's rounds on, each after a check, which may raise before anybody is asked."""
    surveys = next(protocol)
    while True:
        check(surveys)
        tallies = yield surveys
        try:
            surveys = protocol.send(tallies)
        except StopIteration as end:
            result: T = end.value
            return result


class Audience(Interface):
    """Whom a protocol asks: people of this process, or in pieces elsewhere."""

    @property
    def budgets(self) -> NDArray[np.float64] | None:
        """The most that each spends, in nats, if they have budgets of their own."""

    @property
    def is_private(self) -> bool:
        """Whether what they draw is secret."""

    def __len__(self) -> int:
        """How many people there are."""

    def require_can_answer(self, survey: Survey, earlier: Sequence[Survey]) -> None:
        """Raise HushrankError unless everybody can answer, whatever they think."""


def drive(
    protocol: Protocol[T], answers: Callable[[Survey], Tallies], crowd: Audience
) -> Outcome[T]:
    """Run a protocol to its end: `answers` lets people answer a survey, after all checks."""
    asked: list[Survey] = []
    try:
        surveys = next(protocol)
        while True:
            require_round(surveys)
            for survey in surveys:
                crowd.require_can_answer(survey, asked)
            tallies = []
            for survey in surveys:
                asked.append(survey)
                tallies.append(answers(survey))
            surveys = protocol.send(tuple(tallies))
    except StopIteration as end:
        budgets = () if crowd.budgets is None else tuple(survey.budgets for survey in asked)
        spends = tuple(survey.spend for survey in asked)
        return Outcome(end.value, spends, len(crowd), crowd.is_private, budgets)
    except Exception as error:
        if asked:
            error.add_note(f"a person may have spent epsilon {_most_spent(asked)} before")
        raise


def _most_spent(asked: Sequence[Survey]) -> str:
    """Say what people paid: what fails later does not undo it."""
    spent = [survey.spend for survey in asked]
    return loss_in_words(max(epsilons_of(spent, [survey.budgets for survey in asked])))


def _people_of_a_batch(survey: Survey) -> int:
    """Return how many people's reports fit in the memory of a batch."""
    nobody, silence = np.zeros(0, dtype=np.intp), Randomness.replayed(b"")
    widths = (m.randomise(nobody, rng=silence) for m in survey.distinct_mechanisms)
    largest = max(int(np.prod(reports.shape[1:])) * reports.itemsize for reports in widths)
    return max(1, min(MOST_PEOPLE_OF_A_BATCH, MOST_BYTES_OF_A_BATCH // largest))

"""Drive any protocol on this machine: every person's device is simulated."""

from collections.abc import Callable, Generator
from typing import TypeAlias, TypeVar

import numpy as np

from hushrank.accounting.words import loss_in_words
from hushrank.arrays import Answers, Counts
from hushrank.engines.crowd import Budgets, Crowd
from hushrank.engines.outcome import Outcome, epsilons_of
from hushrank.engines.rounds import collect, simulate_each
from hushrank.mechanisms.local import Reporting, Tally
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.supports import support_each
from hushrank.surveys.survey import Round, RoundTallies, Survey, Tallies, require_round

__all__ = ["Outcome", "Protocol", "run", "run_without_noise", "simulate"]

T = TypeVar("T")
Protocol: TypeAlias = Generator[Round, RoundTallies, T]
"""Yields rounds of surveys, receives their tallies, returns its outcome."""

MOST_BYTES_OF_A_BATCH = 2**26
MOST_PEOPLE_OF_A_BATCH = 2**20


def run(
    protocol: Protocol[T],
    rankings: Rankings,
    *,
    rng: Randomness,
    budgets: Budgets | None = None,
    on_share: Callable[[float], None] | None = None,
) -> Outcome[T]:
    """Let every person of `rankings` answer the protocol's surveys through their own device.

    `budgets` (people,) are the most that each person spends, in nats: public numbers, which decide
    who is asked. A protocol that could ask more of anybody is stopped before it does.
    on_share: told now and then which share of the answers to a survey is there.
    Raises HushrankError, before anything is drawn, unless all rankings are strict, and complete if
    the protocol cannot do without.
    Cost: linear in people; batches bound the memory.
    """

    def answers(survey: Survey) -> Tallies:
        people, done = crowd.asked(survey), 0

        def report(mechanism: Reporting, answers: Answers, ends: Counts) -> Counts:
            nonlocal done
            support = support_each(mechanism, mechanism.randomise(answers, rng=rng), ends)
            done += len(answers)
            if on_share is not None:
                on_share(done / (len(people) * survey.answers_per_person))
            return support

        return collect(survey, people, rng, report, _people_of_a_batch(survey))

    crowd = Crowd.of(rankings, rng, budgets)
    return _drive(protocol, answers, crowd)


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

    def report(mechanism: Reporting, answers: Answers, ends: Counts) -> Counts:
        return simulate_each(mechanism, answers, ends, rng=rng)

    def answers(survey: Survey) -> Tallies:
        return collect(survey, crowd.asked(survey), crowd.rng, report, MOST_PEOPLE_OF_A_BATCH)

    crowd = Crowd.of(rankings, Randomness(rng.bytes, is_private=False), budgets)
    return _drive(protocol, answers, crowd)


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

    return _drive(protocol, expected, crowd).result


def _drive(protocol: Protocol[T], answers: Callable[[Survey], Tallies], crowd: Crowd) -> Outcome[T]:
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
        return Outcome(end.value, spends, len(crowd), crowd.rng.is_private, budgets)
    except Exception as error:
        if asked:  # what people paid is not undone by what failed later
            spent = [survey.spend for survey in asked]
            most = max(epsilons_of(spent, [survey.budgets for survey in asked]))
            error.add_note(f"up to {loss_in_words(most)} nats a person were spent before")
        raise


def _people_of_a_batch(survey: Survey) -> int:
    """Return how many people's reports fit in the memory of a batch."""
    nobody, silence = np.zeros(0, dtype=np.intp), Randomness.replayed(b"")
    widths = (m.randomise(nobody, rng=silence) for m in survey.distinct_mechanisms)
    largest = max(int(np.prod(reports.shape[1:])) * reports.itemsize for reports in widths)
    return max(1, min(MOST_PEOPLE_OF_A_BATCH, MOST_BYTES_OF_A_BATCH // largest))

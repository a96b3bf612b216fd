"""One person over several rounds, and over surveys that repeat each other."""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from hushrank.accounting.composition import share_of
from hushrank.arrays import Answers
from hushrank.audit.shipped.devices import DRAWS, NAMES, ORDERS, first_round
from hushrank.audit.subject import Observations, Subject
from hushrank.collector.device.kept import Memo
from hushrank.collector.device.repeating import answer_each
from hushrank.engines.local import run
from hushrank.protocols.personal_budgets import budget_levels
from hushrank.questions.relative_order import RelativeOrder
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.handout import Handout, read_handout
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.survey import Round, RoundTallies
from hushrank.surveys.wire import PublishedSurvey
from hushrank.surveys.wire_reports import WireReport

N_ROUNDS = 3
LEVELS = (0.5, 1.0, 2.0)
"""Parts of the claim that people's own budgets are: who is audited has the middle one."""
HISTORIES = {
    "ab ba ab": ((0, 1), (1, 0), (0, 1)),
    "ba ab ba": ((1, 0), (0, 1), (1, 0)),
}


def rounds_subjects(epsilon: float) -> Iterator[Subject]:
    """Yield a person with a budget of their own, over rounds, and one who is asked again."""
    people = {order: Rankings.from_orders(np.array([ORDERS[order]])) for order in ORDERS}
    pairs = tuple(combinations(people, 2))
    three = _Rounds(epsilon)
    yield Subject("rounds of own budgets", epsilon, people, pairs, three.draw, draws=DRAWS // 2)
    again = _Again(epsilon / 2)
    histories: tuple[str, ...] = tuple(HISTORIES)
    both = ((histories[0], histories[1]),)
    yield Subject("rounds of one survey", epsilon, dict(HISTORIES), both, again.draw, draws=DRAWS)


def adaptive_pairs(levels: tuple[float, ...]) -> Generator[Round, RoundTallies, list[int]]:
    """Ask everybody for a pair in each round, at a part of their budget; reports choose the next.

    Return what the reports of each level told, round by round.
    """
    told, others = list[int](), [1, 2, 3]
    for nth in range(N_ROUNDS):
        tallies = yield _pair_surveys(levels, others[nth])
        told += [int(count) for (tally,) in tallies for count in tally.support]
        if told[:6] == [0, 0, 1, 0, 0, 0]:  # the middle level said that item 0 is first
            others = [1, 3, 2]
    return told


@cache
def _pair_surveys(levels: tuple[float, ...], other: int) -> Round:
    asked = (RelativeOrder((0, other)),)
    return tuple(
        sampled_survey(f"{other} {level:g}", asked, share_of(level, N_ROUNDS), budgets=budgets)
        for level, budgets in budget_levels(levels)
    )


@dataclass(frozen=True)
class _Rounds:
    """One person, whose budget lies between two others of the protocol's."""

    budget: float

    def draw(self, person: Rankings, n_draws: int, rng: Randomness) -> Observations:
        """Return what each round tallied: with one person, that is the report."""
        levels = tuple(part * self.budget for part in LEVELS)
        own = [self.budget]
        return np.array(
            [
                run(adaptive_pairs(levels), person, rng=rng, budgets=own).result
                for _ in range(n_draws)
            ]
        )


class _Again:
    """A device that is asked for a pair three times: two different answers are two prices."""

    def __init__(self, epsilon: float) -> None:
        """Take what one report costs."""
        survey = PublishedSurvey(first_round("pairs", {"queries": 1}, epsilon)[0], NAMES)
        self._handout = read_handout(survey.handout([0]), most_epsilon=epsilon)

    def draw(
        self, history: tuple[tuple[int, int], ...], n_draws: int, rng: Randomness
    ) -> Observations:
        """Return the reports that were sent, and what the device's account says of each."""
        people = [_person(order) for order in history]
        low = self._handout.head.lots[0]
        truths = [self._handout.truths(person, lot=low) for person in people]
        return np.array([_sent(self._handout, truths, rng) for _ in range(n_draws)])


def _person(first: tuple[int, int]) -> Rankings:
    return Rankings(Rankings.from_orders(np.array([[*first, 2, 3]])).ranks, NAMES)


def _sent(handout: Handout, truths: list[dict[int, Answers]], rng: Randomness) -> list[float]:
    def hide(number: int, truth: Answers) -> WireReport:
        return handout.hide(number, truth, rng=rng, is_simulation=not rng.is_private)

    told: list[float] = []
    past: Mapping[str, Memo] = {}
    for each in truths:
        drawn = answer_each(handout, each, past, hide, is_affordable=True)
        past = drawn.memos
        told += [float(str(report)) for report in drawn.answered.reports]
        told.append(drawn.answered.nats)
    return told

"""Collections in which some people lie: what their reports move, and whether they are found.

Theory: docs/theory/forged-reports.md.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hushrank.aggregators.borda import borda
from hushrank.arrays import Answers, Counts, Floats, Ranks
from hushrank.engines.rounds import collect
from hushrank.errors import HushrankError
from hushrank.estimators.shares import unbiased_shares
from hushrank.evaluation.metrics import kendall_excess, marginal_distance, mean_rank_order
from hushrank.experiments.experiment import Draws, Quantity
from hushrank.experiments.on_rankings.forging import (
    ATTACKS,
    Forge,
    Wanted,
    with_dealt_functions,
    without_noise,
)
from hushrank.mechanisms.local import Reporting, Tally
from hushrank.poisoning.suspicion import FALSE_ALARM, suspicion
from hushrank.protocols.learnt.learnt import Learnt
from hushrank.protocols.registry import NamedProtocol
from hushrank.questions.top_order import TopOrder
from hushrank.randomness import Randomness
from hushrank.rankings.marginals import majority, second_order_marginals
from hushrank.rankings.profile import Rankings
from hushrank.surveys.assignment import assign_questions
from hushrank.surveys.sampled_survey import sampled_survey
from hushrank.surveys.supports import support_each
from hushrank.surveys.survey import MakeMechanism, Survey, Tallies

PEOPLE_OF_A_BATCH = 2**20
SECONDS_FOR_THE_OPTIMUM = 10.0
PICKED = "picked questions"
"""An attack without noise by people who answer only questions about the item they promote."""
DEALT = "most gain of dealt functions"
"""What most gain becomes where the collector, and not the device, draws the hash functions."""


@dataclass(frozen=True, eq=False, repr=False)
class Crime:
    """How many liars there are, how they report, and whether they answer what suits them only."""

    forge: Forge
    n_liars: int
    wanted: Wanted
    picks: bool = False

    @classmethod
    def named(cls, attack: str, n_liars: int, wanted: Wanted) -> "Crime":
        """Return an attack by its name in tables."""
        forge = {**ATTACKS, DEALT: with_dealt_functions}.get(attack, without_noise)
        return cls(forge, n_liars, wanted, picks=attack == PICKED)


@dataclass(frozen=True, eq=False, repr=False)
class Trial:
    """What was learnt of honest people and liars, and how often tests of the reports rang."""

    learnt: Learnt
    is_found: bool


def collect_with_liars(
    protocol: NamedProtocol,
    people: Rankings,
    epsilon: float,
    crime: Crime,
    draws: Draws,
    *,
    caps: bool = False,
) -> Trial:
    """Run a protocol on honest people and liars; nobody is told which report is whose.

    caps: no answer counts more often than honest reports could support it; see `capped`.
    """
    n_all, rng = people.n_people + crime.n_liars, Randomness(draws.noise.bytes, is_private=False)
    seed = int(draws.synthesis.integers(2**31))
    rounds = protocol.begin(people.n_items, epsilon=epsilon, n_people=n_all, seed=seed)
    lots, found = draws.synthesis.random(n_all), False
    surveys = next(rounds)
    while True:
        tallies = [_answered(survey, people.ranks, lots, crime, rng) for survey in surveys]
        each = FALSE_ALARM / len(surveys)
        found |= any(
            suspicion(*told, false_alarm=each).is_suspicious
            for told in zip(surveys, tallies, strict=True)
        )
        if caps:
            tallies = [capped(*told) for told in zip(surveys, tallies, strict=True)]
        try:
            surveys = rounds.send(tuple(tallies))
        except StopIteration as ended:
            return Trial(ended.value, found)


def capped(survey: Survey, tallies: Tallies) -> Tallies:
    """Return tallies whose supports lie where those of honest reports lie, but for a false alarm.

    Between quantiles of Bin(n, q) and Bin(n, p), both at FALSE_ALARM over twice the answers.
    """
    from scipy.stats import binom  # a second to import

    n_tests = 2 * sum(mechanism.n_categories for mechanism in survey.mechanisms)
    limited = []
    for mechanism, tally in zip(survey.local_mechanisms, tallies, strict=True):
        rates, n = mechanism.rates, tally.n_reports
        low = binom.ppf(FALSE_ALARM / n_tests, n, rates.false_hit_rate)
        high = binom.isf(FALSE_ALARM / n_tests, n, rates.hit_rate)
        limited.append(Tally(np.clip(tally.support, low, high).astype(np.int64), n))
    return tuple(limited)


def _answered(survey: Survey, ranks: Ranks, lots: Floats, crime: Crime, rng: Randomness) -> Tallies:
    """Add the liars' reports to those of honest people: a round asks both by their lots."""
    low, high = survey.lots
    is_asked = (low <= lots) & (lots < high)
    honest = collect(survey, ranks[is_asked[: len(ranks)]], rng, _report(rng), PEOPLE_OF_A_BATCH)
    counts = _dealt(survey, int(is_asked[len(ranks) :].sum()), crime, rng)
    forged = (
        mechanism.tally(crime.forge(question, mechanism, n, crime.wanted, rng))
        if n
        else Tally.empty(mechanism.n_categories)
        for question, mechanism, n in zip(
            survey.questions, survey.mechanisms, counts.tolist(), strict=True
        )
    )
    return tuple(one + other for one, other in zip(honest, forged, strict=True))


def _report(rng: Randomness) -> Callable[[Reporting, Answers, Counts], Counts]:
    def report(mechanism: Reporting, answers: Answers, ends: Counts) -> Counts:
        return support_each(mechanism, mechanism.randomise(answers, rng=rng), ends)

    return report


def _dealt(survey: Survey, n_liars: int, crime: Crime, rng: Randomness) -> Counts:
    """Return how many forged reports each question has (questions,): as dealt, or as picked."""
    n_questions = len(survey.questions)
    assigned = assign_questions(survey, n_liars, rng=rng).ravel().astype(np.intp)
    if crime.picks:
        suits = [crime.wanted.item in question.items for question in survey.questions]
        chosen = np.flatnonzero(suits) if any(suits) else np.arange(n_questions)
        assigned = chosen[assigned % len(chosen)]
    return np.bincount(assigned, minlength=n_questions)


@dataclass(frozen=True, eq=False, repr=False)
class Electors:
    """Honest people, and what liars among them are after."""

    people: Rankings

    @cached_property
    def wanted(self) -> Wanted:
        """Their last item first, then the others as they have them."""
        *better, last = borda(majority(self.people))
        return Wanted((last, *better))

    def crime(self, attack: str, share: float) -> Crime:
        """Return an attack by so many that they send this share of all reports."""
        n_liars = round(share / (1 - share) * self.people.n_people)
        return Crime.named(attack, n_liars, self.wanted)

    def judged(self, trial: Trial, draws: Draws) -> Mapping[Quantity, float]:
        """Judge by the honest people alone: what liars wish is no truth."""
        learnt, rows = trial.learnt, None
        if learnt.model is not None:
            drawn = learnt.sample(self.people.n_people, rng=draws.synthesis)
            rows = Rankings(drawn, self.people.names)
        order = mean_rank_order(rows) if learnt.order is None and rows else learnt.order
        if order is None:
            raise HushrankError("expected an order, or rows to take it from")
        excess = kendall_excess(self.people, order, time_limit=SECONDS_FOR_THE_OPTIMUM)
        judged: dict[Quantity, float] = {
            "climb": len(order) - 1.0 - order.index(self.wanted.item),
            "excess": float("nan") if excess is None else excess,
            "found": float(trial.is_found),
        }
        return judged if rows is None else {**judged, **self._of_rows(rows)}

    def _of_rows(self, rows: Rankings) -> Mapping[Quantity, float]:
        learnt, true = map(second_order_marginals, (rows, self.people))
        firsts = float((rows.ranks[:, self.wanted.item] == 0).mean())
        return {"q2": marginal_distance(learnt, true), "firsts": firsts}


@dataclass(frozen=True, eq=False, repr=False)
class LiarsSpot:
    """A protocol at one epsilon, asked of honest people and liars by one attack."""

    electors: Electors
    protocol: NamedProtocol
    epsilon: float
    attack: str
    share: float
    caps: bool = False

    def measured(self, draws: Draws) -> Mapping[Quantity, float]:
        """Judge one collection."""
        crime = self.electors.crime(self.attack, self.share)
        asked = self.protocol, self.electors.people, self.epsilon, crime, draws
        return self.electors.judged(collect_with_liars(*asked, caps=self.caps), draws)


@dataclass(frozen=True, eq=False, repr=False)
class UndefendedSpot:
    """Everybody is asked which item is first, and the shares are estimated without bias: no more.

    So libraries of frequency oracles do it.
    """

    electors: Electors
    mechanism: MakeMechanism
    epsilon: float
    attack: str
    share: float

    def measured(self, draws: Draws) -> Mapping[Quantity, float]:
        """Return the estimated share of people who have the promoted item first."""
        rng = Randomness(draws.noise.bytes, is_private=False)
        people, crime = self.electors.people, self.electors.crime(self.attack, self.share)
        question = TopOrder(people.n_items, 1)
        survey = sampled_survey("first", [question], self.epsilon, make_mechanism=self.mechanism)
        everybody = np.zeros(people.n_people + crime.n_liars)
        (tally,) = _answered(survey, people.ranks, everybody, crime, rng)
        (mechanism,) = survey.local_mechanisms
        return {"firsts": float(unbiased_shares(mechanism, tally)[self.electors.wanted.item])}

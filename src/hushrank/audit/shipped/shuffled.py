"""Reports of a few people as a shuffler forwards them: what is seen of all of them together."""

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hushrank.accounting.shuffling import local_epsilon
from hushrank.arrays import Counts, Reports
from hushrank.audit.shipped.devices import first_round
from hushrank.audit.subject import Observations, Subject
from hushrank.engines.local import run
from hushrank.engines.shuffler import forward
from hushrank.mechanisms.local import LocalMechanism
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.protocols.registry import make_protocol
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.survey import Round, RoundTallies
from hushrank.workflows.shuffled import Trust

COLLECTED = "max-entropy"
N_PEOPLE = 100
DRAWS = 100_000
AT_ONCE = 2_000


@dataclass(frozen=True)
class Crowd:
    """A person and others, who all answer alike, behind a shuffler; the person reports first.

    passed_on: what the shuffler makes of the reports of all.
    """

    mechanism: LocalMechanism
    others: tuple[int, ...]
    n_people: int = N_PEOPLE
    passed_on: Callable[..., Reports] = forward

    def draw(self, answer: tuple[int, ...], n_draws: int, rng: Randomness) -> Observations:
        """Return the first and the last report that are forwarded, and how often each came."""
        parts = (min(AT_ONCE, n_draws - done) for done in range(0, n_draws, AT_ONCE))
        return np.concatenate([self._some(answer, part, rng) for part in parts])

    def _some(self, answer: tuple[int, ...], n_draws: int, rng: Randomness) -> Observations:
        everybody = np.array([answer, *[self.others] * (self.n_people - 1)])
        answers = np.tile(everybody, (n_draws, 1))
        sent = self.mechanism.randomise(answers if len(answer) > 1 else answers[:, 0], rng=rng)
        ends = np.array([0, self.n_people])
        rows = sent.reshape(n_draws, self.n_people)
        seen = np.array([self.passed_on(row, ends, rng=rng) for row in rows])
        counts = [(seen == each).sum(axis=1) for each in range(self.mechanism.n_categories)]
        return np.column_stack([seen[:, 0], seen[:, -1], *counts])


def shuffled_subjects(epsilon: float, delta: float) -> Iterator[Subject]:
    """Yield crowds that report at the largest local epsilon that is certified for the claim."""

    def local(rate: Callable[[float], float]) -> float:
        return local_epsilon(epsilon, delta, n_reports=N_PEOPLE, clone_rate=rate)

    grr = local(lambda each: GeneralizedRandomizedResponse(3, each).rates.false_hit_rate)
    named = local(lambda each: 2 * NamedMember(6, each, 2).rates.false_hit_rate)
    crowds: tuple[tuple[str, Crowd, Any], ...] = (
        ("grr", Crowd(GeneralizedRandomizedResponse(3, grr), (2,)), ((0,), (1,))),
        ("named", Crowd(NamedMember(6, named, 2), (4, 5)), ((0, 1), (2, 3))),
    )
    for name, crowd, answers in crowds:
        inputs = {"answer " + " and ".join(map(str, each)): each for each in answers}
        first, second = inputs
        pairs = ((first, second),)
        yield Subject(
            f"shuffled {name}", epsilon, inputs, pairs, crowd.draw, delta=delta, draws=DRAWS
        )
    yield _collected(epsilon, delta)


@dataclass(frozen=True)
class Collected:
    """A person and others, who all hold one order, in the first round of a whole collection."""

    surveys: Round
    others: tuple[int, ...] = (2, 1, 0)
    n_people: int = N_PEOPLE
    passed_on: Callable[..., Reports] = forward

    def draw(self, order: tuple[int, ...], n_draws: int, rng: Randomness) -> Observations:
        """Return the first and last report that are forwarded, all first categories, each tally."""
        everybody = Rankings.from_orders(np.array([order, *[self.others] * (self.n_people - 1)]))
        return np.array([self._seen(everybody, rng) for _ in range(n_draws)])

    def _seen(self, everybody: Rankings, rng: Randomness) -> list[int]:
        came: list[Reports] = []

        def recorded(reports: Reports, ends: Counts) -> Reports:
            came.append(self.passed_on(reports, ends, rng=rng))
            return came[-1]

        tallies = run(_one_round(self.surveys), everybody, rng=rng, forward=recorded).result
        counts = [int(count) for each in tallies for tally in each for count in tally.support]
        first = sum(int(tally.support[0]) for each in tallies for tally in each)
        return [int(came[0][0]), int(came[-1][-1]), first, *counts]


def _one_round(surveys: Round) -> Generator[Round, RoundTallies, RoundTallies]:
    return (yield surveys)


def _collected(epsilon: float, delta: float) -> Subject:
    """Return `collect --shuffled` at the local epsilon that it takes, but for what it learns."""
    terms = Trust(shuffled=True, central_epsilon=epsilon, delta=delta).terms(
        make_protocol(COLLECTED), n_items=3, n_people=N_PEOPLE, epsilon=None
    )
    surveys = first_round(COLLECTED, {}, terms.local, n_items=3)
    inputs = {"abc": (0, 1, 2), "cba": (2, 1, 0)}
    pairs, draw = (("abc", "cba"),), Collected(surveys).draw
    return Subject(
        "shuffled collection", epsilon, inputs, pairs, draw, delta=delta, draws=DRAWS // 2
    )

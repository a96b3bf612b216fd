"""A shuffler between devices and whoever adds reports up: what it forwards, and what that costs.

Theory: docs/theory/shuffling.md.
"""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hushrank.accounting.composition import share_of
from hushrank.accounting.shuffling import central_delta, central_epsilon
from hushrank.accounting.spend import Spend
from hushrank.accounting.words import loss_in_words
from hushrank.arrays import Counts, Reports
from hushrank.engines.local import Protocol, before_each
from hushrank.errors import require
from hushrank.randomness import Randomness
from hushrank.surveys.shuffled import clone_rate, local_epsilon
from hushrank.surveys.survey import Round

T = TypeVar("T")
LEAST = 1e-9
"""Nats: an account has no entry of 0."""


def forward(reports: Reports, ends: Counts, *, rng: Randomness) -> Reports:
    """Return the reports (people, ...) as a shuffler passes them on, sorted by question.

    Which report answers which question is written on it; what is dropped is whose it is, and when
    it came: a uniform permutation of all of them, from `rng`. Tallies are sums: that parts of a
    crowd are passed on one after the other changes nothing of what is learnt or kept.
    """
    order = permutation(len(reports), rng=rng)
    question = np.repeat(np.arange(len(ends) - 1), np.diff(ends))[order]
    forwarded: Reports = reports[order][np.argsort(question, kind="stable")]
    return forwarded


def permutation(n: int, *, rng: Randomness) -> NDArray[np.intp]:
    """Draw a uniform permutation of 0..n-1: the order of n distinct random words."""
    words = rng.words(n)
    while len(np.unique(words)) < n:
        words = rng.words(n)
    return np.argsort(words)


@dataclass(frozen=True)
class Target:
    """What all rounds of a collection may cost against whoever sees shuffled reports alone.

    epsilon: central, in nats; None: whatever it is at this delta. n_rounds: how many share it,
    evenly; a protocol that asks for more is stopped before it does.
    """

    epsilon: float | None
    delta: float
    n_rounds: int = 1

    def __post_init__(self) -> None:
        """Check the numbers."""
        require(0 < self.delta < 1, f"expected a delta above 0 and below 1, got {self.delta}")
        positive = self.epsilon is None or self.epsilon > 0
        require(positive, f"expected a positive central_epsilon, got {self.epsilon}")
        require(self.n_rounds >= 1, f"expected at least 1 round, got {self.n_rounds}")

    def price(self, surveys: Round, n_reports: int) -> Spend:
        """Return what the shuffled reports of a round cost each of n people who send one.

        Raises HushrankError if they are too few for it to be as little as was asked for.
        """
        local, rate, delta = local_epsilon(surveys), clone_rate(surveys), self._delta_of_a_round
        if self.epsilon is None:
            found = central_epsilon(delta, local=local, n_reports=n_reports, clone_rate=rate)
            return _spend(surveys, max(found, LEAST), delta)
        epsilon = share_of(self.epsilon, self.n_rounds)
        self._require_many(epsilon, local, n_reports, rate)
        return _spend(surveys, epsilon, delta)

    def require_later(self, surveys: Round, n_reports: int) -> None:
        """Raise HushrankError unless later rounds that ask at these epsilons are as cheap.

        Whatever they ask: it is not known yet, and people of this round would have answered.
        """
        if self.n_rounds > 1 and self.epsilon is not None:
            each = share_of(self.epsilon, self.n_rounds)
            self._require_many(each, local_epsilon(surveys), n_reports, None)

    @property
    def _delta_of_a_round(self) -> float:
        return share_of(self.delta, self.n_rounds)

    def _require_many(
        self, epsilon: float, local: float, n_reports: int, rate: float | None
    ) -> None:
        delta = self._delta_of_a_round
        found = central_delta(epsilon, local=local, n_reports=n_reports, clone_rate=rate)
        few = (
            f"{n_reports:,} people are too few: reports of {loss_in_words(local, 4)} nats are not"
            f" ({loss_in_words(epsilon, 4)}, {loss_in_words(delta)})-DP by being shuffled"
        )
        require(found <= delta, few)


def _spend(surveys: Round, epsilon: float, delta: float) -> Spend:
    kinds = sorted({each.spend.mechanism for each in surveys})
    name = " and ".join(survey.name for survey in surveys)
    shuffled = " and ".join(kinds) + ", shuffled"
    return Spend(name, epsilon, shuffled, model="shuffled", delta=delta)


def priced(protocol: Protocol[T], target: Target, n_reports: int, paid: list[Spend]) -> Protocol[T]:
    """Pass a protocol's rounds on, each after its price was added to what is `paid`.

    Rounds may depend on what earlier ones taught: their prices add up (adaptive composition).
    Raises HushrankError, before a round asks anybody, if it is too dear or one too many; before
    the first one if a later one of the same epsilons may be too dear.
    """

    def pay(surveys: Round) -> None:
        more = f"expected at most {target.n_rounds} rounds behind a shuffler, one more is asked for"
        require(len(paid) < target.n_rounds, more)
        price = target.price(surveys, n_reports)
        if not paid:
            target.require_later(surveys, n_reports)
        paid.append(price)

    return before_each(protocol, pay)

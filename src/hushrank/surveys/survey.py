"""A survey: what is asked, through which mechanism, at what cost, of whom."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import inf, isfinite
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from hushrank.accounting.spend import Spend
from hushrank.accounting.words import finely
from hushrank.errors import require
from hushrank.mechanisms.local import LocalMechanism, Reporting, Tally
from hushrank.questions.question import Question
from hushrank.samplers.word_probabilities import exp_below

EVERY_BUDGET = (0.0, inf)
"""Asks people whatever their budgets."""

Tallies: TypeAlias = tuple[Tally, ...]
"""One tally for each question of a survey."""

RoundTallies: TypeAlias = tuple[Tallies, ...]
"""The tallies of each survey of a round."""

MakeMechanism: TypeAlias = Callable[[int, float], LocalMechanism]
"""Builds a mechanism from the number of categories and epsilon."""


@dataclass(frozen=True)
class Survey:
    """Each person asked answers `answers_per_person` questions, drawn at random without repetition.

    Question i is answered through mechanism i. The round costs a person at most `epsilon` nats.
    Asked are the people whose lot, a number that each draws once, uniform in [0, 1),
    lies in `lots`: rounds with disjoint lots ask different people. Where people have budgets of
    their own, public numbers in nats, asked are those whose budget lies in [low, high) = `budgets`.
    Raises HushrankError when the mechanisms could cost a person more than `epsilon`, one costs more
    than it says, or `epsilon` exceeds the lowest of the budgets.
    """

    name: str
    questions: tuple[Question, ...]
    mechanisms: tuple[Reporting, ...]
    epsilon: float
    answers_per_person: int = 1
    lots: tuple[float, float] = (0.0, 1.0)
    budgets: tuple[float, float] = EVERY_BUDGET

    def __post_init__(self) -> None:
        """Check that the parts fit, and the price."""
        finite = isinstance(self.epsilon, int | float) and 0 < self.epsilon < inf
        require(finite, f"expected a positive finite epsilon as a float, got {self.epsilon}")
        n_questions = len(self.questions)
        require(n_questions >= 1, "a survey needs at least 1 question, got 0")
        require(len(self.mechanisms) == n_questions, "expected one mechanism for each question")
        enough = 1 <= self.answers_per_person <= n_questions
        require(enough, f"expected 1 to {n_questions} answers of a person")
        require(0 <= self.lots[0] < self.lots[1] <= 1, f"expected lots in [0, 1], got {self.lots}")
        self._require_prices()
        asked = [question.n_categories for question in self.questions]
        fits = asked == [mechanism.n_categories for mechanism in self.mechanisms]
        require(fits, "expected a mechanism with the number of categories of its question")

    def _require_prices(self) -> None:
        for mechanism in self.distinct_mechanisms:
            _require_true_price(mechanism)
            price = Fraction(mechanism.epsilon) * self.answers_per_person  # exact: floats round
            too_dear = f"{finely(price)} nats of answers exceed epsilon {self.epsilon}"
            require(price <= Fraction(self.epsilon), too_dear)
        low, high = self.budgets
        require(0 <= low < high, f"expected an interval of budgets, got {self.budgets}")
        within = not self.is_personal or self.epsilon <= low
        require(within, f"epsilon {self.epsilon} exceeds the lowest budget {low}")

    @cached_property
    def distinct_mechanisms(self) -> frozenset[Reporting]:
        """The mechanisms, each once; most surveys repeat the very same object."""
        return frozenset({id(mechanism): mechanism for mechanism in self.mechanisms}.values())

    @property
    def local_mechanisms(self) -> tuple[LocalMechanism, ...]:
        """The mechanisms, if each hides one category; else HushrankError."""
        each = self.distinct_mechanisms
        rows = sorted(type(one).__name__ for one in each if not isinstance(one, LocalMechanism))
        require(not rows, f"expected mechanisms that hide one category, got {', '.join(rows)}")
        return cast("tuple[LocalMechanism, ...]", self.mechanisms)

    @property
    def is_personal(self) -> bool:
        """Whether it asks only people of certain budgets."""
        return self.budgets != EVERY_BUDGET

    def require_fits(self, n_items: int) -> None:
        """Raise HushrankError unless every ranking of n_items items can answer every question."""
        if n_items not in self._fitting:
            fits = all(question.fits(n_items) for question in self.questions)
            named = f"survey {self.name} asks what not every ranking of {n_items} items answers"
            require(fits, named)
            self._fitting.add(n_items)

    @cached_property
    def takes_incomplete(self) -> bool:
        """Whether every strict ranking of only some of the items can answer every question."""
        return all(question.takes_incomplete for question in self.questions)

    @cached_property
    def items_at_once(self) -> NDArray[np.intp] | None:
        """The items (questions, s) if all ask the order of s items through one mechanism."""
        items = [question.items_at_once for question in self.questions]
        sizes = set(map(len, items))
        is_uniform = len(sizes) == 1 and 0 not in sizes and len(self.distinct_mechanisms) == 1
        return np.array(items) if is_uniform else None

    @cached_property
    def _fitting(self) -> set[int]:
        """The numbers of items that were found to fit: of a thousand questions that takes time."""
        return set()

    @property
    def spend(self) -> Spend:
        """What the round costs a person it asks."""
        kinds = sorted({type(mechanism).__name__ for mechanism in self.distinct_mechanisms})
        return Spend(self.name, self.epsilon, " and ".join(kinds), self.lots)


Round: TypeAlias = tuple[Survey, ...]
"""Surveys of different people, by their lots or budgets, that are asked at the same time."""


def _require_true_price(mechanism: Reporting) -> None:
    """Raise HushrankError where a mechanism says that it costs less than its own rates tell."""
    named = type(mechanism).__name__
    is_number = isinstance(mechanism.epsilon, int | float) and isfinite(mechanism.epsilon)
    require(is_number, f"{named}: expected its epsilon in nats as a finite float")
    if isinstance(mechanism, LocalMechanism):
        true = mechanism.rates.worst_ratio <= exp_below(mechanism.epsilon)
        require(true, f"{named} costs more than the epsilon that it says")


def require_round(surveys: Round) -> None:
    """Raise HushrankError unless no two surveys ask the same person, and there is one at least."""
    require(isinstance(surveys, tuple) and surveys, "expected a round: a tuple of surveys")
    for one, other in combinations(surveys, 2):
        apart = _are_apart(one.lots, other.lots) or _are_apart(one.budgets, other.budgets)
        named = f"surveys {one.name} and {other.name} of one round may ask the same person"
        require(apart, named)


def asks_everybody(surveys: Round) -> bool:
    """Whether a round asks people of every lot."""
    ends = sorted(survey.lots for survey in surveys)
    lots = [0.0, *(high for _, high in ends)]
    return [low for low, _ in ends] == lots[:-1] and lots[-1] == 1.0


def _are_apart(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether two intervals [low, high) have no number in common."""
    return one[1] <= other[0] or other[1] <= one[0]

"""What can be told of a few or of a billion people, by goal: from formulas, without a simulation.

Theory: docs/planning.md, "By goal".
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import erfc, exp, sqrt, tanh
from typing import Literal, TypeAlias

from hushrank.errors import require

Goal: TypeAlias = Literal["winner", "order", "shares"]
SURE = 0.95
EPSILONS_OF_DEVICES = (0.5, 1.0, 2.0, 4.0)
EPSILONS_OF_A_CURATOR = (0.1, 0.5, 1.0, 2.0)
FEWEST_ITEMS, MOST_ITEMS = 2, 64
FEWEST_PEOPLE, MOST_PEOPLE = 20, 10**9
USEFUL = 0.1
"""A lead that many a survey is asked for: ten points of a hundred."""


@dataclass(frozen=True)
class Wish:
    """What somebody wants to know, of how many items, from how many people.

    `winner`: which item is first; `order`: each item's neighbours; `shares`: how many people put
    one item before another.
    """

    goal: Goal
    n_items: int
    n_people: int

    def __post_init__(self) -> None:
        """Check the ranges that the formulas are meant for."""
        items = f"expected {FEWEST_ITEMS} to {MOST_ITEMS} items, got {self.n_items}"
        require(FEWEST_ITEMS <= self.n_items <= MOST_ITEMS, items)
        people = f"expected {FEWEST_PEOPLE} to {MOST_PEOPLE:,} people, got {self.n_people:,}"
        require(FEWEST_PEOPLE <= self.n_people <= MOST_PEOPLE, people)

    @property
    def allowed(self) -> float:
        """The chance of error of each comparison, so that all hold with certainty SURE."""
        return (1 - SURE) / (2 if self.goal == "shares" else self.n_items - 1)


def told_on_devices(wish: Wish, epsilon: float) -> float:
    """Return the least lead that devices tell with certainty SURE, in [0, 1]; 1: none."""
    return min(1.0, _lead_on_devices(wish, epsilon))


def error_on_devices(wish: Wish, epsilon: float) -> float:
    """Return the standard error of a lead, or of a pair's share, when each person answers one pair.

        Var(s_a - s_b) = m^2 / (4 n t^2 (m - 1))      Var(share) = m (m - 1) / (8 n t^2)

    t = tanh(ε / 2), what randomised response leaves of an answer; s_a: the mean share of people who
    put a before another item.
    """
    m, n, t = wish.n_items, wish.n_people, tanh(epsilon / 2)
    of_lead, of_share = m * m / (4 * (m - 1)), m * (m - 1) / 8
    return sqrt((of_share if wish.goal == "shares" else of_lead) / n) / t


def told_by_curator(wish: Wish, epsilon: float) -> float:
    """Return the least lead that a curator's noisy Borda scores tell with certainty SURE; 1: none.

        b = 2 floor(m^2 / 4) / ε      P(difference of two noises > x b) = e^-x (2 + x) / 4

    Laplace noise of scale b on each sum of margins, of which a lead of s is 2 n (m - 1) s. Other
    methods need less: `aggregate` chooses. An order only: shares are not released.
    """
    return min(1.0, _lead_by_curator(wish, epsilon))


def people_needed(wish: Wish, epsilon: float, *, on_devices: bool, lead: float = USEFUL) -> float:
    """Return how many people it takes to tell a lead, by the same formulas."""
    crowd = replace(wish, n_people=MOST_PEOPLE)
    if on_devices:
        return MOST_PEOPLE * (_lead_on_devices(crowd, epsilon) / lead) ** 2
    return MOST_PEOPLE * _lead_by_curator(crowd, epsilon) / lead


def _lead_on_devices(wish: Wish, epsilon: float) -> float:
    """Return the lead of `told_on_devices`; above 1 where no lead can be told."""
    reach = _where(lambda x: erfc(x / sqrt(2)) / 2, wish.allowed)
    return reach * error_on_devices(wish, epsilon)


def _lead_by_curator(wish: Wish, epsilon: float) -> float:
    """Return the lead of `told_by_curator`; above 1 where no lead can be told."""
    m, n = wish.n_items, wish.n_people
    scale = 2 * (m * m // 4) / epsilon
    reach = _where(lambda x: exp(-x) * (2 + x) / 4, wish.allowed)
    return reach * scale / (2 * n * (m - 1))


def _where(tail: Callable[[float], float], allowed: float) -> float:
    """Return where a falling tail is as small as allowed: scipy would take longer to load."""
    low, high = 0.0, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle) > allowed else (low, middle)
    return high

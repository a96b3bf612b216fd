"""What every local mechanism is, and what its reports add up to.

Theory: docs/theory/local-mechanisms.md.
"""

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from hushrank.arrays import Answers, Categories, Counts, Reports, Shares, is_plain
from hushrank.errors import require
from hushrank.mechanisms.word_rates import WordRates
from hushrank.randomness import Randomness

MOST_EPSILON = 1000
MOST_PEOPLE = 2**62  # their sums stay below 2^63, however they are rounded


@dataclass(frozen=True, eq=False, repr=False)
class Tally:
    """How many reports support each category (k,), of how many reports: a sum.

    Tallies of the same mechanism add up, so that batches and machines can split the people.
    Whole numbers, but for an expected tally.
    """

    support: Counts | Shares
    n_reports: int

    @classmethod
    def empty(cls, n_categories: int) -> "Tally":
        """Return the tally of no report."""
        return cls(np.zeros(n_categories, dtype=np.int64), 0)

    def __add__(self, other: "Tally") -> "Tally":
        """Count both."""
        require(self.support.shape == other.support.shape, "expected tallies of one mechanism")
        return Tally(self.support + other.support, self.n_reports + other.n_reports)

    def __repr__(self) -> str:
        """Say the size, not the counts."""
        return f"Tally({self.n_reports} reports, {len(self.support)} categories)"


class Reporting(Protocol):
    """Hides an answer on a person's device; knows numbers, never rankings.

    An answer is a category of 0..k-1 or a row of k numbers; `tally` sums reports up in k cells.
    """

    @property
    def n_categories(self) -> int:
        """The number k of cells of a tally: of categories, or of numbers in a row."""

    @property
    def epsilon(self) -> float:
        """The stated privacy loss of one report, in nats; the exact loss is at most this."""

    def randomise(self, categories: Any, *, rng: Randomness) -> Reports:
        """Draw one report (people, ...) for each answer (people, ...), on the device."""

    def tally(self, reports: Reports) -> Tally:
        """Sum the reports up, at the collector."""


@runtime_checkable
class LocalMechanism(Reporting, Protocol):
    """Hides a category of 0..k-1, or a few that all hold; its tally counts the support of each.

    A report supports a category that holds for its owner with probability `rates.hit_rate`, and any
    other category with probability `rates.false_hit_rate`.
    Source: Wang, Blocki, Li, Jha (USENIX Security 2017), pure protocols.
    """

    @property
    def rates(self) -> WordRates:
        """Both probabilities, and what they cost, exactly."""


@runtime_checkable
class SimulatedTally(Protocol):
    """A mechanism whose tally can be drawn without drawing the reports: exact in distribution."""

    def simulate_tally(self, category_counts: Counts, *, rng: np.random.Generator) -> Tally:
        """Draw the tally of people of whom category_counts[c] hide category c. Protects nobody."""


@runtime_checkable
class SimulatedRows(Protocol):
    """The same, where an answer is a row of several categories that hold."""

    def simulate_rows(self, categories: Answers, *, rng: np.random.Generator) -> Tally:
        """Draw the tally of people who hide these rows (people, M). Protects nobody."""


def checked_categories(categories: Categories, n_categories: int) -> Categories:
    """Return whole numbers of any type as categories, before anything is drawn.

    Raises HushrankError unless they have shape (people,) and lie in 0..k-1.
    """
    require(is_plain(categories), "expected an array of categories, without a mask")
    require(categories.ndim == 1, "expected categories of shape (people,)")
    require(categories.dtype.kind in "iu", "expected whole numbers as categories")
    in_domain = categories.size == 0 or (categories.min() >= 0 and categories.max() < n_categories)
    require(in_domain, f"expected categories 0..{n_categories - 1}, some lie outside")
    return categories.astype(np.intp, copy=False)


def checked_counts(category_counts: Counts, n_categories: int) -> Counts:
    """Return how many people hide each category (k,), whole numbers of any type, as int64.

    Raises HushrankError unless there is one number of at least 0 for each category, and their sum
    is at most 2^62.
    """
    require(is_plain(category_counts), "expected an array of numbers of people, without a mask")
    shaped = category_counts.shape == (n_categories,) and category_counts.dtype.kind in "iu"
    require(shaped, f"expected {n_categories} whole numbers of people")
    require(category_counts.min() >= 0, "expected at least 0 people in each category")
    fits = category_counts.sum(dtype=np.float64) <= MOST_PEOPLE
    require(fits, "expected at most 2^62 people in all")
    return category_counts.astype(np.int64, copy=False)


def require_parameters(n_categories: int, epsilon: float) -> None:
    """Raise HushrankError unless there are 2+ categories and epsilon is in (0, 1000]."""
    typed = isinstance(n_categories, int) and isinstance(epsilon, int | float)
    require(typed, "expected the number of categories as an int and epsilon as a float")
    require(n_categories >= 2, f"need at least 2 categories, got {n_categories}")
    require(0 < epsilon < float("inf"), f"expected a positive finite epsilon, got {epsilon}")
    indistinct = "above about 44 nats 64-bit words cannot tell the difference"
    require(
        epsilon <= MOST_EPSILON,
        f"expected an epsilon of at most {MOST_EPSILON}, got {epsilon}: {indistinct}",
    )

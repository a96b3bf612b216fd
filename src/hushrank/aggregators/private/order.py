"""One order that a trusted curator released, and what it cost the people."""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log
from typing import TypeAlias

import numpy as np

from hushrank.accounting.composition import delta_of_replacing
from hushrank.accounting.spend import Spend
from hushrank.accounting.words import loss_in_words
from hushrank.aggregators.pairwise import pair_margins
from hushrank.arrays import Counts, Floats, Order, Shares
from hushrank.errors import require
from hushrank.randomness import Randomness

ItemScores: TypeAlias = Floats
"""(items,): more = better."""

MOST_PEOPLE = 2**40  # sums over a thousand items, and noise on them, stay far below 2^63


@dataclass(frozen=True, eq=False, repr=False)
class NoisyScores:
    """The scores (items,) behind an order, more = better, as they were released.

    `noise_sd` is the standard deviation of independent noise on each score whose differences vary
    as those of the noise do. `confidence` is explained at `PrivateOrder`.
    """

    scores: ItemScores
    noise_sd: float
    confidence: tuple[float, ...]


@dataclass(frozen=True, eq=False, repr=False)
class NoisyMargins:
    """The margins (items, items) of all pairs behind an order, in ballots, as they were released.

    `noise_sd` is the standard deviation of the noise on one margin.
    """

    margins: Floats
    noise_sd: float
    confidence: tuple[float, ...]


@dataclass(frozen=True, eq=False, repr=False)
class ComparedMargins:
    """The margins (items, items) of the pairs that were compared, in ballots; nan = not asked.

    `noise_scale` is that of the Laplace noise on each, in ballots.
    """

    margins: Floats
    noise_scale: float
    confidence: tuple[float, ...]


@dataclass(frozen=True, eq=False, repr=False)
class DrawnByCost:
    """An order that was drawn with probability ~ exp(-rate * Kendall cost), and nothing else.

    `rate`: by how much one ballot that wants two neighbours the other way round lowers the
    logarithm of the order's probability.
    """

    rate: float
    confidence: None = None

    def lead_for(self, probability: float) -> int:
        """Return the lead, in ballots, at which two neighbours are right with this probability.

        Right: the exact margin agrees; next to the same order with the two exchanged.
        """
        return ceil(log(probability / (1 - probability)) / self.rate)


Evidence: TypeAlias = NoisyScores | NoisyMargins | ComparedMargins | DrawnByCost
"""What a method releases beside the order: each kind of method its own."""


@dataclass(frozen=True, eq=False, repr=False)
class PrivateOrder:
    """An order, best first, with all that was released beside it and the price.

    `evidence` is what else was released, or how the order was drawn where it is all there is.
    Whoever publishes the exact number of people too sets `publishes_n_people` by `replace`.
    """

    order: Order
    method: str
    spend: Spend
    is_private: bool
    evidence: Evidence | None = None
    publishes_n_people: bool = False

    def __repr__(self) -> str:
        """Say the size, the method and the price, nothing of the content."""
        secret = "private" if self.is_private else "not private"
        return f"PrivateOrder({len(self.order)} items, {self.method}, {self.price}, {secret})"

    @property
    def confidence(self) -> tuple[float, ...] | None:
        """How likely each adjacent pair (items - 1,) of the order is the right way round.

        The probability, given the noise, that the exact scores or margin agree, if every difference
        was equally likely before; None where nothing was released that tells.
        """
        return None if self.evidence is None else self.evidence.confidence

    @property
    def statement(self) -> str:
        """What was protected, for whom, and at what cost, in one line."""
        if not self.is_private:
            return f"Not private: a simulation of {self.price} whose noise is not secret."
        return (
            f"The order protects each person's whole ballot by {self.price} (neighbours:"
            f" {self.spend.neighbours}) against all who see it, not against the curator; the list"
            f" of items is treated as public; {self._about_n_people()}."
        )

    @property
    def price(self) -> str:
        """The guarantee in short, such as 0.5-DP."""
        epsilon, delta = self.spend.epsilon, self.spend.delta
        return (
            f"{loss_in_words(epsilon)}-DP"
            if delta == 0
            else (f"({loss_in_words(epsilon)}, {loss_in_words(delta)})-DP")
        )

    def _about_n_people(self) -> str:
        """Replacing a ballot removes one and adds one: the price is paid twice."""
        if not self.publishes_n_people:
            return "the number of people is not treated as public"
        epsilon = self.spend.epsilon
        delta = delta_of_replacing(epsilon, self.spend.delta)
        with_delta = f" and delta {loss_in_words(delta)}" if delta else ""
        return (
            "the number of people is treated as public: against replacing one ballot it is"
            f" epsilon {loss_in_words(2 * epsilon)}{with_delta}"
        )


def central_spend(method: str, mechanism: str, epsilon: float, delta: float = 0.0) -> Spend:
    """Return the price of one release by a curator; it checks epsilon and delta."""
    return Spend(method, epsilon, mechanism, model="central", delta=delta)


def ballot_margins(majority: Counts) -> Counts:
    """Return majority - majority.T (items, items), exactly, of pair counts of ballots.

    Raises HushrankError unless they are whole numbers of people, zero on the diagonal.
    """
    pair_margins(majority)
    is_whole = (majority == np.round(majority)).all()
    require(is_whole, "expected whole pair counts of ballots")
    in_range = majority.min() >= 0 and majority.max() <= MOST_PEOPLE
    require(in_range, f"expected pair counts of 0 to {MOST_PEOPLE:,} ballots")
    require(not majority.diagonal().any(), "expected no item before itself")
    counts = majority.astype(np.int64)
    return counts - counts.T


def require_complete_strict_ballots(majority: Counts, purpose: str) -> None:
    """Raise HushrankError unless everybody decided every pair."""
    decided = (majority + majority.T)[np.triu_indices(len(majority), k=1)]
    message = f"{purpose}: expected complete strict ballots, some pairs are undecided"
    require((decided == decided[0]).all(), message)


def order_by_scores(scores: ItemScores | Counts, *, rng: Randomness) -> Order:
    """Return the items (items,) by descending score; equal scores fall in random order.

    Not by item number, which would favour the items that a file lists first.
    """
    order = np.lexsort((rng.words(len(scores)), -scores))
    return tuple(int(item) for item in order)


def confidence_in(
    order: Order, scores: ItemScores | Counts, probability_below: Callable[[ItemScores], Shares]
) -> tuple[float, ...]:
    """Return P(noise of two scores differs by less than they do) for each adjacent pair."""
    in_order = scores[list(order)].astype(np.float64)
    right = probability_below(in_order[:-1] - in_order[1:])
    return tuple(float(probability) for probability in right)

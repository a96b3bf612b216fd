"""What each protocol of `hushrank collect` asks, through which mechanisms, of how many."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb, factorial, lgamma, log, log2

from hushrank.mechanisms.local_hashing import OptimisedLocalHashing, SuccinctHistogram
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.mechanisms.thresholded_laplace import ThresholdedLaplace
from hushrank.mechanisms.unary_encoding import SymmetricUnaryEncoding
from hushrank.poisoning.forgery import pull_of
from hushrank.protocols.distributions.question_mix import Mix, MixPart, choose_mix
from hushrank.protocols.orders.order_design import (
    OrderDesign,
    block_response,
    choose_order_design,
    whole_response,
)
from hushrank.protocols.orders.pairs import response_at
from hushrank.protocols.orders.query_counts import best_queries, paper_queries
from hushrank.protocols.registry import MECHANISMS, PROTOCOLS
from hushrank.surveys.sampled_survey import mechanism_for

SURE = 1.96
"""Standard errors on both sides of a 95 % interval."""
BITS_OF_A_HASH = 128
"""A person who hashes says which of 2^128 functions was drawn."""

MOST_KNOWN_OF_DRAW = 2.5
"""Of ranks; see `own_draw_known`."""

MODELS = tuple(name for name, entry in PROTOCOLS.items() if entry.has_model)
"""Protocols that learn a model of all rankings."""
PAIRS = tuple(name for name, entry in PROTOCOLS.items() if "queries" in entry.options)
"""Protocols that ask each person about some of the pairs."""


@dataclass(frozen=True)
class Asking:
    """Questions of one kind, each for some of the people, through one mechanism.

    reach = p - q: how much likelier the truth than a given lie supports a category, or by which
    factor the mean report of a whole order is drawn to the middle. pull: see `Forgery`. Bits of all
    answers of a person.
    """

    reach: float
    pull: float
    report_bits: float
    n_questions: int = 1
    share: float = 1.0
    n_answers: int = 1

    @property
    def question_bits(self) -> float:
        """The bits that say which questions a person is asked."""
        which = comb(self.n_questions, self.n_answers)
        return log2(which) - log2(self.share)

    def influence(self, n_people: int) -> float:
        """Return by how much one crafted report can move one estimated share: 1 / (n_j (p - q)).

        n_j = the expected reports on the question. Before any prior or projection. Of a whole
        order: by how much it moves a mean rank, as a share of all ranks.
        """
        reports = n_people * self.share * self.n_answers / self.n_questions
        return 1 / (reports * self.reach)

    def moved(self, lying: float, *, n_people: int, picks: bool = False) -> float:
        """Return by how much a part of the people can move an estimated share at most, by lies.

        They forge their reports, to the questions that they are dealt; or all `picks` one question.
        Before any prior or projection.
        """
        if not picks:
            return min(1.0, lying * self.pull)
        honest = (1 - lying) * n_people * self.share * self.n_answers / self.n_questions
        return min(1.0, self.pull * lying * n_people / (lying * n_people + honest))


@lru_cache(maxsize=1024)
def askings(protocol: str, n_items: int, n_people: int, epsilon: float) -> tuple[Asking, ...]:
    """Return what a protocol asks: round by round, or of different people.

    Raises HushrankError where a mechanism refuses the numbers.
    """
    if protocol in MECHANISMS:
        return (_whole_ranking(protocol, n_items, epsilon),)
    if protocol in PAIRS:
        return (_pairs(protocol, n_items, epsilon),)
    if protocol == "subset-order":
        return (_whole_order(SubsetOrder(n_items, epsilon), 1.0),)
    if protocol == "order":
        design = choose_order_design(n_items, epsilon=epsilon, n_people=n_people)
        return tuple(_of_design(design, n_items, epsilon))
    if protocol == "safari":
        return tuple(_safari(n_items, epsilon))
    return mix_askings(choose_mix(n_items, epsilon=epsilon, n_people=n_people), n_items, epsilon)


@lru_cache(maxsize=1024)
def mix_askings(mix: Mix, n_items: int, epsilon: float) -> tuple[Asking, ...]:
    """Return what the parts of a mix ask, of different people."""
    return tuple(_mix_part(part, n_items, epsilon) for part in mix)


def own_draw_known(asked: Sequence[Asking], n_items: int) -> float:
    """Return which part of the people's own difference from their population max-entropy learns.

        1 for two items, whose one question everybody answers; else reach^2 min(1, 2.5 / items)

    Of the mean reach^2 of what is asked. This is a rule of thumb: where reports are clear, .64, .4
    and .13 were measured for 4, 6 and 9 items, and it says .63, .42 and .28. The table is made
    without that part, and predictions put it back, so that most of the error of the rule cancels.
    For people who prefer nothing the part is 0: the prior takes their difference from the
    population for noise.
    """
    clear = sum(each.share * each.reach**2 for each in asked)
    return 1.0 if n_items == 2 else clear * min(1.0, MOST_KNOWN_OF_DRAW / n_items)


def queries(protocol: str, n_items: int, epsilon: float) -> int:
    """Return how many pairs a person is asked."""
    n_pairs = comb(n_items, 2)
    if protocol == "pairs":
        return best_queries(epsilon, n_pairs)
    return paper_queries(epsilon, n_pairs, "lap" if protocol.endswith("lap") else "rr")


def _whole_ranking(protocol: str, n_items: int, epsilon: float) -> Asking:
    n_orders = factorial(n_items)
    mechanism = MECHANISMS[protocol](n_orders, epsilon)
    match mechanism:
        case OptimisedLocalHashing():
            bits = BITS_OF_A_HASH + log2(mechanism.n_buckets)
        case SuccinctHistogram():
            bits = BITS_OF_A_HASH + 1.0
        case SymmetricUnaryEncoding():
            bits = float(n_orders)
        case _:
            bits = log2(n_orders)
    return Asking(mechanism.rates.reach, pull_of(mechanism), bits)


def _pairs(protocol: str, n_items: int, epsilon: float) -> Asking:
    n_answers = queries(protocol, n_items, epsilon)
    is_laplace = protocol.endswith("lap")
    mechanism = (
        ThresholdedLaplace(epsilon / n_answers) if is_laplace else response_at(epsilon, n_answers)
    )
    rates = mechanism.rates.reach, pull_of(mechanism)
    return Asking(*rates, n_answers, comb(n_items, 2), n_answers=n_answers)


def _whole_order(mechanism: SubsetOrder, share: float) -> Asking:
    bits = lgamma(mechanism.n_categories + 1) / log(2)
    return Asking(mechanism.signal, pull_of(mechanism), bits, share=share)


def _of_design(design: OrderDesign, n_items: int, epsilon: float) -> Iterator[Asking]:
    """Yield the blocks, then the whole orders if there are any, of different people."""
    size, n_answers, whole = design.block_size, design.n_answers, design.whole_share
    mechanism = block_response(size, epsilon, n_answers)
    bits = n_answers * log2(mechanism.n_categories)
    rates = mechanism.rates.reach, pull_of(mechanism)
    yield Asking(*rates, bits, comb(n_items, size), share=1 - whole, n_answers=n_answers)
    if whole:
        yield _whole_order(whole_response(n_items, epsilon), whole)


def _safari(n_items: int, epsilon: float) -> Iterator[Asking]:
    """Yield Rule I's triplets, then Rule II's interleavings, of 2 to n_items places."""
    triplet = GeneralizedRandomizedResponse(2 * n_items, epsilon / 2)
    n_triplets = n_items * comb(n_items - 1, 2)
    yield Asking(triplet.rates.reach, pull_of(triplet), log2(2 * n_items), n_triplets)
    responses = [
        GeneralizedRandomizedResponse(places, epsilon / 2) for places in range(2, n_items + 1)
    ]
    reach = min(response.rates.reach for response in responses)
    bits = sum(log2(places) for places in range(2, n_items + 1)) / (n_items - 1)
    yield Asking(reach, max(map(pull_of, responses)), bits, n_items - 1)


def _mix_part(part: MixPart, n_items: int, epsilon: float) -> Asking:
    questions = part.questions(n_items)
    largest = max(questions, key=lambda question: question.n_categories)
    mechanism = mechanism_for(largest, epsilon)
    rates = mechanism.rates.reach, pull_of(mechanism)
    return Asking(*rates, log2(largest.n_categories), len(questions), part.share)

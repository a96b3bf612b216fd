"""What to ask of people who are to agree on one order: chosen before anybody is asked.

Theory: docs/theory/one-order.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb, factorial, pi, sqrt

from hushrank.errors import HushrankError, require
from hushrank.mechanisms.local import require_parameters
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.protocols.orders.pairs import response_at
from hushrank.protocols.orders.query_counts import best_queries
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.whole_order import WholeOrder
from hushrank.surveys.survey import Survey

LARGEST_BLOCK = 5
MOST_BLOCKS = 5000
"""Questions of a survey, but for pairs, of which there may be more."""
WHOLE_SHARES = (0.0, 0.25, 0.5, 0.75)
"""Never everybody: mean ranks alone do not say who beats whom."""
LARGEST_WHOLE_EPSILON = 8.0
"""What is spent on a whole order at most: tries grow with e^epsilon."""
SCORE_SPREAD = 0.3
REST_SPREADS = (0.02, 0.05, 0.1)
"""Of scores, and of what scores leave over of a margin: typical of made-up populations, and the
range from one order with noise to a few camps."""
NEARLY = 1.02
"""Of designs that are so nearly as good the one with fewer whole orders: where people agree more
than was supposed, these tell less."""


@dataclass(frozen=True)
class OrderDesign:
    """How many items a block has, how many blocks a person puts in order, who ranks everything.

    `whole_share` of the people report their whole order; all others `n_answers` blocks.
    """

    block_size: int
    n_answers: int = 1
    whole_share: float = 0.0

    def __str__(self) -> str:
        """Say what is asked of how many, in one line."""
        blocks = "pairs" if self.block_size == 2 else f"orders of {self.block_size} items"
        asked = f"{100 * (1 - self.whole_share):g} % {self.n_answers} of all {blocks}"
        whole = f", {100 * self.whole_share:g} % the whole order" if self.whole_share else ""
        return asked + whole


@dataclass(frozen=True)
class Noise:
    """What a person's report adds to margins, as variances in two kinds of directions.

    `of_scores`: of margins that are differences of scores. `of_rest`: of all others, such as
    circles. Near the uniform population; inf where the report says nothing.
    """

    of_scores: float
    of_rest: float


@lru_cache(maxsize=1024)
def choose_order_design(n_items: int, *, epsilon: float, n_people: int) -> OrderDesign:
    """Return the design that regrets least, from public numbers alone.

    Its loss, in parts of the least loss of any design, is smallest at the rest spread where it is
    worst.   Raises HushrankError for impossible numbers.
    """
    require_parameters(2, epsilon)
    require(n_items >= 2, f"expected at least 2 items, got {n_items}")
    require(n_people >= 1, f"expected at least 1 person, got {n_people}")
    designs = list(order_designs(n_items, epsilon))
    regrets = _regrets([_losses(each, n_items, epsilon, n_people) for each in designs])
    good = [n for n, regret in enumerate(regrets) if regret <= NEARLY * min(regrets)]
    return designs[min(good, key=lambda n: (designs[n].whole_share, regrets[n]))]


def _losses(design: OrderDesign, n_items: int, epsilon: float, n_people: int) -> list[float]:
    """Return the predicted losses by rest spread."""
    numbers = n_items, epsilon, n_people
    return [predicted_loss(design, *numbers, rest_spread=spread) for spread in REST_SPREADS]


def _regrets(losses: Sequence[Sequence[float]]) -> list[float]:
    """Return how many times the least loss each design may lose, at worst."""
    least = [min(column) for column in zip(*losses, strict=True)]
    return [max(loss / best for loss, best in zip(row, least, strict=True)) for row in losses]


def order_designs(n_items: int, epsilon: float) -> Iterator[OrderDesign]:
    """Yield what can be asked: pairs or larger blocks, with and without whole orders.

    Larger blocks than pairs are asked where there are not so many that a survey gets too long.
    """
    shares = WHOLE_SHARES if _takes_whole_orders(n_items, epsilon) else WHOLE_SHARES[:1]
    for block_size in range(2, min(n_items, LARGEST_BLOCK) + 1):
        if block_size == 2 or comb(n_items, block_size) <= MOST_BLOCKS:
            n_answers = best_queries(epsilon, comb(n_items, 2)) if block_size == 2 else 1
            for share in shares:
                yield OrderDesign(block_size, n_answers, share)


def _takes_whole_orders(n_items: int, epsilon: float) -> bool:
    """Whether there is a mechanism for whole orders, and more than one pair to ask for."""
    if n_items == 2:
        return False
    try:
        whole_response(n_items, epsilon)
    except HushrankError:
        return False
    return True


def predicted_loss(
    design: OrderDesign, n_items: int, epsilon: float, n_people: int, *, rest_spread: float
) -> float:
    """Return the expected excess, of a pair, where scores and rest are normal, near uniform.

        sqrt(1 / 2 pi) (T - sqrt(T^2 - V))

    T^2 = the variance of margins, V = what is left of it by the reports: both in the mean of pairs.
    """
    n_pairs, n_scores = comb(n_items, 2), n_items - 1
    score_variance, rest_variance = n_items * SCORE_SPREAD**2, rest_spread**2
    known_scores = n_people * known_of_scores(design, n_items, epsilon)
    known_rest = n_people * sum(
        share / noise.of_rest for share, noise in _noises(design, n_items, epsilon)
    )
    left = n_scores / (1 / score_variance + known_scores)
    left += (n_pairs - n_scores) / (1 / rest_variance + known_rest)
    total = n_scores * score_variance + (n_pairs - n_scores) * rest_variance
    fallen = left / (sqrt(total) + sqrt(total - left))  # of roots that are nearly the same
    return fallen / sqrt(2 * pi * n_pairs)


def known_of_scores(design: OrderDesign, n_items: int, epsilon: float) -> float:
    """Return one over the variance of margins that scores make, for one person asked."""
    return sum(share / noise.of_scores for share, noise in _noises(design, n_items, epsilon))


def _noises(design: OrderDesign, n_items: int, epsilon: float) -> list[tuple[float, Noise]]:
    """Return the noise of each part's reports, with its share of the people."""
    of_blocks = noise_of_blocks(n_items, epsilon, design.block_size, design.n_answers)
    noises = [(1 - design.whole_share, of_blocks)]
    if design.whole_share:
        noises.append((design.whole_share, noise_of_whole(n_items, epsilon)))
    return noises


@lru_cache(maxsize=1024)
def noise_of_blocks(n_items: int, epsilon: float, block_size: int, n_answers: int) -> Noise:
    """Return the noise of reports on all blocks, dealt at random; see docs/theory/one-order.md."""
    gap = block_response(block_size, epsilon, n_answers).rates.reach
    chance = n_answers * comb(block_size, 2) / comb(n_items, 2)
    triples = comb(block_size, 3) / comb(n_items, 3) if block_size > 2 else 0.0
    own, shared = 1 / (chance * gap**2), n_answers * triples / (3 * chance**2 * gap**2)
    return Noise(own + (n_items - 2) * shared, own - 2 * shared)


@lru_cache(maxsize=1024)
def noise_of_whole(n_items: int, epsilon: float) -> Noise:
    """Return the noise of reports on whole orders: of uniform ranks, drawn to the middle."""
    signal = whole_response(n_items, epsilon).signal
    return Noise((n_items + 1) / 3 * (signal**-2 - 1), float("inf"))


def block_response(
    block_size: int, epsilon: float, n_answers: int
) -> GeneralizedRandomizedResponse:
    """Return the response that hides the order of a block, of which n_answers cost epsilon."""
    if n_answers > 1:
        return response_at(epsilon, n_answers)
    return GeneralizedRandomizedResponse(factorial(block_size), epsilon)


def whole_response(n_items: int, epsilon: float) -> SubsetOrder:
    """Return what hides a whole order; raise HushrankError where no such mechanism is possible."""
    return SubsetOrder(n_items, min(epsilon, LARGEST_WHOLE_EPSILON))


@lru_cache(maxsize=64)
def block_survey(n_items: int, epsilon: float, design: OrderDesign) -> Survey:
    """Return the survey that asks for the orders of blocks, of those who are not asked for all."""
    blocks = tuple(map(RelativeOrder, combinations(range(n_items), design.block_size)))
    mechanism = block_response(design.block_size, epsilon, design.n_answers)
    mechanisms, lots = (mechanism,) * len(blocks), (0.0, 1 - design.whole_share)
    return Survey("blocks", blocks, mechanisms, epsilon, design.n_answers, lots=lots)


def whole_survey(n_items: int, epsilon: float, design: OrderDesign) -> Survey:
    """Return the survey that asks all others for the whole order."""
    mechanism = whole_response(n_items, epsilon)
    question, lots = WholeOrder(tuple(range(n_items))), (1 - design.whole_share, 1.0)
    return Survey("whole order", (question,), (mechanism,), mechanism.epsilon, lots=lots)

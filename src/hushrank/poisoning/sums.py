"""Test sums over many questions, each of which has few reports: all that put one item first."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import exp, factorial, log, log1p
from typing import Literal, TypeAlias, cast

import numpy as np

from hushrank.mechanisms.local import LocalMechanism
from hushrank.mechanisms.named_member import NamedMember
from hushrank.mechanisms.randomized_response import GeneralizedRandomizedResponse
from hushrank.mechanisms.spearman_law import MOST_EXACT_ITEMS
from hushrank.mechanisms.subset_order import SubsetOrder
from hushrank.mechanisms.unary_encoding import OptimisedUnaryEncoding, SymmetricUnaryEncoding
from hushrank.poisoning.findings import AnsweredQuestion, Finding, Suspicion, half_of
from hushrank.questions.interleaving import Interleaving
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.named_set import NamedSet
from hushrank.questions.question import Question
from hushrank.questions.rank_and_precedence import RankAndPrecedence
from hushrank.questions.rank_level import RankLevel
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated
from hushrank.questions.top_order import TopOrder

Cells: TypeAlias = range
"""Some categories of a question."""
SLACK = 1.1
"""By how much a slope of subset-order is at most understated, above 12 items."""
NAMING = (GeneralizedRandomizedResponse, NamedMember)
"""A report speaks for one answer."""
UNARY = (SymmetricUnaryEncoding, OptimisedUnaryEncoding)


@dataclass(frozen=True)
class Law:
    """What one report adds to a sum, whatever its owner thinks: 0 to `most`, of a mean low to high.

    bits: of independent bits, the rates of the owner's and of another one.
    """

    low: float
    high: float
    most: int
    bits: tuple[float, float] | None = None

    def log_moment(self, rate: float) -> float:
        """Return a bound of ln E[exp(rate x)]: of the high mean if rate > 0, else of the low.

        Source for what is no bits: Hoeffding (JASA 1963), theorem 1.
        """
        mean = self.high if rate > 0 else self.low
        if self.bits is None:
            return _log_coin(mean / self.most, rate * self.most)
        p, q = self.bits
        n_own = round((mean - self.most * q) / (p - q))  # whether a bit is the owner's
        return n_own * _log_coin(p, rate) + (self.most - n_own) * _log_coin(q, rate)


@dataclass
class Sum:
    """A sum over the reports of many questions: how many there are of each law, and the result."""

    observed: float = 0.0
    n_reports: Counter[Law] = field(default_factory=Counter)

    def add(self, law: Law, n_reports: int, observed: float) -> None:
        """Add the reports of one question."""
        self.n_reports[law] += n_reports
        self.observed += observed

    def tail(self, side: int) -> float:
        """Return Chernoff's bound of P(a sum as large as observed), or as small for side -1.

            min over r > 0 of exp(-r observed + sum of log moments at r), or with -r

        Every r gives a valid bound, so that the search need not be exact.
        """

        def exponent(log_rate: float) -> float:
            rate = side * exp(log_rate)
            moments = (n * law.log_moment(rate) for law, n in self.n_reports.items())
            return sum(moments) - rate * self.observed

        from scipy.optimize import minimize_scalar  # slow to load, seldom needed

        found = minimize_scalar(exponent, bounds=(-25.0, 5.0), method="bounded")
        return exp(min(0.0, float(found.fun)))


def suspicion_of_sums(
    asked: Sequence[AnsweredQuestion], of_dealing: Sequence[Finding], false_alarm: float
) -> Suspicion:
    """Test each item, and what unary and hashed reports speak for in all, twice each.

    They share a false alarm rate with the tests of dealing.
    """
    sums: dict[tuple[Literal["item", "total"], int | None], Sum] = {}
    for each in asked:
        for kind, item, law, observed in _summed(each):
            of_kind = sums.setdefault((kind, item), Sum())
            of_kind.add(law, each.tally.n_reports, observed)
    raw = [
        Finding(kind, None, item, side > 0, summed.tail(side))
        for (kind, item), summed in sums.items()
        for side in (1, -1)
    ]
    raw += of_dealing
    least = min((each.p_value for each in raw), default=1.0)
    return half_of(len(raw), least, raw, false_alarm)


def _summed(
    each: AnsweredQuestion,
) -> Iterator[tuple[Literal["item", "total"], int | None, Law, float]]:
    """Yield the sums that a question is part of, the law of its reports there, and their sum."""
    support = each.tally.support
    if isinstance(each.mechanism, SubsetOrder):
        law, m = law_of_ranks(each.mechanism), each.mechanism.n_categories
        for item, ranks in zip(each.question.items, support, strict=True):
            yield "item", item, law, float((m - 1) * each.tally.n_reports - ranks)
        return
    mechanism = cast(LocalMechanism, each.mechanism)
    for item, cells in favouring(each.question):
        observed = support[cells.start : cells.stop : cells.step].sum()
        yield "item", item, law_of_cells(mechanism, len(cells)), float(observed)
    if not isinstance(mechanism, NAMING):
        yield "total", None, law_of_cells(mechanism, mechanism.n_categories), float(support.sum())


def favouring(question: Question) -> Iterator[tuple[int, Cells]]:
    """Yield items, each with the answers that say the best that a question can say of it."""
    match question:
        case RelativeOrder(items):
            each = factorial(len(items) - 1)
            for nth, item in enumerate(items):
                yield item, range(nth * each, (nth + 1) * each)
        case TopOrder(n_items):
            each = question.n_categories // n_items
            for item in range(n_items):
                yield item, range(item * each, (item + 1) * each)
        case RankLevel(item, levels) if levels[0] != levels[-1]:
            yield item, range(levels[0], levels[0] + 1)
        case LevelAndPrecedence(item, _, levels) if levels[0] != levels[-1]:
            best = question.cells[0][0]
            yield item, range(best, best + 1)
        case NamedSet(places, n_items, None) if places[0] == 0 and places[-1] < n_items - 1:
            for item in range(n_items):
                yield item, range(item, item + 1)
        case RankAndPrecedence(item, first, second):
            yield item, range(0, 1 + 1)
            yield first, range(0, question.n_categories, 2)
            yield second, range(1, question.n_categories, 2)
        case Interleaving((item,), _):
            yield item, range(0, 1)
        case Stated(inner):
            yield from favouring(inner)


def law_of_cells(mechanism: LocalMechanism, n_cells: int) -> Law:
    """Return the law of how many of some answers a report speaks for."""
    p, q = mechanism.rates.hit_rate, mechanism.rates.false_hit_rate
    high = (n_cells - 1) * q + p
    low = high if n_cells == mechanism.n_categories else n_cells * q  # one of all is the owner's
    if isinstance(mechanism, NAMING):
        return Law(low, high, 1)  # at most one of them
    return Law(low, high, n_cells, (p, q) if isinstance(mechanism, UNARY) else None)


def law_of_ranks(mechanism: SubsetOrder) -> Law:
    """Return the law of a reported rank, from the worst: its mean is within the signal."""
    m = mechanism.n_categories
    slack = 1.0 if m <= MOST_EXACT_ITEMS else SLACK
    middle = (m - 1) / 2
    reach = min(1.0, slack * mechanism.signal) * middle
    return Law(middle - reach, middle + reach, m - 1)


def _log_coin(probability: float, exponent: float) -> float:
    """Return ln(1 - probability + probability e^exponent)."""
    if not 0 < probability < 1:
        return exponent if probability >= 1 else 0.0
    return float(np.logaddexp(log1p(-probability), log(probability) + exponent))

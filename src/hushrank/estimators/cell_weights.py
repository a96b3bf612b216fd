"""What a model of ranks and precedences says about the answers to questions.

Theory: docs/theory/max-entropy.md.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.arrays import Floats
from hushrank.errors import HushrankError
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.named_set import NamedSet
from hushrank.questions.question import Question
from hushrank.questions.rank_level import RankLevel
from hushrank.questions.relative_order import RelativeOrder

Index = TypeVar("Index", int, NDArray[np.intp])

Term: TypeAlias = tuple[int, int, float]
"""A category, the number of a statistic, and how often it counts."""


def statistics_of(at: Floats, preceded: Floats) -> Floats:
    """Return one row of all statistics of a model: (items^2 + items^3,).

    First at (items, ranks) = P(rank of a = r), then preceded (items, items, ranks) = P(rank of a =
    r and b before a). The probability of every category here is a sum of some of them.
    """
    return np.concatenate([at.ravel(), preceded.ravel()])


def cell_weights(questions: Sequence[Question], n_items: int) -> csr_array:
    """Return the weights (cells, statistics) that turn `statistics_of` into P(category).

    The cells are the categories of the first question, then those of the second, and so on.
    Raises HushrankError for a question about more than one item's rank and one precedence.
    """
    sizes = [question.n_categories for question in questions]
    rows: list[int] = []
    columns: list[int] = []
    weights: list[float] = []
    for question, start in zip(questions, accumulate(sizes, initial=0), strict=False):
        for category, statistic, weight in terms_of(question, n_items):
            rows.append(start + category)
            columns.append(statistic)
            weights.append(weight)
    shape = (sum(sizes), n_items**2 + n_items**3)
    return csr_array((weights, (rows, columns)), shape=shape)


def terms_of(question: Question, n_items: int) -> Iterator[Term]:
    """Yield what P(category) is a sum of, for each category of one question."""
    match question:
        case RelativeOrder((first, second)):
            yield from ((0, preceded_at(second, first, r, n_items), 1.0) for r in range(n_items))
            yield from ((1, preceded_at(first, second, r, n_items), 1.0) for r in range(n_items))
        case RankLevel(item, levels):
            yield from ((level, item * n_items + r, 1.0) for r, level in enumerate(levels))
        case LevelAndPrecedence():
            yield from _terms_of_cells(question, n_items)
        case NamedSet():
            yield from _terms_of_set(question)
        case _:
            name = type(question).__name__
            raise HushrankError(f"a model of ranks and precedences cannot foretell {name}")


def _terms_of_cells(question: LevelAndPrecedence, n_items: int) -> Iterator[Term]:
    for rank, (after, before) in enumerate(question.cells):
        both = preceded_at(question.item, question.other, rank, n_items)
        if after >= 0:
            yield after, question.item * n_items + rank, 1.0
            yield after, both, -1.0
        if before >= 0:
            yield before, both, 1.0


def _terms_of_set(question: NamedSet) -> Iterator[Term]:
    n_items = question.n_items
    for number in range(question.n_categories):
        item, other = question.cell(number)
        for rank in question.places:
            if question.side != "before":
                yield number, item * n_items + rank, 1.0
            if other is not None:
                sign = 1.0 if question.side == "before" else -1.0
                yield number, preceded_at(item, other, rank, n_items), sign


def preceded_at(item: Index, other: Index, rank: Index, n_items: int) -> Index:
    """Return which statistic says that `item` has the rank, and `other` is before it.

    Of numbers, or of arrays that are stretched to one shape.
    """
    return n_items**2 + (item * n_items + other) * n_items + rank

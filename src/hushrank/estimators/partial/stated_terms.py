"""What a model says of answers that a ranking may leave open."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.arrays import Floats
from hushrank.errors import require
from hushrank.estimators.cell_weights import preceded_at, terms_of
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.question import Question
from hushrank.questions.rank_level import RankLevel
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated, deciding_places
from hushrank.rankings.reading import Unranked

StatedTerm: TypeAlias = tuple[int, int, float, int]
"""A category, the number of a statistic, how often it counts, and which stated share it takes."""

ALWAYS = -1


@dataclass(frozen=True, eq=False, repr=False)
class StatedTerms:
    """P(category) as a sum over terms, of which some count only where people have ranked enough.

        P(cell) = sum over its terms of   count x statistic x stated share [x 1 if it is ALWAYS]

    All of cells (ascending), statistics, counts and shares are (terms,); `shares` says which stated
    share a term takes. The cells of a question sum to 1 whatever the stated shares are.
    """

    shape: tuple[int, int]
    n_shares: int
    cells: NDArray[np.intp]
    statistics: NDArray[np.intp]
    counts: Floats
    shares: NDArray[np.intp]

    @classmethod
    def of(cls, questions: Sequence[Question], n_items: int) -> "StatedTerms":
        """Take questions whose cells are numbered as in `cell_weights`.

        Raises HushrankError unless all have a cell for what is not stated, with one meaning.
        """
        stated = [question for question in questions if isinstance(question, Stated)]
        alike = len(stated) == len(questions) and len({each.unranked for each in stated}) == 1
        require(alike, "expected questions that incomplete rankings answer, all in one sense")
        sizes = [question.n_categories for question in stated]
        terms = [
            (start + category, statistic, count, share)
            for question, start in zip(stated, accumulate(sizes, initial=0), strict=False)
            for category, statistic, count, share in _terms(question, n_items)
        ]
        columns = zip(*sorted(terms), strict=True)
        cells, statistics, counts, shares = map(np.asarray, columns)
        shape = (sum(sizes), n_items**2 + n_items**3)
        n_shares = number_of_shares(stated[0].unranked, n_items)
        return cls(shape, n_shares, cells, statistics, counts.astype(np.float64), shares)

    def __add__(self, other: "StatedTerms") -> "StatedTerms":
        """Take the cells of both, those of `other` after its own."""
        return StatedTerms(
            (self.shape[0] + other.shape[0], self.shape[1]),
            self.n_shares,
            np.concatenate([self.cells, other.cells + self.shape[0]]),
            np.concatenate([self.statistics, other.statistics]),
            np.concatenate([self.counts, other.counts]),
            np.concatenate([self.shares, other.shares]),
        )

    @cached_property
    def _starts(self) -> NDArray[np.intp]:
        """Where the terms of each cell start, in their order, and the end: (cells + 1,)."""
        return np.searchsorted(self.cells, np.arange(self.shape[0] + 1))

    @property
    def unstated_cells(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The cells of what is not stated, and which pair each of them is about, of `unknown`."""
        is_less = self.counts < 0
        cells, first = np.unique(self.cells[is_less], return_index=True)
        return cells, self.shares[is_less][first]

    def weights(self, stated: Floats) -> csr_array:
        """Return the weights (cells, statistics) that turn statistics into P(category)."""
        counts = self.counts * np.append(stated, 1.0)[self.shares]  # ALWAYS is the last one
        return csr_array((counts, self.statistics, self._starts), shape=self.shape)

    def slopes(self, statistics: Floats) -> Floats:
        """Return the derivatives of P(category) by the stated shares: (cells, shares)."""
        width = self.n_shares + 1
        values = self.counts * statistics[self.statistics]
        slots = self.cells * width + self.shares % width  # ALWAYS is the last one
        flat = np.bincount(slots, values, minlength=self.shape[0] * width).astype(np.float64)
        return flat.reshape(self.shape[0], width)[:, :-1]


def number_of_shares(unranked: Unranked, n_items: int) -> int:
    """Return how many stated shares there are: of `last` places but one, of `unknown` pairs."""
    return n_items - 1 if unranked == "last" else n_items * (n_items - 1) // 2


def _terms(question: Stated, n_items: int) -> Iterator[StatedTerm]:
    """Yield the terms of each category, and of what is not stated: 1 less all others."""
    left = question.question.n_categories
    for category, statistic, count, share in _stated(question, n_items):
        yield category, statistic, count, share
        yield left, statistic, count, ALWAYS
        yield left, statistic, -count, share


def _stated(question: Stated, n_items: int) -> Iterator[StatedTerm]:
    asked = question.question
    if question.unranked == "unknown":
        number = _pair_number(asked.items, n_items)
        yield from ((*term, number) for term in terms_of(asked, n_items))
    elif isinstance(asked, RelativeOrder):
        yield from _of_pair(asked, n_items)
    else:
        yield from _of_level(asked, n_items)


def _of_pair(asked: RelativeOrder, n_items: int) -> Iterator[StatedTerm]:
    """An order is stated where the better item is ranked: the one at the last rank is never it."""
    for category, (better, worse) in enumerate((asked.items, asked.items[::-1])):
        for rank in range(n_items - 1):
            yield category, better * n_items + rank, 1.0, rank
            yield category, preceded_at(better, worse, rank, n_items), -1.0, rank


def _of_level(asked: RankLevel | LevelAndPrecedence, n_items: int) -> Iterator[StatedTerm]:
    """Stated where the item is ranked, or all others that could tell it apart are."""
    last_share = deciding_places(asked) - 1
    for category, statistic, count in terms_of(asked, n_items):
        yield category, statistic, count, min(statistic % n_items, last_share)


def _pair_number(items: tuple[int, ...], n_items: int) -> int:
    """Return the number of a pair among all pairs in lexicographic order."""
    first, second = sorted(items)
    return first * (2 * n_items - first - 1) // 2 + second - first - 1

"""What did a person answer, if their ranking says so at all? Questions about partial rankings."""

from dataclasses import dataclass
from typing import TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Categories, Ranks
from hushrank.errors import require
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.rank_level import RankLevel
from hushrank.questions.relative_order import RelativeOrder
from hushrank.rankings.coding import rank_type
from hushrank.rankings.competition import unranked as mark_of
from hushrank.rankings.reading import Unranked

StatedQuestion: TypeAlias = RelativeOrder | RankLevel | LevelAndPrecedence


@dataclass(frozen=True)
class Stated:
    """A question about partial rankings: category = that of `question`, or one more: not stated.

    A partial ranking orders strictly some of the items. It states an answer only if all
    complete rankings that agree with it give it. Two readings of the items that it leaves out:
    `last`: they come after all others. So a ranked item decides its pairs, its rank and its level;
    the level of one left out is decided where all places that remain are of one level; and an item
    that alone is left out is ranked last.   `unknown`: they may be anywhere. So only two ranked
    items decide their order, and nothing else is asked.
    """

    question: StatedQuestion
    unranked: Unranked
    takes_incomplete = True
    items_at_once = ()

    def __post_init__(self) -> None:
        """Check that it is known which rankings decide the question."""
        known = get_args(Unranked)
        require(self.unranked in known, f"expected {' or '.join(known)}, got {self.unranked}")
        is_pair = isinstance(self.question, RelativeOrder) and len(self.question.items) == 2
        is_ranked = self.unranked == "last"
        fits = is_pair or (is_ranked and isinstance(self.question, RankLevel | LevelAndPrecedence))
        allowed = "a pair, a level, or a level and a precedence" if is_ranked else "a pair"
        require(fits, f"expected a question about {allowed}, got {type(self.question).__name__}")

    @property
    def n_categories(self) -> int:
        """One more than the question has."""
        return self.question.n_categories + 1

    @property
    def items(self) -> tuple[int, ...]:
        """The items of the question."""
        return self.question.items

    def fits(self, n_items: int) -> bool:
        """Whether every strict ranking of some of n_items items has an answer."""
        return self.question.fits(n_items)

    def answer(self, ranks: Ranks) -> Categories:
        """Map strict ranks (people, items), 0 = best, largest = not ranked, to categories."""
        is_ranked = ranks != mark_of(ranks)
        decided = self._is_decided(is_ranked)
        answers = self.question.answer(completed(ranks, is_ranked))
        return np.where(decided, answers, self.question.n_categories)

    def _is_decided(self, is_ranked: NDArray[np.bool_]) -> NDArray[np.bool_]:
        if isinstance(self.question, RelativeOrder):
            first, second = (is_ranked[:, item] for item in self.items)
            return first | second if self.unranked == "last" else first & second
        is_enough: NDArray[np.bool_] = is_ranked.sum(axis=1) >= deciding_places(self.question)
        return is_ranked[:, self.question.item] | is_enough


def deciding_places(question: RankLevel | LevelAndPrecedence) -> int:
    """Return how many best places, once taken, decide the answer about an item that has none.

    All places after them are of one level. A precedence needs all places but one.
    """
    levels = question.levels
    if isinstance(question, LevelAndPrecedence):
        return len(levels) - 1
    return max(rank for rank in range(1, len(levels)) if levels[rank] != levels[rank - 1])


def completed(ranks: Ranks, is_ranked: NDArray[np.bool_]) -> Ranks:
    """Return ranks (people, items) with the unranked items last, in the order of their numbers."""
    n_ranked = is_ranked.sum(axis=1, keepdims=True)
    left = n_ranked + (~is_ranked).cumsum(axis=1) - 1
    return np.asfortranarray(np.where(is_ranked, ranks, left).astype(rank_type(ranks.shape[1])))

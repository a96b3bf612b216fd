"""The kinds of tiny questions, and all questions of each."""

from collections.abc import Iterable
from functools import cache
from itertools import combinations, permutations
from typing import Literal, TypeAlias, get_args

from hushrank.errors import require
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.question import Question
from hushrank.questions.rank_level import RankLevel, even_levels, extreme_levels
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated, StatedQuestion
from hushrank.rankings.reading import Unranked

QuestionKind: TypeAlias = Literal[
    "pairs", "extremes", "levels", "levels-and-pairs", "ranks-and-pairs"
]
"""What a person is asked. `pairs`: which of two items is first. `extremes`: whether an item is
near either end. `levels`: in which of a few parts of the ranking it is. `levels-and-pairs` and
`ranks-and-pairs`: its level, or its exact rank, and whether another item is before it.

A good question has about e^epsilon + 1 answers.
"""
Incomplete: TypeAlias = Literal["refused"] | Unranked
"""What a ranking of only some items means: see `Stated`; `refused` asks for complete ones."""


def require_incomplete(unranked: Incomplete) -> None:
    """Raise HushrankError unless it is one of the meanings: before anybody has answered."""
    known = ("refused", *get_args(Unranked))
    require(unranked in known, f"expected one of {', '.join(known)}, got {unranked}")


@cache
def questions_of_kind(
    kind: QuestionKind, n_levels: int | None, n_items: int, unranked: Incomplete
) -> tuple[Question, ...]:
    """Return a question of the kind for each item, pair or ordered pair, see `Stated`."""
    asked = tuple(_asked(kind, n_levels, n_items))
    return asked if unranked == "refused" else tuple(Stated(each, unranked) for each in asked)


def _asked(kind: QuestionKind, n_levels: int | None, n_items: int) -> Iterable[StatedQuestion]:
    ordered = permutations(range(n_items), 2)
    match kind:
        case "pairs":
            return (RelativeOrder(pair) for pair in combinations(range(n_items), 2))
        case "extremes":
            return (RankLevel(item, extreme_levels(n_items)) for item in range(n_items))
        case "levels":
            levels = even_levels(n_items, n_levels or 0)
            return (RankLevel(item, levels) for item in range(n_items))
        case "levels-and-pairs":
            levels = even_levels(n_items, n_levels or 0)
        case "ranks-and-pairs":
            levels = even_levels(n_items, n_items)
    return (LevelAndPrecedence(*pair, levels) for pair in ordered)

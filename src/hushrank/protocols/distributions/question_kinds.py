"""The kinds of tiny questions, and all questions of each."""

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import combinations, permutations
from typing import Literal, TypeAlias, get_args

from hushrank.errors import require
from hushrank.questions.level_and_precedence import LevelAndPrecedence
from hushrank.questions.named_set import NamedSet, Side
from hushrank.questions.question import Question
from hushrank.questions.rank_level import RankLevel, even_levels, extreme_levels
from hushrank.questions.relative_order import RelativeOrder
from hushrank.questions.stated import Stated, StatedQuestion
from hushrank.rankings.reading import Unranked

QuestionKind: TypeAlias = Literal[
    "pairs",
    "extremes",
    "levels",
    "levels-and-pairs",
    "ranks-and-pairs",
    "first",
    "first-and-later",
    "two-of-first",
]
"""What a person is asked. `pairs`: which of two items is first. `extremes`: whether an item is
near either end. `levels`: in which of a few parts of the ranking it is. `levels-and-pairs` and
`ranks-and-pairs`: its level, or its exact rank, and whether another item is before it.
`first`: to name an item among the first few. `first-and-later`: and one that comes after it.
`two-of-first`: to name two items among the first few, in order. Of these three, half of the people
are asked the same of the last few, backwards.

A good question has about e^epsilon + 1 answers; a set that is named holds in 1 / (e^epsilon + 1).
"""
NAMED: tuple[QuestionKind, ...] = ("first", "first-and-later", "two-of-first")
"""Kinds by which a person names one of several things that hold, see `NamedSet`."""

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
    """Return a question of the kind for each item, pair or ordered pair, see `Stated`.

    n_levels = how many levels, or how many places are the first, where the kind has such.
    Raises HushrankError for `NAMED` kinds of incomplete rankings: who leaves items out would name
    fewer of them, and the mechanism hides a number that is the same for all.
    """
    if kind in NAMED:
        require(unranked == "refused", f"{kind} takes complete rankings only")
        return _named(kind, n_levels or 0, n_items)
    asked = tuple(_asked(kind, n_levels, n_items))
    return asked if unranked == "refused" else tuple(Stated(each, unranked) for each in asked)


def _named(kind: QuestionKind, n_places: int, n_items: int) -> tuple[Question, ...]:
    """Return the question about the first places, and its mirror image about the last."""
    first, last = range(n_places), range(n_items - n_places, n_items)
    sides: Mapping[str, tuple[Side | None, Side | None]] = {
        "first": (None, None),
        "first-and-later": ("after", "before"),
        "two-of-first": ("before", "after"),
    }
    each = zip((first, last), sides[kind], strict=True)
    return tuple(NamedSet(tuple(places), n_items, side) for places, side in each)


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

"""What every question is."""

from typing import Protocol

from hushrank.arrays import Answers, Ranks
from hushrank.errors import require


class Question(Protocol):
    """Maps a strict ranking to one of k categories, or to k numbers; adds no noise.

    The ranking is complete, unless the question `takes_incomplete`.
    """

    @property
    def n_categories(self) -> int:
        """The number k of categories, or of numbers in a row."""

    @property
    def items(self) -> tuple[int, ...]:
        """The items that it asks about."""

    @property
    def takes_incomplete(self) -> bool:
        """Whether every strict ranking of only some of the items has an answer, too."""

    @property
    def items_at_once(self) -> tuple[int, ...]:
        """The items, if the answer is `RelativeOrder`'s: one pass answers many such; else ()."""

    def fits(self, n_items: int) -> bool:
        """Whether every ranking of n_items items has an answer.

        A question that only some rankings can answer would leak by who stays silent.
        """

    def answer(self, ranks: Ranks) -> Answers:
        """Map ranks (people, items), 0 = best, to categories (people,), or to rows of k numbers."""


def require_distinct_items(items: tuple[int, ...], at_least: int) -> None:
    """Raise HushrankError unless the items are distinct, not negative and enough."""
    is_distinct = len(set(items)) == len(items) >= at_least
    require(is_distinct, f"expected {at_least} distinct items or more")
    require(min(items) >= 0, "expected item numbers of at least 0")

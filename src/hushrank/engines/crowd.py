"""The people of a collection: whom a survey asks, and what each has paid.

Theory: docs/theory/many-answers.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hushrank.accounting.words import finely
from hushrank.arrays import Ranks, is_masked
from hushrank.errors import require
from hushrank.randomness import Randomness
from hushrank.rankings.profile import Rankings
from hushrank.surveys.survey import Survey

MOST_RANKS = 2**32
"""4 gigabytes, one row a person."""

Budgets = Sequence[float] | NDArray[np.float64]
"""(people,): the most that each person spends on a collection, in nats."""


@dataclass(frozen=True, eq=False, repr=False)
class Crowd:
    """The people, the source of their draws, and their own budgets (people,), if they have any.

    `lots_from`: public coins for their lots, where these must be the same when drawn again.
    """

    ranks: Ranks
    is_complete: bool
    rng: Randomness
    budgets: NDArray[np.float64] | None = None
    lots_from: Randomness | None = None

    @classmethod
    def of(cls, rankings: Rankings, rng: Randomness, budgets: Budgets | None = None) -> "Crowd":
        """Take one row a person.

        Raises HushrankError unless the rankings are strict, and the budgets positive and finite,
        one for each person in the order of `rankings.expanded()`.
        """
        require(rankings.is_strict, "collect: expected strict rankings, some items are tied")
        size = rankings.n_people * rankings.n_items
        require(size <= MOST_RANKS, f"expected at most {MOST_RANKS:,} ranks in all, got {size:,}")
        own = None if budgets is None else _checked_budgets(budgets, rankings.n_people)
        return cls(rankings.expanded().ranks, rankings.is_complete, rng, own)

    def __len__(self) -> int:
        """How many people there are."""
        return len(self.ranks)

    @property
    def is_private(self) -> bool:
        """Whether what they draw is secret."""
        return self.rng.is_private

    @cached_property
    def lots(self) -> NDArray[np.float64]:
        """Each person's lot, uniform in [0, 1), drawn when a survey first asks a part of them."""
        source = self.rng if self.lots_from is None else self.lots_from
        return (source.words(len(self)) >> np.uint64(11)) / 2.0**53

    @cached_property
    def spent(self) -> NDArray[np.float64]:
        """What each person with a budget has paid (people,), in nats."""
        return np.zeros(len(self))

    def require_can_answer(self, survey: Survey, earlier: Sequence[Survey]) -> None:
        """Raise HushrankError unless everybody can answer: see `require_answerable`."""
        require_answerable(survey, earlier, self.ranks.shape[1], is_complete=self.is_complete)

    def asked(self, survey: Survey) -> Ranks:
        """Return the ranks (people, items) of those whom the survey asks.

        Raises HushrankError, before anybody answers, if it costs more than one of them has left.
        """
        is_asked = np.ones(len(self), dtype=np.bool_)
        if self.budgets is None:
            named = f"survey {survey.name} asks people by their budgets, which are not given"
            require(not survey.is_personal, named)
        else:
            is_asked &= _within(self.budgets, survey.budgets)
        if survey.lots != (0, 1):
            is_asked &= _within(self.lots, survey.lots)
        self._charge(survey, is_asked)
        return self.ranks if is_asked.all() else rows_of(self.ranks, np.flatnonzero(is_asked))

    def _charge(self, survey: Survey, is_asked: NDArray[np.bool_]) -> None:
        if self.budgets is None:
            return
        total = sums_rounded_up(self.spent[is_asked], survey.epsilon)
        price = finely(survey.epsilon)
        dear = f"survey {survey.name} costs {price} nats, more than somebody it asks has"
        require(bool((total <= self.budgets[is_asked]).all()), dear)
        self.spent[is_asked] = total


def require_answerable(
    survey: Survey, earlier: Sequence[Survey], n_items: int, *, is_complete: bool
) -> None:
    """Raise HushrankError unless everybody can answer, whatever they think.

    The rankings are looked at before the first survey only: a later refusal that depends on one
    would tell of it. So a protocol that takes incomplete ones at first takes them always.
    """
    survey.require_fits(n_items)
    if earlier:
        always = survey.takes_incomplete or not earlier[0].takes_incomplete
        require(always, f"survey {survey.name} needs complete rankings, the first one did not")
        return
    fits = is_complete or survey.takes_incomplete
    require(fits, "collect: expected complete rankings, some items are unranked")


def sums_rounded_up(paid: NDArray[np.float64], price: float) -> NDArray[np.float64]:
    """Return paid + price, never less than the exact sums.

    Source: Knuth (TAOCP 2, 4.2.2, theorem C): the error of a sum of floats is a float.
    """
    total: NDArray[np.float64] = paid + price
    of_price = total - paid
    error = (paid - (total - of_price)) + (price - of_price)
    return np.where(error > 0, np.nextafter(total, np.inf), total)


def rows_of(ranks: Ranks, rows: NDArray[np.intp]) -> Ranks:
    """Return ranks[rows], column-major as before."""
    taken = np.empty((len(rows), ranks.shape[1]), dtype=ranks.dtype, order="F")
    for column in range(ranks.shape[1]):
        # every row exists: "clip" spares a copy of the output that "raise" would make
        np.take(ranks[:, column], rows, out=taken[:, column], mode="clip")
    return taken


def _within(values: NDArray[np.float64], interval: tuple[float, float]) -> NDArray[np.bool_]:
    return (interval[0] <= values) & (values < interval[1])


def _checked_budgets(budgets: ArrayLike, n_people: int) -> NDArray[np.float64]:
    given = np.asarray(budgets)
    are_numbers = given.dtype.kind in "iuf" and np.can_cast(given.dtype, np.float64)
    told = are_numbers and not is_masked(budgets)
    require(told, "expected budgets as numbers that floats hold, without a mask")
    own = np.array(budgets, dtype=np.float64)
    require(own.shape == (n_people,), f"expected one budget for each of {n_people} people")
    usable = bool((np.isfinite(own) & (own > 0)).all())
    require(usable, "expected positive finite budgets, some are not")
    return own

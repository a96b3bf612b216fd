"""What a person has spent, in nats: added up exactly, said rounded up."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from itertools import dropwhile
from math import inf
from typing import Annotated, TypeAlias

import msgspec

from hushrank.accounting.rounding import float_above, within
from hushrank.errors import require

DEFAULT_LIMIT = 8.0
"""The most that a collector may cost a person in a year, unless they say otherwise."""
YEAR = timedelta(days=365)
Nats: TypeAlias = Annotated[float, msgspec.Meta(ge=0, le=1e300)]
"""A loss as it is kept: sums of any number that a memory holds are floats."""


class Entry(msgspec.Struct, frozen=True):
    """One round that was answered. `nats`: what it cost, 0 where earlier reports were repeated."""

    collector: str
    survey: str
    title: str
    round: int
    nats: Nats
    at: Annotated[datetime, msgspec.Meta(tz=True)]


@dataclass(frozen=True)
class Statement:
    """What a person is told, in nats, rounded up: at one collector, and everywhere.

    limit: of one collector in a year. in_a_year, in_all: at this collector. everywhere: ever, at
    all collectors.
    """

    limit: float
    in_a_year: float
    in_all: float
    everywhere: float


class Account(msgspec.Struct, frozen=True):
    """Every round that a person answered, and the most that a collector may cost them in a year.

    limit: as it was written: of 0.1, whose float is above a tenth, a tenth may be spent.
    entries: in the order in which they were made, whatever the clock said.
    """

    limit: Nats = DEFAULT_LIMIT
    entries: tuple[Entry, ...] = ()

    def allows(self, collector: str, epsilon: float, now: datetime) -> bool:
        """Whether this collector may cost so many nats more, within the limit that they wrote."""
        spent = _sum(self._of_a_year(collector, now))
        return spent + Fraction(epsilon) <= Fraction(repr(self.limit))

    def has_begun(self, collector: str, survey: str) -> bool:
        """Whether the person has answered a round of the survey."""
        return any((each.collector, each.survey) == (collector, survey) for each in self.entries)

    def entered(self, entry: Entry) -> "Account":
        """Return the account with one entry more."""
        return Account(self.limit, (*self.entries, entry))

    def limited(self, limit: float) -> "Account":
        """Return the account with another limit; 0 allows nothing."""
        require(0 <= limit < inf, "expected a limit of at least 0 nats")
        return Account(float(limit), self.entries)

    def statement(self, collector: str, now: datetime) -> Statement:
        """Say what was spent."""
        here = (entry for entry in self.entries if entry.collector == collector)
        return Statement(
            within(self.limit),
            float_above(_sum(self._of_a_year(collector, now))),
            float_above(_sum(here)),
            float_above(_sum(self.entries)),
        )

    def _of_a_year(self, collector: str, now: datetime) -> Iterable[Entry]:
        """Return this year's entries: what follows one of them is of this year, too.

        A clock that was behind for a while would else hide what was spent meanwhile. Nothing tells
        of one that was behind from the first entry on.
        """
        since = dropwhile(lambda each: each.at <= now - YEAR, self.entries)
        return (each for each in since if each.collector == collector)


def _sum(entries: Iterable[Entry]) -> Fraction:
    return sum((Fraction(entry.nats) for entry in entries), Fraction(0))

"""Ballots are read alike whichever of them are looked at: no one decides for all others.

Proof, of tables with the same header. Of 30 rows and more each third is read as the whole is. A
ballot more, or less, changes the rows of one third (two, where one takes another's place), and so
leaves one as it was: where both tables are read, each is read as that third is. Of 30 rows and less
all but any one are read as the whole is: that is the table without a ballot, and what two have in
common of which one has another in its place. Of fewer than seven they need not be readable: then
the table without a ballot is not read.

Where nobody says how many lines are the header, each third must not be readable by fewer lines of
it, or be read as by all. Take a table that is read by fewer lines, and so is each third of it, and
one with a ballot that is taken for a further line, in place of another or as one more: one third is
in both, so both are read alike.
"""

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hushrank.errors import HushrankError, require
from hushrank.files.columns import Table
from hushrank.files.dealing import Parts
from hushrank.rankings.profile import Rankings

N_PARTS = 3
FEWEST_ROWS = 30
"""For thirds, of which each has to tell."""
FEWEST_TELLING = 7
"""Of these all but any one have to tell."""

OTHER_HEADER = (
    "cannot tell how many lines are the header: with fewer, all lines below are ballots, too, but"
    " read otherwise; say with header= how many lines stand above the ballots, 0 if all are ballots"
)
OTHER_SIGN = (
    "line 1: cannot tell whether it is a header: the lines below it alone are parted otherwise, and"
    " read otherwise; say with header= how many lines stand above the ballots, 0 if all are ballots"
)
LONE = "some columns say something in one row at most, and without them all are read otherwise"
_SAY = "say form=, columns= which are ballots, and for scores best="


class Read(Protocol):
    """Ballots and, in words, the form that they have."""

    @property
    def rankings(self) -> Rankings:
        """The ballots."""

    @property
    def form(self) -> str:
        """Which columns hold what; of very many only some are named."""

    @property
    def ignored(self) -> tuple[str, ...]:
        """Which columns hold no ballots, every one."""


def require_alike(
    found: Read, read: Callable[[Table], Read], table: Table, person: Parts, part: Parts
) -> None:
    """Refuse ballots that were `found` otherwise than `read` finds them in some of the rows.

    person: the row of the rankings for each row of the table; part: of each row of the rankings.
    Raises HushrankError.
    """
    n_rows = found.rankings.n_rows
    for kept in _thirds(n_rows, part):
        _require_same(found, _alone(read, table, person, kept), kept)
    for kept in _without_one(n_rows):
        without = _alone(read, table, person, kept)
        if without is not None or n_rows >= FEWEST_TELLING:
            _require_same(found, without, kept)


def require_not_otherwise(
    found: Read, read: Callable[[Table], Read], table: Table, part: Parts, *, may_be_alike: bool
) -> None:
    """Refuse ballots some of which `read`, by another header, finds, too, in another form.

    table: the rows below the longer header; part: of each of them. may_be_alike: it may find the
    same. Else a ballot that looks like a line of a header would decide how all others are read.
    """
    n_rows = found.rankings.n_rows
    every = np.ones(n_rows, dtype=np.bool_)
    for kept in [*_thirds(n_rows, part), *_without_one(n_rows), every]:
        other = _alone(read, table, np.arange(n_rows), kept)
        is_same = other is None or (may_be_alike and _is_as_among_all(found, other, kept))
        require(is_same, OTHER_HEADER)


def require_parted_alike(found: Read, other: Read | None) -> None:
    """Refuse ballots that would be read otherwise if the first line were not there.

    found: with it as the header; other: the lines below it alone, as they are parted then, None
    where they cannot be read so. Else the first line, which may be a ballot, parts all others.
    """
    require(other is None or _n_otherwise(found, other) == 0, OTHER_SIGN)


def require_told_without(found: Read, other: Read | None, n_rows: int) -> None:
    """Refuse ballots that are read otherwise without columns that single rows tell of.

    found: with these, and other: without, None where they are not readable then. n_rows: how many
    rows say something there, and may be read otherwise. Else one would tell how all others are.
    """
    is_same = other is not None and _n_otherwise(found, other) <= n_rows
    require(is_same, f"{LONE}; {_SAY}")


def _n_otherwise(found: Read, other: Read) -> float:
    """Count the rows that are not read as they are by the other, items that it lacks included."""
    of_all, own = found.rankings, other.rankings
    if own.n_rows != of_all.n_rows or own.unranked != of_all.unranked:
        return np.inf
    named = of_all.of_items(own.names)
    is_same = (named.ranks == own.ranks).all(axis=1) & (
        named.is_ranked.sum(axis=1) == of_all.is_ranked.sum(axis=1)
    )
    return float((~is_same | (of_all.people_of_rows != own.people_of_rows)).sum())


def _thirds(n_rows: int, part: Parts) -> Iterator[NDArray[np.bool_]]:
    """Yield the rows (rows,) of each third, where they are many."""
    if n_rows >= FEWEST_ROWS:
        yield from (part == number for number in range(N_PARTS))


def _without_one(n_rows: int) -> Iterator[NDArray[np.bool_]]:
    """Yield all rows (rows,) but one, each in turn, where they are few."""
    if 1 < n_rows <= FEWEST_ROWS:
        yield from (np.arange(n_rows) != row for row in range(n_rows))


def _alone(
    read: Callable[[Table], Read], table: Table, person: Parts, kept: NDArray[np.bool_]
) -> Read | None:
    """Read some of the ballots; None where they do not tell how."""
    try:
        return read(table.of_rows(kept[person]))
    except HushrankError:
        return None


def _require_same(found: Read, alone: Read | None, kept: NDArray[np.bool_]) -> None:
    """Refuse ballots that are read otherwise alone than among all."""
    is_same = alone is not None and alone.ignored == found.ignored
    if alone is None or not is_same or not _is_as_among_all(found, alone, kept):
        others = f"part of them {alone.form}" if alone else "but part of them alone does not"
        tell = f"all rows tell {found.form}, {others}"
        raise HushrankError(f"few ballots would decide how all are read: {tell}; {_SAY}")


def _is_as_among_all(found: Read, alone: Read, kept: NDArray[np.bool_]) -> bool:
    """Tell ballots that were read alone as they were found among all, by the same form."""
    of_all, own = found.rankings.select(kept), alone.rankings
    if own.names != of_all.names:
        named = of_all.of_items(own.names)
        if named.is_ranked.sum() != of_all.is_ranked.sum():
            return False
        of_all = named
    same = np.array_equal(own.ranks, of_all.ranks) and own.unranked == of_all.unranked
    weigh_same = np.array_equal(own.people_of_rows, of_all.people_of_rows)
    return alone.form == found.form and same and weigh_same

"""Ballots are read alike whichever of them are looked at: no one decides for all others.

Proof, of tables with the same header. Of 30 rows and more each third is read as the whole is. A
ballot more, or less, changes the rows of one third (two, where one takes another's place), and so
leaves one as it was: where both tables are read, each is read as that third is. Of 30 rows and less
all but any one are read as the whole is, or not at all: the table without a ballot, where it is
read, is read as the one with it.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hushrank.errors import HushrankError
from hushrank.files.columns import Table
from hushrank.files.dealing import Parts
from hushrank.rankings.profile import Rankings

N_PARTS = 3
FEWEST_ROWS = 30
"""For thirds, of which each has to tell."""

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
    if n_rows >= FEWEST_ROWS:
        for number in range(N_PARTS):
            _require_same(found, _alone(read, table, person, part == number), part == number)
    if 1 < n_rows <= FEWEST_ROWS:
        for row in range(n_rows):
            others = np.arange(n_rows) != row
            without = _alone(read, table, person, others)
            if without is not None:  # else a file without this ballot is not read
                _require_same(found, without, others)


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
    told = found.form, found.ignored
    same = alone is not None and (alone.form, alone.ignored) == told
    if alone is None or not same or not _are_same(alone.rankings, found.rankings.select(kept)):
        others = f"part of them {alone.form}" if alone else "but part of them alone does not"
        tell = f"all rows tell {found.form}, {others}"
        raise HushrankError(f"few ballots would decide how all are read: {tell}; {_SAY}")


def _are_same(alone: Rankings, of_all: Rankings) -> bool:
    """Tell ballots that were read alone from how they were read among all."""
    if alone.names != of_all.names:
        of_all = of_all.of_items(alone.names)
    same = np.array_equal(alone.ranks, of_all.ranks)
    return same and alone.unranked == of_all.unranked

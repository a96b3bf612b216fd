"""Ballots that are read alike whichever third of them is looked at: no one decides for all.

Proof: a ballot more, or less, changes the rows of one part (two, where one takes another's place),
and so leaves one at least as it was. Where both files are read, each is read as that part is.
"""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from hushrank.errors import HushrankError
from hushrank.files.columns import Table
from hushrank.files.dealing import Parts
from hushrank.rankings.profile import Rankings

N_PARTS = 3
FEWEST_ROWS = 30
"""Of fewer, a third hardly tells."""

_SAY = "say form=, columns= which are ballots, and for scores best="


class Read(Protocol):
    """Ballots and, in words, the form that they have."""

    @property
    def rankings(self) -> Rankings:
        """The ballots."""

    @property
    def form(self) -> str:
        """Which columns hold what."""


def require_alike(
    found: Read, read: Callable[[Table], Read], table: Table, parts: Parts, people: Parts
) -> None:
    """Refuse ballots that were `found` otherwise than `read` finds them in a third of the rows.

    parts: of the rows of the table; people: of those of the rankings.
    Raises HushrankError.
    """
    for part in range(N_PARTS):
        try:
            alone = read(table.of_rows(parts == part))
        except HushrankError:
            raise _of_few(found, "and a third of them alone does not") from None
        among_all = found.rankings.select(people == part)
        same = alone.form == found.form and _are_same(alone.rankings, among_all)
        if not same:
            raise _of_few(found, f"and a third of them {alone.form}")


def _of_few(found: Read, otherwise: str) -> HushrankError:
    """Say what all rows tell, and what some of them."""
    tell = f"all rows tell {found.form}, {otherwise}"
    return HushrankError(f"few ballots would decide how all are read: {tell}; {_SAY}")


def _are_same(alone: Rankings, of_all: Rankings) -> bool:
    """Tell ballots that were read alone from how they were read among all."""
    if alone.names != of_all.names:
        of_all = of_all.of_items(alone.names)
    same = np.array_equal(alone.ranks, of_all.ranks)
    return same and alone.unranked == of_all.unranked

"""Ranks as columns, one an item, under names that read back as items: for files and data frames."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts, Ranks
from hushrank.files.arrow_tables import pyarrow_for
from hushrank.files.data_frames import Values
from hushrank.rankings.forms.columns import (
    ITEMS,
    PEOPLE,
    RANKS,
    SCORES,
    WEIGHT,
    may_stand_beside,
    stands_beside,
)
from hushrank.rankings.forms.ordinals import place_within

SIGNS = frozenset('[]{}<>|;,"\t')
RANK_OF = "rank of "


class Ranked(Protocol):
    """What `Rankings` holds."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the items."""

    @property
    def ranks(self) -> Ranks:
        """The ranks (people, items), 0 = best."""

    @property
    def is_ranked(self) -> NDArray[np.bool_]:
        """Who ranks which item (people, items)."""

    @property
    def multiplicities(self) -> Counts | None:
        """How many people each row stands for; None: one."""


def arrow_ranks(rankings: Ranked) -> Any:
    """Return ranks (1 = best, null = unranked) as a `pyarrow.Table`, with weights of the rows."""
    pa = pyarrow_for("a table in memory")
    ranks = rankings.ranks.astype(np.int32) + 1
    columns = [
        pa.array(ranks[:, item], mask=~rankings.is_ranked[:, item])
        for item in range(len(rankings.names))
    ]
    header = unmistakable_names(rankings)
    if rankings.multiplicities is not None:
        columns, header = [*columns, pa.array(rankings.multiplicities)], [*header, WEIGHT]
    return pa.table(columns, names=header)


def rank_columns(rankings: Ranked) -> Values:
    """Return ranks (1 = best, None = unranked) by name of item, with weights of the rows."""
    ranks = (rankings.ranks.astype(np.int32) + 1).astype(object)
    ranks[~rankings.is_ranked] = None
    named = zip(unmistakable_names(rankings), ranks.T.tolist(), strict=True)
    weights = rankings.multiplicities
    return dict(named) | ({} if weights is None else {WEIGHT: weights.tolist()})


def unmistakable_names(rankings: Ranked) -> list[str]:
    """Return the names as a header that reads back as items, prefixed where it might not.

    One column of numbers beside empty ones might be anything.
    """
    tells = len(rankings.names) == 1 or np.count_nonzero(rankings.is_ranked.any(axis=0)) > 1
    if tells and all(map(_is_plain, rankings.names)):
        return list(rankings.names)
    return [RANK_OF + name for name in rankings.names]


def _is_plain(name: str) -> bool:
    """Tell a name that begins with a letter, has no sign of a table, and is no word of a header."""
    signs = name[0].isalpha() and not any(each in SIGNS for each in name)
    word = stands_beside(name) or may_stand_beside(name) or place_within(name) is not None
    known = {WEIGHT, *PEOPLE, *ITEMS, *SCORES, *RANKS}
    return signs and not word and name.lower() not in known and not name.startswith(RANK_OF)

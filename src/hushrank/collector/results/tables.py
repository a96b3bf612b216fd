"""What was learnt, as tables that a spreadsheet reads."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from itertools import permutations
from typing import Any, TypeAlias

import numpy as np

from hushrank.accounting.rounding import places_above, places_below
from hushrank.workflows.results.collection import Collection
from hushrank.workflows.results.shares import Estimates, pair_shares, rank_shares

Row: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, repr=False)
class Table:
    """Rows under the names of their columns; None is an empty cell."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]

    def as_csv(self) -> bytes:
        """Return the table in UTF-8, one line a row."""
        text = StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return text.getvalue().encode()


def order_table(collection: Collection) -> Table:
    """Return a row for each place: its item, how sure it is, which ranks the item may have."""
    frame = collection.to_dict()
    items, intervals = collection.items, frame["rank_intervals"] or {}
    sure = [*(frame["confidence"] or [None] * (len(items) - 1)), None]
    rows = (
        (place, item, _down(ahead), *intervals.get(item, (None, None)))
        for place, (item, ahead) in enumerate(zip(items, sure, strict=True), start=1)
    )
    return Table(("place", "item", "ahead_of_next", "best_rank", "worst_rank"), tuple(rows))


def rank_table(collection: Collection) -> Table | None:
    """Return a row for each item and rank, the best item first; None where it is not known."""
    found = rank_shares(collection)
    if found is None:
        return None
    cells = np.ndindex(found.shares.shape)
    rows = (
        (collection.items[place], rank + 1, *_cell(found, collection.order[place], rank))
        for place, rank in cells
    )
    return Table(("item", "rank", "share", "low", "high"), tuple(rows))


def pair_table(collection: Collection) -> Table | None:
    """Return a row for each two items in either order; None where it is not known."""
    found = pair_shares(collection)
    return None if found is None else Table(_PAIR_COLUMNS, tuple(_pairs(collection, found)))


_PAIR_COLUMNS = ("item", "before", "share", "low", "high")


def _pairs(collection: Collection, found: Estimates) -> Iterator[Row]:
    for one, other in permutations(collection.order, 2):
        names = collection.names[one], collection.names[other]
        yield *names, *_cell(found, one, other)


def _cell(found: Estimates, row: int, column: int) -> tuple[float | None, ...]:
    """Return a share and the ends of its interval, to a hundredth of a per cent."""
    each = (found.shares, found.low, found.high)
    share, low, high = (None if one is None else float(one[row, column]) for one in each)
    return (None if share is None else round(share, 4), _down(low), _up(high))


def _down(share: float | None) -> float | None:
    """Return at most what it is: who is sure by .99997 is not certain."""
    return None if share is None else float(places_below(share, 4))


def _up(share: float | None) -> float | None:
    return None if share is None else float(places_above(share, 4))

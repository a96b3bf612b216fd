"""A form of a table of ballots, and the one group of columns that has it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from hushrank.errors import HushrankError
from hushrank.rankings.forms.asked import Best
from hushrank.rankings.forms.columns import listed

RANK_OF = "rank of "

NO_HEADER = (
    'line 1: expected a header, got numbers: say header=0 and form="places" if rows name items by'
    " number, best first, or write the names of the items above it if rows hold their ranks"
)


@dataclass(frozen=True)
class Layout:
    """A form of ballots: its kind, its columns, and for columns of items their names.

    places: columns in the order of places. marks: cells of candidates and places, 0 or 1. lists:
    one column, parted by `separator`. `best`: which end of scores.
    """

    kind: str
    columns: tuple[int, ...]
    names: tuple[str, ...] = ()
    separator: str = ""
    best: Best = "low"
    remarks: tuple[str, ...] = field(default=())


def grouped(key: Callable[[int], str], columns: Sequence[int]) -> dict[str, list[int]]:
    """Return the columns of each group, which are called alike by key."""
    groups: dict[str, list[int]] = {}
    for column in columns:
        groups.setdefault(key(column), []).append(column)
    return groups


def the_only(groups: Mapping[str, Sequence[int]], what: str) -> Sequence[int]:
    """Return the one group there is; raise HushrankError, which names them, for several."""
    if len(groups) > 1:
        shown = ", ".join(f"'{name}' ({listed(group)})" for name, group in list(groups.items())[:4])
        more = f" and {len(groups) - 4} more" if len(groups) > 4 else ""
        raise HushrankError(f"{len(groups)} {what}: {shown}{more}; choose one with columns=")
    (group,) = groups.values()
    return group

"""Contests in which candidates are ranked, and what was marked in them, as a table."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from hushrank.errors import require
from hushrank.files.columns import Table, text_column_of

OVERVOTE = "overvote"
WRITE_IN = "Write-in"
NO_CONTEST = "expected a contest in which candidates are ranked"

MOST_PLACES = 1000
"""Far more than ballots have: each is a column, for one mark's sake."""
MOST_COLUMNS, FEW_CELLS = 2000, 2**22
"""A state has half as many places, in all of its districts; few ballots may have more."""
MOST_PER_BYTE = 10
"""A ballot with one mark takes 110 bytes: it may have as many places as a state."""

K = TypeVar("K", bound=Hashable)


@dataclass(frozen=True)
class RankedContest:
    """A contest, and the titles of its columns, one for each place."""

    id: Hashable
    titles: tuple[str, ...]

    @classmethod
    def of(cls, id: Hashable, name: str, n_places: int) -> "RankedContest":
        """Name the columns `Mayor Choice 1 of 5`. Raises HushrankError for very many places."""
        require(n_places <= MOST_PLACES, f"expected a contest of at most {MOST_PLACES} places")
        places = range(1, n_places + 1)
        return cls(id, tuple(f"{name} Choice {place} of {n_places}" for place in places))


class Marked(NamedTuple):
    """That the ballot of a row has a candidate at a place, from 1, of a contest."""

    row: int
    contest: Hashable
    place: int
    name: str

    def __repr__(self) -> str:
        """Say nothing of it."""
        return "Marked(...)"


def table_of_marks(
    contests: Iterable[RankedContest],
    n_ballots: int,
    marks: Iterable[Marked],
    format: str,
    *,
    n_bytes: int,
    told_by_rows: bool = False,
) -> Table:
    """Return a column for each place, with a row a ballot; two names in one place are an overvote.

    Marks in other contests are passed over. format: says in words what was read; n_bytes: of the
    ballots, unpacked; told_by_rows: whether ballots tell which contests and places there are.
    """
    every = list(contests)
    require(every, NO_CONTEST)
    titles = [title for each in every for title in each.titles]
    most = max(FEW_CELLS, min(MOST_COLUMNS * n_ballots, MOST_PER_BYTE * n_bytes)) // n_ballots
    few = f"expected contests of at most {most:,} places together, got {len(titles):,}"
    require(len(titles) <= most, few)
    cells = {
        (each.id, place): [""] * n_ballots
        for each in every
        for place in range(1, len(each.titles) + 1)
    }
    for mark in marks:
        column = cells.get((mark.contest, mark.place))
        if column is not None:
            is_other = column[mark.row] not in ("", mark.name)
            column[mark.row] = OVERVOTE if is_other else mark.name
    columns = tuple(map(text_column_of, cells.values()))
    return Table(
        tuple(titles),
        columns,
        lambda row: f"ballot {row + 1}",
        format,
        told_by_rows=told_by_rows,
    )


def require_several_ranking(ranking: Iterable[tuple[Hashable, int]], n_ballots: int) -> None:
    """Refuse a contest of which one ballot alone says that candidates are ranked.

    It would bring in what all others marked there. ranking: contests, with the rows that say so.
    """
    n_rows = Counter(contest for contest, _ in set(ranking))
    is_told = n_ballots == 1 or 1 not in n_rows.values()
    require(
        is_told,
        "cannot tell whether a contest ranks candidates, as one ballot alone does: correct that"
        " ballot, or leave the contest out of the export",
    )


def told_apart(names: Mapping[K, tuple[Hashable, str]]) -> Mapping[K, str]:
    """Return names by id; of several of one contest that are called alike, with the id.

    names: by id, the contest and the name.
    """
    count = Counter(names.values())
    return {
        id: name if count[contest, name] == 1 else f"{name} ({id})"
        for id, (contest, name) in names.items()
    }

"""What ballots add up to, piece by piece: who is put before whom by how many. Raw counts."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hushrank.arrays import Counts, Ranks
from hushrank.errors import HushrankError, require
from hushrank.files.arrow_tables import columns_of_file
from hushrank.files.names import natural_order
from hushrank.files.pieces import Piece, errors_naming_parquet, table_of
from hushrank.rankings.coding import rank_type
from hushrank.rankings.files import read_rankings
from hushrank.rankings.forms.asked import Asked
from hushrank.rankings.forms.long import long_form
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from hushrank.rankings.reading import Unranked

ROWS_OF_A_HEAD = 1000
"""Of a piece: by them its columns are told, as those of a small file are by all rows."""


BY_SHARE = "drop: a share of the people is not known piece by piece: name items"


@dataclass(frozen=True, eq=False, repr=False)
class BallotSums:
    """Pair counts of ballots, over the items that any of them names: a sum.

    counts[a, b]: how many put a before b; ranked[a]: how many rank a; `form`: how they were read;
    `unranked`: what an item that a ballot leaves out means in the counts.
    Privacy: raw, as the ballots are.
    """

    names: tuple[str, ...]
    counts: Counts
    ranked: Counts
    n_people: int
    form: str
    unranked: Unranked

    @property
    def told(self) -> bytes:
        """All that the counts say, for the ledger of releases, which keeps a keyed digest of it."""
        rows = sorted(range(len(self.names)), key=lambda item: self.names[item])
        numbers = self.counts[np.ix_(rows, rows)].tobytes(), self.ranked[rows].tobytes()
        return repr([self.names[row] for row in rows]).encode() + b"".join(numbers)

    @classmethod
    def of(cls, ballots: Rankings, unranked: Unranked | None = None) -> "BallotSums":
        """Count the pairs of some ballots; unranked: as they have it, unless told.

        Raises HushrankError where the ballots chose the items.
        """
        require(not ballots.by_share, BY_SHARE)
        meaning = ballots.unranked if unranked is None else unranked
        counts = majority(ballots, unranked=meaning)
        ranked = np.asarray(ballots.people_of_rows @ ballots.is_ranked, dtype=np.int64)
        form = "ballots" if ballots.reading is None else ballots.reading.form
        return cls(ballots.names, counts, ranked, ballots.n_people, form, meaning)

    def __add__(self, other: "BallotSums") -> "BallotSums":
        """Count both; raise HushrankError where they were not read in the same way."""
        same = (self.form, self.unranked) == (other.form, other.unranked)
        found = f"{self.form} ({self.unranked}) and {other.form} ({other.unranked})"
        told = "write the same columns in all, or use form= and columns= that hold for all"
        require(same, f"expected ballots of one form in all pieces, got {found}: {told}")
        if self.names != other.names:
            names = natural_order((*self.names, *other.names))
            self, other = self._over(names), other._over(names)
        return BallotSums(
            self.names,
            self.counts + other.counts,
            self.ranked + other.ranked,
            self.n_people + other.n_people,
            self.form,
            self.unranked,
        )

    def _over(self, names: tuple[str, ...]) -> "BallotSums":
        """Return the counts over more items, which none of these ballots ranks."""
        place = np.array([names.index(name) for name in self.names])
        counts = np.zeros((len(names), len(names)), dtype=np.int64)
        ranked = np.zeros(len(names), dtype=np.int64)
        ranked[place] = self.ranked
        if self.unranked == "last":  # before what nobody ranks comes who ranks at all
            counts[place] = self.ranked[:, None]
        counts[np.ix_(place, place)] = self.counts
        return BallotSums(names, counts, ranked, self.n_people, self.form, self.unranked)


@dataclass(frozen=True)
class BallotTerms:
    """How the ballots of pieces are read, and what leaving an item out means, if told."""

    asked: Asked = field(default_factory=Asked)
    unranked: Unranked | None = None

    def require_additive(self) -> None:
        """Raise HushrankError for options that need all ballots in one place."""
        far = "whose ballot a row is, is not looked for across pieces"
        require(self.asked.id is None, f"id: {far}")
        names = "header: expected 1, as each piece has names of columns alone above its ballots"
        require(self.asked.header in (None, 1), names)
        by_share = any("%" in each for each in self.asked.drop)
        require(not by_share, BY_SHARE)


def read_piece(terms: BallotTerms, piece: Piece) -> Rankings:
    """Read the ballots of a piece. Raises HushrankError, which names the file."""
    table = columns_of_file(table_of(piece))
    with errors_naming_parquet(piece.path):
        _require_a_ballot_a_row(terms, table.column_names)
        head = _head(terms, table)
        if head is None or table.num_rows <= ROWS_OF_A_HEAD:
            return head or read_rankings(table, **vars(terms.asked))
        are_names = terms.asked.form == "places"  # 2, 1, 3 says the same as places and as ranks
        plain = None if are_names else _plain_ranks(table, head.names)
        same = plain is not None and np.array_equal(plain[:ROWS_OF_A_HEAD], head.ranks)
        quick = _all_alike(head, plain) if same and plain is not None else None
        return quick or read_rankings(table, **vars(terms.asked))


def _require_a_ballot_a_row(terms: BallotTerms, names: Sequence[str]) -> None:
    """Refuse one number a row: whose rows are in several pieces would have a ballot in each."""
    found = long_form([name.strip() for name in names], terms.asked)
    far = "got numbers of people, whose other rows are not looked for across pieces"
    require(found is None, f"expected a ballot a row, {far}")


def _head(terms: BallotTerms, table: Any) -> Rankings | None:
    """Read the first rows; None where they do not tell what all rows may."""
    try:
        return read_rankings(table.slice(0, ROWS_OF_A_HEAD), **vars(terms.asked))
    except HushrankError:
        return None


def _plain_ranks(table: Any, names: tuple[str, ...]) -> Ranks | None:
    """Return whole numbers from 1 on, a column an item and nothing else, as ranks; else None."""
    if tuple(table.column_names) != names or any(each.null_count for each in table.columns):
        return None
    kind = rank_type(len(names))
    ranks = np.empty((table.num_rows, len(names)), dtype=kind, order="F")
    for item, column in enumerate(table.columns):
        places = column.to_numpy()
        if places.dtype.kind not in "iu" or places.min() < 1 or places.max() > len(names):
            return None
        ranks[:, item] = places - 1
    return ranks


def _all_alike(head: Rankings, ranks: Ranks) -> Rankings | None:
    """Return complete strict rankings that are read as the first of them were, else None."""
    try:
        found = Rankings(ranks, head.names)
    except HushrankError:  # not as rankings give places
        return None
    if head.reading is None or not (head.is_complete and head.is_strict and found.is_strict):
        return None
    return found.read_as(replace(head.reading, people=found.n_people))


def count_piece(terms: BallotTerms, piece: Piece) -> BallotSums:
    """Count the pairs of the ballots of a piece; no noise is drawn. Raises as `read_piece`."""
    return BallotSums.of(read_piece(terms, piece), terms.unranked)

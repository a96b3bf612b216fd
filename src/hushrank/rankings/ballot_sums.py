"""What ballots add up to, piece by piece: who is put before whom by how many. Raw counts."""

from dataclasses import dataclass, field

import numpy as np

from hushrank.arrays import Counts
from hushrank.errors import require
from hushrank.files.names import natural_order
from hushrank.files.pieces import Piece, errors_naming_parquet, table_of
from hushrank.rankings.files import read_rankings
from hushrank.rankings.forms.asked import Asked
from hushrank.rankings.marginals import majority
from hushrank.rankings.profile import Rankings
from hushrank.rankings.reading import Unranked


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
        """Count the pairs of some ballots; unranked: as they have it, unless told."""
        meaning = ballots.unranked if unranked is None else unranked
        counts = majority(ballots, unranked=meaning)
        ranked = np.asarray(ballots.people_of_rows @ ballots.is_ranked, dtype=np.int64)
        form = "ballots" if ballots.reading is None else ballots.reading.form
        return cls(ballots.names, counts, ranked, ballots.n_people, form, meaning)

    def __add__(self, other: "BallotSums") -> "BallotSums":
        """Count both; raise HushrankError where they were not read in the same way."""
        same = (self.form, self.unranked) == (other.form, other.unranked)
        told = "such as --form and --columns, that hold for all"
        require(same, f"expected ballots of one form in all pieces: use options, {told}")
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
        by_share = any("%" in each for each in self.asked.drop)
        require(not by_share, "drop: a share of the people is not known piece by piece: name items")


def read_piece(terms: BallotTerms, piece: Piece) -> Rankings:
    """Read the ballots of a piece. Raises HushrankError, which names the file."""
    table = table_of(piece)
    with errors_naming_parquet(piece.path):
        return read_rankings(table, **vars(terms.asked))


def count_piece(terms: BallotTerms, piece: Piece) -> BallotSums:
    """Count the pairs of the ballots of a piece; no noise is drawn. Raises as `read_piece`."""
    return BallotSums.of(read_piece(terms, piece), terms.unranked)

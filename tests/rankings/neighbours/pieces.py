"""Ballots in pieces: row groups of Parquet files, of which each is read by itself."""

from contextlib import suppress
from dataclasses import dataclass
from unittest.mock import patch
from zlib import crc32

import polars as pl
from pyarrow import ArrowException, parquet

from hushrank.files.pieces import pieces_of
from hushrank.rankings import ballot_sums
from hushrank.rankings.ballot_sums import BallotTerms, count_piece, read_piece
from hushrank.rankings.forms.asked import Asked
from tests.rankings.neighbours.sources import Frame

N_GROUPS = 2
FRAME = Frame("polars")


@dataclass(frozen=True)
class Pieces:
    """A Parquet file of two row groups; each record is of one of them."""

    n_rows_of_heads: int

    def record(self, header, row):
        return crc32(str(row).encode()) % N_GROUPS, FRAME.record(header, row)

    def odd(self, header, row, random):
        return random.randrange(N_GROUPS), FRAME.odd(header, row, random)

    def write(self, header, records, folder):
        """Return the file's path and how it is read; None where there is no such file."""
        frame = FRAME.write(header, [row for _, row in records], folder)
        if frame is None:
            return None
        path, of_rows = folder / "ballots.parquet", pl.Series([group for group, _ in records])
        with suppress(ArrowException, pl.exceptions.PolarsError):  # types that Parquet lacks
            schema = frame.to_arrow().schema
            with parquet.ParquetWriter(path, schema) as writer:
                for group in range(N_GROUPS):
                    writer.write_table(frame.filter(of_rows == group).to_arrow().cast(schema))
            return path, self.n_rows_of_heads
        return None


def read_pieces(path, n_rows_of_heads, asked):
    """Return the ballots of each piece. Raises HushrankError where they do not add up."""
    told = {
        key: tuple(each) if isinstance(each, list | tuple) else each for key, each in asked.items()
    }
    terms = BallotTerms(Asked(**told))
    terms.require_additive()
    with patch.object(ballot_sums, "ROWS_OF_A_HEAD", n_rows_of_heads):
        pieces = pieces_of(path, most_rows=1)
        first, *others = [count_piece(terms, piece) for piece in pieces]
        sum(others, start=first)
        return [read_piece(terms, piece) for piece in pieces]

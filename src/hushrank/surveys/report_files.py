"""Tally the reports of files: what a task does with a piece of a file, or with a bucket of keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hushrank.errors import require
from hushrank.files.pieces import Piece, batches_of, errors_naming_parquet
from hushrank.surveys.repeats import Salt, buckets_of, first_reports
from hushrank.surveys.report_batches import COLUMNS, Counted, Parts, read_batch, tally_batch

if TYPE_CHECKING:
    import pyarrow as pa

MOST_ROWS_AT_ONCE = 2**20
BYTES_AT_ONCE = 2**26
"""In memory of what is read: whole numbers take few bytes, the bits of a report a kilobyte."""

CODED = ("survey", "report")


def tally_piece(parts: Parts, piece: Piece) -> Counted:
    """Tally the reports of a piece, repeats and all.

    Raises HushrankError, which names the file, where it cannot be read to its end.
    """
    counted = Counted.nothing(parts)
    for batch in batches_of(piece, COLUMNS, most_rows=_rows_at_once(piece), coded=CODED):
        with errors_naming_parquet(piece.path):
            counted += tally_batch(parts, batch)
    return counted


@dataclass(frozen=True)
class Keyed:
    """All pieces of a round, in order, and whose reports they are.

    key: the column that says so. n_buckets: of keys, each of which a task reads; salt: of what
    spreads keys over buckets.
    """

    parts: Parts
    pieces: tuple[Piece, ...]
    key: str
    n_buckets: int
    salt: Salt


def tally_bucket(keyed: Keyed, bucket: int) -> Counted:
    """Tally the reports whose keys are of one bucket, each person's first ones only.

    A report without a key is refused. Memory: the rows of a bucket. Cost: a pass over all files.
    Raises HushrankError as `tally_piece` does.
    """
    import pyarrow as pa

    parts, key = keyed.parts, keyed.key
    held, n_refused = [], 0
    for piece in keyed.pieces:
        for batch in batches_of(
            piece, (*COLUMNS, key), most_rows=_rows_at_once(piece), coded=CODED
        ):
            with errors_naming_parquet(piece.path):
                possible, refused = _possible_of_bucket(keyed, batch, bucket)
            held.append(possible)
            n_refused += refused
    counted = Counted.nothing(parts)
    same = all(each.schema.equals(held[0].schema) for each in held)
    require(same, "expected columns of the same types in all files")
    table = pa.Table.from_batches(held).unify_dictionaries() if held else None
    for batch in () if table is None else table.combine_chunks().to_batches():
        counted += _first_of(parts, batch, key)
    return counted + Counted(Counted.nothing(parts).tallies, n_refused=n_refused)


def _possible_of_bucket(keyed: Keyed, batch: "pa.RecordBatch", bucket: int) -> tuple[Any, int]:
    """Return the rows of a bucket that devices can have sent, and how many others there are."""
    of_rows = buckets_of(batch.column(keyed.key), keyed.n_buckets, keyed.salt)
    own = batch.filter(_mask(of_rows == bucket))
    has_key = np.asarray(own.column(keyed.key).is_valid())
    is_possible = read_batch(keyed.parts, own).is_possible & has_key
    possible = own.filter(_mask(is_possible))
    return possible, own.num_rows - possible.num_rows


def _first_of(parts: Parts, batch: "pa.RecordBatch", key: str) -> Counted:
    reports = read_batch(parts, batch)
    sizes = [len(part.survey.questions) for part in parts]
    part = np.repeat(np.arange(len(parts)), sizes)[reports.number]
    n_answers = np.array([each.survey.answers_per_person for each in parts])
    first = first_reports(batch.column(key), part, reports.number, n_answers)
    once = read_batch(parts, batch.filter(_mask(first))).counted()
    return Counted(once.tallies, n_repeated=first.size - int(first.sum()))


def _rows_at_once(piece: Piece) -> int:
    fits = BYTES_AT_ONCE * piece.n_rows // max(piece.n_bytes, 1)
    return max(1, min(MOST_ROWS_AT_ONCE, fits))


def _mask(rows: Any) -> Any:
    import pyarrow as pa

    return pa.array(rows)


def n_buckets_of(pieces: Sequence[Piece], *, most_rows: int) -> int:
    """Return how many buckets of keys there must be, so that one has about `most_rows` rows."""
    require(most_rows >= 1, f"expected at least 1 row of a bucket, got {most_rows}")
    return max(1, -(-sum(piece.n_rows for piece in pieces) // most_rows))

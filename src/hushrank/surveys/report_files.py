"""Tally the reports of files: what a task does with a piece of a file, or with a bucket of keys."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hushrank.errors import require
from hushrank.files.hashes import Salt, hash_buckets
from hushrank.files.pieces import Piece, batches_of, errors_naming_parquet
from hushrank.files.spread import rows_of_bucket, write_buckets
from hushrank.surveys.repeats import first_reports
from hushrank.surveys.report_batches import COLUMNS, Counted, Mask, Parts, read_batch, tally_batch

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
    """Whose reports those of a round are.

    key: the column that says so. n_buckets: of keys, each of which a task holds; salt: of what
    spreads keys over buckets. pieces: of the round, in order, where a task reads all of them for
    its bucket; folder: where rows are sorted first, into files that all workers reach, and `files`
    these, in order. Of the two ways one is taken.
    """

    parts: Parts
    key: str
    n_buckets: int
    salt: Salt = field(repr=False)
    pieces: tuple[Piece, ...] = ()
    folder: str = ""
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class Spread:
    """Files of sorted rows, in the order of the pieces, and how many rows were refused: a sum."""

    files: tuple[str, ...] = ()
    n_refused: int = 0

    def __add__(self, other: "Spread") -> "Spread":
        """Name the files of both, in this order."""
        return Spread(self.files + other.files, self.n_refused + other.n_refused)


def spread_piece(keyed: Keyed, piece: Piece) -> Spread:
    """Sort the possible reports of a piece into buckets of keys, in files of `keyed.folder`.

    Raises HushrankError as `tally_piece` does.   Memory: some million rows.
    """
    found = Spread()
    for batch, n_refused in _possible_of(keyed, piece):
        bucket = hash_buckets(batch.column(keyed.key), keyed.n_buckets, keyed.salt)
        file = write_buckets(keyed.folder, batch, bucket, keyed.n_buckets)
        found += Spread((file,), n_refused)
    return found


def tally_bucket(keyed: Keyed, bucket: int) -> Counted:
    """Tally the reports whose keys are of one bucket, each person's first ones only.

    A report without a key is refused; of sorted files, none is left. Memory: the rows of a bucket.
    Cost: a pass over all pieces, or over the rows of the bucket where these were sorted.
    Raises HushrankError as `tally_piece` does.
    """
    import pyarrow as pa

    parts, key = keyed.parts, keyed.key
    held, n_refused = list(rows_of_bucket(keyed.files, bucket)), 0
    for piece in keyed.pieces:
        for batch, n_bad in _possible_of(keyed, piece, bucket):
            held.append(batch)
            n_refused += n_bad
    counted = Counted.nothing(parts)
    same = all(each.schema.equals(held[0].schema) for each in held)
    require(same, "expected columns of the same types in all files")
    table = pa.Table.from_batches(held).unify_dictionaries() if held else None
    for batch in () if table is None else _combined(table):
        counted += _first_of(parts, batch, key)
    return counted + Counted(Counted.nothing(parts).tallies, n_refused=n_refused)


def _combined(table: Any) -> list[Any]:
    """Return all rows of a bucket in one batch, none where there are no rows.

    Arrow makes several where keys have 2 GB together, and across them a person would count again:
    raises HushrankError.
    """
    batches: list[Any] = table.combine_chunks().to_batches()
    require(len(batches) <= 1, "expected shorter keys: those of a bucket exceed 2 GB")
    return batches


def _possible_of(
    keyed: Keyed, piece: Piece, bucket: int | None = None
) -> Iterator[tuple["pa.RecordBatch", int]]:
    """Yield the rows of a piece that devices can have sent, and how many others there are.

    bucket: of this one only; a row without a key is of some bucket, and refused.
    """
    columns = (*COLUMNS, keyed.key)
    for batch in batches_of(piece, columns, most_rows=_rows_at_once(piece), coded=CODED):
        with errors_naming_parquet(piece.path):
            own = batch
            if bucket is not None and keyed.n_buckets > 1:
                of_rows = hash_buckets(batch.column(keyed.key), keyed.n_buckets, keyed.salt)
                own = batch.filter(_mask(of_rows == bucket))
            has_key = _says_something(own.column(keyed.key))
            is_possible = read_batch(keyed.parts, own).is_possible & has_key
            possible = own if is_possible.all() else own.filter(_mask(is_possible))
            yield possible, own.num_rows - possible.num_rows


def _first_of(parts: Parts, batch: "pa.RecordBatch", key: str) -> Counted:
    reports = read_batch(parts, batch)
    sizes = [len(part.survey.questions) for part in parts]
    part = np.repeat(np.arange(len(parts)), sizes)[reports.number]
    n_answers = np.array([each.survey.answers_per_person for each in parts])
    first = first_reports(batch.column(key), part, reports.number, n_answers)
    once = replace(reports, is_possible=first).counted()
    return Counted(once.tallies, n_repeated=first.size - int(first.sum()))


def _rows_at_once(piece: Piece) -> int:
    fits = BYTES_AT_ONCE * piece.n_rows // max(piece.n_bytes, 1)
    return max(1, min(MOST_ROWS_AT_ONCE, fits))


def _says_something(keys: Any) -> Mask:
    """Tell which keys (rows,) are of somebody: an empty text is of nobody, as null is."""
    from pyarrow import compute, types

    plain = keys.dictionary_decode() if types.is_dictionary(keys.type) else keys
    are_texts = types.is_string(plain.type) or types.is_large_string(plain.type)
    are_bytes = types.is_binary(plain.type) or types.is_large_binary(plain.type)
    if not (are_texts or are_bytes):
        return np.asarray(plain.is_valid())
    return np.asarray(compute.binary_length(plain).fill_null(0)) > 0


def _mask(rows: Any) -> Any:
    import pyarrow as pa

    return pa.array(rows)


def n_buckets_of(pieces: Sequence[Piece], *, most_rows: int) -> int:
    """Return how many buckets of keys there must be, so that one has about `most_rows` rows."""
    require(most_rows >= 1, f"expected at least 1 row of a bucket, got {most_rows}")
    return max(1, -(-sum(piece.n_rows for piece in pieces) // most_rows))

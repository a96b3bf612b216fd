"""Who and what is in a piece of activity, `user,item[,score][,time]`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hushrank.activities.activity_files import ITEM, SCORE, TIME, UNNAMED, USER, ActivityColumns
from hushrank.arrays import Floats
from hushrank.errors import require
from hushrank.files.arrow_tables import pyarrow_for
from hushrank.files.elsewhere.addresses import shown
from hushrank.files.hashes import Salt, hash_buckets
from hushrank.files.names import (
    ALIKE,
    MAY_LOOK_ALIKE,
    NAMELESS,
    NOBODY,
    ROUNDED,
    ROUNDED_NUMBER,
    as_it_looks,
)
from hushrank.files.pieces import Piece, batches_of, columns_of, errors_naming_parquet
from hushrank.files.spread import rows_of_bucket, write_buckets

ROWS_AT_ONCE = 2**20
WHOLE = "^[0-9]{1,18}$"


@dataclass(frozen=True, eq=False, repr=False)
class Names:
    """The users and items of some records, as Arrow arrays of texts, and how many there are: a sum.

    has_scores: whether they say more than that something was done.
    Privacy: raw, as the records are. Raises HushrankError where some have scores and others none.
    """

    users: Any
    items: Any
    n_records: int
    has_scores: bool

    def __add__(self, other: "Names") -> "Names":
        """Name those of both."""
        return Names.of_all((self, other))

    @classmethod
    def of_all(cls, parts: Sequence["Names"]) -> "Names":
        """Name those of all parts."""
        users, items = ([getattr(each, what) for each in parts] for what in ("users", "items"))
        has_scores = _alike([each.has_scores for each in parts])
        n_records = sum(each.n_records for each in parts)
        return cls(_union(users), _union(items), n_records, has_scores)

    @property
    def in_order(self) -> "Names":
        """The same names as `read_activity` sorts them: whole numbers first, by size.

        Raises HushrankError for users of whom one may be written in two ways.
        """
        require(not _look_alike(self.users), f"the users have {ALIKE}")
        return Names(_sorted(self.users), _sorted(self.items), self.n_records, self.has_scores)


def names_of_piece(columns: ActivityColumns, piece: Piece) -> Names:
    """Return who and what is in a piece. Raises HushrankError, which names the file."""
    has_scores = SCORE in _titles(columns, piece)
    parts = [
        Names(users.unique(), items.unique(), len(users), has_scores)
        for users, items, _ in texts_of_piece(columns, piece)
    ]
    require(parts, f"{shown(piece.path)}: expected at least 1 record")
    return Names.of_all(parts)


@dataclass(frozen=True, eq=False, repr=False)
class Naming:
    """What tasks need to name users without holding all of them: by buckets of names' hashes.

    folder: of files with the users of each piece, sorted by bucket; files: these, once written.
    """

    folder: str
    columns: ActivityColumns
    n_buckets: int
    salt: Salt
    files: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, repr=False)
class Named:
    """Files with the users of pieces, and what `Names` says beside them: a sum."""

    files: tuple[str, ...]
    items: Any
    n_records: int
    has_scores: bool

    def __add__(self, other: "Named") -> "Named":
        """Name those of both."""
        items, n_records = _union([self.items, other.items]), self.n_records + other.n_records
        has_scores = _alike([self.has_scores, other.has_scores])
        return Named(self.files + other.files, items, n_records, has_scores)

    def names(self, users: Sequence[Any]) -> Names:
        """Return all names in order, from the users of all buckets."""
        of_all = pyarrow_for("a Parquet file").concat_arrays(users)
        return Names(of_all, self.items, self.n_records, self.has_scores).in_order


def name_piece(naming: Naming, piece: Piece) -> Named:
    """Write the users of a piece by bucket. Raises HushrankError as `names_of_piece` does."""
    names = names_of_piece(naming.columns, piece)
    bucket = hash_buckets(names.users, naming.n_buckets, naming.salt)
    batch = pyarrow_for("a Parquet file").record_batch([names.users], names=["user"])
    file = write_buckets(naming.folder, batch, bucket, naming.n_buckets)
    return Named((file,), names.items, names.n_records, names.has_scores)


def users_of_bucket(naming: Naming, bucket: int) -> tuple[Any, ...]:
    """Return the users of a bucket, each once; tuples of them add up, as nobody is in two."""
    return (_union([each.column("user") for each in rows_of_bucket(naming.files, bucket)]),)


def texts_of_piece(columns: ActivityColumns, piece: Piece) -> Iterator[tuple[Any, Any, Floats]]:
    """Yield users and items as texts, and scores, of each batch."""
    titles = _titles(columns, piece)
    for batch in batches_of(piece, list(titles.values()), most_rows=ROWS_AT_ONCE):
        with errors_naming_parquet(piece.path):
            user, item = (_as_text(batch.column(titles[what]), what) for what in (USER, ITEM))
            scores = np.ones(batch.num_rows)
            if SCORE in titles:
                scores = _as_scores(batch.column(titles[SCORE]))
            yield user, item, scores


def _titles(columns: ActivityColumns, piece: Piece) -> dict[str, str]:
    """Return which column is which; raise HushrankError, as `read_activity` does, for others."""
    held = columns_of(piece)
    lowered = {title.strip().lower(): title for title in held}
    wanted = {what: getattr(columns, what) or what for what in (USER, ITEM, SCORE, TIME)}
    found = {
        what: lowered[name.lower()] for what, name in wanted.items() if name.lower() in lowered
    }
    named = [what for what in found if getattr(columns, what) is not None]
    given = {USER, ITEM} | {what for what in wanted if getattr(columns, what) is not None}
    others = columns == UNNAMED and len(found) < len(held)
    with errors_naming_parquet(piece.path):
        expected = "expected the columns user and item, and perhaps score and time"
        require(given <= set(found) and not others and len(lowered) == len(held), expected)
        require(len(set(found.values())) == len(found), f"{expected}: {named} are one column")
    found.pop(TIME, None)
    return found


def _as_text(column: Any, what: str) -> Any:
    """Return texts without outer blanks.

    Raises HushrankError for empty ones, for other types, for numbers that were rounded, and for
    users who are nobody.
    """
    pa = pyarrow_for("a Parquet file")
    from pyarrow import compute, types

    plain = column.dictionary_decode() if types.is_dictionary(column.type) else column
    is_text = types.is_string(plain.type) or types.is_large_string(plain.type)
    require(is_text or types.is_integer(plain.type), f"expected the {what}s as text or numbers")
    texts = compute.utf8_trim_whitespace(plain) if is_text else plain.cast(pa.large_string())
    filled = texts.null_count == 0 and not compute.any(compute.equal(texts, "")).as_py()
    require(filled, f"expected a value in the column '{what}' of each row")
    refused = {ROUNDED_NUMBER: ROUNDED} | ({NOBODY: NAMELESS} if what == USER else {})
    for form, said in refused.items() if is_text else ():
        found = compute.match_substring_regex(texts, f"^(?:{form})$")
        require(not compute.any(found).as_py(), f"expected the {what}s without {said}")
    return texts.cast(pa.large_string())


def _look_alike(distinct: Any) -> bool:
    """Tell distinct texts of which two look alike, as `files.names.look_alike` does."""
    from pyarrow import compute

    is_unsure = compute.match_substring_regex(distinct, MAY_LOOK_ALIKE)
    looks = [as_it_looks(text) for text in distinct.filter(is_unsure).to_pylist()]
    others = distinct.filter(compute.invert(is_unsure))
    found = compute.is_in(pyarrow_for("a Parquet file").array(looks, others.type), others)
    return len(set(looks)) < len(looks) or bool(compute.any(found).as_py())


def _as_scores(column: Any) -> Floats:
    from pyarrow import types

    is_number = types.is_integer(column.type) or types.is_floating(column.type)
    expected = "expected a score that is a number of 0 or more in each row"
    require(is_number and column.null_count == 0, expected)
    scores: Floats = column.to_numpy(zero_copy_only=False).astype(np.float64)
    require(bool((np.isfinite(scores) & (scores >= 0)).all()), expected)
    return scores


def _alike(have_scores: Sequence[bool]) -> bool:
    require(len(set(have_scores)) == 1, "expected a column of scores in all files, or in none")
    return have_scores[0]


def _union(each: Sequence[Any]) -> Any:
    return pyarrow_for("a Parquet file").concat_arrays(each).unique()


def _sorted(texts: Any) -> Any:
    """Sort as `files.names.natural_order` does; UTF-8 sorts by code points, as Python does."""
    pa = pyarrow_for("a Parquet file")
    from pyarrow import compute

    is_whole = compute.match_substring_regex(texts, WHOLE)
    numbers = compute.if_else(is_whole, texts, "0").cast(pa.int64())
    table = pa.table(
        [compute.invert(is_whole).cast(pa.int8()), numbers, texts], names=["w", "n", "t"]
    )
    order = compute.sort_indices(
        table, [("w", "ascending"), ("n", "ascending"), ("t", "ascending")]
    )
    return texts.take(order)

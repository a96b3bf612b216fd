"""The records of a piece of activity, `user,item[,score][,time]`, as numbers of users and items."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hushrank.activities.activity_files import ITEM, SCORE, TIME, UNNAMED, USER, ActivityColumns
from hushrank.arrays import Floats, Integers32
from hushrank.errors import HushrankError, require
from hushrank.files.arrow_tables import pyarrow_for
from hushrank.files.pieces import Piece, batches_of, columns_of, errors_naming_parquet

ROWS_AT_ONCE = 2**20
WHOLE = "^[0-9]{1,18}$"


class Records(NamedTuple):
    """Records (records,) in the order of the piece: numbers of users and items, and scores."""

    users: Integers32
    items: Integers32
    scores: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Names:
    """The users and items of some records, as Arrow arrays of texts, and how many there are: a sum.

    Privacy: raw, as the records are.
    """

    users: Any
    items: Any
    n_records: int

    def __add__(self, other: "Names") -> "Names":
        """Name those of both."""
        users, items = _union(self.users, other.users), _union(self.items, other.items)
        return Names(users, items, self.n_records + other.n_records)

    @property
    def in_order(self) -> "Names":
        """The same names as `read_activity` sorts them: whole numbers first, by size."""
        return Names(_sorted(self.users), _sorted(self.items), self.n_records)


def names_of_piece(columns: ActivityColumns, piece: Piece) -> Names:
    """Return who and what is in a piece. Raises HushrankError, which names the file."""
    found = None
    for user, item, _ in _texts(columns, piece):
        new = Names(user.unique(), item.unique(), len(user))
        found = new if found is None else found + new
    if found is None:
        raise HushrankError(f"{piece.path}: expected at least 1 record")
    return found


def records_of_piece(columns: ActivityColumns, names: Names, piece: Piece) -> list[Records]:
    """Return the records of a piece, by the places of their users and items in `names`.

    Raises HushrankError, which names the file, for a score that is no finite number of 0 or more,
    and for a user or an item that is not in `names`: the file was changed since they were read.
    """
    found = []
    for user, item, scores in _texts(columns, piece):
        users, items = _places(user, names.users), _places(item, names.items)
        known = users.min(initial=0) >= 0 and items.min(initial=0) >= 0
        require(known, f"{piece.path}: was changed meanwhile")
        found.append(Records(users, items, scores))
    return found


def _texts(columns: ActivityColumns, piece: Piece) -> Any:
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
    """Return texts without outer blanks; raise HushrankError for empty ones and other types."""
    pa = pyarrow_for("a Parquet file")
    from pyarrow import compute, types

    plain = column.dictionary_decode() if types.is_dictionary(column.type) else column
    is_text = types.is_string(plain.type) or types.is_large_string(plain.type)
    require(is_text or types.is_integer(plain.type), f"expected the {what}s as text or numbers")
    texts = compute.utf8_trim_whitespace(plain) if is_text else plain.cast(pa.large_string())
    filled = texts.null_count == 0 and not compute.any(compute.equal(texts, "")).as_py()
    require(filled, f"expected a value in the column '{what}' of each row")
    return texts.cast(pa.large_string())


def _as_scores(column: Any) -> Floats:
    from pyarrow import types

    is_number = types.is_integer(column.type) or types.is_floating(column.type)
    expected = "expected a score that is a number of 0 or more in each row"
    require(is_number and column.null_count == 0, expected)
    scores: Floats = column.to_numpy(zero_copy_only=False).astype(np.float64)
    require(bool((np.isfinite(scores) & (scores >= 0)).all()), expected)
    return scores


def _places(texts: Any, names: Any) -> Integers32:
    """Return the place of each text among the names (rows,), -1 where it is not."""
    pa = pyarrow_for("a Parquet file")
    from pyarrow import compute

    coded = texts.dictionary_encode()
    places = compute.index_in(coded.dictionary, value_set=names).fill_null(-1)
    of_codes = places.cast(pa.int32()).to_numpy(zero_copy_only=False)
    found: Integers32 = of_codes[coded.indices.to_numpy(zero_copy_only=False)]
    return found


def _union(some: Any, others: Any) -> Any:
    return pyarrow_for("a Parquet file").concat_arrays([some, others]).unique()


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

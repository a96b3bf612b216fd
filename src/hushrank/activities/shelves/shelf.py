"""Scores of users and items on a disk: books, each with the rows of some users in their order."""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from hushrank.activities.activity import Scores
from hushrank.activities.activity_files import ActivityColumns
from hushrank.activities.shelves.places import Index, records_of_piece
from hushrank.activities.shelves.records import Names
from hushrank.arrays import Counts, Floats, Indices
from hushrank.errors import HushrankError
from hushrank.files.arrow_tables import pyarrow_for
from hushrank.files.pieces import Piece
from hushrank.files.spread import errors_naming_folder, mapped, rows_of_bucket, write_buckets

RECORDS_OF_A_BOOK = 2**22
"""What a task holds at a time: about 300 MB."""


@dataclass(frozen=True, eq=False, repr=False)
class Sorting:
    """What tasks need to sort records into books, and books into rows: sizes, and where files lie.

    folder: of the names' `Index`, and of all else. Book b has the users b * n_users_of_book,
    b * n_users_of_book + 1, ..; files: of sorted records.
    """

    folder: str
    columns: ActivityColumns
    n_users: int
    n_items: int
    n_users_of_book: int
    files: tuple[str, ...] = ()

    @property
    def n_books(self) -> int:
        """How many books there are."""
        return -(-self.n_users // self.n_users_of_book)

    @property
    def index(self) -> Index:
        """The places of names, from the folder."""
        return Index.read(self.folder)


@dataclass(frozen=True, eq=False, repr=False)
class Book:
    """Where the rows of some users lie, and what of them all is asked for.

    path: of files with the rows' starts, the items, and the scores unless all of them are 1.
    """

    path: str
    n_users: int
    is_binary: bool


@dataclass(frozen=True, eq=False, repr=False)
class Books:
    """Books in order, and how many users have each item a score of (items,): a sum."""

    books: tuple[Book, ...]
    users_of_items: Counts
    n_idle: int

    def __add__(self, other: "Books") -> "Books":
        """Put the books of both side by side."""
        used = self.users_of_items + other.users_of_items
        return Books(self.books + other.books, used, self.n_idle + other.n_idle)


def sorting_of(folder: str, columns: ActivityColumns, names: Names) -> Sorting:
    """Cut users into books of about as many records as a task holds; write the names' places."""
    Index.of(names).write(folder)
    n_users, n_books = len(names.users), max(1, -(-names.n_records // RECORDS_OF_A_BOOK))
    return Sorting(folder, columns, n_users, len(names.items), -(-n_users // n_books))


def sort_piece(sorting: Sorting, piece: Piece) -> tuple[str, ...]:
    """Write the records of a piece by book, in files of the folder; return their names, in order.

    Raises HushrankError, which names the file, where it cannot be read or was changed meanwhile.
    """
    pa = pyarrow_for("a Parquet file")
    found = []
    for users, items, scores in records_of_piece(sorting.columns, sorting.index, piece):
        batch = pa.record_batch([users, items, scores], names=["user", "item", "score"])
        bucket = users.astype(np.intp) // sorting.n_users_of_book
        found.append(write_buckets(sorting.folder, batch, bucket, sorting.n_books))
    return tuple(found)


def bind(sorting: Sorting, number: int) -> Books:
    """Add up the records of each user and item of a book, in their order, and write its rows.

    The sums are those of `ActivityLog.activity`.   Memory: the records of a book.
    """
    batches = list(rows_of_bucket(sorting.files, number))
    each = [
        np.concatenate([batch.column(name).to_numpy() for batch in batches])
        for name in ("user", "item", "score")
    ]
    start, n_items = number * sorting.n_users_of_book, sorting.n_items
    n_users = min(sorting.n_users_of_book, sorting.n_users - start)
    scores = _merged(each[0].astype(np.int64) - start, each[1], each[2], (n_users, n_items))
    path = str(Path(sorting.folder, uuid4().hex))
    is_binary = bool((scores.data == 1).all())
    with errors_naming_folder(sorting.folder):
        np.save(f"{path}-starts.npy", scores.indptr)
        np.save(f"{path}-items.npy", scores.indices)
        if not is_binary:
            np.save(f"{path}-scores.npy", scores.data)
    used = np.bincount(scores.indices, minlength=n_items)
    n_idle = int((np.diff(scores.indptr) == 0).sum())
    return Books((Book(path, n_users, is_binary),), used, n_idle)


@dataclass(frozen=True, eq=False, repr=False)
class Shelf:
    """All books: the scores (users, items) as `Activity.scores` has them, read as far as asked for.

    Privacy: raw. The files are in a scratch folder that is removed after the work.
    """

    books: tuple[Book, ...]
    n_items: int

    @property
    def starts(self) -> Indices:
        """The number of each book's first user, and how many users there are."""
        return np.cumsum([0, *(book.n_users for book in self.books)])

    def book(self, number: int) -> Scores:
        """Return the scores of a book."""
        return self.rows_of_book(number, np.arange(self.books[number].n_users))

    def rows_of_book(self, number: int, rows: Indices) -> Scores:
        """Return some rows of a book, in this order: nothing else is read from its files."""
        book = self.books[number]
        with errors_naming_folder(str(Path(book.path).parent)):
            starts, items = (mapped(f"{book.path}-{what}.npy") for what in ("starts", "items"))
            scores = None if book.is_binary else mapped(f"{book.path}-scores.npy")
        sizes = starts[rows + 1] - starts[rows]
        ends = np.cumsum(sizes, dtype=np.int64)
        places = np.repeat(starts[rows] - ends + sizes, sizes)
        places += np.arange(places.size)
        data = np.ones(places.size) if scores is None else scores[places]
        starts_here = np.concatenate([[0], ends]).astype(starts.dtype)
        return csr_array((data, items[places], starts_here), shape=(len(rows), self.n_items))

    def write_beside(self, number: int, what: str, values: NDArray[Any]) -> str:
        """Write an array to a new file beside a book's own, and return the path."""
        path = Path(self.books[number].path).with_name(f"{uuid4().hex}-{what}.npy")
        with errors_naming_folder(str(path.parent)):
            np.save(path, values)
        return str(path)

    def rows(self, users: Indices) -> Scores:
        """Return the scores of these users (users,), by number, in this order."""
        starts = self.starts
        order = np.argsort(users, kind="stable")
        ends = np.searchsorted(users[order], starts)
        parts = [
            self.rows_of_book(n, users[order[a:b]] - starts[n])
            for n, (a, b) in enumerate(pairwise(ends))
            if a < b
        ]
        back = np.empty(len(order), dtype=np.intp)
        back[order] = np.arange(len(order))
        found: Scores = csr_array(vstack(parts, format="csr"))[back]
        return found


def _merged(users: Indices, items: Indices, scores: Floats, shape: tuple[int, int]) -> Scores:
    cells = users * np.int64(shape[1]) + items
    order = np.argsort(cells, kind="stable")
    firsts = np.flatnonzero(np.diff(cells[order], prepend=-1))
    with np.errstate(over="ignore"):  # refused below
        sums = np.add.reduceat(scores[order], firsts) if firsts.size else scores
    if not np.isfinite(sums).all():
        raise HushrankError("expected finite scores")
    rows, columns = np.divmod(cells[order[firsts]], shape[1])
    kept = sums > 0
    starts = np.searchsorted(rows[kept], np.arange(shape[0] + 1)).astype(np.int32)
    return csr_array((sums[kept], columns[kept].astype(np.int32), starts), shape=shape)

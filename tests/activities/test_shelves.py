"""Records of many files, sorted by user into many books, are those of one table."""

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from hushrank.activities.activity_files import UNNAMED, ActivityColumns, read_activity
from hushrank.activities.shelves.places import Index, Places, records_of_piece
from hushrank.activities.shelves.records import (
    Names,
    Naming,
    name_piece,
    names_of_piece,
    users_of_bucket,
)
from hushrank.activities.shelves.shelf import Shelf, Sorting, bind, sort_piece
from hushrank.errors import HushrankError
from hushrank.files.hashes import new_salt
from hushrank.files.pieces import pieces_of

N = 40


def table_of(**columns):
    users, items = ([f"{kind} {n}" for n in range(10, 10 + N)] for kind in ("user", "item"))
    return pa.table({"user": users, "item": items, "score": np.arange(1.0, 1 + N)} | columns)


def piece_of(tmp_path, table):
    parquet.write_table(table, tmp_path / "a.parquet")
    (piece,) = pieces_of(tmp_path / "a.parquet", most_rows=10**6)
    return piece


def pieces_of_rows(tmp_path, table):
    """One file a row."""
    for row in range(table.num_rows):
        parquet.write_table(table.slice(row, 1), tmp_path / f"{row:02}.parquet")
    return pieces_of(tmp_path / "*.parquet", most_rows=1)


def test_many_files_and_buckets_name_all_that_one_table_does(tmp_path):
    table = table_of()
    pieces = pieces_of_rows(tmp_path, table)
    naming = Naming(str(tmp_path), UNNAMED, 1, new_salt())
    named = [name_piece(naming, piece) for piece in pieces]
    whole = sum(named[1:], start=named[0])
    filed = Naming(str(tmp_path), UNNAMED, 1, naming.salt, whole.files)
    names = whole.names(users_of_bucket(filed, 0))
    assert names.users.to_pylist() == table["user"].to_pylist()
    assert names.items.to_pylist() == table["item"].to_pylist()
    assert (names.n_records, names.has_scores) == (N, True)


@pytest.mark.parametrize("last", [1.0, 2.0])
def test_many_files_and_books_hold_what_one_table_does(tmp_path, last):
    table = table_of(score=np.append(np.ones(N - 1), last))
    pieces = pieces_of_rows(tmp_path, table)
    names = [names_of_piece(UNNAMED, piece) for piece in pieces]
    Index.of(sum(names[1:], start=names[0]).in_order).write(str(tmp_path))
    sorting = Sorting(str(tmp_path), UNNAMED, N, N, 1)
    files = tuple(file for piece in pieces for file in sort_piece(sorting, piece))
    sorting = Sorting(str(tmp_path), UNNAMED, N, N, 1, files)
    bound = [bind(sorting, number) for number in range(N)]
    books = sum(bound[1:], start=bound[0])
    shelf = Shelf(books.books, N)
    expected = read_activity(table).scores
    assert (shelf.rows(np.arange(N)[::-1]) != expected[::-1]).nnz == 0
    assert books.users_of_items.tolist() == [1] * N
    assert [book.is_binary for book in books.books] == [True] * (N - 1) + [last == 1]


def test_the_last_of_many_scores_of_one_book_tells_whether_all_are_one(tmp_path):
    for last in (1.0, 2.0):
        folder = tmp_path / str(last)
        folder.mkdir()
        piece = piece_of(folder, table_of(score=np.append(np.ones(N - 1), last)))
        Index.of(names_of_piece(UNNAMED, piece)).write(str(folder))
        sorting = Sorting(str(folder), UNNAMED, N, N, N)
        sorting = Sorting(str(folder), UNNAMED, N, N, N, sort_piece(sorting, piece))
        bound = bind(sorting, 0)
        assert bound.books[0].is_binary == (last == 1)
        assert Shelf(bound.books, N).book(0).sum() == N - 1 + last


@pytest.mark.parametrize("wrong", [np.inf, -1.0, np.nan])
def test_the_last_of_many_scores_of_a_file_is_checked(tmp_path, wrong):
    piece = piece_of(tmp_path, table_of(score=np.append(np.ones(N - 1), wrong)))
    with pytest.raises(HushrankError, match=r"a\.parquet: expected a score"):
        names_of_piece(UNNAMED, piece)


def test_a_sum_beyond_all_numbers_is_refused_in_the_last_of_many_rows(tmp_path):
    users = [f"user {n}" for n in range(N)]
    table = pa.table(
        {"user": [*users, users[-1]], "item": ["a"] * (N + 1), "score": [1e308] * (N + 1)}
    )
    piece = piece_of(tmp_path, table)
    Index.of(names_of_piece(UNNAMED, piece).in_order).write(str(tmp_path))
    sorting = Sorting(str(tmp_path), UNNAMED, N, 1, N)
    with pytest.raises(HushrankError, match="expected finite scores"):
        bind(Sorting(str(tmp_path), UNNAMED, N, 1, N, sort_piece(sorting, piece)), 0)


def test_columns_that_stand_behind_many_others_are_found(tmp_path):
    others = {f"column {n}": np.zeros(N) for n in range(30)}
    piece = piece_of(tmp_path, pa.table(others | {"u": ["a"] * N, "i": ["b"] * N}))
    names = names_of_piece(ActivityColumns(user="u", item="i"), piece)
    assert (names.users.to_pylist(), names.items.to_pylist()) == (["a"], ["b"])
    with pytest.raises(HushrankError, match="expected the columns user and item"):
        names_of_piece(UNNAMED, piece)


def test_each_of_many_batches_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr("hushrank.activities.shelves.records.ROWS_AT_ONCE", 1)
    piece = piece_of(tmp_path, table_of())
    names = names_of_piece(UNNAMED, piece)
    assert (len(names.users), names.n_records) == (N, N)
    found = list(records_of_piece(UNNAMED, Index.of(names), piece))
    assert [int(each.users[0]) for each in found] == list(range(N))
    Index.of(names).write(str(tmp_path))
    assert len(sort_piece(Sorting(str(tmp_path), UNNAMED, N, N, N), piece)) == N


@pytest.mark.parametrize("at", [0, N - 2])
def test_salts_are_drawn_until_all_of_many_hashes_differ(monkeypatch, at):
    """Two of the first ones are the same."""
    differ = np.arange(N, dtype=np.uint64)
    alike = np.where(np.arange(N) == at, differ + 1, differ)
    drawn = iter([alike, differ])
    monkeypatch.setattr("hushrank.activities.shelves.places.hashes_of", lambda *_: next(drawn))
    assert Places.of(table_of()["user"]).hashes.tolist() == differ.tolist()


@pytest.mark.parametrize("wrong", ["", "NULL", "1.25e+17"])
@pytest.mark.parametrize("at", [0, N - 1])
def test_one_of_many_users_of_a_file_who_may_be_several_is_refused(tmp_path, wrong, at):
    users = [wrong if n == at else f"user {n}" for n in range(N)]
    piece = piece_of(tmp_path, table_of(user=users))
    with pytest.raises(HushrankError, match=r"a\.parquet: expected "):
        names_of_piece(UNNAMED, piece)


def test_one_of_many_parts_that_has_no_scores_is_refused():
    texts = pa.array(["a"], pa.large_string())
    parts = [Names(texts, texts, 1, has_scores=n < N - 1) for n in range(N)]
    assert Names.of_all(parts[:-1]).n_records == N - 1
    with pytest.raises(HushrankError, match="a column of scores in all files, or in none"):
        Names.of_all(parts)

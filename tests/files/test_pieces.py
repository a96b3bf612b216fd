import sys
from os.path import relpath
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from hushrank.errors import HushrankError
from hushrank.files.elsewhere.stores import DAMAGED
from hushrank.files.pieces import batches_of, columns_of, pieces_of, table_of

TABLE = pa.table({"number": list(range(100)), "text": [str(n % 7) for n in range(100)]})


@pytest.fixture
def folder(tmp_path):
    for number, name in enumerate(("b", "a")):
        part = TABLE.slice(60 * (1 - number), 40 if number == 0 else 60)
        parquet.write_table(part, tmp_path / f"{name}.parquet", row_group_size=10)
    return tmp_path


def numbers_in(pieces):
    return [n for piece in pieces for n in table_of(piece)["number"].to_pylist()]


@pytest.mark.parametrize("most_rows", [1, 10, 25, 1000])
def test_pieces_hold_every_row_once_and_in_order(folder, most_rows):
    pieces = pieces_of(folder, most_rows=most_rows)
    assert numbers_in(pieces) == list(range(100))
    assert max(piece.n_rows for piece in pieces) <= max(most_rows, 10)
    assert sum(piece.n_rows for piece in pieces) == 100
    batches = [b for piece in pieces for b in batches_of(piece, ["number"], most_rows=7)]
    assert [n for batch in batches for n in batch.column("number").to_pylist()] == list(range(100))
    assert max(batch.num_rows for batch in batches) <= 7


def test_every_file_of_many_is_read_however_they_are_named(tmp_path):
    for n in range(30):
        parquet.write_table(TABLE.slice(n, 1), tmp_path / f"{n:02}.parquet")
    names = [tmp_path / f"{n:02}.parquet" for n in range(30)]
    for source in (tmp_path, tmp_path / "*.parquet", names, f"file://{tmp_path}"):
        assert numbers_in(pieces_of(source, most_rows=25)) == list(range(30))


def test_every_file_of_many_in_a_store_is_read():
    from fsspec import filesystem

    store = filesystem("memory")
    for n in range(30):
        with store.open(f"/many/{n:02}.parquet", "wb") as file:
            parquet.write_table(TABLE.slice(n, 1), file)
    assert numbers_in(pieces_of("memory://many", most_rows=1)) == list(range(30))
    store.rm("/many", recursive=True)


@pytest.mark.parametrize("most_rows", [1, 22, 1000])
def test_of_many_row_groups_each_piece_has_as_many_as_it_may(tmp_path, most_rows):
    path = tmp_path / "a.parquet"
    parquet.write_table(TABLE, path, row_group_size=1)
    pieces = pieces_of(path, most_rows=most_rows)
    assert [piece.n_rows for piece in pieces[:-1]] == [most_rows] * (99 // most_rows)
    assert numbers_in(pieces) == list(range(100))
    (whole,) = pieces_of(path, most_rows=100)
    assert sum(piece.n_bytes for piece in pieces) == whole.n_bytes


def test_a_piece_comes_in_however_many_batches(folder):
    (piece,) = pieces_of(folder / "a.parquet", most_rows=1000)
    batches = list(batches_of(piece, ["number"], most_rows=1))
    assert [batch["number"].to_pylist() for batch in batches] == [[n] for n in range(60)]


def test_a_link_to_one_of_many_files_is_refused(tmp_path):
    for n in range(30):
        parquet.write_table(TABLE, tmp_path / f"{n:02}.parquet")
    (tmp_path / "link.parquet").symlink_to(tmp_path / "25.parquet")
    with pytest.raises(HushrankError, match=r"link.parquet: expected each file once, got a link"):
        pieces_of(tmp_path, most_rows=25)


def test_the_last_of_many_columns_must_be_there(tmp_path):
    names = [f"item {n}" for n in range(30)]
    parquet.write_table(pa.table({name: [1] for name in names}), tmp_path / "a.parquet")
    (piece,) = pieces_of(tmp_path, most_rows=1)
    assert columns_of(piece) == names
    with pytest.raises(HushrankError, match="expected a column weight"):
        list(batches_of(piece, [*names, "weight"], most_rows=1))


def test_files_without_rows_are_no_piece_unless_all_are_such(folder):
    stated = pieces_of(folder, most_rows=25)
    parquet.write_table(TABLE.slice(0, 0), folder / "0.parquet")
    parquet.ParquetWriter(folder / "1.parquet", TABLE.schema).close()
    assert pieces_of(folder, most_rows=25) == stated
    for empty in ("0", "1"):
        (piece,) = pieces_of(folder / f"{empty}.parquet", most_rows=25)
        assert table_of(piece).num_rows == piece.n_rows == 0
        assert sum(batch.num_rows for batch in batches_of(piece, ["number"], most_rows=7)) == 0


def test_a_file_that_is_named_twice_is_read_once(folder):
    one = folder / "a.parquet"
    assert pieces_of([folder / "*.parquet", one, str(folder)], most_rows=1000) == pieces_of(
        folder, most_rows=1000
    )


@pytest.mark.parametrize("source", ["link/../1.parquet", "link/../*.parquet", "link/.."])
def test_what_is_above_a_link_is_what_its_system_says(tmp_path, monkeypatch, source):
    """As a ledger takes it, which lies there."""
    for name, number in (("here", 1), ("there", 2), ("there/inside", 3)):
        (tmp_path / name).mkdir()
        parquet.write_table(pa.table({"number": [number]}), tmp_path / name / "1.parquet")
    monkeypatch.chdir(tmp_path / "here")
    Path("link").symlink_to("../there/inside")
    (piece,) = pieces_of(source, most_rows=10)
    assert table_of(piece).to_pydict() == {"number": [2]}
    assert not relpath(piece.path, tmp_path / "there").startswith("..")


@pytest.mark.parametrize("linked", ["symlink_to", "hardlink_to"])
@pytest.mark.parametrize("as_list", [False, True])
def test_a_link_beside_its_file_is_refused_for_its_people_would_count_twice(
    folder, linked, as_list
):
    link = folder / "link.parquet"
    getattr(link, linked)(folder / "a.parquet")
    source = [folder / "a.parquet", link] if as_list else folder
    with pytest.raises(HushrankError, match=r"link.parquet: expected each file once, got a link"):
        pieces_of(source, most_rows=25)
    (folder / "a.parquet").unlink()
    if linked == "hardlink_to":
        assert sum(piece.n_rows for piece in pieces_of(folder, most_rows=25)) == 100


@pytest.mark.parametrize("scheme", ["file", "local"])
def test_an_address_on_this_machine_is_no_other_file_than_its_path(folder, scheme):
    stated = pieces_of(folder, most_rows=25)
    for name in (folder, folder / "a.parquet", folder / "[ab].parquet"):
        assert pieces_of([folder, f"{scheme}://{name}"], most_rows=25) == stated
    link = folder / "link.parquet"
    link.symlink_to(folder / "a.parquet")
    with pytest.raises(HushrankError, match=r"link.parquet: expected each file once, got a link"):
        pieces_of(f"{scheme}://{folder}", most_rows=25)


def test_two_stars_are_folders_of_any_depth_here_and_in_a_store(folder):
    deep = folder / "2026" / "11"
    deep.mkdir(parents=True)
    (folder / "b.parquet").rename(deep / "b.parquet")
    for pattern in (f"{folder}/**/*.parquet", f"file://{folder}/**/*.parquet"):
        assert numbers_in(pieces_of(pattern, most_rows=1000)) == [*range(60, 100), *range(60)]


def test_what_is_hidden_in_a_folder_is_no_part_of_it(folder):
    (folder / "._a.parquet").write_bytes(b"what a computer keeps beside files")
    assert numbers_in(pieces_of(folder, most_rows=1000)) == list(range(100))


def test_addresses_are_read_through_fsspec(folder):
    from fsspec import filesystem

    store = filesystem("memory")
    for name in ("a", "b"):
        store.pipe(f"/lake/{name}.parquet", (folder / f"{name}.parquet").read_bytes())
    pieces = pieces_of("memory://lake/*.parquet", most_rows=30)
    assert pieces_of("memory://lake", most_rows=30) == pieces
    assert numbers_in(pieces) == list(range(100))
    with pytest.raises(HushrankError, match=r"memory://lake/\*\.csv: there is no such file"):
        pieces_of("memory://lake/*.csv", most_rows=1)
    store.rm("/lake", recursive=True)
    with pytest.raises(HushrankError, match="there is no such file"):
        table_of(pieces[0])


@pytest.mark.parametrize("chain", ["simplecache::", "filecache::", "blockcache::"])
def test_a_file_has_no_second_name_through_a_chain_of_stores(folder, chain):
    """A cache before a store: its people would count twice beside those of the file."""
    address = f"{chain}file://{folder}/*.parquet"
    for named in (address, [folder, address]):
        with pytest.raises(HushrankError, match="expected an address of one store, without ::"):
            pieces_of(named, most_rows=1000)


def test_a_store_that_is_none_by_itself_is_told_in_one_line(folder):
    with pytest.raises(HushrankError, match="dir:///lake: AttributeError when looking for it"):
        pieces_of("dir:///lake", most_rows=1)


def test_a_store_whose_package_is_missing_is_said_to_need_one(monkeypatch):
    monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(HushrankError, match=r"s3://lake/\*: its store needs a package of its own"):
        pieces_of("s3://lake/*", most_rows=1)


def test_a_file_that_changed_meanwhile_or_lacks_a_column_is_named(folder):
    (piece,) = pieces_of(folder / "b.parquet", most_rows=1000)
    with pytest.raises(HushrankError, match=r"b\.parquet: expected a column weight"):
        list(batches_of(piece, ["number", "weight"], most_rows=10))
    with pytest.raises(HushrankError, match=r"b\.parquet: expected a column weight"):
        list(batches_of(piece, ["number", "weight"], most_rows=10, coded=["weight"]))
    parquet.write_table(TABLE.slice(0, 40), folder / "b.parquet", row_group_size=8)
    for read in (table_of, lambda each: list(batches_of(each, ["text"], most_rows=10))):
        with pytest.raises(HushrankError, match=r"b\.parquet: expected a whole Parquet file"):
            read(piece)


@pytest.mark.parametrize("content", [b"eve, 7", b"PAR1" + b"eve" * 9 + b"\x09\0\0\0PAR1"])
def test_nothing_that_arrow_says_of_a_damaged_file_is_passed_on(folder, content):
    """It may quote what is in it."""
    path = folder / "b.parquet"
    (piece,) = pieces_of(path, most_rows=1000)
    path.write_bytes(content)
    for read in (
        lambda: pieces_of(path, most_rows=1000),
        lambda: columns_of(piece),
        lambda: table_of(piece),
        lambda: list(batches_of(piece, ["text"], most_rows=10)),
    ):
        with pytest.raises(HushrankError) as told:
            read()
        assert str(told.value) == f"{path}: {DAMAGED}"

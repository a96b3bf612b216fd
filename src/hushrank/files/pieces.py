"""Parquet files in pieces: what one task reads, wherever the files lie.

A piece is some row groups of a file, read by one thread: workers are as many as there are cores,
and Arrow's own threads would only wait for each other. Paths on this machine need nothing else;
addresses such as `s3://bucket/reports/*.parquet` need fsspec, and its own package for that store.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from glob import escape, glob
from os import fspath, stat
from pathlib import Path
from typing import Any

from hushrank.errors import HushrankError, raise_alone, require
from hushrank.files.arrow_tables import pyarrow_for
from hushrank.files.disk import FilePath, whole_path
from hushrank.files.elsewhere import stores
from hushrank.files.elsewhere.addresses import is_address, likely_file, shown, spelt_plainly
from hushrank.files.elsewhere.stores import DAMAGED

MARK = b"hushrank"
"""The key of a file's mark, in its metadata."""


@dataclass(frozen=True)
class Piece:
    """Some row groups of a Parquet file, how many rows they hold, and bytes before compression.

    path: the whole one, with the keys in an address if it has any: `shown` tells what may be seen.
    mark: what hushrank wrote into the file to know it by, if anything.
    """

    path: str = field(repr=False)
    groups: tuple[int, ...]
    n_rows: int
    n_bytes: int
    mark: str = ""


def pieces_of(source: FilePath | Sequence[FilePath], *, most_rows: int) -> list[Piece]:
    """Cut files into pieces of at most `most_rows` rows, or of one row group where that has more.

    source: paths, patterns such as `reports/*.parquet`, folders, or addresses that fsspec knows.
    The pieces are in the order of the files' names, and of the rows in them. Files without rows are
    passed over, as engines write some; where all are such, there is one piece without rows.
    Raises HushrankError, which names the file, where there is none, where one is no Parquet, or
    where two names are of one file, whose people would count twice.
    """
    named = [source] if isinstance(source, str) or not isinstance(source, Sequence) else source
    paths = _each_once(path for each in named for path in _paths(fspath(each)))
    _require_once(paths)
    found = [piece for path in paths for piece in _cut(path, most_rows)]
    return [piece for piece in found if piece.n_rows] or found[:1]


def batches_of(
    piece: Piece, columns: Sequence[str], *, most_rows: int, coded: Sequence[str] = ()
) -> Iterator[Any]:
    """Yield the record batches of a piece, of at most `most_rows` rows each.

    coded: columns of few distinct texts, which come as dictionaries.
    Raises HushrankError, which names the file and nothing it holds, where it cannot be read, or
    holds another number of rows than when it was cut.
    """
    n_rows = 0
    with errors_naming_parquet(piece.path), _opened(piece.path, coded) as file:
        require(max(piece.groups, default=-1) < file.num_row_groups, DAMAGED)
        _require_columns(file.schema_arrow.names, columns)
        groups, names = list(piece.groups), list(columns)
        found = file.iter_batches(most_rows, groups, names, use_threads=False) if groups else ()
        for batch in found:  # Arrow 18 looks for a group where none is asked for
            n_rows += batch.num_rows
            yield batch
        require(n_rows == piece.n_rows, DAMAGED)


def columns_of(piece: Piece) -> list[str]:
    """Return the names of a piece's columns. Raises HushrankError as `batches_of` does."""
    with errors_naming_parquet(piece.path), _opened(piece.path) as file:
        return list(file.schema_arrow.names)


def table_of(piece: Piece) -> Any:
    """Return a piece as a `pyarrow.Table`. Raises HushrankError as `batches_of` does."""
    with errors_naming_parquet(piece.path), _opened(piece.path) as file:
        require(max(piece.groups, default=-1) < file.num_row_groups, DAMAGED)
        table = file.schema_arrow.empty_table()
        if piece.groups:  # as above
            table = file.read_row_groups(list(piece.groups), use_threads=False)
        require(table.num_rows == piece.n_rows, DAMAGED)
        return table


@contextmanager
def errors_naming_parquet(path: str) -> Iterator[None]:
    """Turn what goes wrong with a file into one HushrankError that begins with its path.

    Privacy: what Arrow says of a damaged file may quote it, and what a store's package says may
    quote the keys in an address: nothing of either is passed on.
    """
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        message = _said_of(error, path)
        if message is None:
            raise
    else:
        return
    raise_alone(HushrankError(f"{shown(path)}: {message}"))


def _said_of(error: Exception, path: str) -> str | None:
    """Return what went wrong with a file; None where it is no fault of a file on this machine."""
    arrow = pyarrow_for("a Parquet file")
    if isinstance(error, HushrankError):
        return str(error)
    if is_address(path) or isinstance(error, FileNotFoundError | PermissionError):
        told = stores.said_of(error)
        if told is not None:
            return told
    if isinstance(error, arrow.ArrowException | OSError | EOFError):
        return DAMAGED
    return f"{type(error).__name__} when reading it" if is_address(path) else None


def _paths(pattern: str) -> list[str]:
    """Return the files that a path, a pattern, a folder or an address stands for.

    Paths are whole ones: the workers of a scheduler are in other folders than who calls.
    """
    if is_address(pattern):
        found: Iterable[str] = stores.addresses_of(pattern, _paths)
    elif Path(pattern).is_dir():
        found = map(whole_path, glob(f"{escape(pattern)}/*.parquet"))
    else:
        named = [pattern] if Path(pattern).exists() else glob(pattern, recursive=True)
        found = map(whole_path, named)
    paths = sorted(found)
    require(paths, f"{shown(pattern)}: there is no such file")
    return paths


def _each_once(paths: Iterable[str]) -> list[str]:
    """Return paths in order; of one that is spelt in several ways, the plainest."""
    plainest = sorted(set(paths), key=lambda path: (spelt_plainly(path) != path, path))
    kept: dict[str, str] = {}
    for path in plainest:
        kept.setdefault(spelt_plainly(path), path)
    return [path for _, path in sorted(kept.items())]


def _require_once(paths: Sequence[str]) -> None:
    """Refuse what leads to one file, such as links of either kind: people would count twice."""
    known: dict[object, str] = {}
    for path in paths:
        with errors_naming_parquet(path):
            other = known.setdefault(_file_at(path), path)
            beside = shown(other) if is_address(path) else f"a link to {other}"
            require(other == path, f"expected each file once, got {beside} beside it")


def _file_at(path: str) -> object:
    """Return what all names of one file share, as far as can be known."""
    if is_address(path):
        return likely_file(path)
    found = stat(path)
    return (found.st_dev, found.st_ino) if found.st_ino else path


def _cut(path: str, most_rows: int) -> Iterator[Piece]:
    """Yield the pieces of one file, at least one: consecutive row groups."""
    with errors_naming_parquet(path), _opened(path) as file:
        each = [file.metadata.row_group(n) for n in range(file.num_row_groups)]
        sizes = [(group.num_rows, group.total_byte_size) for group in each]
        mark = (file.metadata.metadata or {}).get(MARK, b"").decode("ascii", "replace")
    groups: list[int] = []
    for number, (n_rows, _) in enumerate(sizes):
        if groups and sum(sizes[group][0] for group in groups) + n_rows > most_rows:
            yield _piece(path, groups, sizes, mark)
            groups = []
        groups.append(number)
    if groups or not sizes:
        yield _piece(path, groups, sizes, mark)


def _piece(path: str, groups: Sequence[int], sizes: Sequence[tuple[int, int]], mark: str) -> Piece:
    n_rows, n_bytes = (sum(sizes[group][n] for group in groups) for n in (0, 1))
    return Piece(path, tuple(groups), n_rows, n_bytes, mark)


@contextmanager
def _opened(path: str, coded: Sequence[str] = ()) -> Iterator[Any]:
    from pyarrow import parquet

    told = {"read_dictionary": list(coded), "page_checksum_verification": True}
    with _stored(path) as stored:
        try:
            file = parquet.ParquetFile(stored, memory_map=stored is path, **told)
        except KeyError:  # Arrow looks for them before anybody asks what columns there are
            raise HushrankError(f"expected a column {', '.join(coded)}") from None
        with file:
            yield file


def _stored(path: str) -> AbstractContextManager[Any]:
    """Return a path on this machine as it is, and an address as an open file."""
    return stores.opened(path) if is_address(path) else nullcontext(path)


def _require_columns(names: Sequence[str], wanted: Sequence[str]) -> None:
    missing = [each for each in wanted if each not in names]
    require(not missing, f"expected a column {', '.join(missing)}")
    several = [each for each in wanted if names.count(each) > 1]
    require(not several, f"expected one column {', '.join(several)}, got several")

"""Rows that are sorted into buckets on a disk that all workers reach: one task writes, others read.

A file holds the rows of one record batch, a bucket after the other. Whoever calls keeps the folder,
and removes it in the end. A task that runs twice writes two files, of which one is named in what
counts; the other is never read.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import R_OK, W_OK, X_OK, access, strerror
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Indices
from hushrank.errors import HushrankError, raise_alone, require
from hushrank.files.arrow_tables import pyarrow_for
from hushrank.files.disk import FilePath, whole_path
from hushrank.files.elsewhere.addresses import shown


@contextmanager
def scratch_folder(parent: FilePath) -> Iterator[str]:
    """Yield a new folder, by its whole path, that only its owner reads; it is gone afterwards.

    Raises HushrankError where there is no such parent, or one that cannot be written to.
    """
    try:
        folder = mkdtemp(prefix="hushrank-", dir=whole_path(parent))
    except OSError as error:
        why = error.strerror or "cannot be written to"
        raise HushrankError(f"{shown(parent)}: {why}") from None
    try:
        yield folder
    finally:
        remove_folder(folder)


def require_reached(folders: Sequence[str], number: int) -> int:
    """Raise HushrankError unless the process that runs this task can write to these folders.

    number: of the task, of which there are enough to reach every worker; they add up.
    """
    for folder in folders:
        wanted = "expected a folder that every worker reaches, as the user who calls"
        require(access(folder, R_OK | W_OK | X_OK), f"{shown(folder)}: {wanted}")
    return number


def remove_files(paths: Sequence[str]) -> None:
    """Remove files that no task reads any more, where disks are short."""
    for path in paths:
        Path(path).unlink(missing_ok=True)


def remove_folder(folder: FilePath) -> None:
    """Remove a folder that tasks of other machines may still write to.

    It is renamed first: a task that comes late finds no folder, and puts nothing into what is just
    being removed, which would then stay.
    """
    over = f"{folder}-over"
    try:
        Path(folder).rename(over)
    except OSError:
        over = str(folder)
    rmtree(over, ignore_errors=True)


def write_buckets(folder: str, batch: Any, bucket: Indices, n_buckets: int) -> str:
    """Write the rows of a record batch by bucket (rows,), in their order; return the file's path.

    The file appears whole or not at all, under a name that tells nothing.
    """
    arrow = pyarrow_for("a bucket of rows")
    order = np.argsort(bucket, kind="stable")
    sorted_rows = batch.take(arrow.array(order))
    ends = np.cumsum(np.bincount(bucket, minlength=n_buckets)).tolist()
    path = Path(folder, f"{uuid4().hex}.arrow")
    unfinished = path.with_suffix(".part")
    with (
        errors_naming_folder(folder),
        arrow.OSFile(str(unfinished), "wb") as file,
        arrow.ipc.new_file(file, batch.schema) as writer,
    ):
        for start, end in zip([0, *ends], ends, strict=False):
            writer.write_batch(sorted_rows.slice(start, end - start))
    unfinished.replace(path)
    return str(path)


def rows_of_bucket(paths: Sequence[str], bucket: int) -> Iterator[Any]:
    """Yield the record batches of a bucket, from all files in their order."""
    arrow = pyarrow_for("a bucket of rows")
    for path in paths:
        with errors_naming_folder(str(Path(path).parent)), arrow.memory_map(path) as file:
            yield arrow.ipc.open_file(file).get_batch(bucket)


def mapped(path: str) -> NDArray[Any]:
    """Return an array that is read from its file as far as it is used."""
    return np.asarray(np.load(path, mmap_mode="r"))


@contextmanager
def errors_naming_folder(folder: str) -> Iterator[None]:
    """Turn what goes wrong with a file of a folder into one HushrankError without its content."""
    arrow = pyarrow_for("a bucket of rows")
    try:
        yield
    except (OSError, arrow.ArrowException) as error:
        number = isinstance(error, OSError) and error.errno  # Arrow's own words name the file
        message = strerror(number) if number else "expected the rows that were written there"
    else:
        return
    raise_alone(HushrankError(f"{shown(folder)}: {message}"))

"""What every file needs: errors that name it, and a replacement that is whole or not there."""

import os
import re
import sqlite3
import sys
import zlib
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from glob import escape, glob
from pathlib import Path
from secrets import token_hex
from typing import TypeAlias

from hushrank.errors import HushrankError, raise_alone, require
from hushrank.files.elsewhere.addresses import shown

FilePath: TypeAlias = str | os.PathLike[str]

LEDGER = "hushrank-ledger.json"
"""The name of a book of what private results of ballots cost: nothing else takes its place."""
STANDARD = {"-": 1, "/dev/stdout": 1, "/dev/stderr": 2}


@contextmanager
def errors_naming(path: FilePath) -> Iterator[None]:
    """Turn what goes wrong with a file into one HushrankError that begins with its path."""
    try:
        yield
    except HushrankError as error:
        message = str(error)
    except (OSError, EOFError, zlib.error) as error:
        message = getattr(error, "strerror", None) or "expected a whole gzip file, it is damaged"
    else:
        return
    raise_alone(HushrankError(f"{shown(path)}: {message}"))


def is_standard_output(path: FilePath) -> bool:
    """Tell whether a path is standard output, which `-` stands for, too."""
    return _descriptor(path) == 1


def whole_path(path: FilePath) -> str:
    """Return a path from the root; of one with `..`, which follows links, where it leads."""
    is_plain = os.pardir not in Path(path).parts
    return os.path.abspath(path) if is_plain else os.path.realpath(path)


def require_folder(path: FilePath) -> None:
    """Raise HushrankError unless the folder of `path` exists."""
    with errors_naming(path):
        _require_folder(path)


def require_apart(written: Sequence[FilePath], read: Sequence[FilePath]) -> None:
    """Raise HushrankError when an output would destroy another one, or a file that is read.

    read: patterns and folders, too.
    """
    places = [_place_of(path) for path in written]
    taken = [*places, *{_place_of(file) for path in read for file in _files_of(path)}]
    for path, place in zip(written, places, strict=True):
        apart = taken.count(place) == 1
        require(apart, f"{shown(path)}: expected different files to read and to write")


def outputs(
    writes: Sequence[FilePath | None], *, beside: Sequence[FilePath | None], appends: bool = False
) -> list[FilePath]:
    """Return the files to write, where there are any, after it is certain that they can be.

    appends: to what is there, in a folder that may be anybody's.
    Raises HushrankError, before anything is done, where writing would fail, or destroy another
    output, a ledger, or one of the files `beside`, which are read.
    """
    written = [path for path in writes if path is not None]
    require_apart(written, [path for path in beside if path is not None])
    for path in written:
        with errors_naming(path):
            _require_folder(path)
            require(appends or _can_replace(path), "expected a folder in which files may be made")
            require(not Path(path).is_dir(), "expected a file, this is a folder")
            _require_no_ledger(path)
    return written


def replace_file(path: FilePath, content: bytes, *, secret: bool, is_ledger: bool = False) -> None:
    """Write beside `path`, then rename: a crash leaves the old file or the new one.

    secret: only its owner may read the file; without a default, so that nobody forgets to ask.
    What a link leads to is replaced, the link stays. What is no regular file is written to in
    place, and so is what is open already: `-` and /dev/stdout, wherever they lead, and /dev/fd/63,
    as shells name a process that reads.
    Raises HushrankError, which names `path`, when it cannot be written, or where what is no ledger
    would take the place of one.
    """
    descriptor = _descriptor(path)
    if descriptor is not None:
        with errors_naming(path):
            _write_open(descriptor, content)
        return
    target = Path(os.path.realpath(path))
    with errors_naming(path):
        _require_folder(target)
        if not is_ledger:
            _require_no_ledger(path)
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                file.write(content)
        else:
            _rename_over(target, content, secret)


@contextmanager
def alone_with(path: FilePath) -> Iterator[None]:
    """Wait until no other process is in such a block with the same path, and keep others out.

    The operating system's lock, on an empty hidden file beside, as `path` itself may be replaced;
    it ends with the process, however that ends.   Raises HushrankError where no file can be locked.
    """
    beside = Path(path).with_name(f".{Path(path).name}.lock")
    with errors_naming(beside):
        descriptor = os.open(beside, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        with errors_naming(beside):
            _wait_for(descriptor)
        yield
    finally:
        os.close(descriptor)  # and with it the lock


def keep_to_owner(path: FilePath) -> None:
    """Make a file that only its owner reads, or make an empty one such; no pipe or device.

    What is there is not opened: closing it would end all locks that this process has on it, such as
    those by which SQLite keeps other processes out (POSIX, fcntl).
    """
    if Path(path).exists() and not Path(path).is_file():
        return
    target = Path(os.path.realpath(path))
    with suppress(FileExistsError):
        os.close(_for_its_owner(os.fspath(target), os.O_CREAT | os.O_EXCL | os.O_RDWR))
    if target.stat().st_size == 0:
        target.chmod(0o600)


def require_own_tables(database: sqlite3.Connection, tables: str, expected: str) -> None:
    """Raise HushrankError for a database of somebody else's: of other tables, or with triggers.

    tables: the statements that make ours.
    """
    asked = "SELECT type, name, sql FROM sqlite_schema"
    with closing(sqlite3.connect(":memory:")) as own:
        own.executescript(tables)
        known = set(own.execute(asked))
    found = set(database.execute(asked))
    require(not found or found == known, f"{expected}, this is another database")


def _wait_for(descriptor: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
    else:
        from fcntl import LOCK_EX, flock

        flock(descriptor, LOCK_EX)


def _descriptor(path: FilePath) -> int | None:
    """Return the number of an open file that a path stands for; None where it is a path."""
    text = os.fspath(path)
    if text in STANDARD:
        return STANDARD[text]
    found = re.fullmatch(r"/(?:dev|proc/self)/fd/([0-9]+)", text)
    return None if found is None else int(found[1])


def _place_of(path: FilePath) -> str:
    descriptor = _descriptor(path)
    return os.path.realpath(path) if descriptor is None else f"open file {descriptor}"


def _files_of(path: FilePath) -> list[FilePath]:
    """Return what a path, a pattern or a folder stands for."""
    inside = f"{escape(os.fspath(path))}/*" if Path(path).is_dir() else os.fspath(path)
    return [path, *([] if Path(path).is_file() else glob(inside, recursive=True))]


def _write_open(descriptor: int, content: bytes) -> None:
    """Write after what was printed so far, and leave the file open."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    with os.fdopen(os.dup(descriptor), "wb") as file:
        file.write(content)


def _rename_over(target: Path, content: bytes, secret: bool) -> None:
    temporary = target.with_name(f".{token_hex(8)}.tmp")
    try:
        with open(temporary, "xb", opener=_for_its_owner if secret else None) as file:
            if target.exists() and not secret:  # a file that others may not read stays so
                temporary.chmod(target.stat().st_mode & 0o777)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
        _settle(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _settle(folder: Path) -> None:
    """Write the folder's names to the disk: the machine may crash, and had the old file again.

    Where a system does not do that with folders, names are as safe as it makes them.
    """
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _for_its_owner(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _require_no_ledger(path: FilePath) -> None:
    """Refuse the name of a ledger, and what a link of another name leads to."""
    names = {Path(each).name for each in (path, _place_of(path))}
    require(LEDGER not in names, "expected another name, this is that of a ledger")


def _require_folder(path: FilePath) -> None:
    """Refuse a path into no folder, and a link that leads there; what is open needs none."""
    is_there = _descriptor(path) is not None or Path(os.path.realpath(path)).parent.is_dir()
    require(is_there, "expected a path in an existing folder")


def _can_replace(path: FilePath) -> bool:
    """Whether a file may be made where `path` leads; what is no regular file is written to."""
    target = Path(os.path.realpath(path))
    is_no_file = _descriptor(path) is not None or (target.exists() and not target.is_file())
    return is_no_file or os.access(target.parent, os.W_OK)

"""What addresses name, found and opened through fsspec, and in plain words what a store did not do.

What a store's package raises may hold the whole address, with the keys in it: nothing of its words
is passed on.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from hushrank.errors import HushrankError, needs_extra, raise_alone, require
from hushrank.files.elsewhere.addresses import has_user, shown, with_plain_scheme

DAMAGED = "expected a whole Parquet file, got another, a damaged one, or one that was just changed"
_KEYS_ELSEWHERE = ("s3", "s3a", "gs", "gcs")
"""Stores whose addresses name nobody: their packages would take a key for a part of a bucket."""
_AWAY = re.compile("Connect|Timeout|DNS|Disconnected")
_TOLD = {
    "Protocol not known": "expected an address of a store that fsspec knows",
    "Got more bytes|range requests|[Ss]eek": "expected a server that sends parts of files too",
}
"""What fsspec says, by a part of it, and how it is said here."""
_REFUSED, _GONE, _CHANGED = (401, 403, 407), (404, 410), (412, 416)
"""Numbers by which servers say so; 412 and 416 where a file is no longer what it was."""


def addresses_of(pattern: str, here: Callable[[str], list[str]]) -> list[str]:
    """Return the addresses that a pattern stands for in a store that fsspec knows.

    here: tells those of this machine, which are its paths, lest a file has two names, and is read
    twice; a chain of stores, such as a cache before another, would give it one more.
    Raises HushrankError, which shows neither keys nor queries, where the store does not answer.
    """
    named, address = shown(pattern), with_plain_scheme(pattern)
    require("::" not in pattern, f"{named}: expected an address of one store, without ::")
    is_told = address.partition("://")[0] in _KEYS_ELSEWHERE and has_user(address)
    keys = "expected an address without keys: its store takes them from the environment"
    require(not is_told, f"{named}: {keys}")
    try:
        return _found(address, here)
    except (HushrankError, MemoryError):
        raise
    except Exception as error:  # of the store's package, whose errors are of any kind
        said = said_of(error) or f"{type(error).__name__} when looking for it"
    raise HushrankError(f"{named}: {said}")


def opened(address: str) -> AbstractContextManager[Any]:
    """Return a file in a store, to be entered."""
    from fsspec import open as open_elsewhere

    found: AbstractContextManager[Any] = open_elsewhere(address, "rb")
    return found


def said_of(error: BaseException) -> str | None:
    """Return in plain words what a store did, if this error tells; nothing of what it says."""
    if isinstance(error, ImportError):
        return "its store needs a package of its own, such as s3fs, gcsfs or adlfs"
    status = next(filter(None, map(_status, _and_causes(error))), None)
    if status is not None:
        return _said_by(status)
    if any(map(_is_away, _and_causes(error))):
        return "the store cannot be reached"
    if type(error).__name__ == "ParamValidationError":
        return "expected an address that its store can have, this is none"
    if isinstance(error, ValueError):
        return next((said for told, said in _TOLD.items() if re.search(told, str(error))), None)
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    return "this file may not be read" if isinstance(error, PermissionError) else None


def _said_by(status: int) -> str:
    """Return in plain words what a server says by a number."""
    if status in _GONE:
        return "there is no such file"
    if status in _CHANGED:
        return DAMAGED
    no = "refuses" if status in _REFUSED else "fails" if status >= 500 else "does not give it"
    return f"the store {no} ({status})"


def _found(address: str, here: Callable[[str], list[str]]) -> list[str]:
    try:
        from fsspec.core import url_to_fs
        from fsspec.implementations.local import LocalFileSystem
    except ModuleNotFoundError:
        raise_alone(needs_extra("an address", "cluster"))
    store, path = url_to_fs(address)
    if isinstance(store, LocalFileSystem):
        return here(path)
    is_pattern = re.search(r"[*\[]" if address.startswith("http") else r"[*?\[]", path)
    is_folder = not is_pattern and store.isdir(path)
    if not is_pattern and not is_folder:
        store.info(path)  # says what `glob` keeps to itself: why there is none
    paths = store.glob(f"{path.rstrip('/')}/*.parquet" if is_folder else path)
    return [str(store.unstrip_protocol(each)) for each in paths]


def _and_causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _status(error: BaseException) -> int | None:
    """Return the number by which a server says what is wrong, wherever a package keeps it."""
    response = getattr(error, "response", None)
    told = response.get("ResponseMetadata", {}) if isinstance(response, dict) else {}
    kept = [getattr(error, name, None) for name in ("status", "status_code", "code")]
    kept += [getattr(response, "status_code", None), told.get("HTTPStatusCode")]
    return next((n for n in kept if isinstance(n, int) and 400 <= n < 600), None)


def _is_away(error: BaseException) -> bool:
    named = _AWAY.search(type(error).__name__)
    return isinstance(error, ConnectionError | TimeoutError) or named is not None

"""What a run of `publish online` notes with every batch, and how the next one goes on from it.

A batch, its text and how far the input is read are in the state before any of it is written. So
after a crash nothing is drawn again: the text that is noted is written as far as it is missing.
"""

import os
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import islice
from select import select
from typing import Annotated, BinaryIO, Protocol, TypeAlias

import msgspec

from hushrank.errors import require
from hushrank.redacted import Redacted

AT_ONCE = 2**22
"""Bytes read before what came is released."""
MOST_OF_A_LINE = 2**20
PATIENCE = 0.02
"""Seconds that a batch waits for more lines."""


Whole: TypeAlias = Annotated[int, msgspec.Meta(ge=0)]


class Journal(Redacted, msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A run after a batch: bytes and lines read, their SHA-256; where its text begins.

    text: of the last batch. is_done: the input had ended, and the next run is another one.
    is_private: all draws so far came from the operating system.
    """

    n_read: Whole = 0
    n_lines: Whole = 0
    digest: bytes = sha256().digest()
    start: Whole = 0
    text: bytes = b""
    is_done: bool = True
    is_private: bool = True


class Taken:
    """How much was read of the lines of a run, with its hash."""

    def __init__(self) -> None:
        """Begin before the first line."""
        self.n_read, self.n_lines, self._hash = 0, 0, sha256()

    @property
    def digest(self) -> bytes:
        """The hash of what was counted."""
        return self._hash.copy().digest()

    def count(self, content: bytes) -> None:
        """Count bytes as read: only now they are in the hash."""
        self._hash.update(content)
        self.n_lines += content.count(b"\n")
        self.n_read += len(content)

    def skip(self, journal: Journal, read: Callable[[int], bytes]) -> None:
        """Skip what the interrupted run has read; raise HushrankError when it is something else.

        read: returns the next bytes, as many as it is asked for or so; none at the end.
        """
        left = 0 if journal.is_done else journal.n_read
        while left > 0 and (part := read(left)):
            self.count(part)
            left -= len(part)
        same = journal.is_done or self.digest == journal.digest
        require(same, "expected the input of the interrupted run, from its beginning")


class Lines(Protocol):
    """Where the lines of a run come from."""

    taken: Taken

    def batches(self) -> Iterator[list[bytes]]:
        """Yield whole lines with their ends, after what the interrupted run has read."""


class GivenLines:
    """Lines that a program gives, so many at once."""

    def __init__(self, lines: Iterator[bytes], journal: Journal, *, at_once: int) -> None:
        """Skip what the interrupted run has read; raise HushrankError when it is something else."""
        self._lines, self._at_once, self.taken = lines, at_once, Taken()
        self.taken.skip(journal, lambda left: next(lines, b""))

    def batches(self) -> Iterator[list[bytes]]:
        """Yield as many lines as are asked for at once, fewer at the end."""
        while lines := list(islice(self._lines, self._at_once)):
            yield lines


class Input:
    """Lines of a file or a pipe."""

    def __init__(self, file: BinaryIO, journal: Journal) -> None:
        """Skip what the interrupted run has read; raise HushrankError when it is something else."""
        self._descriptor, self._rest, self.taken = file.fileno(), b"", Taken()
        self.taken.skip(journal, lambda left: os.read(self._descriptor, min(left, AT_ONCE)))

    def batches(self) -> Iterator[list[bytes]]:
        """Yield whole lines with their ends, as many as come without waiting long.

        Raises HushrankError where a line does not end, before it fills the memory.
        """
        while part := self._next():
            *lines, self._rest = (self._rest + part).split(b"\n")
            if lines:
                yield [line + b"\n" for line in lines]
            require(len(self._rest) <= MOST_OF_A_LINE, "expected lines of at most a megabyte")
        if self._rest:
            yield [self._rest]

    def _next(self) -> bytes:
        parts: list[bytes] = []
        size = 0
        while size < AT_ONCE and (not parts or self._is_ready()):
            part = os.read(self._descriptor, AT_ONCE - size)
            if not part:
                break
            parts.append(part)
            size += len(part)
        return b"".join(parts)

    def _is_ready(self) -> bool:
        return bool(select([self._descriptor], [], [], PATIENCE)[0])


class Output:
    """Where released lines go: a file that is appended to, or a pipe."""

    def __init__(self, file: BinaryIO, journal: Journal, *, is_file: bool) -> None:
        """Write what the interrupted run has not written of its last batch.

        Of a pipe nobody knows that: all of the batch is written again, with the same draws.
        Raises HushrankError when the file does not end where the run did.
        """
        self._file, self._is_file = file, is_file
        self.end = os.fstat(file.fileno()).st_size if is_file else 0
        if not journal.is_done:
            there = self._written(journal) if self._is_file else b""
            require(journal.text.startswith(there), "expected the output of the interrupted run")
            self.append(journal.text[len(there) :])

    def append(self, text: bytes) -> None:
        """Write released lines, to the disk where it is a file."""
        self._file.write(text)
        self._file.flush()
        self.end += len(text)
        if self._is_file:
            os.fsync(self._file.fileno())

    def _written(self, journal: Journal) -> bytes:
        require(self.end >= journal.start, "expected the output of the interrupted run")
        self._file.seek(journal.start)
        return self._file.read()

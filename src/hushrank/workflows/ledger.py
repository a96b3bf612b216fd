"""What private results of ballots were seen, beside them: the epsilons of one file add up.

The file holds no ballot. It knows ballots again, under another name too, by a digest that is keyed
with a number of its own; whoever holds both could still try guesses, so that the file is readable
by its owner only and is no part of any release.
"""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase
from functools import partial
from glob import escape, glob
from hashlib import blake2b, file_digest
from math import nextafter
from pathlib import Path
from secrets import token_hex
from typing import Annotated, Any

import msgspec

from hushrank.accounting.composition import exact_delta, exact_epsilon
from hushrank.accounting.rounding import at_most, within
from hushrank.accounting.spend import Spend
from hushrank.accounting.words import loss_in_words
from hushrank.errors import HushrankError, require
from hushrank.files.disk import LEDGER, alone_with, errors_naming, replace_file
from hushrank.files.encodings import UNREADABLE
from hushrank.rankings.ballot_sums import BallotSums
from hushrank.rankings.profile import Rankings
from hushrank.redacted import Redacted

MOST_NAME = 255
"""Letters of a file's name, or of a pattern, whose reading takes the square of that."""
BELOW_ONE = nextafter(1.0, 0.0)
VERSION = 2
"""A numeral stands for the largest float that is within it; in the first it was a float's own."""
NOT_WRITABLE = (
    "every private result is written down beside its ballots, and this cannot be written; copy them"
    " to a folder of your own, or add the epsilons up yourself with no_ledger"
)


class Entry(msgspec.Struct, frozen=True):
    """One result: when, of which file of ballots, where it was released to, how, at what cost.

    `release` is empty where somebody saw the result and released nothing: they know it as well.
    `digest` is of what the ballots say, `counts` of how many put an item before another, `files`
    are of the bytes they were read from.
    """

    date: str
    ballots: Annotated[str, msgspec.Meta(max_length=MOST_NAME)]
    digest: str
    release: str
    method: str
    epsilon: Annotated[float, msgspec.Meta(gt=0)]
    delta: Annotated[float, msgspec.Meta(ge=0, lt=1)]
    files: tuple[str, ...] = ()
    counts: str = ""

    def written(self) -> "Entry":
        """Return the entry as it is written: in numerals that are not below what was spent."""
        delta = min(at_most(self.delta), BELOW_ONE)
        return msgspec.structs.replace(self, epsilon=at_most(self.epsilon), delta=delta)

    def read(self) -> "Entry":
        """Return what was written, as it is counted: nothing less than what was spent."""
        losses = {"epsilon": within(self.epsilon), "delta": within(self.delta)}
        return msgspec.structs.replace(self, **losses)


class Book(Redacted, msgspec.Struct, frozen=True):
    """All private results of the ballots of one folder; losses are those that were spent."""

    version: Annotated[int, msgspec.Meta(ge=1, le=VERSION)]
    key: Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{2}){1,64}$")]
    releases: tuple[Entry, ...] = ()

    @classmethod
    def of(cls, content: bytes) -> "Book":
        """Return what a file says."""
        found = msgspec.json.decode(content, type=cls)
        if found.version < VERSION:
            return cls(VERSION, found.key, found.releases)
        return cls(VERSION, found.key, tuple(each.read() for each in found.releases))

    def content(self) -> bytes:
        """Return what is written."""
        written = Book(VERSION, self.key, tuple(each.written() for each in self.releases))
        return msgspec.json.format(msgspec.json.encode(written)) + b"\n"


@dataclass(frozen=True, repr=False)
class Ledger:
    """The book beside a file of ballots, and which entries are about the people in it.

    Entries count that name the same file, alone or by a pattern, whatever it held then, or hold the
    same ballots under another name, however they were read, or any file of the same bytes: where
    some ballots changed or were left out, the others are of the same people. A link stands for the
    file that it leads to.
    digests: of what the ballots say, and of their counts last; of pieces these are all there is.
    files: digests of their bytes.
    """

    source: Path
    told: tuple[bytes, ...]
    book: Book
    digests: tuple[str, ...]
    files: frozenset[str]

    @classmethod
    def beside(cls, source: Path, ballots: Rankings) -> "Ledger":
        """Open the ledger of the folder in which ballots lie, or begin one.

        Raises HushrankError, before anything is drawn, where it could not be written.
        """
        require(source.is_file(), f"{source.parent / LEDGER}: {NOT_WRITABLE}")
        counted = () if ballots.by_share else (BallotSums.of(ballots).told,)
        return cls.of(source, _told(ballots), *counted)

    @classmethod
    def of(cls, source: Path, *told: bytes) -> "Ledger":
        """Open the ledger of files whose ballots say what is told: one, a folder or a pattern.

        told: raw, and kept in memory; the book has keyed digests of it.   Raises as `beside`.
        """
        real = Path(os.path.realpath(source))
        too_long = f"expected a pattern of at most {MOST_NAME} letters, got {len(real.name)}"
        require(len(real.name) <= MOST_NAME, too_long)
        real = real / "*.parquet" if real.is_dir() else real
        path = real.parent / LEDGER
        files = _files_of(real)
        require(os.access(real.parent, os.W_OK), f"{path}: {NOT_WRITABLE}")
        book = _read(path) if path.exists() else Book(VERSION, token_hex(16))
        keyed = partial(blake2b, key=bytes.fromhex(book.key), digest_size=16)
        of_files = frozenset(_digest_of_file(each, keyed) for each in files)
        return cls(real, told, book, tuple(keyed(each).hexdigest() for each in told), of_files)

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self.source.parent / LEDGER

    @property
    def earlier(self) -> tuple[Entry, ...]:
        """Results of the same file or the same ballots."""
        return tuple(
            each
            for each in self.book.releases
            if any(_names(each.ballots, name) for name in self._file_names)
            or self._says_the_same(each)
            or not self.files.isdisjoint(each.files)
        )

    def _is_of_these(self, entry: Entry) -> bool:
        are_same = bool(entry.files) and self.files == frozenset(entry.files)
        return self._says_the_same(entry) or are_same

    def _says_the_same(self, entry: Entry) -> bool:
        return not {entry.digest, entry.counts}.isdisjoint(self.digests)

    @property
    def _file_names(self) -> set[str]:
        """The names of all files that are meant, and the pattern that means them."""
        return {self.source.name, *(each.name for each in _files_of(self.source))}

    def with_result(self, release: Path | None, spend: Spend, today: date) -> "Ledger":
        """Write the next result down: before anybody sees it, so that none is forgotten.

        release: where it goes; None where it is only shown. Others may have written meanwhile, or
        be about to: the book is locked, read again, and replaced as a whole.
        """
        with alone_with(self.path):
            now = self._now()
            entry = now._entry(release, spend, today)
            book = Book(VERSION, now.book.key, (*now.book.releases, entry))
            replace_file(self.path, book.content(), secret=True, is_ledger=True)
        return replace(now, book=book)

    def _now(self) -> "Ledger":
        """Return what it says now; files are read again only where others began it meanwhile."""
        book = _read(self.path) if self.path.exists() else self.book
        is_the_same = book.key == self.book.key
        return replace(self, book=book) if is_the_same else Ledger.of(self.source, *self.told)

    def _entry(self, release: Path | None, spend: Spend, today: date) -> Entry:
        name = "" if release is None else release.name
        price = (spend.release, spend.epsilon, spend.delta)
        files = tuple(sorted(self.files))
        of_ballots, of_counts = self.digests[0], self.digests[-1]
        when = today.isoformat()
        return Entry(when, self.source.name, of_ballots, name, *price, files, of_counts)

    def in_words(self) -> str:
        """Say how many results were seen so far, and what they cost together, rounded up."""
        spends = [
            Spend(each.method, each.epsilon, each.method, model="central", delta=each.delta)
            for each in self.earlier
        ]
        if not spends:
            return f"{self.source.name}: no private result yet"
        n_others = sum(not self._is_of_these(each) for each in self.earlier)
        of = f", {n_others} of them when other ballots were read" if n_others else ""
        delta = exact_delta(spends)
        with_delta = f" and delta {loss_in_words(delta)}" if delta else ""
        results = "1 private result" if len(spends) == 1 else f"{len(spends)} private results"
        epsilon = loss_in_words(exact_epsilon(spends))
        return f"{self.source.name}: {results} so far{of}, epsilon {epsilon}{with_delta} in all"


def _files_of(source: Path) -> list[Path]:
    """Return the files that a path or a pattern means; refuse a pattern of links.

    Neither their files' names nor ledgers would know of it.
    """
    named = f"{escape(str(source.parent))}/{source.name}"
    found = [source] if source.is_file() else [Path(each) for each in glob(named)]
    require(
        source.is_file() or not any(each.is_symlink() for each in found),
        f"{source}: expected files, got links: every private result is written down beside the"
        " ballots themselves; say where they are, or add the epsilons up yourself with no_ledger",
    )
    return found


def _names(ballots: str, name: str) -> bool:
    """Whether an entry's ballots, a file or a pattern, take in the file of this name."""
    return ballots == name or fnmatchcase(name, ballots)


def _read(path: Path) -> Book:
    try:
        return Book.of(path.read_bytes())
    except UNREADABLE:
        helps = "move it away to begin a new one, which forgets what was spent"
        raise HushrankError(f"{path}: expected a ledger of releases; {helps}") from None


def _digest_of_file(path: Path, keyed: Callable[[], Any]) -> str:
    with errors_naming(path), path.open("rb") as file:
        return file_digest(file, keyed).hexdigest()


def _told(ballots: Rankings) -> bytes:
    """Return what ballots say: the same in any order of people and of items."""
    columns = sorted(range(ballots.n_items), key=lambda item: ballots.names[item])
    told = ballots.restrict(columns).counted()
    parts = (told.ranks.tobytes(), told.people_of_rows.tobytes())
    return b"".join(msgspec.json.encode(told.names) + part for part in parts)

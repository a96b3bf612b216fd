"""Cast vote records as Dominion exports them in JSON: sessions of marks, and manifests of names."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from hushrank.errors import HushrankError, require
from hushrank.files.columns import Table
from hushrank.files.encodings import UNREADABLE
from hushrank.rankings.cast_votes.archives import is_archive, unpacked
from hushrank.rankings.cast_votes.contests import (
    Marked,
    RankedContest,
    table_of_marks,
    told_apart,
)

VOTES, CONTESTS, CANDIDATES = "CvrExport", "ContestManifest.json", "CandidateManifest.json"
FORMAT = "cast vote records by Dominion"
_SESSIONS = b'"Sessions"'


class Mark(msgspec.Struct, rename="pascal", frozen=True):
    """One filled oval."""

    candidate_id: int
    rank: int
    is_ambiguous: bool = False


class Contest(msgspec.Struct, rename="pascal", frozen=True):
    """What somebody marked in one contest."""

    id: int
    marks: tuple[Mark, ...] = ()


class Card(msgspec.Struct, rename="pascal", frozen=True):
    """A sheet of paper."""

    contests: tuple[Contest, ...] = ()


class Reading(msgspec.Struct, rename="pascal", frozen=True):
    """A ballot as it was scanned, or as people decided about it; old exports have no cards."""

    is_current: bool = True
    cards: tuple[Card, ...] = ()
    contests: tuple[Contest, ...] = ()

    def every_contest(self) -> Iterator[Contest]:
        """Yield the contests of all cards."""
        yield from self.contests
        for card in self.cards:
            yield from card.contests


class Session(msgspec.Struct, rename="pascal", frozen=True):
    """One ballot: the reading counts that is current."""

    original: Reading
    modified: Reading | None = None

    def counted(self) -> Reading:
        """Return the reading that counts."""
        is_changed = self.modified is not None and self.modified.is_current
        return self.modified if is_changed and self.modified else self.original


class Export(msgspec.Struct, rename="pascal", frozen=True):
    """One file of votes."""

    sessions: tuple[Session, ...]


class Named(msgspec.Struct, rename="pascal", frozen=True):
    """A contest or a candidate; `num_of_ranks` is 0 where nobody is ranked."""

    id: int
    description: str
    contest_id: int | None = None
    num_of_ranks: int = 0


class Manifest(msgspec.Struct, rename="pascal", frozen=True):
    """A list of them."""

    list: tuple[Named, ...]


def is_dominion(content: bytes) -> bool:
    """Tell an export as ZIP, or one of its files of votes, by its content."""
    is_zip = is_archive(content) and CANDIDATES.encode() in content
    begin = content[:4096]
    return is_zip or (begin.lstrip()[:1] == b"{" and _SESSIONS in begin)


def parse_dominion(content: bytes, path: Path) -> Table:
    """Read an export: a ZIP, or a file of votes with its manifests beside it.

    Raises HushrankError when a part is missing or damaged, or no contest ranks its candidates.
    """
    files = dict(unpacked(content, _is_part)) if is_archive(content) else _beside(content, path)
    votes = [files[name] for name in sorted(files) if Path(name).name.startswith(VOTES)]
    require(votes, f"expected {VOTES}.json in the export")
    sessions = [each for file in votes for each in _decoded(file, Export, VOTES).sessions]
    require(sessions, "expected at least 1 session")
    contests = [
        RankedContest.of(each.id, each.description, each.num_of_ranks)
        for each in _manifest(files, CONTESTS)
        if each.num_of_ranks > 1
    ]
    candidates = _manifest(files, CANDIDATES)
    names = told_apart({each.id: (each.contest_id, each.description) for each in candidates})
    marks, n_bytes = _marks(sessions, contests, names), sum(map(len, votes))
    return table_of_marks(contests, len(sessions), marks, FORMAT, n_bytes=n_bytes)


def _marks(
    sessions: Sequence[Session], contests: Sequence[RankedContest], names: Mapping[int, str]
) -> Iterator[Marked]:
    n_places = {each.id: len(each.titles) for each in contests}
    for row, session in enumerate(sessions):
        for contest in session.counted().every_contest():
            for mark in contest.marks if contest.id in n_places else ():
                if not mark.is_ambiguous:
                    known, is_place = names.get(mark.candidate_id), mark.rank >= 1
                    require(known, f"session {row + 1}: expected candidates of the manifest")
                    is_place &= mark.rank <= n_places[contest.id]
                    require(is_place, f"session {row + 1}: expected ranks of its contest")
                    yield Marked(row, contest.id, mark.rank, str(known))


def _manifest(files: Mapping[str, bytes], name: str) -> Sequence[Named]:
    found = next((text for path, text in files.items() if Path(path).name == name), None)
    if found is None:
        raise HushrankError(f"expected {name} beside the votes, or the whole export as ZIP")
    manifest: Manifest = _decoded(found, Manifest, name)
    return manifest.list


def _decoded(text: bytes, kind: Any, name: str) -> Any:
    try:
        return msgspec.json.decode(text.removeprefix(b"\xef\xbb\xbf"), type=kind)
    except UNREADABLE:  # its message may show an id
        raise HushrankError(f"{name}: expected JSON as Dominion exports it") from None


def _is_part(path: str) -> bool:
    name = Path(path).name
    return name.startswith(VOTES) or name in (CONTESTS, CANDIDATES)


def _beside(content: bytes, path: Path) -> Mapping[str, bytes]:
    names = [path.with_name(name) for name in (CONTESTS, CANDIDATES)]
    found = {each.name: each.read_bytes() for each in names if each.is_file()}
    return {f"{VOTES}.json": content, **found}

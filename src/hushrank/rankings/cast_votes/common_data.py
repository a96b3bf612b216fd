"""Cast vote records in the common data format of NIST, JSON or XML.

Source: Wack et al. (NIST SP 1500-103, 2020), and the draft before it, whose names differ.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from hushrank.errors import HushrankError, require
from hushrank.files.columns import Table
from hushrank.files.encodings import UNREADABLE
from hushrank.rankings.cast_votes.contests import (
    MOST_PLACES,
    WRITE_IN,
    Marked,
    RankedContest,
    require_several_ranking,
    table_of_marks,
    told_apart,
)
from hushrank.rankings.cast_votes.xml_parts import local_name, parse_xml

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

FORMAT = "cast vote records in the common data format"
RANKED, PERHAPS_RANKED = ("rcv", "borda"), ("", "other")
"""What a contest's `VoteVariation` says of ranking."""
_REPORT, _SNAPSHOT, _BEGIN = b"CastVoteRecordReport", b'"CVRSnapshot"', 4096
_LISTS = {
    "CVR", "CVRSnapshot", "CVRContest", "CVRContestSelection", "SelectionPosition",
    "SelectionIndication", "Election", "Contest", "ContestSelection", "Candidate",
}  # fmt: skip
_IDS = "CandidateIds"

Tristate: TypeAlias = Literal["no", "unknown", "yes"]


class Position(msgspec.Struct, rename="pascal", frozen=True):
    """A place on paper, or what a machine made of it; the draft always means that it is marked."""

    has_indication: Tristate = "yes"
    is_allocable: Tristate = "yes"
    rank: int | None = None


class Selection(msgspec.Struct, rename="pascal", frozen=True):
    """What somebody marked for one choice; a write-in need not say for which."""

    contest_selection_id: str = ""
    rank: int | None = None
    selection_position: tuple[Position, ...] = ()
    selection_indication: tuple[Position, ...] = ()


class Contest(msgspec.Struct, rename="pascal", frozen=True):
    """What somebody marked in one contest."""

    contest_id: str
    selections: tuple[Selection, ...] = msgspec.field(name="CVRContestSelection", default=())


class Snapshot(msgspec.Struct, rename="pascal", frozen=True):
    """A ballot as it was scanned, or as rules or people decided about it."""

    id: str = msgspec.field(name="@id", default="")
    is_current: bool | None = None
    contests: tuple[Contest, ...] = msgspec.field(name="CVRContest", default=())


class Record(msgspec.Struct, rename="pascal", frozen=True):
    """One ballot, or one sheet of it."""

    snapshots: tuple[Snapshot, ...] = msgspec.field(name="CVRSnapshot")
    current_snapshot_id: str | None = None


class Candidate(msgspec.Struct, rename="pascal", frozen=True):
    """Somebody who stands for election."""

    id: str = msgspec.field(name="@id")
    name: Any = ""


class Choice(msgspec.Struct, rename="pascal", frozen=True):
    """What can be marked in a contest: candidates, a write-in, or an answer."""

    id: str = msgspec.field(name="@id")
    candidate_ids: tuple[str, ...] = ()
    is_write_in: bool = False
    selection: str = ""


class OnTheBallot(msgspec.Struct, rename="pascal", frozen=True):
    """A contest as the ballot has it."""

    id: str = msgspec.field(name="@id")
    name: Any = ""
    vote_variation: str = ""
    choices: tuple[Choice, ...] = msgspec.field(name="ContestSelection", default=())


class Election(msgspec.Struct, rename="pascal", frozen=True):
    """Who and what could be voted for."""

    candidates: tuple[Candidate, ...] = msgspec.field(name="Candidate", default=())
    contests: tuple[OnTheBallot, ...] = msgspec.field(name="Contest", default=())


class Report(msgspec.Struct, rename="pascal", frozen=True):
    """One file."""

    elections: tuple[Election, ...] = msgspec.field(name="Election")
    records: tuple[Record, ...] = msgspec.field(name="CVR", default=())


def is_common_data(content: bytes) -> bool:
    """Tell a report of cast vote records by its content."""
    begin = content[:_BEGIN].removeprefix(b"\xef\xbb\xbf").lstrip()
    is_named = _REPORT in begin
    return (begin[:1] == b"<" and is_named) or (
        begin[:1] == b"{" and (is_named or _SNAPSHOT in content)
    )


def parse_common_data(content: bytes) -> Table:
    """Read a report: the current snapshot of each record counts.

    A mark counts unless it says that it is none, or that no vote may follow from it.
    Raises HushrankError for another form, for a record without one current snapshot, and for marks
    in ranked contests without a rank, or that name no choice of the election.
    """
    report = _report(content)
    require(report.records, "expected at least 1 record")
    on_ballots = {each.id: each for one in report.elections for each in one.contests}
    marking = _Marking(on_ballots, _names(report.elections))
    snapshots = [_current(each, number) for number, each in enumerate(report.records, start=1)]
    marks = list(marking.marks(snapshots))
    most: dict[str, int] = {}
    for mark in marks:
        most[str(mark.contest)] = max(mark.place, most.get(str(mark.contest), 0))
    said = {id for id, each in on_ballots.items() if each.vote_variation in RANKED}
    untold = ((each.contest, each.row) for each in marks if each.place > 1)
    require_several_ranking((each for each in untold if each[0] not in said), len(snapshots))
    contests = [
        RankedContest.of(each.id, _plain(each.name) or each.id, most[each.id])
        for each in on_ballots.values()
        if each.id in most and (each.vote_variation in RANKED or most[each.id] > 1)
    ]
    undecided = marking.n_undecided
    more = f"; marks that nobody decided about: {undecided:,}, counted" if undecided else ""
    return table_of_marks(
        contests,
        len(snapshots),
        marks,
        f"{FORMAT}{more}",
        n_bytes=len(content),
        told_by_rows=True,
    )


def _report(content: bytes) -> Report:
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        if content.lstrip()[:1] == b"{":
            return msgspec.json.decode(content, type=Report)
        return msgspec.convert(_as_json(parse_xml(content)), type=Report, strict=False)
    except UNREADABLE:  # its message may show an id
        raise HushrankError(f"expected {FORMAT}, NIST SP 1500-103") from None


def _as_json(element: "Element") -> Any:
    """Return an element of XML as the JSON that says the same."""
    found: dict[str, Any] = {}
    if "ObjectId" in element.attrib:
        found["@id"] = element.attrib["ObjectId"]
    for part in element:
        name = local_name(part)
        if name in _LISTS:
            found.setdefault(name, []).append(_as_json(part) or {})
        elif name == _IDS:
            found.setdefault(name, []).extend((part.text or "").split())
        else:  # of a name in several languages the first
            found.setdefault(name, _as_json(part))
    return found or (element.text or "").strip()


def _current(record: Record, number: int) -> Snapshot:
    """Return the snapshot of a record that counts."""
    wanted = record.current_snapshot_id
    found = [
        each
        for each in record.snapshots
        if (each.id == wanted if wanted is not None else each.is_current)
    ]
    if wanted is None and len(record.snapshots) == 1:
        found = list(record.snapshots)
    require(len(found) == 1, f"record {number}: expected one current snapshot, got {len(found)}")
    known = {contest.contest_id for contest in found[0].contests}
    others = {contest.contest_id for each in record.snapshots for contest in each.contests}
    whole = f"record {number}: expected every contest in its current snapshot"
    require(others <= known, whole)
    return found[0]


@dataclass
class _Marking:
    """The marks of ranked contests; `n_undecided`: how many of them nobody decided about."""

    contests: Mapping[str, OnTheBallot]
    names: Mapping[str, str]
    n_undecided: int = field(default=0)

    def marks(self, snapshots: Sequence[Snapshot]) -> Iterator[Marked]:
        """Yield what is marked at a place in contests that may be ranked."""
        for row, snapshot in enumerate(snapshots):
            for contest in snapshot.contests:
                on_ballot = self.contests.get(contest.contest_id)
                require(on_ballot, f"record {row + 1}: expected contests of the file's Election")
                variation = on_ballot.vote_variation if on_ballot else ""
                if variation in (*RANKED, *PERHAPS_RANKED):
                    yield from self._of_contest(contest, row, is_ranked=variation in RANKED)

    def _of_contest(self, contest: Contest, row: int, *, is_ranked: bool) -> Iterator[Marked]:
        for selection in contest.selections:
            for place in self._places(selection):
                lacks = f"record {row + 1}: expected a rank of 1..{MOST_PLACES} of each mark"
                require(place is None or 1 <= place <= MOST_PLACES, lacks)
                require(place or not is_ranked, lacks)
                if place:
                    yield Marked(row, contest.contest_id, place, self._name(selection, row + 1))

    def _places(self, selection: Selection) -> set[int | None]:
        """Return at which places a choice is marked, None for a mark without."""
        positions = (*selection.selection_position, *selection.selection_indication)
        counted = [each for each in positions if "no" not in _said(each)]
        self.n_undecided += sum("unknown" in _said(each) for each in counted)
        if positions and selection.rank is None:
            return {each.rank for each in counted}
        return {selection.rank} if counted or not positions else set()

    def _name(self, selection: Selection, number: int) -> str:
        choice = selection.contest_selection_id
        name = self.names.get(choice) if choice else WRITE_IN
        require(name, f"record {number}: expected choices that the file's Election names")
        return str(name)


def _said(position: Position) -> tuple[Tristate, Tristate]:
    return position.has_indication, position.is_allocable


def _names(elections: Sequence[Election]) -> Mapping[str, str]:
    """Return the names of choices, of those that have one."""
    people = {each.id: _plain(each.name) for one in elections for each in one.candidates}
    named = {
        choice.id: (contest.id, _name_of(choice, people))
        for election in elections
        for contest in election.contests
        for choice in contest.choices
    }
    return told_apart({id: found for id, found in named.items() if found[1]})


def _name_of(choice: Choice, people: Mapping[str, str]) -> str:
    if choice.is_write_in and not choice.candidate_ids:
        return WRITE_IN
    of_people = " and ".join(filter(None, (people.get(each) for each in choice.candidate_ids)))
    return of_people or choice.selection


def _plain(name: Any) -> str:
    """Return a name, which some exports give in several languages, in the first of them."""
    if isinstance(name, Mapping):
        texts = name.get("Text")
        first = texts[0] if isinstance(texts, list) and texts else texts
        name = first.get("Content", "") if isinstance(first, Mapping) else first
    return " ".join(name.split()) if isinstance(name, str) else ""

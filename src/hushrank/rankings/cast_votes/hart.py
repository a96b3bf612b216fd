"""Cast vote records as Hart's Verity exports them: a ZIP archive with a file of XML a sheet."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hushrank.errors import require
from hushrank.files.columns import Table
from hushrank.rankings.cast_votes.archives import has_file, is_archive, unpacked
from hushrank.rankings.cast_votes.contests import (
    WRITE_IN,
    Marked,
    RankedContest,
    require_several_ranking,
    table_of_marks,
    told_apart,
)
from hushrank.rankings.cast_votes.xml_parts import child, local_name, parse_xml, text_of
from hushrank.rankings.forms.ordinals import place_within

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

FORMAT = "cast vote records by Hart"
_FILE = re.compile(r"(?:.*/)?(?:[1ep]_)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.xml", re.I)
_ONE_SHEET = re.compile(rb"\s*(?:<\?xml[^>]*\?>\s*)?<(?:\w+:)?Cvr\b", re.IGNORECASE)
_IF_ANY = re.compile(r"\s*\(if any\)", re.IGNORECASE)
_MARKS = re.compile(r"[01]{1,64}")


@dataclass(frozen=True, repr=False)
class Option:
    """A choice that somebody marked: at which of the places, and of how many."""

    id: str
    name: str
    value: str

    @property
    def places(self) -> Sequence[int]:
        """The marked places, from 1; the value `0100` marks the second of four."""
        return [place for place, sign in enumerate(self.value, start=1) if sign == "1"]


@dataclass(frozen=True, repr=False)
class Contest:
    """What somebody marked in one contest."""

    id: str
    name: str
    options: tuple[Option, ...]


def is_hart(content: bytes) -> bool:
    """Tell an archive of sheets by the names of its files, and one sheet by how it begins."""
    if is_archive(content):
        return has_file(content, _FILE.fullmatch)
    return _ONE_SHEET.match(content.removeprefix(b"\xef\xbb\xbf")) is not None


def parse_hart(content: bytes) -> Table:
    """Read an archive; a sheet is a row.

    Places are digits of a mark's value, or contests of their own that are called so: `Mayor 2nd
    choice (if any)`. Raises HushrankError for a sheet without the others, or of another form.
    """
    one = "expected the whole archive, a ZIP file: this is one sheet of it"
    require(is_archive(content), one)
    sheets, n_bytes = list[list[Contest]](), 0
    for number, (_, text) in enumerate(unpacked(content, _FILE.fullmatch), 1):
        sheets.append(list(_contests(text, number)))
        n_bytes += len(text)
    named_so = dict.fromkeys((each.id, each.name) for each in _every(sheets))
    contests = dict(sorted(named_so))  # in the order of no sheet
    once = "expected one name for each contest, the same on all sheets"
    require(len(contests) == len(named_so), once)
    require_several_ranking(_ranking(sheets), len(sheets))
    options = [(sheet.id, each) for sheet in _every(sheets) for each in sheet.options]
    n_places = dict.fromkeys(contests, 1)
    for contest, option in options:
        n_places[contest] = max(n_places[contest], len(option.value))
    ranked = [
        RankedContest.of(id, name, n_places[id]) if n_places[id] > 1 else RankedContest(id, (name,))
        for id, name in contests.items()
        if n_places[id] > 1 or place_within(name)
    ]
    named = {(each.id, each.name) for _, each in options if each.name}
    one_name = len({id for id, _ in named}) == len(named)
    require(one_name, "expected one name for each choice, the same on all sheets")
    named_in = {each.id: (contest, each.name) for contest, each in options if each.name}
    names = told_apart(named_in)
    _require_no_lone_number(sheets, {id for id in names if names[id] != named_in[id][1]})
    marks, n_ballots = _marks(sheets, names), len(sheets)
    return table_of_marks(ranked, n_ballots, marks, FORMAT, n_bytes=n_bytes, told_by_rows=True)


def _every(sheets: Sequence[Sequence[Contest]]) -> Iterator[Contest]:
    for sheet in sheets:
        yield from sheet


def _ranking(sheets: Sequence[Sequence[Contest]]) -> Iterator[tuple[str, int]]:
    """Yield contests with the sheets on which they have several places."""
    for row, sheet in enumerate(sheets):
        for each in sheet:
            if any(len(option.value) > 1 for option in each.options):
                yield each.id, row


def _require_no_lone_number(sheets: Sequence[Sequence[Contest]], alike: Collection[str]) -> None:
    """Refuse choices that are called alike where one sheet alone has the number of one of them.

    It would give the others another name, on all sheets.
    """
    held = (
        {option.id for each in sheet for option in each.options if option.name} for sheet in sheets
    )
    n_sheets = Counter(id for ids in held for id in ids if id in alike)
    is_told = len(sheets) == 1 or 1 not in n_sheets.values()
    require(is_told, "expected one number for each choice, got another on one sheet alone")


def _marks(sheets: Sequence[Sequence[Contest]], names: Mapping[str, str]) -> Iterator[Marked]:
    for row, sheet in enumerate(sheets):
        for contest in sheet:
            for option in contest.options:
                name = names[option.id] if option.name else WRITE_IN  # whatever others call it
                for place in option.places:
                    yield Marked(row, contest.id, place, name)


def _contests(text: bytes, number: int) -> Iterator[Contest]:
    """Yield the contests of a sheet."""
    root = parse_xml(text)
    listed = child(root, "Contests")
    is_sheet = local_name(root) == "Cvr" and listed is not None
    require(is_sheet, f"file {number} of the archive: expected a sheet with contests")
    for contest in listed if listed is not None else ():
        name = _IF_ANY.sub("", text_of(contest, "Name"))
        marked = child(contest, "Options")
        options = tuple(_option(each, number) for each in (marked if marked is not None else ()))
        yield Contest(text_of(contest, "Id") or name, name, options)


def _option(option: "Element", number: int) -> Option:
    value = text_of(option, "Value")
    fits = _MARKS.fullmatch(value) is not None
    require(fits, f"file {number} of the archive: expected marks of 0 and 1, a digit a place")
    name = "" if child(option, "WriteInData") is not None else text_of(option, "Name")
    return Option(text_of(option, "Id"), name, value)

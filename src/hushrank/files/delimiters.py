"""Which sign parts the cells of a text table: the one that parts all lines alike."""

import csv
import re
from collections.abc import Mapping, Sequence
from io import StringIO
from itertools import islice, takewhile

from hushrank.errors import require

TWO_SIGNS = "::"
"""What parts the cells of MovieLens: readers of CSV, which take one sign, are given ONE_SIGN."""
ONE_SIGN = "\x1f"
"""ASCII's separator of units."""
DELIMITERS = {
    ",": "commas",
    ";": "semicolons",
    "\t": "tabs",
    "|": "bars",
    ONE_SIGN: "double colons",
}
MOST_TITLES = 5
TITLE_OR_NOT = (
    "line 1: cannot tell whether it is a title: one row alone names what lines above it name; write"
    " one line of names above the ballots, or say with header= how many lines do"
)
TITLE_OR_COLUMN = (
    "line 1: cannot tell whether it is a title or names a column of lists, as each line below holds"
    " the same cells; say with header= how many lines stand above the ballots"
)
OTHER_WIDTH = (
    "line 1: expected as many cells as all lines below have: delete it if it is a title, or say"
    " with header= how many lines stand above the ballots"
)
PARTS_LISTS = ";|"
"""Which of the signs part lists within a cell, too."""
LINES = 50
"""How many records are looked at."""

_SAMPLE = 2**18


def named_sign(delimiter: str) -> str:
    """Return the name of a delimiter, known or not."""
    return DELIMITERS.get(delimiter, f"'{delimiter}'")


def delimiter_of(text: bytes, *, n_header: int = 1) -> str:
    """Return the delimiter that gives the first records one number of cells, more than one.

    A comma where it does, or where none does: then the table has a single column, or is none. What
    would part them without one record is kept, and so is a sign that parts a header, and most as it
    does: the others are to be refused, for no one record tells how all are parted. Proof: tables
    that differ by a record below the header have all but one of the first in common. A sign that
    parts these is kept in both; where there is none, both have commas, or are refused. Where no
    sign parts all records a quote may not be closed, and many be one: then lines tell, too.
    n_header: how many records at the top, one or none, are certainly no ballots.
    """
    sample = _sample(text)
    widths = {sign: _widths(sample, sign) for sign in DELIMITERS if sign in sample}
    of_all = _parting_alike(widths)
    of_lines = {} if of_all or '"' not in sample else _widths_of_lines(sample)
    but_one = [
        *(sign for sign in _parting_all_but_one(widths, n_header) if sign != of_all),
        *(_parting_alike(of_lines), *_parting_all_but_one(of_lines, n_header)),
    ]
    nearly = [sign for sign in widths if _parts_most(widths[sign]) and _is_headed(sample, sign)]
    return next(filter(None, (*but_one, of_all, *nearly)), ",")


def require_line_1_as_wide(text: bytes) -> None:
    """Refuse a first line that is parted otherwise than all others are.

    It would tell how these are parted, and may be a ballot where nobody says that it is a header.
    """
    sample = _sample(text)
    widths = {sign: _widths(sample, sign) for sign in DELIMITERS if sign in sample}
    sign = _parting_alike({sign: each[1:] for sign, each in widths.items() if len(each) > 2})
    require(not sign or _parting_alike(widths) or widths[sign][0] == 1, OTHER_WIDTH)


def _parting_alike(widths: Mapping[str, Sequence[int]]) -> str:
    """Return the first sign that parts all records alike, by its widths; nothing where none does.

    widths: how many cells each record has by a sign.
    """
    alike = (sign for sign, each in widths.items() if len({*each}) == 1 and each[0] > 1)
    return next(alike, "")


def _parting_all_but_one(widths: Mapping[str, Sequence[int]], n_header: int) -> list[str]:
    """Return what would part the records if one of them, below the header, were not there."""
    n_records = max(map(len, widths.values()), default=0)
    left_out = range(n_header, n_records if n_records > n_header + 1 else 0)
    without = ({sign: [*w[:n], *w[n + 1 :]] for sign, w in widths.items()} for n in left_out)
    return list(filter(None, map(_parting_alike, without)))


def _sample(text: bytes) -> str:
    """Return the first records, more than are looked at, however long one of them is."""
    size = _SAMPLE
    while True:
        sample = text[:size].decode("utf-8", "ignore")
        if len(text) > size:
            sample = sample.rpartition("\n")[0] or sample
        sample = sample.replace(TWO_SIGNS, ONE_SIGN)
        if len(text) <= size or _has_enough(sample):
            return sample
        size *= 4


def _lines(text: str) -> list[str]:
    """Return lines with their ends, which are those of bytes: a title may hold others."""
    return [*StringIO(text, newline="")]


def _has_enough(sample: str) -> bool:
    """Tell whether more records than are looked at are whole, by whatever sign they are parted."""
    signs = [sign for sign in DELIMITERS if sign in sample]
    enough = all(len(_records(sample, sign, LINES + 1)) > LINES for sign in signs)
    return sample.count("\n") > LINES and enough


def with_one_sign(text: bytes, delimiter: str) -> tuple[bytes, str]:
    """Return a text and its delimiter with ONE_SIGN in place of two, if these part its cells."""
    if delimiter not in (ONE_SIGN, TWO_SIGNS):
        return text, delimiter
    return text.replace(TWO_SIGNS.encode(), ONE_SIGN.encode()), ONE_SIGN


def titles_above(text: bytes) -> int:
    """Return how many lines of a title stand above the header of a table.

    They are not parted, and all lines below are parted alike, but for one, which is to be refused.
    What the header names stands in no row: a column of lists, which are parted too, names again and
    again what it ranks. Raises HushrankError where one row alone does: it would tell for all.
    So would a first ballot of other names, if all rows may be lists below the name of a column.
    """
    lines = _lines(_sample(text))
    if text.lstrip()[:1] in (b"[", b"{"):  # JSON has lines of one sign
        return 0
    for n_above in range(min(MOST_TITLES + 1, len(lines))):
        rest = "".join(lines[n_above:])
        for sign in DELIMITERS:
            if any(sign in line for line in lines[:n_above]) or not lines[n_above].strip():
                continue
            n_naming = _n_naming_a_header(rest, sign)
            if n_naming is not None:
                require(n_naming != 1 or n_above == 0, TITLE_OR_NOT)
                is_title = n_above > 0 and n_naming == 0
                require(not is_title or not _are_lists(rest, sign), TITLE_OR_COLUMN)
                return 0 if n_naming else n_above
    return 0


def _n_naming_a_header(text: str, delimiter: str) -> int | None:
    """Count the rows that name what the first one does; None where they are not parted as it is.

    One may be parted otherwise, and does not count. A row that is the only one is as two.
    """
    records = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    try:
        header, *rows = [[cell.strip() for cell in each] for each in islice(records, LINES) if each]
    except csv.Error:
        return None
    alike = [row for row in rows if len(row) == len(header)]
    if len(header) < 2 or not alike or len(rows) - len(alike) > 1:
        return None
    n_naming = sum(not set(filter(None, header)).isdisjoint(row) for row in alike)
    return 2 * n_naming if len(alike) == 1 else n_naming


def _are_lists(text: str, delimiter: str) -> bool:
    """Tell rows below the first, several, that may be lists: each holds the same cells, once."""
    if delimiter not in PARTS_LISTS:
        return False
    _, *rows = ([*filter(None, map(str.strip, each))] for each in _records(text, delimiter))
    kinds = {frozenset(row) for row in rows}
    return len(rows) > 1 and len(kinds) == 1 and all(len({*row}) == len(row) > 1 for row in rows)


def titles_above_names(text: bytes, n_lines: int) -> tuple[int, int]:
    """Return how many of the first lines are titles, which have not as many cells as the last.

    And how many lines of the text these take: in quotes they may break.
    """
    sample = _sample(text)
    below = "".join(_lines(sample)[max(n_lines - 1, 0) :])
    sign = delimiter_of(below.encode(), n_header=min(n_lines, 1))
    records = csv.reader(StringIO(sample, newline=""), delimiter=sign)
    header = [(len(cells), records.line_num) for cells in islice(records, n_lines)]
    titles = [*takewhile(lambda line: line[0] != header[-1][0], header)]
    return len(titles), max((end for _, end in titles), default=0)


def _is_headed(text: str, delimiter: str) -> bool:
    """Tell whether no row names what the first one names."""
    header, *rows = _records(text, delimiter)
    below = {cell.strip() for row in rows for cell in row}
    return bool(rows) and below.isdisjoint(name.strip() for name in header if name)


def _parts_most(widths: Sequence[int]) -> bool:
    return len(widths) > 1 and widths[0] > 1 and 2 * widths.count(widths[0]) > len(widths)


def _widths(sample: str, delimiter: str) -> Sequence[int]:
    return [len(record) for record in _records(sample, delimiter)]


def _widths_of_lines(sample: str) -> Mapping[str, Sequence[int]]:
    """Return how many cells the first lines have by each sign, if a quote is a letter as others."""
    lines = [line for line in re.split(r"[\r\n]+", sample) if line][:LINES]
    return {sign: [line.count(sign) + 1 for line in lines] for sign in DELIMITERS if sign in sample}


def _records(sample: str, delimiter: str, n_records: int = LINES) -> Sequence[list[str]]:
    """Return the first records that are not blank; of one too long for a reader no cells."""
    records = csv.reader(StringIO(sample, newline=""), delimiter=delimiter)
    found: list[list[str]] = []
    while len(found) < n_records:
        try:
            record = next(records)
        except StopIteration:
            break
        except csv.Error:
            found.append([])
        else:
            found += [record] if record else []
    return found

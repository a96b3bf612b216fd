"""Which sign parts the cells of a text table: the one that parts all lines alike."""

import csv
from collections.abc import Sequence
from io import StringIO
from itertools import islice, takewhile

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
LINES = 50
"""How many records are looked at."""

_SAMPLE = 2**18


def named_sign(delimiter: str) -> str:
    """Return the name of a delimiter, known or not."""
    return DELIMITERS.get(delimiter, f"'{delimiter}'")


def delimiter_of(text: bytes) -> str:
    """Return the delimiter that gives the first records one number of cells, more than one.

    A comma where it does, or where none does: then the table has a single column, or is none. A
    sign that parts a header, and most records as it does, is kept: the others are to be refused.
    """
    sample = _sample(text)
    signs = [sign for sign in DELIMITERS if sign in sample]
    fitting = [sign for sign in signs if _parts_alike(sample, sign)]
    nearly = [sign for sign in signs if _parts_most(sample, sign) and _is_headed(sample, sign)]
    return next(iter((*fitting, *nearly)), ",")


def _sample(text: bytes) -> str:
    sample = text[:_SAMPLE].decode("utf-8", "ignore")
    if len(text) > _SAMPLE:
        sample = sample.rpartition("\n")[0] or sample
    return sample.replace(TWO_SIGNS, ONE_SIGN)


def with_one_sign(text: bytes, delimiter: str) -> tuple[bytes, str]:
    """Return a text and its delimiter with ONE_SIGN in place of two, if these part its cells."""
    if delimiter not in (ONE_SIGN, TWO_SIGNS):
        return text, delimiter
    return text.replace(TWO_SIGNS.encode(), ONE_SIGN.encode()), ONE_SIGN


def titles_above(text: bytes) -> int:
    """Return how many lines of a title stand above the header of a table.

    They are not parted, and all lines below are parted alike. What the header names stands in no
    row: a column of lists, which are parted too, names again and again what it ranks.
    """
    lines = _sample(text).splitlines(keepends=True)
    if text.lstrip()[:1] in (b"[", b"{"):  # JSON has lines of one sign
        return 0
    for n_above in range(min(MOST_TITLES + 1, len(lines))):
        rest = "".join(lines[n_above:])
        for sign in DELIMITERS:
            if any(sign in line for line in lines[:n_above]):
                continue
            if lines[n_above].strip() and _parts_alike(rest, sign):
                return n_above if _is_headed(rest, sign) else 0
    return 0


def titles_above_names(text: bytes, n_lines: int) -> tuple[int, int]:
    """Return how many of the first lines are titles, which have not as many cells as the last.

    And how many lines of the text these take: in quotes they may break.
    """
    sample = _sample(text)
    below = "".join(sample.splitlines(keepends=True)[max(n_lines - 1, 0) :])
    records = csv.reader(StringIO(sample, newline=""), delimiter=delimiter_of(below.encode()))
    header = [(len(cells), records.line_num) for cells in islice(records, n_lines)]
    titles = [*takewhile(lambda line: line[0] != header[-1][0], header)]
    return len(titles), max((end for _, end in titles), default=0)


def _is_headed(text: str, delimiter: str) -> bool:
    """Tell whether no row names what the first one names."""
    records = csv.reader(StringIO(text, newline=""), delimiter=delimiter)
    header, *rows = islice(records, LINES)
    below = {cell.strip() for row in rows for cell in row}
    return bool(rows) and below.isdisjoint(name.strip() for name in header if name)


def _parts_alike(sample: str, delimiter: str) -> bool:
    widths = _widths(sample, delimiter)
    return len(widths) > 0 and widths[0] > 1 and len(set(widths)) == 1


def _parts_most(sample: str, delimiter: str) -> bool:
    widths = _widths(sample, delimiter)
    return len(widths) > 1 and widths[0] > 1 and 2 * widths.count(widths[0]) > len(widths)


def _widths(sample: str, delimiter: str) -> Sequence[int]:
    try:
        records = csv.reader(StringIO(sample, newline=""), delimiter=delimiter)
        return [len(record) for record in islice(records, LINES) if record]
    except csv.Error:
        return []

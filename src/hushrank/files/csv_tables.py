"""Delimited text as columns of texts: read by Python, and where there is much of it by pyarrow."""

import csv
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from io import StringIO
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from hushrank.errors import HushrankError, require
from hushrank.files.arrow_tables import csv_columns_by_arrow
from hushrank.files.columns import Column, Table
from hushrank.files.delimiters import named_sign

MANY_BYTES = 2**21
"""From here on pyarrow is worth its import, where it is installed: it finds the same cells."""
MOST_HEADER_LINES = 50
BLOCK = 2**16
"""Rows that are held as texts at a time."""

_NEWLINE = re.compile(rb"\r\n|\n|\r")


def parse_csv(text: bytes, delimiter: str = ",", *, n_above: int = 0) -> Table:
    """Read delimited text with a header in its first line; blank lines are skipped.

    n_above: how many lines of the file stand above the text.

    Raises HushrankError, with the line, when rows are missing or differ in length, or a quote is
    not closed.
    """
    cells, n_lines, body = _split_header(text, delimiter)
    header = tuple(" ".join(name.split()) if "\n" in name else name.strip() for name in cells)
    require(any(header), "line 1: expected a header that names every column")
    n_before = n_above + n_lines
    require(body.strip(), f"line {n_before + 1}: expected at least 1 row below the header")
    columns = _csv_columns(body, len(header), delimiter, n_before)
    if columns is None:
        raise HushrankError(_of_unequal_rows(body, len(header), delimiter, n_before))
    _require_whole_quotes(body, delimiter, n_before)

    def where(row: int) -> str:
        return _place_of(body, row, delimiter, n_before)

    return Table(header, columns, where, may_lack_header=True)


def below_header(text: bytes, delimiter: str) -> bytes:
    """Return delimited text without its header, which may take several lines."""
    return _split_header(text, delimiter)[2]


def _require_whole_quotes(body: bytes, delimiter: str, n_before: int) -> None:
    """Refuse text behind a closing quote: one that was never closed, and ended in another row.

    All rows in between would be one cell of the row that opened it. The quote that ended it left
    another, within a cell that has none around it: that may be where no cell breaks lines.
    """
    if b'"' not in body:
        return
    end = _end_of_cells(body, delimiter, within_plain=b'"')
    if end <= len(body):
        end = max(end, _end_of_cells(body, delimiter, within_quoted=b"\r\n"))
    line = len(_NEWLINE.findall(body, 0, end)) + n_before + 1
    whole = "a quote that closes at the end of its cell"
    require(end > len(body), f"line {line}: expected {whole}, and two for one within")


def _end_of_cells(
    body: bytes, delimiter: str, *, within_quoted: bytes = b"", within_plain: bytes = b""
) -> int:
    """Return where cells end that are whole, in quotes or plain, and without these signs."""
    sign = re.escape(delimiter.encode())
    text = rb'[^"%b]*+' % within_quoted
    quoted = rb'"%b(?:""%b)*+" *+' % (text, text)
    plain = rb'[^"%b\r\n][^%b%b\r\n]*+' % (sign, within_plain, sign)
    cells = re.compile(rb"(?:(?:%b|%b)?+(?:%b|\r\n|\r|\n))*+" % (quoted, plain, sign))
    found = cells.match(body + b"\n")
    return len(body) if found is None else found.end()


def _of_unequal_rows(body: bytes, n_cells: int, delimiter: str, n_before: int) -> str:
    """Say where rows differ in length, and by what sign they were parted."""
    found = ((line, len(cells)) for line, cells in _records(body, delimiter))
    line, n_found = next((each for each in found if each[1] != n_cells), (0, 0))
    many = "1 cell" if n_cells == 1 else f"{n_cells} cells"
    cells = f"{many} parted by {named_sign(delimiter)} in every row"
    where = f"line {line + n_before}: " if line else ""
    got = f", got {n_found}" if line else ""
    lists = "; if each line is a whole list, write a line above that names one column: ballot"
    return f"{where}expected {cells}, as the header has{got}{lists if delimiter in ';|' else ''}"


def _records(text: bytes, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (line, cells) of the records that are not blank, up to the first malformed one."""
    reader = csv.reader(StringIO(text.decode(), newline=""), delimiter=delimiter)
    try:
        for record in reader:
            if record:
                yield reader.line_num, record
    except csv.Error:
        return


def _split_header(text: bytes, delimiter: str) -> tuple[list[str], int, bytes]:
    """Return the cells of the header, how many lines they take, and what stands below them.

    Names in quotes may break lines, as questions of forms do.
    """
    first, *rest = _NEWLINE.split(text, maxsplit=1)
    _, cells = next(_records(first + b"\n", delimiter), (0, [""]))
    if not cells[-1].endswith("\n"):
        return cells, 1, b"".join(rest)
    lines = text.splitlines(keepends=True)
    begin = b"".join(lines[:MOST_HEADER_LINES]).decode()
    reader = csv.reader(StringIO(begin, newline=""), delimiter=delimiter, strict=True)
    with suppress(csv.Error):
        cells, n_lines = next(reader), reader.line_num
        if not _swallows_rows(cells, begin.splitlines()[1:n_lines], delimiter):
            return cells, n_lines, b"".join(lines[n_lines:])
    raise HushrankError("line 1: expected a closing quote in the header")


def _swallows_rows(cells: Sequence[str], lines: Sequence[str], delimiter: str) -> bool:
    """Tell a header whose quote was never closed, so that rows stand in it."""
    are_rows = any('"' not in line and line.count(delimiter) == len(cells) - 1 for line in lines)
    return are_rows or any(cell.endswith(delimiter) for cell in cells)


def _place_of(body: bytes, row: int, delimiter: str, n_before: int) -> str:
    """Name the line of the file on which a row below the header ends, or the row at least."""
    if row < 0:
        return "line 1"
    line, _ = next(islice(_records(body, delimiter), row, None), (0, []))
    return f"line {line + n_before}" if line else f"row {row + 1} below the header"


def _csv_columns(
    body: bytes, n_columns: int, delimiter: str, n_before: int
) -> tuple[Column, ...] | None:
    """Return the columns below the header, None when rows differ in length.

    A row of empty cells is added and taken off again: a quote that is not closed swallows it.
    """
    empty_row = delimiter.encode() * (n_columns - 1) if n_columns > 1 else b'""'
    read = csv_columns_by_arrow if _is_for_arrow(len(body)) else csv_columns
    try:
        columns = read(_with_plain_ends(body) + b"\n" + empty_row + b"\n", n_columns, delimiter)
    except csv.Error:  # there is no other
        line, _ = max(_records(body, delimiter), default=(0, []))
        where = f"line {line + 1 + n_before}"
        longest = f"{csv.field_size_limit():,} characters"
        raise HushrankError(f"{where}: expected cells of at most {longest}") from None
    if columns is None:
        return None
    if any(column.codes[-1] >= 0 for column in columns):
        last_line = len(_NEWLINE.findall(body.rstrip())) + n_before + 1
        raise HushrankError(f"line {last_line}: expected a closing quote")
    return tuple(Column(column.codes[:-1], column.texts) for column in columns)


def _with_plain_ends(text: bytes) -> bytes:
    """Return a text whose lines end in LF, also within cells.

    Of a CR LF that falls apart between two of its blocks pyarrow takes the CR alone: where blocks
    end hangs on all rows before.
    """
    if b"\r" not in text:
        return text
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _is_for_arrow(n_bytes: int) -> bool:
    """Tell whether pyarrow is quicker, its import included."""
    is_imported = sys.modules.get("pyarrow") is not None
    return is_imported or (n_bytes >= MANY_BYTES and find_spec("pyarrow") is not None)


def csv_columns(text: bytes, n_columns: int, delimiter: str) -> tuple[Column, ...] | None:
    """Return the columns of delimited text without a header, None when rows differ in length."""
    reader = csv.reader(StringIO(text.decode(), newline=""), delimiter=delimiter)
    columns = [_GrowingColumn() for _ in range(n_columns)]
    while records := list(islice(reader, BLOCK)):
        filled = list(filter(None, records))
        if any(len(record) != n_columns for record in filled):
            return None
        for column, cells in zip(columns, zip(*filled, strict=True), strict=False):
            column.add(cells)
    return tuple(column.whole() for column in columns)


class _GrowingColumn:
    """A column whose cells come block by block."""

    def __init__(self) -> None:
        self._code_of_cell: dict[str, int] = {}
        self._code_of_text: dict[str, int] = {"": -1}
        self._blocks: list[NDArray[np.int32]] = []

    def add(self, cells: Sequence[str]) -> None:
        for cell in dict.fromkeys(cells):  # in the order of the file
            new = len(self._code_of_text) - 1
            self._code_of_cell[cell] = self._code_of_text.setdefault(cell.strip(), new)
        codes = map(self._code_of_cell.__getitem__, cells)
        self._blocks.append(np.fromiter(codes, np.int32, len(cells)))

    def whole(self) -> Column:
        return Column(np.concatenate(self._blocks), tuple(self._code_of_text)[1:])

"""Sheets of Excel and OpenDocument as tables; python-calamine reads them."""

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from io import BytesIO
from typing import TypeAlias
from zipfile import BadZipFile

from hushrank.errors import HushrankError, require
from hushrank.files.columns import Table, text_columns, text_of
from hushrank.files.spreadsheets.parts import plain_copy

Rows: TypeAlias = list[tuple[int, Sequence[object]]]
"""Cells by the number of their row, from 1."""

NO_ROWS = "expected a sheet with a header and at least 1 row below it"

DIGITS_OF_SHEETS = 10**15
"""Spreadsheets keep fifteen digits of a number, and write zeros for the others."""

_OLD_EXCEL = b"\xd0\xcf\x11\xe0"
_ZIP = b"PK\x03\x04"
_WITHIN = re.compile(
    rb"PK\x03\x04.{26}/?xl/|application/vnd\.oasis\.opendocument\.spreadsheet", re.DOTALL
)
"""The name of a file within: `xl/` alone is somewhere in millions of packed bytes, by chance."""
_DAMAGED = (BadZipFile, EOFError, LookupError, OSError, RuntimeError, ValueError, zlib.error)


def is_spreadsheet(content: bytes) -> bool:
    """Tell an Excel or OpenDocument file by its content."""
    is_zipped = content.startswith(_ZIP) and _WITHIN.search(content) is not None
    return is_zipped or content.startswith(_OLD_EXCEL)


def parse_spreadsheet(content: bytes, sheet: str | None = None) -> Table:
    """Read one sheet, by name or as the only one that has a table.

    Its first row that is not empty names the columns.
    Raises HushrankError when the file is damaged or has a password, when no sheet or several hold a
    table; rows count as the spreadsheet numbers them.
    """
    tables = {name: rows for name, rows in _sheets(content).items() if _is_table(rows)}
    rows = _chosen(tables, sheet)
    require(len(rows) > 1, NO_ROWS)
    (first, header), *body = rows
    passed_over = frozenset(range(1, rows[-1][0])).difference(number for number, _ in rows)
    width = max(len(cells) for _, cells in rows)
    names = [_text(cell) for cell in header] + [""] * (width - len(header))
    numbers = [number for number, _ in body]
    cells = [[_text(cell) for cell in row] + [""] * (width - len(row)) for _, row in body]
    columns = text_columns(cells, width)
    where = [f"row {number}" for number in (first, *numbers)]
    table = Table(tuple(names), columns, lambda row: where[row + 1], "a spreadsheet")
    return replace(table, may_lack_header=True, passed_over=passed_over)


def _is_table(rows: Rows) -> bool:
    """Tell a sheet of several rows, or of one with several cells: no note, but perhaps a ballot."""
    return len(rows) > 1 or any(sum(cell != "" for cell in cells) > 1 for _, cells in rows)


def _chosen(sheets: Mapping[str, Rows], sheet: str | None) -> Rows:
    require(sheets, NO_ROWS)
    names = ", ".join(sheets)
    if sheet is not None:
        require(sheet in sheets, f"expected one of the sheets with rows, {names}, for sheet=")
        return sheets[sheet]
    which = "say which with sheet= if these are ballots, or leave one in the file"
    require(len(sheets) == 1, f"expected one sheet with rows, got {names}: {which}")
    return next(iter(sheets.values()))


def _sheets(content: bytes) -> dict[str, Rows]:
    """Return the rows of every sheet that are not empty, with their numbers from 1."""
    from xml.parsers.expat import ExpatError

    from python_calamine import CalamineError, load_workbook

    try:
        # others are not packed, and have 2^24 cells at most
        plain = plain_copy(content) if content.startswith(_ZIP) else BytesIO(content)
        book = load_workbook(plain)
        found: dict[str, Rows] = {}
        for name in book.sheet_names:
            sheet = book.get_sheet_by_name(name)
            rows = enumerate(sheet.to_python(skip_empty_area=False), start=1)
            found[name] = [(number, row) for number, row in rows if any(c != "" for c in row)]
        return found
    except (CalamineError, ExpatError, *_DAMAGED):  # their messages may show cells
        pass
    raise HushrankError("expected a whole spreadsheet without a password")


def _text(cell: object) -> str:
    """Return a cell as a text: whole numbers without a point, days as ISO writes them."""
    if isinstance(cell, datetime | date | time):
        return cell.isoformat()
    if isinstance(cell, float) and cell.is_integer() and DIGITS_OF_SHEETS <= abs(cell) < 2**53:
        return str(cell)  # 1234567890123450.0, which `names.is_rounded` tells
    return text_of(cell).strip() if not isinstance(cell, timedelta) else str(cell.total_seconds())

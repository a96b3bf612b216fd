"""The parts of a packed spreadsheet, and how many cells and letters they say that there will be.

Beside a small file a reader may hold very many: cells far away, repeated rows, shared texts.
"""

import re
from collections import Counter
from functools import cache, reduce
from io import BytesIO
from math import prod
from zipfile import BadZipFile, ZipFile, ZipInfo

from hushrank.errors import require
from hushrank.files.columns import MOST_CELLS
from hushrank.files.encodings import MOST_TIMES, most_unpacked

FEW_CELLS = 2**22
"""So many may stand in a file of any size: all that can be held in a second or two."""
_OF_EXCEL = re.compile(
    r"/?(?:xl[/\\](?:.*\.xml|workbook\.bin|_rels[/\\]workbook\.xml\.rels)|_rels[/\\]\.rels)",
    re.IGNORECASE,
)
_OF_OPEN_DOCUMENT = re.compile(r"mimetype|META-INF/manifest\.xml|content\.xml")
_OPEN_CELLS = ("table:table-cell", "table:covered-table-cell")


def plain_copy(content: bytes) -> BytesIO:
    """Return the file with nothing packed, and with no part of which the cells were not counted.

    So nothing is read that goes by a name which we would read otherwise. Raises HushrankError for
    what fills the memory: cells far away or repeated, and what is packed too small.
    """
    most = most_unpacked(content)
    most_cells = min(MOST_CELLS, max(FEW_CELLS, MOST_TIMES * len(content)))
    large = f"expected a spreadsheet of {MOST_TIMES} times its size at most: save it as CSV"
    plain = BytesIO()
    with ZipFile(BytesIO(content)) as archive, ZipFile(plain, "w") as copy:
        parts, told = _parts(archive)
        require(sum(part.file_size for part in parts) <= most, large)
        for part in parts:
            inner = archive.read(part)  # damaged, if it is longer than it says
            if part.filename.lower().endswith((".xml", ".rels")):
                told.read(inner)
            told.require_cells(most_cells)
            copy.writestr(part.filename, inner)
    require(told.n_letters() <= most, large)
    plain.seek(0)
    return plain


def _parts(archive: ZipFile) -> "tuple[list[ZipInfo], _Told]":
    """Return the parts that are read, of Excel where there are any, and what counts their cells."""
    entries = archive.infolist()
    parts = [each for each in entries if _OF_EXCEL.fullmatch(each.filename)]
    is_binary = any(each.filename.lower().endswith(".bin") for each in parts)
    require(not is_binary, "expected Excel or OpenDocument, got .xlsb: save it as .xlsx")
    told: _Told = _ToldByExcel() if parts else _ToldByOpenDocument()
    parts = parts or [each for each in entries if _OF_OPEN_DOCUMENT.fullmatch(each.filename)]
    if len({each.filename for each in parts}) < len(parts):
        raise BadZipFile  # of two parts of one name any may be read
    return parts, told


class _Told:
    """What the parts of a file tell of the cells that will be held, and those between them."""

    row, column, n_rows, n_columns, n_before = 0, 0, 0, 0, 0
    largest = (0, 0)

    def read(self, part: bytes) -> None:
        """Go through one part, which may be a sheet."""
        from xml.parsers.expat import ParserCreate

        parser = ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler, parser.CharacterDataHandler = self.begin, self.text
        parser.Parse(part)

    def begin_sheet(self) -> None:
        """Go on to another sheet, beside which those before are held."""
        self.n_before += self.n_rows * self.n_columns
        self.largest = max(self.largest, (self.n_rows, self.n_columns), key=prod)
        self.row, self.column, self.n_rows, self.n_columns = 0, 0, 0, 0

    def require_cells(self, most: int) -> None:
        """Refuse sheets of more cells, such as one of which the last is far away."""
        self.begin_sheet()
        n_rows, n_columns = self.largest
        require(
            self.n_before <= most,
            f"expected sheets of at most {most:,} cells, got one of {n_rows:,} rows and"
            f" {n_columns:,} columns: delete what stands far from the table",
        )

    def begin(self, name: str, said: dict[str, str]) -> None:
        """Go on to an element, by what it says of itself."""
        raise NotImplementedError

    def text(self, text: str) -> None:
        """Take a text within the element."""
        raise NotImplementedError

    def n_letters(self) -> int:
        """Return how many letters all cells hold together: one text may be that of many."""
        raise NotImplementedError

    def hold(self) -> None:
        """Note that there are cells up to here."""
        if self.row > self.n_rows:
            self.n_rows = self.row
        if self.column > self.n_columns:
            self.n_columns = self.column


class _ToldByExcel(_Told):
    """Cells say where they are, or stand behind those before; and the number of a shared text."""

    def __init__(self) -> None:
        self.part, self.is_shared = "", False
        self.lengths: list[int] = []
        self.shared: Counter[str] = Counter()
        self.named = set[tuple[str, str]]()

    def begin(self, name: str, said: dict[str, str]) -> None:
        self.part = part = name.rpartition(":")[2]
        if part in ("v", "is"):  # cells without a value are not held
            self.hold()
        elif part == "c":
            self.is_shared = said.get("t") == "s"
            place = said.get("r", "")
            letters = place.rstrip("0123456789")
            self.column = _number_of(letters.upper()) if place else self.column + 1
            self.row = int(place[len(letters) :]) if place else self.row
        elif part == "row":
            self.row, self.column = int(said.get("r", self.row + 1)), 0
        elif part == "si":
            self.lengths.append(0)
        elif part == "Relationship":
            self._name(part, said.get("Target", "").lower().removeprefix("/xl/"))
        elif part == "sheet":
            self._name(part, next((said[key] for key in said if key.endswith(":id")), ""))

    def _name(self, part: str, own: str) -> None:
        """Raise ValueError for a part that stands for several sheets: it is held for each."""
        if own and (part, own) in self.named:
            raise ValueError
        self.named.add((part, own))

    def text(self, text: str) -> None:
        if self.part == "v" and self.is_shared:
            self.shared[text.strip()] += 1
        elif self.part == "t" and self.lengths:
            self.lengths[-1] += len(text)

    def n_letters(self) -> int:
        used = {int(number): n for number, n in self.shared.items() if number.isdecimal()}
        return sum(used.get(number, 0) * length for number, length in enumerate(self.lengths))


class _ToldByOpenDocument(_Told):
    """Rows and cells say how often they are repeated; empty ones count where others follow."""

    n_rows_alike, n_alike, letters = 1, 0, 0

    def begin(self, name: str, said: dict[str, str]) -> None:
        if name == "text:s":  # so many blanks
            self.letters += self.n_alike * int(said.get("text:c", 1))
        if not name.startswith("text:"):
            self.n_alike = 0
        if name == "table:table":
            self.begin_sheet()
        elif name == "table:table-row":
            self.n_rows_alike = int(said.get("table:number-rows-repeated", 1))
            self.row, self.column = self.row + self.n_rows_alike, 0
        elif name in _OPEN_CELLS:
            n_cells = int(said.get("table:number-columns-repeated", 1))
            self.column += n_cells
            if any(key.startswith("office:") or key == "table:formula" for key in said):
                self.n_alike = n_cells * self.n_rows_alike
                self.text("".join(said.values()))
                self.hold()

    def text(self, text: str) -> None:
        self.letters += self.n_alike * len(text)

    def n_letters(self) -> int:
        return self.letters


@cache
def _number_of(column: str) -> int:
    """Return the number of a column: 1 for A, 27 for AA; raise ValueError where it is none."""
    if not re.fullmatch("[A-Z]{1,3}", column):
        raise ValueError
    return reduce(lambda number, letter: 26 * number + ord(letter) - 64, column, 0)

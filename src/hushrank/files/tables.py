"""Tables with one record a row, CSV or Parquet: their columns by name."""

import csv
import gzip
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hushrank.errors import HushrankError, require
from hushrank.files.arrow_tables import (
    ArrowArray,
    ArrowStream,
    ArrowTable,
    parquet_of,
    parse_parquet,
    pyarrow_for,
)
from hushrank.files.columns import Column, Table
from hushrank.files.csv_tables import BLOCK, below_header, parse_csv
from hushrank.files.data_frames import parse_frame
from hushrank.files.delimiters import delimiter_of, named_sign, with_one_sign
from hushrank.files.disk import FilePath, errors_naming, replace_file
from hushrank.files.encodings import UTF8, plain_text, unpacked
from hushrank.files.json_tables import is_json, parse_json, require_no_json_below
from hushrank.files.names import ALIKE, NAMELESS, ROUNDED, is_nobody, is_rounded, look_alike
from hushrank.files.spreadsheets.sheets import is_spreadsheet, parse_spreadsheet

EXTENSIONS = (".csv", ".parquet")

Written: TypeAlias = Column | NDArray[np.number[Any]]
"""A column of texts or of numbers, for a file."""

NameOrder: TypeAlias = Callable[[Iterable[str]], tuple[str, ...]]
"""Puts distinct texts in order."""


_PARQUET = b"PAR1"


def read_table(path: FilePath, *, delimiter: str | None = None, is_headed: bool = True) -> Table:
    """Read a table of any format, plain or gzipped, as its content says.

    is_headed: as for `parse_text_table`.
    Privacy: what is read is raw. The error names a line and what was expected, never a cell.
    Raises HushrankError or OSError when the file is missing, damaged, empty or no such table.
    """
    content = load(path)
    if found := parse_packed(content):
        return found
    text, encoding = plain_text(content)
    return parse_text_table(
        text, encoding, extension(path), delimiter=delimiter, is_headed=is_headed
    )


def parse_packed(content: bytes, sheet: str | None = None) -> Table | None:
    """Read Parquet, Excel or OpenDocument, the latter by sheet; None where it is neither."""
    is_workbook = is_spreadsheet(content)
    require(is_workbook or sheet is None, "expected Excel or OpenDocument, whose sheets have names")
    if is_workbook:
        return parse_spreadsheet(content, sheet)
    if is_parquet(content):
        return parse_parquet(content)
    return None


def parse_text_table(
    text: bytes,
    encoding: str,
    ending: str,
    *,
    delimiter: str | None = None,
    n_above: int = 0,
    is_headed: bool = True,
) -> Table:
    """Read JSON, NDJSON or delimited text in UTF-8, which was in this encoding.

    n_above: how many lines of the file stand above the text. is_headed: its first line, or record,
    is above all others, and tells with what sign they are parted.
    """
    if delimiter is None and is_json(text, ending):
        return parse_json(text)
    if delimiter is None:
        require_no_json_below(text)
    sign = delimiter or delimiter_of(text, n_header=int(is_headed))
    text, sign = with_one_sign(text, sign)
    parted = "" if sign == "," else f"with {named_sign(sign)}"
    within = "" if encoding == UTF8 else f"in {encoding}"
    said = " ".join(filter(None, (parted, within)))
    return replace(parse_csv(text, sign, n_above=n_above), format=said and f"text {said}")


def parted_without_line_1(text: bytes) -> Table | None:
    """Read delimited text without its header, where it alone is parted by another sign; or None.

    None, too, where it cannot be read so.
    """
    sign = delimiter_of(text)
    body = below_header(*with_one_sign(text, sign))
    own = delimiter_of(body, n_header=0) if body.strip() else sign
    if own == sign:
        return None
    try:
        return parse_csv(*with_one_sign(body, own))
    except HushrankError:
        return None


@contextmanager
def opened_table(
    source: FilePath | ArrowTable, *, delimiter: str | None = None, is_headed: bool = True
) -> Iterator[Table]:
    """Read a file, or take a table in memory, and name it in errors that are raised meanwhile.

    is_headed: as for `parse_text_table`.
    Raises TypeError for what is neither.
    """
    if isinstance(source, str | os.PathLike):
        with errors_naming(source):
            yield read_table(source, delimiter=delimiter, is_headed=is_headed)
    elif isinstance(source, ArrowStream | ArrowArray):
        with errors_of_table():
            yield parse_frame(source)
    else:
        expected = "a path or a table, such as a data frame"
        raise TypeError(f"source: expected {expected}, got {type(source).__name__}")


@contextmanager
def errors_of_table() -> Iterator[None]:
    """Let errors about a table in memory begin with `table`; what files call line 1 names it."""
    try:
        yield
    except HushrankError as error:
        raise HushrankError(f"table: {str(error).removeprefix('line 1: ')}") from None


def load(path: FilePath) -> bytes:
    """Return the content of a file, unpacked where it is gzipped; an empty one is refused."""
    content = unpacked(Path(path).read_bytes())
    require(not content.isspace() and content, "line 1: expected content, the file is empty")
    return content


def is_parquet(content: bytes) -> bool:
    """Tell whether a content is a Parquet file, by its first and last bytes."""
    return content.startswith(_PARQUET) and content.endswith(_PARQUET)


def has_column(table: Table, name: str) -> bool:
    """Tell whether the header names this column, upper and lower case being equal."""
    return name.lower() in (title.lower() for title in table.header)


def column_named(table: Table, name: str) -> Column:
    """Return the one column of this name, upper and lower case being equal."""
    lowered = [title.lower() for title in table.header]
    require(lowered.count(name.lower()) == 1, f"line 1: expected one column named '{name}'")
    return table.columns[lowered.index(name.lower())]


def distinct_texts(column: Column) -> tuple[str, ...]:
    """Return the texts that rows have, none empty; a Parquet dictionary may list others too."""
    in_rows = _held(column.codes, len(column.texts)).tolist()
    return tuple(dict.fromkeys(column.texts[code] for code in in_rows if column.texts[code]))


def identifiers(table: Table, name: str, order: NameOrder) -> Column:
    """Return the column with codes into its texts, put in `order`; an empty cell is refused.

    So are large numbers that are rounded: several users, or items, would be one.
    """
    column = column_named(table, name)
    require(column.is_read, f"line 1: expected text or numbers in the column '{name}'")
    texts = order(distinct_texts(column))
    require(not any(map(is_rounded, texts)), f"line 1: the column '{name}' has {ROUNDED}")
    codes = codes_in(column, texts)
    table.require_rows(codes >= 0, f"a value in the column '{name}'")
    return Column(codes, texts)


def people(table: Table, name: str, order: NameOrder) -> Column:
    """Return the `identifiers` of people, and `require_persons`."""
    found = identifiers(table, name, order)
    require_persons(table, found, f"line 1: the column '{name}'")
    return found


def require_persons(table: Table, people: Column, where: str) -> None:
    """Refuse distinct texts that may not be one person each. The HushrankError names rows alone."""
    nobody = [code for code, text in enumerate(people.texts) if is_nobody(text)][:1]
    for codes, said in ((nobody, NAMELESS), (look_alike(people.texts) or (), ALIKE)):
        rows = sorted(int((people.codes == code).argmax()) for code in codes)
        require(not rows, f"{where} has {said}; see {' and '.join(map(table.where, rows))}")


def codes_in(column: Column, texts: Sequence[str]) -> NDArray[np.int32]:
    """Return the index of each row's text in `texts` (rows,), -1 where it is not there."""
    index = {text: number for number, text in enumerate(texts)}
    of_texts = [*(index.get(text, -1) for text in column.texts), -1]  # code -1 takes the last
    return np.array(of_texts, dtype=np.int32).take(column.codes)


def decimal_numbers(column: Column) -> NDArray[np.float64]:
    """Return `column.numbers()`, where all decimal signs of a column may be commas.

    Where each comma stands before three digits it may part thousands: then it is no number.
    """
    texts = [text for text in column.texts if "," in text]
    unclear = all(re.fullmatch(r"[+-]?\d+(,\d{3})+", text) for text in texts)
    if unclear or any("." in text for text in column.texts):
        return column.numbers()
    return Column(column.codes, tuple(text.replace(",", ".") for text in column.texts)).numbers()


def require_table_extension(path: FilePath) -> None:
    """Raise HushrankError unless the path ends as a table does that can be written here."""
    fits = extension(path) in EXTENSIONS
    require(fits, f"expected an extension of {', '.join(EXTENSIONS)}, perhaps with .gz")
    if extension(path) == ".parquet":
        pyarrow_for("a Parquet file")


def write_table(columns: Mapping[str, Written], path: FilePath, *, secret: bool) -> None:
    """Write named columns of texts and numbers as .csv or .parquet, or +.gz.

    secret: as in `replace_file`. The file appears whole or not at all.
    Raises HushrankError when it cannot be written.
    """
    with errors_naming(path):
        require_table_extension(path)
        content = parquet_of(columns) if extension(path) == ".parquet" else _csv(columns)
        if os.fspath(path).lower().endswith(".gz"):
            content = gzip.compress(content, compresslevel=6, mtime=0)
    replace_file(path, content, secret=secret)


def held_texts(codes: NDArray[np.integer[Any]], texts: Sequence[str]) -> Column:
    """Return a column (rows,) of texts by code, -1 = no text.

    Privacy: it holds the texts that rows have and no others, which a Parquet file would show.
    """
    held = _held(codes, len(texts))
    renumbered = np.full(len(texts) + 1, -1, dtype=np.int32)  # the last stands for -1
    renumbered[held] = np.arange(len(held))
    return Column(renumbered[codes], tuple(texts[code] for code in held.tolist()))


def _held(codes: NDArray[np.integer[Any]], n_texts: int) -> NDArray[np.intp]:
    """Return the codes of texts that rows have, in order."""
    return np.flatnonzero(np.bincount(codes[codes >= 0], minlength=n_texts))


def whole_where_all_are(numbers: NDArray[np.float64]) -> NDArray[np.number[Any]]:
    """Return numbers (rows,) as whole ones where all of them are."""
    is_whole = (np.abs(numbers) < 2**53).all() and (numbers == np.floor(numbers)).all()
    return numbers.astype(np.int64) if is_whole else numbers


def extension(path: FilePath) -> str:
    """Return the extension of a path in lower case, that of what is packed where it is gzipped."""
    return Path(os.fspath(path).lower().removesuffix(".gz")).suffix


def _csv(columns: Mapping[str, Written]) -> bytes:
    text = StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    n_rows = max((len(_codes(each)) for each in columns.values()), default=0)
    for start in range(0, n_rows, BLOCK):
        block = slice(start, start + BLOCK)
        writer.writerows(zip(*(_cells(each, block) for each in columns.values()), strict=True))
    return text.getvalue().encode()


def _codes(column: Written) -> NDArray[np.number[Any]]:
    return column.codes if isinstance(column, Column) else column


def _cells(column: Written, rows: slice) -> list[Any]:
    """Return some cells of a column, None where there is no text."""
    cells = _codes(column)[rows]
    if not isinstance(column, Column):
        return list(cells.tolist())
    texts = (*column.texts, None)  # code -1 takes the last
    return [texts[code] for code in cells.tolist()]

"""Read and write files of rankings."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from hushrank.errors import HushrankError, expect, require
from hushrank.files.arrow_tables import ArrowArray, ArrowStream, ArrowTable, pyarrow_for
from hushrank.files.columns import Table
from hushrank.files.data_frames import parse_frame
from hushrank.files.delimiters import (
    require_line_1_as_wide,
    titles_above,
    titles_above_names,
)
from hushrank.files.disk import FilePath, errors_naming, replace_file, require_folder
from hushrank.files.encodings import UTF8, plain_text
from hushrank.files.json_tables import is_json
from hushrank.files.tables import (
    errors_of_table,
    extension,
    load,
    parse_packed,
    parse_text_table,
    parted_without_line_1,
    read_table,
)
from hushrank.rankings.agreement import require_parted_alike
from hushrank.rankings.cast_votes.exports import parse_cast_votes
from hushrank.rankings.formats.order_files import is_order_file, parse_order_file
from hushrank.rankings.formats.preflib import format_preflib, parse_preflib
from hushrank.rankings.formats.preflib_header import KINDS
from hushrank.rankings.forms.asked import Asked, Best, Form
from hushrank.rankings.forms.blt import is_blt, parse_blt
from hushrank.rankings.forms.cleaning import ballots_of
from hushrank.rankings.forms.found import Found
from hushrank.rankings.forms.lines.headings import titles_in_words
from hushrank.rankings.forms.long import Long, ballots_of_rows
from hushrank.rankings.forms.tables import ballots_of_table
from hushrank.rankings.in_memory import Ballot, rankings_of_ballots
from hushrank.rankings.profile import Rankings
from hushrank.rankings.written_tables import format_csv, format_parquet

EXTENSIONS = (*(f".{kind}" for kind in KINDS), ".csv", ".parquet")

_MODERN_PREFLIB = re.compile(rb"\s*+#\s*+[A-Z]++(?: ++[A-Z]++)*+(?:\s++\d++)?+\s*+:")
_ABOVE_CAST_VOTES = re.compile(
    rb'([^\n]*\n)[^\n]*\n[^\n]*\n"?CvrNumber"?[,;\t]"?TabulatorNum', re.IGNORECASE
)
_OLD_PREFLIB = re.compile(rb"\s*\d+[ \t]*\r?\n[ \t]*1[ \t]*,")
ARRAYS = "Rankings.from_orders takes item numbers, best first, Rankings.from_keys places of items"


def read_rankings(
    source: FilePath | ArrowTable | Sequence[Ballot],
    *,
    form: Form | None = None,
    columns: Sequence[str] = (),
    ignore: Sequence[str] = (),
    id: str | None = None,
    weight: str | None = None,
    best: Best | None = None,
    drop: Sequence[str] = (),
    sheet: str | None = None,
    items: Sequence[str] = (),
    header: int | None = None,
) -> Rankings:
    """Read rankings from a `source`: a file, a table in memory, or a list of lists of names.

    `print(rankings.reading)` says in one line how it was read. What the content does not tell is
    asked, in the error: `form` says what it holds, `columns` which columns are ballots and `ignore`
    which are not (names, also with *, numbers, or ranges such as "2-8"), `id` whose ballot a row is
    (the last one of a person counts), `weight` how many people it stands for, `best` which end of
    scores is best (high, low), and `drop` which items to leave out: names, `write-ins`, or
    a share such as "1%" of the people who must rank them. `sheet` names that of a workbook. `items`
    lists all items: what else ballots name is left out, and what no ballot names is ranked by
    nobody. Where ballots name the items themselves, say it for whatever is to be private. `header`
    says how many lines of a table stand above the ballots, titles and names of columns: 0 is none.

    Files: exports of survey tools and voting machines as CSV, Excel, OpenDocument, JSON, Parquet;
    PrefLib, BLT and order files; plain or gzipped. See `docs/data.md`. A list holds one ballot a
    person: names, best first; names in a set, list or tuple of their own tie.
    Privacy: what is read is raw. The error names file, line and expectation, never a ballot.
    Raises HushrankError when the file is missing, damaged or not of the form; nothing is returned
    in part. Raises TypeError, which names the argument, for anything else.

    >>> read_rankings([["tea", "coffee"], ["coffee"], [{"tea", "coffee"}]])
    Rankings(3 people, 2 items, with ties, incomplete)
    """
    named = {"columns": columns, "ignore": ignore, "drop": drop, "items": items}
    for name, texts in named.items():
        if isinstance(texts, str):
            raise TypeError(f"{name}: expected a list of texts, got one text")
    lists = (tuple(columns), tuple(ignore))
    asked = Asked(form, *lists, id, weight, best, tuple(drop), sheet, tuple(items), header)
    if isinstance(source, str | os.PathLike):
        return _read_file(source, asked)
    if isinstance(source, ArrowStream | ArrowArray):
        with errors_of_table():
            return ballots_of(ballots_of_table(parse_frame(source), asked), "table", asked)
    if isinstance(source, list | tuple):
        is_named = form in (None, "places") and not asked.of_tables
        require(
            is_named, "expected a list of lists of names, best first, and no columns of a table"
        )
        return ballots_of(Found(rankings_of_ballots(source), "lists of names"), "list", asked)
    expected = "a path, a table such as a data frame, or a list of lists of names"
    numbers = f"; {ARRAYS}" if hasattr(source, "__array_interface__") else ""
    raise TypeError(f"source: expected {expected}, got {type(source).__name__}{numbers}")


@dataclass(frozen=True, repr=False)
class Opened:
    """What a file holds: ballots as found, and the table where it is one."""

    found: Found
    table: Table | None = None
    n_empty: int = 0


def opened(path: FilePath, asked: Asked, known: Table | None = None) -> Opened:
    """Find the ballots of a file, whatever it is; they are not cleaned yet.

    known: what `read_table` found in it, where that was done already.
    Raises HushrankError as `read_rankings` does.
    """
    content = load(path)
    is_known = known is not None and known.format == "Parquet" and asked.sheet is None
    table = known if is_known else table_of_files(content, path, asked.sheet)
    if table is None:
        text, encoding = plain_text(content)
        is_other = asked.form not in (None, "preflib") and _MODERN_PREFLIB.match(text)
        require(not is_other, f"expected a file of the form {asked.form}, got PrefLib")
        form = asked.form or _text_form(text, extension(path))
        if form in ("preflib", "order", "blt"):
            return _of_text(text, encoding, form, asked)
        return _of_text_table(text, encoding, extension(path), asked, known)
    return _of_table(table, asked)


def _of_table(table: Table, asked: Asked) -> Opened:
    found = ballots_of_table(table, asked)
    remarks = (*found.remarks, *([table.format] if table.format else []))
    return Opened(replace(found, remarks=remarks), table)


def table_of_files(content: bytes, path: FilePath, sheet: str | None = None) -> Table | None:
    """Read an export of votes, Parquet or a spreadsheet; None for another text."""
    votes = parse_cast_votes(content, Path(path)) if sheet is None else None
    return votes or parse_packed(content, sheet)


def _read_file(path: FilePath, asked: Asked) -> Rankings:
    with errors_naming(path):
        file = opened(path, asked)
        return ballots_of(file.found, Path(path).name, asked, n_empty=file.n_empty)


def _of_text(text: bytes, encoding: str, form: str, asked: Asked) -> Opened:
    """Read a file that is no table: it has no columns to choose from."""
    require(not asked.of_tables, f"expected a table for such options, got the form {form}")
    remarks = () if encoding == UTF8 else (f"text in {encoding}",)
    if form == "blt":
        rankings, n_empty, n_withdrawn = parse_blt(text)
        if n_withdrawn:
            candidates = "candidate" if n_withdrawn == 1 else "candidates"
            remarks = (f"{n_withdrawn} {candidates} withdrawn, left out", *remarks)
        return Opened(Found(rankings, "BLT", remarks=remarks), n_empty=n_empty)
    if form == "order":
        return Opened(Found(parse_order_file(text), "order file", remarks=remarks))
    return Opened(Found(parse_preflib(text), "PrefLib", remarks=remarks))


def _of_text_table(
    text: bytes, encoding: str, ending: str, asked: Asked, known: Table | None
) -> Opened:
    """Find the ballots of a table in a text, of which titles may stand above the header.

    known: what `parse_text_table` found in the text, where that was done already.
    """
    above, is_of_lines = _ABOVE_CAST_VOTES.match(text) is not None, not is_json(text, ending)
    n_titles = n_above = 0
    if asked.header is None:
        n_above = 1 if above else titles_above(text)
        if not n_above and is_of_lines:
            require_line_1_as_wide(text)
    elif is_of_lines:
        n_titles, n_above = titles_above_names(text, asked.header)
    told = replace(asked, header=asked.header - n_titles) if asked.header else asked
    is_headed = asked.header != 0
    if n_above:
        rest = b"".join(text.splitlines(keepends=True)[n_above:])
        table = parse_text_table(rest, encoding, ending, n_above=n_above, is_headed=is_headed)
        is_said = above or asked.header is not None
        said = (table.format, "" if is_said else titles_in_words(n_above))
        return _of_table(replace(table, format="; ".join(filter(None, said))), told)
    same = known if is_headed else None
    file = _of_table(same or parse_text_table(text, encoding, ending, is_headed=is_headed), told)
    below = parted_without_line_1(text) if asked.header is None and is_of_lines else None
    if below is not None:
        require_parted_alike(file.found, _found_or_none(below, replace(asked, header=0)))
    return file


def _found_or_none(table: Table, asked: Asked) -> Found | None:
    try:
        return ballots_of_table(table, asked)
    except HushrankError:
        return None


def read_ratings(
    path: FilePath, *, person: str = "person", item: str = "item", score: str = "score"
) -> Rankings:
    """Read a table with one score a row; the arguments name its columns.

    The highest score is best and equal scores tie: see `ratings.break_ties`.
    Raises HushrankError as `read_rankings` does.
    """
    with errors_naming(path):
        table = read_table(path)
        return ballots_of_rows(table, Long(person, item, score, "high"))


def write_rankings(
    rankings: Rankings,
    path: FilePath,
    *,
    form: Literal["places", "ranks"] = "ranks",
    secret: bool = False,
) -> None:
    """Write rankings to a `path`, whose extension says how: .soc .soi .toc .toi .csv .parquet +.gz.

    `form` is the form of a CSV file. The file appears whole or not at all; one that it replaces
    keeps its permissions.
    Privacy: writes what it is given; whether that is `secret`, so that only the file's owner may
    read it, is for the caller to say.
    Raises HushrankError, before anything is written, when the format cannot hold the rankings.
    """
    expect(rankings, Rankings, "rankings", "hushrank.read_rankings")
    require(form in ("places", "ranks"), f"form: expected places or ranks, got {form}")
    with errors_naming(path):
        content = _formatted(rankings, path, form)
        if os.fspath(path).lower().endswith(".gz"):
            import gzip

            content = gzip.compress(content, mtime=0)
    replace_file(path, content, secret=secret)


def require_writable(path: FilePath) -> None:
    """Raise HushrankError where `write_rankings` would, as far as the path alone tells."""
    with errors_naming(path):
        if _require_extension(path) == ".parquet":
            pyarrow_for("a Parquet file")
    require_folder(path)


def _text_form(text: bytes, ending: str) -> Literal["preflib", "order", "blt", "table"]:
    """Tell the form of a text by its first lines, and by the extension when they say nothing."""
    if _MODERN_PREFLIB.match(text) or _OLD_PREFLIB.match(text):
        return "preflib"
    if is_blt(text, ending):
        return "blt"
    if is_order_file(text):
        return "order"
    if ending.removeprefix(".") in KINDS:
        return "preflib"
    return "order" if ending == ".order" else "table"


def _formatted(rankings: Rankings, path: FilePath, form: Literal["places", "ranks"]) -> bytes:
    extension = _require_extension(path)
    if extension == ".csv":
        return format_csv(rankings, form)
    require(form == "ranks", "expected the extension .csv for one column a place")
    if extension == ".parquet":
        return format_parquet(rankings)
    return format_preflib(rankings, extension.removeprefix("."), file_name=Path(path).name)


def _require_extension(path: FilePath) -> str:
    ending, known = extension(path), ", ".join(EXTENSIONS)
    require(ending in EXTENSIONS, f"expected an extension of {known}, perhaps with .gz")
    return ending

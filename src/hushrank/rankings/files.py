"""Read and write files of rankings."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from hushrank.errors import expect, require
from hushrank.files.disk import FilePath, errors_naming, replace_file, require_folder
from hushrank.files.table_files import (
    ArrowArray,
    ArrowStream,
    ArrowTable,
    Table,
    parse_arrow,
    parse_csv,
    parse_parquet,
)
from hushrank.files.tables import errors_of_table, is_parquet, load, plain_text
from hushrank.rankings.in_memory import Ballot, rankings_of_ballots
from hushrank.rankings.order_files import is_order_file, parse_order_file
from hushrank.rankings.preflib import format_preflib, parse_preflib
from hushrank.rankings.preflib_header import KINDS
from hushrank.rankings.profile import Rankings
from hushrank.rankings.ratings import table_ratings
from hushrank.rankings.tables import (
    SCORE_COLUMNS,
    form_of,
    format_csv,
    format_parquet,
    table_rankings,
)

Form: TypeAlias = Literal["preflib", "order", "places", "ranks", "scores"]
FORMS = get_args(Form)
EXTENSIONS = (*(f".{kind}" for kind in KINDS), ".csv", ".parquet")

_MODERN_PREFLIB = re.compile(rb"\s*+#\s*+[A-Z]++(?: ++[A-Z]++)*+(?:\s++\d++)?+\s*+:")
_OLD_PREFLIB = re.compile(rb"\s*\d+[ \t]*\r?\n[ \t]*1[ \t]*,")


def read_rankings(
    source: FilePath | ArrowTable | Sequence[Ballot], *, form: Form | None = None
) -> Rankings:
    """Read rankings from a `source`: a file, a table in memory, or a list of lists of names.

    A table has the forms of a table file: a data frame of pandas (2.2 or newer; its index is not
    read) or polars, a pyarrow table, or whatever speaks the Arrow C interface. A list holds one
    ballot a person: names, best first; names in a set, list or tuple of their own tie, and what a
    ballot leaves out is unranked. `form` overrides what content and extension of a file say.

    Files: PrefLib (soc, soi, toc, toi), order files, and CSV or Parquet tables with one column a
    place, one column an item, or one score a row; each plain or gzipped. See `docs/data.md`.
    Privacy: what is read is raw. The error names file, line and expectation, never a ballot.
    Raises HushrankError when the file is missing, damaged or not of the form; nothing is returned
    in part. Raises TypeError, which names the argument, for anything else.

    >>> read_rankings([["tea", "coffee"], ["coffee"], [{"tea", "coffee"}]])
    Rankings(3 people, 2 items, with ties, incomplete)
    """
    require(form is None or form in FORMS, f"expected a form of {', '.join(FORMS)}")
    if isinstance(source, str | os.PathLike):
        return _read_file(source, form)
    if isinstance(source, ArrowStream | ArrowArray):
        with errors_of_table():
            return _from_table(parse_arrow(source), form)
    if isinstance(source, list | tuple):
        named = form in (None, "places")
        require(named, f"expected a list of lists of names, best first, got the form {form}")
        return rankings_of_ballots(source)
    expected = "a path, a table such as a data frame, or a list of lists of names"
    raise TypeError(f"source: expected {expected}, got {type(source).__name__}")


def _read_file(path: FilePath, form: Form | None) -> Rankings:
    with errors_naming(path):
        content = load(path)
        if is_parquet(content):
            return _from_table(parse_parquet(content), form)
        text = plain_text(content)
        found = form or _text_form(text, _extension(path))
        if found == "preflib":
            return parse_preflib(text)
        return parse_order_file(text) if found == "order" else _from_table(parse_csv(text), form)


def read_ratings(
    path: FilePath, *, person: str = "person", item: str = "item", score: str = "score"
) -> Rankings:
    """Read a CSV or Parquet file with one score a row; the arguments name its columns.

    The highest score is best and equal scores tie: see `ratings.break_ties`.
    Raises HushrankError as `read_rankings` does.
    """
    with errors_naming(path):
        content = load(path)
        table = parse_parquet(content) if is_parquet(content) else parse_csv(plain_text(content))
        return table_ratings(table, person, item, score)


def write_rankings(
    rankings: Rankings, path: FilePath, *, form: Literal["places", "ranks"] = "ranks"
) -> None:
    """Write rankings to a `path`, whose extension says how: .soc .soi .toc .toi .csv .parquet +.gz.

    `form` is the form of a CSV file. The file appears whole or not at all; one that it replaces
    keeps its permissions.
    Privacy: writes raw rankings.
    Raises HushrankError, before anything is written, when the format cannot hold the rankings.
    """
    expect(rankings, Rankings, "rankings", "hushrank.read_rankings")
    require(form in ("places", "ranks"), f"form: expected places or ranks, got {form}")
    with errors_naming(path):
        content = _formatted(rankings, path, form)
        if os.fspath(path).lower().endswith(".gz"):
            import gzip

            content = gzip.compress(content, mtime=0)
    replace_file(path, content)


def require_writable(path: FilePath) -> None:
    """Raise HushrankError where `write_rankings` would, as far as the path alone tells."""
    with errors_naming(path):
        _require_extension(path)
    require_folder(path)


def _extension(path: FilePath) -> str:
    return Path(os.fspath(path).lower().removesuffix(".gz")).suffix


def _text_form(text: bytes, extension: str) -> Literal["preflib", "order", "table"]:
    """Tell the form of a text by its first lines, and by the extension when they say nothing."""
    if _MODERN_PREFLIB.match(text) or _OLD_PREFLIB.match(text):
        return "preflib"
    if is_order_file(text):
        return "order"
    if extension.removeprefix(".") in KINDS:
        return "preflib"
    return "order" if extension == ".order" else "table"


def _from_table(table: Table, form: Form | None) -> Rankings:
    is_table_form = form not in ("preflib", "order")
    require(is_table_form, f"expected a file of the form {form}, got a table")
    found = form or form_of(table.header)
    if found == "scores":
        return table_ratings(table, *SCORE_COLUMNS)
    return table_rankings(table, "places" if found == "places" else "ranks")


def _formatted(rankings: Rankings, path: FilePath, form: Literal["places", "ranks"]) -> bytes:
    extension = _require_extension(path)
    if extension == ".csv":
        return format_csv(rankings, form)
    require(form == "ranks", "expected the extension .csv for one column a place")
    if extension == ".parquet":
        return format_parquet(rankings)
    return format_preflib(rankings, extension.removeprefix("."), file_name=Path(path).name)


def _require_extension(path: FilePath) -> str:
    extension, known = _extension(path), ", ".join(EXTENSIONS)
    require(extension in EXTENSIONS, f"expected an extension of {known}, perhaps with .gz")
    return extension

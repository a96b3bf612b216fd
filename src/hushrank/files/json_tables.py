"""JSON and NDJSON as tables: one record a row, lists within a record as JSON in a cell."""

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec

from hushrank.errors import HushrankError, require
from hushrank.files.columns import MOST_CELLS, MOST_CELLS_PER_BYTE, Table, text_columns, text_of
from hushrank.files.names import natural_order

ONLY = "ballot"
"""The name of the one column of records that are plain lists."""

EXTENSIONS = (".json", ".ndjson", ".jsonl")
_LAST = 8
_FEW_CELLS = 2**22
_KINDS = "expected a list of records, each an object or a list"


def is_json(text: bytes, extension: str) -> bool:
    """Tell JSON by its name, or by a first line or a whole that is an object or a list."""
    begins = text.lstrip()[:1]
    if begins not in (b"[", b"{"):
        return False
    return extension in EXTENSIONS or _is_decodable(text) or _is_decodable(_first_line(text))


def require_no_json_below(text: bytes) -> None:
    """Refuse lines of JSON below a first one of another kind: it would tell how all are parted."""
    _, *lines = text.strip().rsplit(b"\n", _LAST)
    are_json = bool(lines) and all(map(_is_decodable, lines))
    require(not are_json, "line 1: expected JSON, as on the lines below")


def parse_json(text: bytes) -> Table:
    """Read records: a list of objects or lists, one a line or all in one list or object.

    An object within a record becomes columns `outer [inner]`, a list stays JSON in its cell.
    Columns are sorted (numbers by size), in whatever order records name them.
    Raises HushrankError, with the line, for what is no JSON or no list of records.
    """
    records, is_by_line = _records(text)
    if all(isinstance(record, list) for _, record in records):
        rows = [{ONLY: record} for _, record in records]
    else:
        mixed = next((n for n, record in records if not isinstance(record, dict)), None)
        require(mixed is None, f"{_named(mixed, is_by_line)}: expected an object as in the others")
        rows = [_stripped(n, _flat(record), is_by_line) for n, record in records]
    header = natural_order(key for row in rows for key in row)  # a record's order may be a ranking
    require(header, _KINDS)
    n_keys = len({"".join(key.split()) for key in header})  # else items get numbers behind names
    require(n_keys == len(header), "expected each key in one spelling, blanks within it included")
    _require_cells_that_fit(len(rows), len(header), len(text))
    cells = [[_text(row.get(key)) for key in header] for row in rows]
    numbers = [number for number, _ in records]
    return Table(
        header,
        text_columns(cells, len(header)),
        lambda row: _named(numbers[row], is_by_line),
        "NDJSON" if is_by_line else "JSON",
        told_by_rows=True,
    )


def _require_cells_that_fit(n_records: int, n_keys: int, n_bytes: int) -> None:
    """Refuse records that name so few of all keys that their table fills the memory."""
    most = min(MOST_CELLS, max(_FEW_CELLS, MOST_CELLS_PER_BYTE * n_bytes))
    require(
        n_records * n_keys <= most,
        f"expected a table of at most {most:,} cells, got one of {n_records:,} records and"
        f" {n_keys:,} keys: write an answer a record, such as person, item and rank",
    )


def _records(text: bytes) -> tuple[Sequence[tuple[int, Any]], bool]:
    """Return the records with the numbers of their lines, or of themselves; and which it is."""
    with suppress(msgspec.DecodeError, RecursionError):
        return list(enumerate(_listed(msgspec.json.decode(text)), start=1)), False
    lines = [(n, line) for n, line in enumerate(text.split(b"\n"), start=1) if line.strip()]
    if not _is_decodable(lines[0][1]):
        raise HushrankError(f"line {_bad_line(text)}: expected JSON, it is malformed or cut off")
    bad = next((number for number, line in lines if not _is_decodable(line)), None)
    require(bad is None, f"line {bad}: expected a JSON object or list, as on the lines before")
    return [(number, msgspec.json.decode(line)) for number, line in lines], True


def _listed(document: Any) -> list[Any]:
    """Return the records of a document: itself, or the one list of records in it."""
    if isinstance(document, dict):
        lists = [each for each in document.values() if _are_records(each)]
        several = f"expected one list of records in the object, got {len(lists)}"
        require(len(lists) == 1, several)
        document = lists[0]
    require(_are_records(document), _KINDS)
    found: list[Any] = document
    return found


def _are_records(value: Any) -> bool:
    kinds = {type(each) for each in value} if isinstance(value, list) and value else {None}
    return kinds <= {dict, list}


def _flat(record: dict[str, Any]) -> list[tuple[str, Any]]:
    """Return a record as keys and values, objects in it taken apart."""
    flat: list[tuple[str, Any]] = []
    for key, value in record.items():
        if isinstance(value, dict):
            flat += [(f"{key} [{inner}]", each) for inner, each in value.items()]
        else:
            flat.append((key, value))
    return flat


def _stripped(number: int, record: list[tuple[str, Any]], is_by_line: bool) -> dict[str, Any]:
    """Return a record without blanks around its keys: one with them would rename all others'."""
    stripped = {key.strip(): value for key, value in record}
    once = "expected each key once, blanks around it aside"
    require(len(stripped) == len(record), f"{_named(number, is_by_line)}: {once}")
    return stripped


def _text(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, float):
        return text_of(value)
    return json.dumps(value, ensure_ascii=False)


def _named(number: int | None, is_by_line: bool) -> str:
    return f"line {number}" if is_by_line else f"record {number}"


def _first_line(text: bytes) -> bytes:
    return text.lstrip().partition(b"\n")[0]


def _is_decodable(text: bytes) -> bool:
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return False
    return isinstance(found, dict | list)


def _bad_line(text: bytes) -> int:
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.lineno
    except (ValueError, RecursionError):
        pass
    return 1

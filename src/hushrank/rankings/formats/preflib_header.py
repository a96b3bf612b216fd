"""What a PrefLib file says before its ballots, in the modern format and in the old one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hushrank.errors import HushrankError, require

KINDS = ("soc", "soi", "toc", "toi")

_FIRST_BALLOT = re.compile(rb"^[^\S\n]*[^#\s]", re.MULTILINE)
_KEY = r"([A-Z]+(?: +[A-Z]+)*)(?:\s+(\d{1,9}))?"  # no possessive groups: Python 3.11.2 errs
_FIELD = re.compile(rf"#\s*{_KEY}\s*:(.*)", re.ASCII | re.DOTALL)


@dataclass(frozen=True)
class PreflibHeader:
    """What the lines before the ballots declare; `declared` = (number, line) of each count.

    The ballots begin on `first_line`; `separator` stands between a count and its order.
    """

    names: tuple[str, ...]
    declared: dict[str, tuple[int, int]]
    kind: str | None
    first_line: int
    separator: str


def split_header(text: bytes) -> tuple[PreflibHeader, bytes]:
    """Read the header and return it with the text of the ballots.

    Raises HushrankError, with the line, when names or numbers are missing or do not fit.
    """
    is_modern = text.lstrip().startswith(b"#")
    return _modern_header(text) if is_modern else _old_header(text)


def _modern_header(text: bytes) -> tuple[PreflibHeader, bytes]:
    first_ballot = _FIRST_BALLOT.search(text)
    body_at = first_ballot.start() if first_ballot else len(text)
    lines = text[:body_at].decode().split("\n")
    numbers: dict[str, tuple[int, int]] = {}
    names: dict[int, str] = {}
    kind = None
    for line, key, number, value in _fields(lines):
        if key == "ALTERNATIVE NAME":
            require(number and number not in names, f"line {line}: expected a new item number")
            names[number] = value or str(number)
        elif key.startswith("NUMBER "):
            numbers[key] = _declared_number(value, line), line
        elif key == "DATA TYPE":
            require(value in KINDS, f"line {line}: expected a type of {', '.join(KINDS)}")
            kind = value
    _require_names(names, numbers)
    in_order = tuple(names[number] for number in sorted(names))
    return PreflibHeader(in_order, numbers, kind, len(lines), ":"), text[body_at:]


def _fields(lines: Sequence[str]) -> Iterator[tuple[int, str, int, str]]:
    """Yield (line, key, number of the key or 0, value); other comments are passed over."""
    for line, content in enumerate(lines, start=1):
        stripped = content.strip()
        require("\r" not in stripped, f"line {line}: expected lines that end in LF or CR LF")
        if field := _FIELD.fullmatch(stripped):
            yield line, field[1], int(field[2] or 0), field[3].strip()


def _declared_number(value: str, line: int) -> int:
    require(re.fullmatch(r"\d{1,18}", value, re.ASCII), f"line {line}: expected a whole number")
    return int(value)


def _require_names(names: dict[int, str], numbers: dict[str, tuple[int, int]]) -> None:
    has_count = "NUMBER ALTERNATIVES" in numbers
    require(has_count, "line 1: expected a header with '# NUMBER ALTERNATIVES: n'")
    n_items, line = numbers["NUMBER ALTERNATIVES"]
    require(n_items >= 1, f"line {line}: expected at least 1 item")
    fits = len(names) == n_items and max(names) == n_items
    require(fits, f"line {line}: expected {n_items} names, for items 1..{n_items}")


def _old_header(text: bytes) -> tuple[PreflibHeader, bytes]:
    first = text.partition(b"\n")[0].decode().strip()
    n_items = _declared_number(first, 1)
    require(n_items >= 1, "line 1: expected at least 1 item")
    lines = text.split(b"\n", n_items + 2)
    complete = len(lines) == n_items + 3
    require(complete, f"line 1: expected {n_items} names, a line of totals and ballots to follow")
    names = []
    for number, content in enumerate(lines[1:-2], start=1):
        given, _, name = content.decode().partition(",")
        fits = given.strip() == str(number)
        require(fits, f"line {number + 1}: expected '{number},' and a name")
        names.append(name.strip() or str(number))
    declared = _old_totals(lines[-2].decode(), n_items + 2)
    return PreflibHeader(tuple(names), declared, None, n_items + 3, ","), lines[-1]


def _old_totals(content: str, line: int) -> dict[str, tuple[int, int]]:
    totals = re.fullmatch(r"\d{1,18},(\d{1,18}),(\d{1,18})", content.strip(), re.ASCII)
    if not totals:
        raise HushrankError(f"line {line}: expected 'voters,sum of counts,unique orders'")
    n_people, n_orders = int(totals[1]), int(totals[2])
    return {"NUMBER VOTERS": (n_people, line), "NUMBER UNIQUE ORDERS": (n_orders, line)}

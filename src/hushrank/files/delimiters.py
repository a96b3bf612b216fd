"""Which sign parts the cells of a text table: the one that parts all lines alike."""

import csv
from collections.abc import Sequence
from io import StringIO
from itertools import islice

DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
LINES = 50
"""How many records are looked at."""

_SAMPLE = 2**18


def named_sign(delimiter: str) -> str:
    """Return the name of a delimiter, known or not."""
    return DELIMITERS.get(delimiter, f"'{delimiter}'")


def delimiter_of(text: bytes) -> str:
    """Return the delimiter that gives the first records one number of cells, more than one.

    A comma where it does, or where none does: then the table has a single column, or is none.
    """
    sample = text[:_SAMPLE].decode("utf-8", "ignore")
    if len(text) > _SAMPLE:
        sample = sample.rpartition("\n")[0] or sample
    fitting = [sign for sign in DELIMITERS if sign in sample and _parts_alike(sample, sign)]
    return fitting[0] if fitting else ","


def _parts_alike(sample: str, delimiter: str) -> bool:
    widths = _widths(sample, delimiter)
    return len(widths) > 0 and widths[0] > 1 and len(set(widths)) == 1


def _widths(sample: str, delimiter: str) -> Sequence[int]:
    try:
        records = csv.reader(StringIO(sample, newline=""), delimiter=delimiter)
        return [len(record) for record in islice(records, LINES) if record]
    except csv.Error:
        return []

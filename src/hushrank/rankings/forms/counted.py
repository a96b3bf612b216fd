"""Lines of a count and a ballot, `27: A > B`, as counting programs and wikis write them."""

import re

import numpy as np

from hushrank.errors import require
from hushrank.files.columns import Column, Table
from hushrank.rankings.forms.lists import tiers_of

_COUNTED = re.compile(r"(\d{1,13})\s*:\s*(\S.*)", re.DOTALL)


def with_weights(table: Table) -> Table | None:
    """Return such lines as a table of ballots and weights, None for any other table.

    They have no header: the first line is a ballot, too.
    """
    if len(table.header) > 1:
        return None
    (column,) = table.columns
    found = [_counted(text) for text in (*table.header, *column.texts) if text]
    n_of_orders = sum(">" in line[2] for line in found if line)
    if n_of_orders == 0:
        return None
    if not all(found):
        counts = "expected a count and a ballot, `27: A > B`, on all lines or on none"
        require(not any(map(_counted, column.texts)), counts)
        return None
    rows = table.with_header_as_row()
    (column,) = rows.columns
    return Table(
        ("ballot", "weight"),
        (_part(column, 2), _part(column, 1)),
        rows.where,
        rows.format,
    )


def _counted(text: str) -> re.Match[str] | None:
    """Match a count and a ballot; places may have numbers, too: `1: A > 2: B`."""
    found = _COUNTED.fullmatch(text)
    first = tiers_of(text, ">")[:1] if found else ()
    return found if any(_COUNTED.fullmatch(name) for tied in first for name in tied) else None


def _part(column: Column, group: int) -> Column:
    """Return one half of each line."""
    found = [_COUNTED.fullmatch(text) for text in column.texts]
    parts = [line[group].strip() if line else "" for line in found]
    texts = tuple(dict.fromkeys(parts))
    index = {text: number for number, text in enumerate(texts)}
    return Column(np.array([*(index[part] for part in parts), -1])[column.codes], texts)

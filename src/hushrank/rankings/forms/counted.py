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
    found = [_COUNTED.fullmatch(text) for text in (*table.header, *column.texts) if text]
    n_of_orders = sum(">" in line[2] for line in found if line)
    if n_of_orders == 0:
        return None
    if not all(found):
        _require_no_counts(column)
        return None
    rows = table.with_header_as_row()
    (column,) = rows.columns
    return Table(
        ("ballot", "weight"),
        (_part(column, 2), _part(column, 1)),
        rows.where,
        rows.format,
    )


def _require_no_counts(column: Column) -> None:
    """Refuse counts on some lines: read as names, they would be lost from all ballots.

    Places may have numbers, too: `1: A > 2: B`.
    """
    first = [tiers_of(text, ">")[:1] for text in column.texts if _COUNTED.fullmatch(text)]
    counts = any(_COUNTED.fullmatch(name) for tiers in first for tied in tiers for name in tied)
    require(not counts, "expected a count and a ballot, `27: A > B`, on all lines or on none")


def _part(column: Column, group: int) -> Column:
    """Return one half of each line."""
    found = [_COUNTED.fullmatch(text) for text in column.texts]
    parts = [line[group].strip() if line else "" for line in found]
    texts = tuple(dict.fromkeys(parts))
    index = {text: number for number, text in enumerate(texts)}
    return Column(np.array([*(index[part] for part in parts), -1])[column.codes], texts)

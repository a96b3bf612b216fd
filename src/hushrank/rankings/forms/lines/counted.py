"""Lines of a count and a ballot, `27: A > B`, as counting programs and wikis write them."""

import re

import numpy as np

from hushrank.errors import require
from hushrank.files.columns import Column, Table
from hushrank.rankings.forms.lists import tiers_of

_COUNTED = re.compile(r"(\d{1,13})\s*:\s*(\S.*)", re.DOTALL)


def with_weights(table: Table, *, is_headed: bool) -> Table | None:
    """Return such lines as a table of ballots and weights, None for any other table.

    is_headed: whether its header is a header, not one of them.
    """
    lines = table if is_headed else table.with_header_as_row()
    if len(table.columns) > 1:
        _require_alone(lines)
        return None
    (column,) = lines.columns
    found = [_counted(text) for text in column.texts if text]
    n_of_orders = sum(">" in line[2] for line in found if line)
    if n_of_orders == 0:
        return None
    if not all(found):
        counts = "expected a count and a ballot, `27: A > B`, on all lines or on none"
        require(not any(found), counts)
        return None
    are_mixed = n_of_orders == 1 and any(sign in text for text in column.texts for sign in ";|,\n")
    require(not are_mixed, "expected > between the items of all lines, as one has, or of none")
    header = ("ballot", "weight")
    return Table(header, (_part(column, 2), _part(column, 1)), lines.where, lines.format)


def _require_alone(lines: Table) -> None:
    """Refuse such lines beside which one row says something: by it alone none would be counted."""
    filled = [each for each in lines.columns if each.is_filled.sum() > 1]
    texts = filled[0].texts if len(filled) == 1 else ()
    are_counted = any(">" in text and _counted(text) for text in texts)
    require(
        not are_counted,
        "expected lines of a count and a ballot, `27: A > B`, alone: at most one row says anything"
        " in the other columns; delete these",
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

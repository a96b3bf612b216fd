"""Rows of texts, as Python holds them, turned into columns of codes."""

from collections.abc import Sequence

import numpy as np

from hushrank.files.table_files import Column


def text_columns(rows: Sequence[Sequence[str]], width: int) -> tuple[Column, ...]:
    """Return the columns of rows (rows, width) of texts."""
    return tuple(text_column_of([row[column] for row in rows]) for column in range(width))


def text_column_of(cells: Sequence[str]) -> Column:
    """Return a column of texts, an empty text where there is none."""
    codes: dict[str, int] = {}
    numbers = [codes.setdefault(cell.strip(), len(codes)) for cell in cells]
    return Column(np.array(numbers, dtype=np.int32), tuple(codes))

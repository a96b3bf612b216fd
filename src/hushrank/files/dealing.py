"""Rows of a table dealt into parts, so that what one person says is in one part alone."""

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Words
from hushrank.files.columns import Column

Parts = NDArray[np.intp]

_LIMIT = 2**40
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def dealt(columns: Sequence[Column], n_parts: int) -> Parts:
    """Return the part of each row (rows,): one row more, or less, changes the rows of one part.

    What a row says tells where the first of its kind goes; those that say the same go on in turn.
    """
    kinds = _kinds(columns)
    order, places = np.argsort(kinds, kind="stable"), np.arange(len(kinds))
    begins = np.append(True, np.diff(kinds[order]) != 0)
    nth = np.empty(len(kinds), dtype=np.intp)
    nth[order] = places - np.maximum.accumulate(np.where(begins, places, 0))
    return (_told(columns, n_parts) + nth) % n_parts


def dealt_by_text(column: Column, n_parts: int) -> Parts:
    """Return the part of each row (rows,): rows with the same text go to the same one."""
    return _told([column], n_parts)


def _told(columns: Sequence[Column], n_parts: int) -> Parts:
    """Return a part by what each row (rows,) says alone, whatever else there is."""
    mixed: Words = np.zeros(len(columns[0].codes), dtype=np.uint64)
    for column in columns:
        texts = [zlib.crc32(text.encode(errors="surrogatepass")) for text in column.texts]
        mixed = (mixed + np.array([*texts, 0], dtype=np.uint64)[column.codes]) * _MULTIPLIER
    return ((mixed >> np.uint64(32)) % np.uint64(n_parts)).astype(np.intp)


def _kinds(columns: Sequence[Column]) -> Parts:
    """Number the rows (rows,), those alike that say the same."""
    kinds, n_kinds = np.zeros(len(columns[0].codes), dtype=np.intp), 1
    for column in columns:
        if n_kinds > 1 and n_kinds * (len(column.texts) + 1) > _LIMIT:
            kinds = np.unique(kinds, return_inverse=True)[1]
            n_kinds = len(kinds)
        kinds = kinds * (len(column.texts) + 1) + column.codes + 1
        n_kinds *= len(column.texts) + 1
    return kinds

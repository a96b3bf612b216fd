"""Wide files of scores: one row a person, one column an item, no header."""

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hushrank.errors import HushrankError, require
from hushrank.files.disk import FilePath, errors_naming
from hushrank.files.encodings import unpacked
from hushrank.rankings.profile import Rankings
from hushrank.rankings.ratings import rankings_from_scores

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

NumberedLines: TypeAlias = Sequence[tuple[int, str]]
"""Rows of a text that are not blank, with their numbers from 1."""


def read_score_matrix(path: FilePath, *, missing: float, skip_columns: int) -> Rankings:
    """Read comma-separated scores (people, columns), plain or gzipped; the highest is best.

    The first `skip_columns` columns are passed over, whatever they hold; the items behind them are
    named by number from 1. Equal scores tie; an item whose score is `missing` is unranked.
    Privacy: what is read is raw. The error names file, line and expectation, never a score.
    Raises HushrankError when the file is missing, damaged or empty, when rows differ in length, or
    when a score is no finite number.
    """
    require(isfinite(missing), f"expected a finite number for missing scores, got {missing}")
    require(skip_columns >= 0, f"expected 0 or more columns to skip, got {skip_columns}")
    with errors_naming(path):
        text = unpacked(Path(path).read_bytes())
        return parse_score_matrix(text, missing=missing, skip_columns=skip_columns)


def parse_score_matrix(text: bytes, *, missing: float, skip_columns: int) -> Rankings:
    """Read the scores of a text; see `read_score_matrix`."""
    lines = _lines(text)
    n_columns = lines[0][1].count(",") + 1
    require(n_columns > skip_columns, f"line {lines[0][0]}: expected {skip_columns + 1}+ columns")
    for number, line in lines:
        fits = line.count(",") + 1 == n_columns
        require(fits, f"line {number}: expected {n_columns} comma-separated cells in every row")
    scores = _scores(lines, range(skip_columns, n_columns))
    names = [str(item + 1) for item in range(scores.shape[1])]
    return rankings_from_scores(np.where(scores == missing, np.nan, scores), names)


def _lines(text: bytes) -> NumberedLines:
    """Split into rows; what is not ASCII becomes a sign that no number has."""
    rows = text.removeprefix(_BYTE_ORDER_MARK).splitlines()
    numbered = enumerate((row.decode("ascii", "replace") for row in rows), start=1)
    lines = [(number, row) for number, row in numbered if row.strip()]
    require(lines, "line 1: expected scores, the file is empty")
    return lines


def _scores(lines: NumberedLines, columns: range) -> NDArray[np.float64]:
    """Return the finite numbers (people, items) of these columns."""
    try:
        scores = _numbers([line for _, line in lines], columns)
    except ValueError:
        pass
    else:
        if np.isfinite(scores).all():
            return scores
    number = next(number for number, line in lines if not _is_finite(line, columns))
    raise HushrankError(f"line {number}: expected scores that are finite numbers")


def _is_finite(line: str, columns: range) -> bool:
    try:
        return bool(np.isfinite(_numbers([line], columns)).all())
    except ValueError:
        return False


def _numbers(lines: list[str], columns: range) -> NDArray[np.float64]:
    return np.loadtxt(lines, delimiter=",", comments=None, usecols=columns, ndmin=2)

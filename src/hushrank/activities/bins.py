"""Numeric attributes cut into named bins by a rule, such as `age=18,35,50`."""

import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from hushrank.errors import require

_RULE = re.compile(r"\s*(?P<name>[^=]*[^=\s])\s*=(?P<edges>[^=]*)")
_NUMBER = re.compile(r"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?\s*", re.ASCII | re.IGNORECASE)


def parse_bins(rule: str) -> tuple[str, tuple[float, ...]]:
    """Split `age=18,35,50` into the attribute and the edges between its bins.

    Raises HushrankError when the rule has another form, or edges do not ascend.
    """
    found = _RULE.fullmatch(rule)
    texts = found["edges"].split(",") if found else []
    plain = bool(texts) and all(_NUMBER.fullmatch(text) for text in texts)
    require(found and plain, "expected bins as NAME=EDGE,EDGE,.. such as age=18,35,50")
    edges = tuple(float(text) for text in texts)
    require_edges(edges)
    return found["name"] if found else "", edges


def require_edges(edges: Sequence[float]) -> None:
    """Raise HushrankError unless there are edges, finite and ascending."""
    numbers = np.asarray(edges, dtype=np.float64)
    fits = numbers.ndim == 1 and numbers.size >= 1 and np.isfinite(numbers).all()
    require(fits and (np.diff(numbers) > 0).all(), "expected 1 or more edges of bins, ascending")


def bin_names(edges: Sequence[float]) -> tuple[str, ...]:
    """Name the bins between edges: 18, 35, 50 become `<18`, `18-34`, `35-49`, `50+`.

    An edge belongs to the bin above it. A last whole number is shown where both edges are whole and
    not negative; otherwise the bin is named by both edges, `0.5..<1.5`.
    """
    inner = [_between(low, high) for low, high in pairwise(edges)]
    return (f"<{_text(edges[0])}", *inner, f"{_text(edges[-1])}+")


def bin_codes(numbers: NDArray[np.float64], edges: Sequence[float]) -> NDArray[np.int16]:
    """Return the bin of each number (users,), -1 for nan."""
    codes = np.searchsorted(np.asarray(edges, dtype=np.float64), numbers, side="right")
    return np.where(np.isnan(numbers), -1, codes).astype(np.int16)


def _between(low: float, high: float) -> str:
    if low < 0 or low != int(low) or high != int(high):
        return f"{_text(low)}..<{_text(high)}"
    return _text(low) if high == low + 1 else f"{_text(low)}-{_text(high - 1)}"


def _text(edge: float) -> str:
    return repr(int(edge)) if edge == int(edge) and abs(edge) < 2**53 else repr(float(edge))

"""Order files, as the publisher of the SUSHI data writes them: numbers only, items from 0."""

import re

import numpy as np

from hushrank.errors import HushrankError, require
from hushrank.files.columns import require_held
from hushrank.rankings.coding import rank_type
from hushrank.rankings.profile import Rankings

_HEADER = re.compile(rb"[ \t]*(\d{1,9})[ \t]+1\s*")
_ORDER = re.compile(rb"[ \t]*0[ \t]+\d{1,9}(?:[ \t]+\d{1,9})+\s*")


def is_order_file(text: bytes) -> bool:
    """Tell an order file by its first line, `<number of items> 1`."""
    return _HEADER.fullmatch(text.partition(b"\n")[0]) is not None


def parse_order_file(text: bytes) -> Rankings:
    """Read `<items> 1`, then `0 <length> <item> ... <item>` for each person, best first.

    Items are numbers from 0, which become their names. One row for each person, in the order of
    the file; items that are not listed are unranked.
    Raises HushrankError, with the line, when a line, an item or a length does not fit.
    """
    first, *lines = text.split(b"\n")
    header = _HEADER.fullmatch(first)
    if not header:
        raise HushrankError("line 1: expected '<number of items> 1'")
    n_items = int(header[1])
    require(n_items >= 1, "line 1: expected at least 1 item")
    numbered = [(line, order) for line, order in enumerate(lines, start=2) if order.strip()]
    require(numbered, "line 2: expected at least 1 order")
    require_held(len(numbered), n_items, len(text))
    rows = [_items(order, line, n_items) for line, order in numbered]
    ranks = np.full((len(rows), n_items), np.iinfo(rank_type(n_items)).max, rank_type(n_items), "F")
    for row, items in enumerate(rows):
        ranks[row, items] = np.arange(len(items))
    return Rankings(ranks, tuple(str(item) for item in range(n_items)))


def _items(order: bytes, line: int, n_items: int) -> list[int]:
    require(_ORDER.fullmatch(order), f"line {line}: expected '0 <length> <item> ... <item>'")
    _, length, *items = map(int, order.split())
    require(length == len(items), f"line {line}: expected as many items as the line says")
    require(max(items) < n_items, f"line {line}: expected items of 0..{n_items - 1}")
    require(len(set(items)) == length, f"line {line}: expected each item at most once")
    return items

"""The picture of one order: each item's place, and the places that it may truly have."""

from collections.abc import Iterator, Sequence

from hushrank.arrays import Order
from hushrank.reports.svg import alone, circle, drawing, line, text, wrapped

LETTERS = 34
"""Of Latin on one line of a name, which a phone has room for."""
LINE, BAR, AXIS = 18, 26, 24
"""Pixels of a line of a name, of a bar and of the numbers below."""
MOST_NUMBERS = 12
TITLE = "Each item's place, and the places that it may have"
MOST_TOLD = 3

Intervals = Sequence[tuple[int, int]] | None
"""The best and the worst rank (0 = best) of each item."""


def order_svg(names: Sequence[str], order: Order, intervals: Intervals) -> str:
    """Return the picture as a file of its own."""
    parts, height = _drawn(names, order, intervals)
    return alone(parts, height, title=TITLE, told=told_of_order(names, order, intervals))


def order_drawing(names: Sequence[str], order: Order, intervals: Intervals) -> str:
    """Return the picture as a part of a page."""
    parts, height = _drawn(names, order, intervals)
    return drawing(parts, height, title=TITLE, told=told_of_order(names, order, intervals))


def told_of_order(names: Sequence[str], order: Order, intervals: Intervals) -> str:
    """Say what the picture shows, of the first and the last places."""
    each = [f"{place}: {names[item]}{_span(intervals, item)}" for place, item in _places(order)]
    if len(each) > 2 * MOST_TOLD:
        n_between = len(each) - MOST_TOLD - 1
        each = [*each[:MOST_TOLD], f"{n_between} more, in the table below", each[-1]]
    return "; ".join(each)


def _places(order: Order) -> Iterator[tuple[int, int]]:
    return enumerate(order, start=1)


def _span(intervals: Intervals, item: int) -> str:
    if intervals is None:
        return ""
    best, worst = intervals[item]
    return f", place {best + 1}" if best == worst else f", places {best + 1} to {worst + 1}"


def _drawn(names: Sequence[str], order: Order, intervals: Intervals) -> tuple[list[str], int]:
    rows: list[str] = []
    top = 0
    for place, item in _places(order):
        lines = wrapped(f"{place}. {names[item]}", LETTERS)
        rows += [text(0, top + LINE * (row + 1) - 4, said) for row, said in enumerate(lines)]
        middle = top + LINE * len(lines) + BAR // 2 - 3
        if intervals is not None:
            best, worst = intervals[item]
            rows.append(line(_x(best, order), middle, _x(worst, order), middle, "bar"))
        rows.append(circle(_x(place - 1, order), middle, 5, "dot"))
        top += LINE * len(lines) + BAR
    step = -(-len(order) // MOST_NUMBERS)
    ranks = range(0, len(order), step)
    grid = [line(_x(rank, order), 0, _x(rank, order), top, "grid") for rank in ranks]
    numbers = [
        text(_x(rank, order), top + 16, str(rank + 1), "small", anchor="middle") for rank in ranks
    ]
    return [*grid, *rows, *numbers], top + AXIS


def _x(rank: int, order: Order) -> float:
    """Return where a rank stands, in per cent."""
    return 100 * (rank + 0.5) / len(order)

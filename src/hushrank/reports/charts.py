"""Pictures of numbers: points on axes, bars, falling steps, and a channel in shades."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from hushrank.accounting.words import bits_in_words
from hushrank.arrays import Floats, Shares, WholeNumbers
from hushrank.reports.svg import circle, drawing, line, rectangle, text

LEFT, RIGHT = 12.0, 98.0
"""Per cent of the width between which axes lie: numbers stand left of them."""
HIGH, ROOM = 220, 60
"""Pixels of the axes, and of what stands above and below."""
MOST_STEPS, MOST_BLOCKS = 120, 40
TOP = 24
NAME = 27.0
"""Per cent of the width that the name of a point takes, on a phone."""


def trade_off_drawing(best: Floats, here: tuple[float, float], before: float, unit: str) -> str:
    """Draw leakage in bits against distortion: the best channels, this release, and as it was.

    best (channels, 2): distortion and least leakage; `here` likewise of this release.
    """
    most_x = 1.08 * max(float(best[:, 0].max()), here[0], 1e-12)
    most_y = 1.15 * max(before, here[1], float(best[:, 1].max()), 1e-12)

    def at(x: float, y: float) -> tuple[float, float]:
        return LEFT + (RIGHT - LEFT) * x / most_x, TOP + HIGH * (1 - y / most_y)

    first, last, dots = at(0, before), at(*here), [at(*each) for each in best]
    named = min(last[0], first[0] + NAME), first[1] - 15
    parts = [
        *_axes(most_x, most_y, f"distortion ({unit})", "bits that leak"),
        *(line(*a, *b, "line", ' stroke-dasharray="5 4"') for a, b in pairwise(dots)),
        *(circle(*each, 4, "fill") for each in dots),
        *_marked(first, "as it was", "dot", 7, above=10),
        *_marked(last, "this release", "mark", 8, above=12, others=(*dots, named)),
    ]
    told = (
        f"As it was, {bits_in_words(before)} bits leak at no distortion; this release leaks"
        f" {bits_in_words(here[1])} at {here[0]:.3g}. All numbers stand in the table below"
    )
    return drawing(parts, HIGH + TOP + ROOM, title="Privacy against utility", told=told)


def _marked(
    at: tuple[float, float],
    words: str,
    kind: str,
    size: float,
    *,
    above: float,
    others: Sequence[tuple[float, float]] = (),
) -> tuple[str, str]:
    """Mark a point, and name it above it and above the others that its name would cover."""
    x, y = at
    is_right = x + NAME > 100
    place, anchor, start = (100.0, "end", 100 - NAME) if is_right else (x + 2, "start", x)
    named_at = y - above
    for other, height in sorted(others, key=lambda each: -each[1]):  # from below
        if start <= other <= start + NAME and named_at - 18 < height < named_at + 8:
            named_at = height - 8
    return circle(x, y, size, kind), text(place, named_at, words, anchor=anchor)


def bars_drawing(title: str, rows: Sequence[tuple[str, float, str]]) -> str:
    """Draw a bar a row: its label, its size, and the size in words."""
    largest = max([size for _, size, _ in rows] + [1e-12])
    parts = []
    for number, (label, size, words) in enumerate(rows):
        y = 52 * number
        parts += [
            text(0, y + 16, f"{label}: {words}"),
            rectangle(0, y + 24, max(0.3, 100 * size / largest), 14, "fill"),
        ]
    told = "; ".join(f"{label} {words}" for label, _, words in rows)
    return drawing(parts, 52 * len(rows), title=title, told=told)


def steps_drawing(title: str, sizes: WholeNumbers, of: str, what: str) -> str:
    """Draw numbers as falling steps, the largest first; of very many, means of neighbours."""
    falling = np.sort(sizes)[::-1].astype(np.float64)
    largest, least = (float(falling[at]) if len(falling) else 0.0 for at in (0, -1))
    shown = [float(part.mean()) for part in np.array_split(falling, min(len(falling), MOST_STEPS))]
    width, most = (RIGHT - LEFT) / max(len(shown), 1), max(largest, 1e-12)
    bars = [
        rectangle(
            LEFT + width * at, TOP + HIGH * (1 - size / most), width, HIGH * size / most, "fill"
        )
        for at, size in enumerate(shown)
    ]
    axes = _axes(max(len(falling), 1), most, of, what)
    told = f"{len(falling):,} in all, from {largest:,.0f} down to {least:,.0f}"
    return drawing([*axes, *bars], HIGH + TOP + ROOM, title=title, told=told)


def channel_drawing(title: str, channel: Shares) -> str:
    """Draw P(column | row) as shades, by square roots; of many clusters, means of blocks."""
    n_blocks = min(len(channel), MOST_BLOCKS)
    bounds = np.linspace(0, len(channel), n_blocks + 1).astype(int)[:-1]
    blocks = np.add.reduceat(np.add.reduceat(channel, bounds, axis=0), bounds, axis=1)
    rows = np.diff([*bounds, len(channel)])[:, None]
    shades = np.sqrt(np.clip(blocks / rows, 0, 1))
    wide, high = (RIGHT - LEFT) / n_blocks, HIGH / n_blocks
    cells = [
        rectangle(LEFT + wide * column, TOP + high * row, wide, high, "fill").replace(
            "/>", f' fill-opacity="{shades[row, column]:.2f}"/>'
        )
        for row, column in np.argwhere(shades > 0.03).tolist()
    ]
    stay = float(np.diag(channel).mean())
    parts = [
        *_frame("released cluster", "own cluster"),
        *cells,
    ]
    told = f"In the mean over clusters, {100 * stay:.0f} of 100 users stay in their own"
    return drawing(parts, HIGH + TOP + ROOM, title=title, told=told)


def _axes(most_x: float, most_y: float, x_label: str, y_label: str) -> list[str]:
    """Draw axes from 0 with some round numbers."""
    parts = _frame(x_label, y_label)
    for tick in _round_numbers(most_x):
        x = LEFT + (RIGHT - LEFT) * tick / most_x
        parts.append(text(x, TOP + HIGH + 18, f"{tick:g}", "small", anchor="middle"))
    for tick in _round_numbers(most_y):
        y = TOP + HIGH * (1 - tick / most_y)
        parts.append(text(LEFT - 1.5, y + 4, f"{tick:g}", "small", anchor="end"))
        parts.append(line(LEFT, y, RIGHT, y, "grid"))
    return parts


def _frame(x_label: str, y_label: str) -> list[str]:
    return [
        line(LEFT, TOP + HIGH, RIGHT, TOP + HIGH, "grid"),
        line(LEFT, TOP, LEFT, TOP + HIGH, "grid"),
        text(RIGHT, TOP + HIGH + 40, x_label, "small", anchor="end"),
        text(0, 12, y_label, "small"),
    ]


def _round_numbers(most: float) -> list[float]:
    """Return up to five round numbers from 0 on."""
    unit = 10.0 ** np.floor(np.log10(most))
    step = next(each for each in (0.2, 0.25, 0.5, 1, 2, 5) if most / (each * unit) <= 5) * unit
    return [float(f"{tick:.6g}") for tick in np.arange(0, most, step)]

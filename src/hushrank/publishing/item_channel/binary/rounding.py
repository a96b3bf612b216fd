"""From a point of the smoothed dual to a channel: which moves are made, what columns release.

Theory: docs/theory/item-channel.md
"""

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Indices, Shares
from hushrank.kernels import kernel
from hushrank.publishing.item_channel.binary.options import (
    HIGHEST,
    Items,
    OptionColumns,
    Prices,
    room,
    weigh_options,
)
from hushrank.publishing.item_channel.channel import CompactChannel, compact_channel

LEAST_CHANCE = 1e-5  # of a move: below, the activity stays

Spread = tuple[Indices, Shares]
"""The items that a column releases, and their shares."""


def channel_at(
    items: Items, columns: OptionColumns, prices: Prices, least_chance: float = LEAST_CHANCE
) -> CompactChannel:
    """Return the channel of the soft minimum, without moves of less than the least chance."""
    starts, column, chances = _moves(items, columns, prices, least_chance)
    of_entry = np.repeat(np.arange(len(items.weights)), np.diff(starts))
    masses = items.weights[of_entry] * chances
    n_columns = len(prices.tilts)
    arrived = np.bincount(column, masses, n_columns).astype(float)
    excess = np.bincount(column, masses * items.posteriors[of_entry], n_columns).astype(float)
    stays = items.weights - np.bincount(of_entry, masses, len(items.weights))
    spreads = _spreads(items, columns, stays, arrived, excess)
    releases = arrived[column] > 0  # where items of probability 0 alone would go, nothing is
    starts = np.append(0, np.cumsum(releases))[starts]
    return compact_channel(starts, column[releases], chances[releases], spreads)


@kernel
def _moves(
    items: Items, columns: OptionColumns, prices: Prices, least: float
) -> tuple[Indices, Indices, Shares]:
    """Return the chances of moves above `least`, row after row: starts, columns, chances."""
    n_items, n_columns = len(items.weights), len(prices.tilts)
    starts, into = np.zeros(n_items + 1, np.intp), room(n_columns)
    to, chances = np.empty(4 * n_items + n_columns, np.intp), np.empty(4 * n_items + n_columns)
    n_moves = 0
    for item in range(n_items):
        n_possible, _ = weigh_options(item, items, columns, prices, into)
        if n_moves + n_columns > len(to):
            to = np.concatenate((to, np.empty_like(to)))
            chances = np.concatenate((chances, np.empty_like(chances)))
        for nth in range(n_possible):
            if into.chances[nth] >= least:
                to[n_moves], chances[n_moves] = into.columns[nth], into.chances[nth]
                n_moves += 1
        starts[item + 1] = n_moves
    return starts, to[:n_moves].copy(), chances[:n_moves].copy()


def _spreads(
    items: Items, columns: OptionColumns, stays: Shares, arrived: Shares, excess: Shares
) -> list[Spread]:
    """Return what each column releases: the items of its class, in which shares.

    What arrives in a column is a mixture with one posterior. It fills the items of the class that
    lie furthest from it up to one common level, which leaks least of all ways to spread it.
    """
    nothing = np.empty(0, dtype=np.intp), np.empty(0)
    spreads: list[Spread] = [nothing] * len(arrived)
    order = np.argsort(items.classes, kind="stable")
    firsts = np.searchsorted(items.classes[order], np.arange(len(columns.of_class) + 1))
    for of_class, pair in enumerate(columns.of_class):
        here = order[firsts[of_class] : firsts[of_class + 1]]
        used = np.array([column for column in pair if column >= 0 and arrived[column] > 0], int)
        upwards = columns.kinds[used] != HIGHEST
        mixtures = upwards, arrived[used], excess[used] / arrived[used]
        fills = _fill_class(items.posteriors[here], stays[here], *mixtures)
        for column, fill in zip(used, fills, strict=True):
            kept = fill > 0
            spreads[column] = here[kept], fill[kept] / fill.sum()
    return spreads


def _fill_class(
    posteriors: Shares, stays: Shares, upwards: NDArray[np.bool_], masses: Shares, means: Shares
) -> list[Shares]:
    """Return how much every item (items,) gets of each of the class's mixtures, at most two."""
    mixtures = list(zip(upwards, masses, means, strict=True))
    filled = [_filled(posteriors, stays, *mixture) for mixture in mixtures]
    crossed = len(filled) == 2 and filled[0][1] > filled[1][1]
    return _levelled(posteriors, stays, masses, means) if crossed else [fill for fill, _ in filled]


def _filled(
    posteriors: Shares, stays: Shares, upwards: bool, mass: float, mean: float
) -> tuple[Shares, float]:
    """Return how much each item gets of a mixture of posterior `mean`, and the filled level."""
    sign = 1.0 if upwards else -1.0
    heights, target = sign * posteriors, sign * mean
    order = np.argsort(heights, kind="stable")
    sums = np.cumsum(stays[order])
    levels = (mass * target + np.cumsum(stays[order] * heights[order])) / (mass + sums)
    n_filled = int(np.argmax(np.append(heights[order][1:], np.inf) >= levels)) + 1
    level = levels[n_filled - 1]
    fill = np.zeros_like(stays)
    filled = order[:n_filled]
    fill[filled] = stays[filled] * np.maximum(level - heights[filled], 0)
    if fill.sum() <= 0:  # nothing to lift: the most extreme item takes it all
        fill[order[0]] = 1.0
    return fill * (mass / fill.sum()), sign * float(level)


def _levelled(posteriors: Shares, stays: Shares, masses: Shares, means: Shares) -> list[Shares]:
    """Return how mixtures from both sides bring all items of a class to one posterior."""
    total = stays.sum() + masses.sum()
    level = (stays @ posteriors + masses @ means) / total
    fills = []
    for nth in range(2):
        apart = abs(means[nth] - level)
        needs = stays * np.maximum((level - posteriors) * (1 - 2 * nth), 0)
        fill = needs / apart if apart > 0 else np.zeros_like(stays)
        fills.append(fill + max(0.0, masses[nth] - fill.sum()) * _evenly(stays))
    return fills


def _evenly(stays: Shares) -> Shares:
    total = stays.sum()
    return stays / total if total > 0 else np.full_like(stays, 1 / len(stays))

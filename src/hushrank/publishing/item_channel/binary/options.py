"""What an activity can do when there are two private values, and at what value.

What items of one class show lies in one interval of posteriors, whose two ends are the columns of
the class; a class of one item has one column. An item stays or moves to a column of any class. If
it stays, it shows its own posterior where that lies inside the interval of its class; where it lies
beyond an end, the item shows the posterior of that column, which what moves there brings about.
To show the posterior q of a column, of tilt θ = logit q - logit p, is worth
x θ - log(1 - p + p e^θ) to an item of posterior x, and a move costs the price times the parts of
both classes on top. The dual is the mean over items of the least value. The smoothed dual takes the
soft minimum instead, whose weights, the chances, are the channel.
Theory: docs/theory/item-channel.md
"""

from typing import NamedTuple

import numpy as np

from hushrank.arrays import Indices, Shares
from hushrank.kernels import kernel, kernel_with

LOWEST, HIGHEST, ONLY = 0, 1, 2  # which posterior of a class a column is; ONLY: of its one item
SMALLEST_CHANCE = 16.0  # -log of the smallest chance, relative to the largest, that is not 0


class Items(NamedTuple):
    """What the kernels know of each item (items,).

    leakages: the value of staying at the own posterior; where it and the tilt are infinite, as
    without leakage, an item that stays shows the posterior of a column.
    """

    posteriors: Shares
    weights: Shares
    tilts: Shares
    leakages: Shares
    classes: Indices
    parts: Shares


class OptionColumns(NamedTuple):
    """The class, kind and part of each column (columns,); of_class (classes, 2): its columns or -1.

    within: what a move inside one class costs on top of the parts.
    """

    classes: Indices
    kinds: Indices
    parts: Shares
    of_class: Indices
    within: float


class Prices(NamedTuple):
    """A point of the dual, as the kernels need it, and the temperature of the soft minimum.

    Of each column: tilt θ, normaliser L(θ) = log(1 - p + p e^θ), and its first two derivatives,
    which are the column's posterior q and q (1 - q).
    """

    tilts: Shares
    normalisers: Shares
    posteriors: Shares
    curvatures: Shares
    price: float
    temperature: float


class ItemOptions(NamedTuple):
    """Room for what one item can do (columns + 2,): column, value, chance, slope, cost."""

    columns: Indices
    values: Shares
    chances: Shares
    slopes: Shares
    costs: Shares


@kernel
def room(n_columns: int) -> ItemOptions:
    """Return room for the options of one item."""
    size = n_columns + 2
    return ItemOptions(
        np.empty(size, np.intp), np.empty(size), np.empty(size), np.empty(size), np.empty(size)
    )


@kernel_with(inline="always")
def stay_is_own(tilt: float, kind: int, column_tilt: float) -> bool:
    """Return whether an item that stays shows its own posterior, not lying beyond the column's."""
    if kind == LOWEST:
        return tilt >= column_tilt
    return kind == HIGHEST and tilt <= column_tilt


@kernel_with(inline="always")
def value_options(
    item: int, items: Items, columns: OptionColumns, prices: Prices, into: ItemOptions
) -> float:
    """Fill in the value of every option of one item, moves first, then stays; return the least."""
    posterior, of_class = items.posteriors[item], items.classes[item]
    leaving, least, n_columns = prices.price * items.parts[item], np.inf, len(prices.tilts)
    for column in range(n_columns):
        value = posterior * prices.tilts[column] - prices.normalisers[column]
        value += leaving + prices.price * columns.parts[column]
        if columns.classes[column] == of_class:
            value += prices.price * columns.within
        into.values[column] = value
        least = min(least, value)
    for nth in range(2):
        column, value = columns.of_class[of_class, nth], np.inf
        if column >= 0:
            value = posterior * prices.tilts[column] - prices.normalisers[column]
            if stay_is_own(items.tilts[item], columns.kinds[column], prices.tilts[column]):
                value = items.leakages[item]
        into.values[n_columns + nth] = value
        least = min(least, value)
    return least


@kernel_with(inline="always")
def soft_value(least: float, prices: Prices, into: ItemOptions) -> float:
    """Return the soft minimum of the values."""
    total, reach = 0.0, least + SMALLEST_CHANCE * prices.temperature
    for value in into.values:
        if value < reach:
            total += np.exp((least - value) / prices.temperature)
    return float(least - prices.temperature * np.log(total))


@kernel_with(inline="always")
def column_slope(
    item: int, column: int, items: Items, columns: OptionColumns, prices: Prices
) -> float:
    """Return the derivative by its tilt of what a column is worth to an item that stays in it."""
    if stay_is_own(items.tilts[item], columns.kinds[column], prices.tilts[column]):
        return 0.0
    return float(items.posteriors[item] - prices.posteriors[column])


@kernel_with(inline="always")
def move_cost(item: int, column: int, items: Items, columns: OptionColumns) -> float:
    """Return what a move to a column costs."""
    cost = items.parts[item] + columns.parts[column]
    within = columns.within if columns.classes[column] == items.classes[item] else 0.0
    return float(cost + within)


@kernel_with(inline="always")
def weigh_options(
    item: int, items: Items, columns: OptionColumns, prices: Prices, into: ItemOptions
) -> tuple[int, int]:
    """Put the options of positive chance to the front; return how many moves, and options, lead.

    The chances are those of the soft minimum; slopes, costs: derivatives of the value by the tilt
    of the option's column and by the price. Moves come first, then stays.
    """
    least = value_options(item, items, columns, prices, into)
    n_columns, n_options, n_moves, total = len(prices.tilts), 0, 0, 0.0
    for option in range(n_columns + 2):
        warmth = (least - into.values[option]) / prices.temperature
        if warmth <= -SMALLEST_CHANCE:
            continue
        if option < n_columns:
            column, n_moves = option, n_moves + 1
            into.costs[n_options] = move_cost(item, column, items, columns)
            into.slopes[n_options] = items.posteriors[item] - prices.posteriors[column]
        else:
            column = columns.of_class[items.classes[item], option - n_columns]
            into.costs[n_options] = 0.0
            into.slopes[n_options] = column_slope(item, column, items, columns, prices)
        into.columns[n_options], into.chances[n_options] = column, np.exp(warmth)
        total += into.chances[n_options]
        n_options += 1
    into.chances[:n_options] /= total
    return n_moves, n_options

"""The smoothed dual for two private values, with its gradient and its Hessian.

Theory: docs/theory/item-channel.md
"""

import numpy as np

from hushrank.arrays import Shares
from hushrank.kernels import kernel, kernel_with
from hushrank.publishing.item_channel.binary.options import (
    ItemOptions,
    Items,
    OptionColumns,
    Prices,
    room,
    soft_value,
    value_options,
    weigh_options,
)


@kernel
def dual_values(items: Items, columns: OptionColumns, prices: Prices) -> tuple[float, float]:
    """Return the smoothed dual and the dual itself, both without the budget's term."""
    into, soft, hard = room(len(prices.tilts)), 0.0, 0.0
    for item in range(len(items.weights)):
        if items.weights[item] > 0:
            least = value_options(item, items, columns, prices, into)
            soft += items.weights[item] * soft_value(least, prices, into)
            hard += items.weights[item] * least
    return soft, hard


@kernel
def dual_derivatives(
    items: Items, columns: OptionColumns, prices: Prices, gradient: Shares, hessian: Shares
) -> None:
    """Fill in the derivatives by tilts, then by the price, without the budget's term."""
    n_columns = len(prices.tilts)
    into, masses = room(n_columns), np.zeros(n_columns)
    gradient[:], hessian[:] = 0.0, 0.0
    for item in range(len(items.weights)):
        weight = items.weights[item]
        if weight > 0:
            _, n_options = weigh_options(item, items, columns, prices, into)
            add_gradient(weight, n_options, into, gradient, masses)
            if n_options > 1:
                add_spread(weight / prices.temperature, n_options, into, hessian)
    for column in range(n_columns):
        hessian[column, column] -= masses[column] * prices.curvatures[column]
        hessian[n_columns, column] = hessian[column, n_columns]


@kernel_with(inline="always")
def add_gradient(
    weight: float, n_options: int, into: ItemOptions, gradient: Shares, masses: Shares
) -> None:
    """Add one item's mean slopes and cost to the gradient, and its chances to the masses."""
    for nth in range(n_options):
        column = into.columns[nth]
        mass = weight * into.chances[nth]
        gradient[column] += mass * into.slopes[nth]
        gradient[-1] += mass * into.costs[nth]
        if into.slopes[nth] != 0.0:
            masses[column] += mass


@kernel_with(inline="always")
def add_spread(scale: float, n_options: int, into: ItemOptions, hessian: Shares) -> None:
    """Subtract the scaled covariance of one item's slopes and costs under its chances."""
    last, mean_cost = len(hessian) - 1, 0.0
    for nth in range(n_options):
        mean_cost += into.chances[nth] * into.costs[nth]
    for nth in range(n_options):
        chance = scale * into.chances[nth]
        column, slope = into.columns[nth], into.slopes[nth]
        apart = into.costs[nth] - mean_cost
        hessian[column, last] -= chance * slope * apart
        hessian[last, last] -= chance * into.costs[nth] * apart
        if slope == 0.0:
            continue
        hessian[column, column] -= chance * slope * slope
        row, lever = hessian[column], chance * slope
        for other in range(n_options):
            row[into.columns[other]] += lever * into.chances[other] * into.slopes[other]

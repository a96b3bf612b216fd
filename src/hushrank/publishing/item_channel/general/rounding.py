"""From chances between cells to a channel between items, which is improved item by item.

Theory: docs/theory/item-channel.md
"""

import numpy as np
from scipy.special import rel_entr

from hushrank.arrays import Indices, Integers32, Shares
from hushrank.kernels import kernel
from hushrank.publishing.item_channel.channel import CompactChannel, compact_channel
from hushrank.publishing.item_channel.general.cells import Cells
from hushrank.publishing.item_channel.general.dual import Chances, ItemTable
from hushrank.publishing.item_channel.general.mirror_descent import CellChannel, Limits, improve

MIRROR_STEPS = 120
MOST_MOVES = 80_000  # of all items together; half evenly, half by weight
FEWEST_MOVES = 16  # that an item may have
GOLDEN = (5**0.5 - 1) / 2  # its multiples spread evenly
LEAST_CHANCE = 1e-4  # of a move: below, the activity stays


def channel_of_cells(
    items: ItemTable, cells: Cells, chances: Chances, price: float, budget: float, enough: float
) -> CompactChannel:
    """Return a channel that begins with each item moving as its cell does, then is improved.

    Each cell is a column; of what arrives there its items first get their shares by weight.
    enough: the leakage, in nats, below which it is good.
    """
    of_items, prior = cells.of_items, items.weights @ items.posteriors
    moves = _moves(chances, of_items, items.weights)
    through = CellChannel(moves, _by_weight(items.weights, of_items), of_items)
    own = float(items.weights @ rel_entr(items.posteriors, prior).sum(axis=1))
    improve(items, cells.table, prior, through, price, Limits(budget, enough, own, MIRROR_STEPS))
    kept = through.moves.chances >= LEAST_CHANCE
    starts = np.append(0, np.cumsum(kept))[through.moves.starts]
    order = np.argsort(of_items, kind="stable")
    firsts = np.searchsorted(of_items[order], np.arange(1, len(cells.table.weights)))
    spreads = [(here, through.spreads[here]) for here in np.split(order, firsts)]
    return compact_channel(starts, through.moves.cells[kept], through.moves.chances[kept], spreads)


@kernel
def _moves(chances: Chances, of_items: Indices, weights: Shares) -> Chances:
    """Return the chances of items to move: those of their cell, but for staying in it.

    Of too many a systematic sample is taken, of equal chances, which differs from item to item.
    """
    evenly, n_kept = max(FEWEST_MOVES, MOST_MOVES // (2 * len(of_items))), 0
    size = len(of_items) * evenly + MOST_MOVES // 2
    starts = np.zeros(len(of_items) + 1, np.int64)
    to, kept = np.empty(size, np.int32), np.empty(size)
    taken = np.empty(len(chances.starts))
    for item in range(len(of_items)):
        cell, most = of_items[item], evenly + int(weights[item] * (MOST_MOVES // 2))
        first, last = chances.starts[cell], chances.starts[cell + 1]
        here = chances.cells[first:last]
        _take(here, chances.chances[first:last], cell, (item * GOLDEN) % 1.0, most, taken)
        for nth in range(last - first):
            if taken[nth] > 0 and n_kept - starts[item] < most:
                to[n_kept], kept[n_kept] = here[nth], taken[nth]
                n_kept += 1
        starts[item + 1] = n_kept
    return Chances(starts, to[:n_kept].copy(), kept[:n_kept].copy())


@kernel
def _take(
    cells: Integers32, chances: Shares, own: int, shift: float, most: int, taken: Shares
) -> None:
    """Fill in the chances that leave a cell; where they are more than `most`, a sample of them."""
    total, n_leaving, passed = 0.0, 0, 0.0
    for nth in range(len(cells)):
        taken[nth] = chances[nth] if cells[nth] != own and chances[nth] > LEAST_CHANCE else 0.0
        total += taken[nth]
        n_leaving += taken[nth] > 0
    each = total / most
    mark = each * shift
    for nth in range(len(cells) if n_leaving > most else 0):
        passed += taken[nth]
        taken[nth] = 0.0
        while mark < passed:
            taken[nth] += each
            mark += each


def _by_weight(weights: Shares, of_items: Indices) -> Shares:
    """Return each item's share of its cell; a little to items that nobody uses."""
    filled = weights + 1e-9 / len(weights)
    shares: Shares = filled / np.bincount(of_items, filled)[of_items]
    return shares

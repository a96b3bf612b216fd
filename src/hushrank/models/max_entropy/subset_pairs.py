"""Joint ranks of two items under a model of orders, over the sets of items placed so far."""

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Floats
from hushrank.kernels import kernel
from hushrank.models.max_entropy.subset_passes import Passes, open_items, set_sizes


def joint_ranks(passes: Passes) -> Floats:
    """Return P(rank of a = r, rank of b = s) for each pair a < b: (pairs, ranks, ranks).

    Pairs in lexicographic order, as in `rankings.marginals`. Cost: O(items^3 2^items).
    """
    n_items = passes.nexts.shape[1]
    ordered = np.zeros((n_items, n_items, n_items, n_items))
    for item in range(n_items):
        _add_later(item, passes.nexts, passes.reached, ordered[:, :, item])
    first, second = np.triu_indices(n_items, k=1)
    joint: Floats = ordered[first, :, second] + ordered[second, :, first].transpose(0, 2, 1)
    return joint


@kernel
def _add_later(later: int, nexts: Floats, reached: Floats, joint: Floats) -> None:
    """Add P(rank of a = r < rank of `later` = s) to joint (items, ranks, ranks).

    ahead[S, s] = P(`later` has the rank s | S is passed), for sets without it, the largest first.
    """
    n_sets, n_items = nexts.shape
    sizes = set_sizes(n_items)
    ahead = np.zeros((n_sets, n_items))
    items = np.zeros(n_items + 1, dtype=np.int64)
    for placed in range(n_sets - 1, -1, -1):
        if not placed >> later & 1:
            size, here = sizes[placed], ahead[placed]
            here[size] = nexts[placed, later]
            for nth in range(open_items(placed | 1 << later, n_items, items)):
                item = items[nth]
                share, chance = nexts[placed, item], nexts[placed, item] * reached[placed]
                _add_scaled(ahead[placed | 1 << item], share, here)
                _add_scaled(ahead[placed | 1 << item], chance, joint[item, size])


@kernel
def _add_scaled(added: NDArray[np.float64], scale: float, total: NDArray[np.float64]) -> None:
    for place in range(added.size):
        total[place] += scale * added[place]

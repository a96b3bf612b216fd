"""Lattice points of permutohedra, numbered by trees: each point once.

The body B = sum over pairs a < b of [-1, 1] (e_b - e_a) holds the centred scores of every ballot,
ties and unranked items included. Its multiple jB is moved by an infinitesimal v of sum 0, which is
positive but for the last item: so no whole vector of sum 0 lies on the boundary of jB + v.
Theory: docs/theory/exact-sampling.md.
"""

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Counts, Words
from hushrank.kernels import kernel

Tree = NDArray[np.int64]
"""(items,): a spanning tree of the items, or the order in which Prüfer's code takes them off."""


def lattice_points(tree_codes: Words, radii: Counts, steps: Counts) -> Counts:
    """Return the whole vectors of jB + v that codes and steps number: (draws, items), sums 0.

    A tiling of jB has one tile for each tree of the items. A tile has an edge of length 2j for each
    edge of the tree, so that one of 2j steps along each edge, away from the tree's root, the last
    item, chooses a point. All m^(m-2) (2j)^(m-1) choices give different points, and all points.
    Codes (draws, items - 2) of items (Prüfer's), radii (draws,) of j >= 1, steps (draws, items - 1)
    of 1..2j. Arithmetic is modulo 2^64.
    Cost: O(items^2) a draw.
    Source: Shephard (Canadian J. Math. 1974), tiles; Stanley (DIMACS 4, 1991), trees.
    """
    points = np.zeros((len(radii), steps.shape[1] + 1), dtype=np.int64)
    _fill_points(tree_codes.astype(np.int64), radii, steps, points)
    return points


@kernel
def _fill_points(tree_codes: Counts, radii: Counts, steps: Counts, points: Counts) -> None:
    n_items = points.shape[1]
    taken, parents = np.empty(n_items, dtype=np.int64), np.empty(n_items, dtype=np.int64)
    highest = np.zeros((n_items, n_items), dtype=np.int64)
    for draw in range(len(radii)):
        _decode(tree_codes[draw], taken, parents)
        _find_highest_edges(taken, parents, highest)
        _add_corner(highest, radii[draw], points[draw])
        for edge in range(n_items - 1):  # child - parent, from the middle of the tile's edge
            step = steps[draw, edge] - radii[draw]
            points[draw, taken[edge]] += step
            points[draw, parents[edge]] -= step


@kernel
def _decode(code: Tree, taken: Tree, parents: Tree) -> None:
    """Fill in the leaves in the order they are taken off, with parents; the last item is left."""
    degrees = np.ones(len(taken), dtype=np.int64)
    for item in code:
        degrees[item] += 1
    next_leaf = leaf = np.argmax(degrees == 1)
    for edge, parent in enumerate(code):
        taken[edge], parents[edge] = leaf, parent
        degrees[leaf] = 0
        degrees[parent] -= 1
        if degrees[parent] == 1 and parent < next_leaf:
            leaf = parent
        else:
            while degrees[next_leaf] != 1:
                next_leaf += 1
            leaf = next_leaf
    taken[-2], parents[-2] = leaf, len(taken) - 1
    taken[-1] = parents[-1] = len(taken) - 1


@kernel
def _height(a: int, b: int) -> int:
    """Number the pairs from 1."""
    low, high = min(a, b), max(a, b)
    return high * (high - 1) // 2 + low + 1


@kernel
def _find_highest_edges(taken: Tree, parents: Tree, highest: Counts) -> None:
    """Fill in the highest edge on the tree's way from u to v: > 0 where it leads up in number."""
    for edge in range(len(taken) - 2, -1, -1):  # from the root on
        leaf, parent = taken[edge], parents[edge]
        height = _height(leaf, parent)
        last = height if parent < leaf else -height
        for item in taken[edge + 1 :]:
            before = highest[item, parent] if item != parent else 0
            way = last if height > abs(before) else before
            highest[item, leaf], highest[leaf, item] = way, -way


@kernel
def _add_corner(highest: Counts, radius: int, point: Counts) -> None:
    """Add j (e_b - e_a) or its opposite for each pair outside the tree: the tile's middle.

    Pair e is lifted by 2^height(e); the lower faces of the lifted body are the tiles. A pair a < b
    is at its positive end where the signed sum of lifts along the tree's way from a to b exceeds
    its own lift, and that is decided by the highest of them all.
    """
    for b in range(len(point)):
        for a in range(b):
            height = _height(a, b)
            if abs(highest[a, b]) != height:
                push = radius if highest[a, b] > height else -radius
                point[b] += push
                point[a] -= push

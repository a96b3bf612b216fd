"""Draw whole numbers from fractions so that every row and every column keeps its sum."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Floats, Integers
from hushrank.errors import require
from hushrank.kernels import kernel
from hushrank.randomness import Randomness

NEGLIGIBLE = 1e-9
"""Fractions so near 0 or 1 are whole: sums of floats are no more exact."""


@dataclass(frozen=True, eq=False, repr=False)
class Edges:
    """The uncertain entries of a matrix, as edges of a graph between its rows and its columns.

    ends (edges, 2) are the row of an entry and its column, columns numbered after all rows; the
    edges of vertex v are lists[starts[v] : starts[v + 1]].
    """

    ends: Integers
    starts: Integers
    lists: Integers

    @classmethod
    def of(cls, rows: Integers, columns: Integers, n_rows: int, n_columns: int) -> "Edges":
        """Take the rows and columns (edges,) of the entries."""
        ends = np.column_stack([rows, n_rows + columns])
        degrees = np.bincount(ends.ravel(), minlength=n_rows + n_columns)
        starts = np.concatenate([[0], degrees.cumsum()])
        lists = np.argsort(ends.ravel(), kind="stable") // 2
        return cls(ends.astype(np.int64), starts.astype(np.int64), lists.astype(np.int64))


class _Graph(NamedTuple):
    """Edges, and which of each vertex's are still uncertain: lists[starts[v] : stops[v]]."""

    ends: Integers
    starts: Integers
    stops: Integers
    lists: Integers


class _Walk(NamedTuple):
    """The vertices of a walk, the edges between them, and each vertex's place in it or -1."""

    vertices: Integers
    edges: Integers
    places: Integers


def round_dependently(
    rows: Integers, columns: Integers, chances: Floats, shape: tuple[int, int], *, rng: Randomness
) -> NDArray[np.bool_]:
    """Draw which entries (entries,) become 1: each does with its chance, and else becomes 0.

    The sums of rows and of columns, which must be whole, stay as they are. How many words are
    drawn depends on the number of entries alone. The proof is on the theory page.
    Raises HushrankError when a sum is not whole, to 1e-3.
    Source: Gandhi, Khuller, Parthasarathy, Srinivasan (JACM 2006).
    """
    _require_whole_sums(rows, columns, chances, shape)
    settled = np.where(chances > 1 - NEGLIGIBLE, 1.0, chances)
    settled[settled < NEGLIGIBLE] = 0.0
    coins = (rng.words(len(settled)) >> np.uint64(11)) / 2.0**53
    graph = Edges.of(rows, columns, *shape)
    _settle(settled, coins, _Graph(graph.ends, graph.starts, graph.starts[1:].copy(), graph.lists))
    taken: NDArray[np.bool_] = settled == 1.0
    return taken


def _require_whole_sums(
    rows: Integers, columns: Integers, chances: Floats, shape: tuple[int, int]
) -> None:
    possible = bool(((chances >= 0) & (chances <= 1)).all())
    require(possible, "expected chances from 0 to 1")
    for numbers, size in zip((rows, columns), shape, strict=True):
        sums = np.bincount(numbers, chances, minlength=size)
        whole = bool((np.abs(sums - np.round(sums)) < 1e-3).all())
        require(whole, "expected rows and columns of chances with whole sums")


@kernel
def _settle(chances: Floats, coins: Floats, graph: _Graph) -> None:
    """Walk from each vertex in turn, until all chances are whole."""
    n_vertices = len(graph.stops)
    vertices, edges = np.zeros(n_vertices + 1, np.int64), np.zeros(n_vertices + 1, np.int64)
    walk = _Walk(vertices, edges, np.full(n_vertices, -1))
    n_coins = 0
    for first in range(n_vertices):
        n_coins = _walk_from(first, chances, coins, n_coins, graph, walk)


@kernel
def _walk_from(
    first: int, chances: Floats, coins: Floats, n_coins: int, graph: _Graph, walk: _Walk
) -> int:
    """Walk along uncertain edges, and shift chances around each circle; return the coins used."""
    vertices, edges, places = walk
    vertices[0], places[first], length = first, 0, 0
    while length >= 0:
        here, came = vertices[length], edges[length - 1] if length else -1
        edge = _another(here, came, chances, graph)
        if edge < 0:  # the end: what floats left of a single edge is nearly whole
            if length:
                chances[came] = np.round(chances[came])
            places[here], length = -1, length - 1
            continue
        edges[length], there = edge, graph.ends[edge, 0] + graph.ends[edge, 1] - here
        start = places[there]
        if start < 0:
            length += 1
            vertices[length], places[there] = there, length
        else:
            _shift(chances, edges[start : length + 1], coins[n_coins])
            places[vertices[start + 1 : length + 1]] = -1
            n_coins, length = n_coins + 1, start
    return n_coins


@kernel
def _another(vertex: int, came: int, chances: Floats, graph: _Graph) -> int:
    """Return an uncertain edge of the vertex other than the one it came by; -1 without one."""
    _, starts, stops, lists = graph
    place = stops[vertex] - 1
    while place >= starts[vertex]:
        edge = lists[place]
        if chances[edge] == 0.0 or chances[edge] == 1.0:
            stops[vertex] -= 1
            lists[place] = lists[stops[vertex]]
        elif edge != came:
            return int(edge)
        place -= 1
    return -1


@kernel
def _shift(chances: Floats, circle: Integers, coin: float) -> None:
    """Move chance between every other edge of a circle and the rest; one at least gets whole.

    Exactly so: c - c is 0, and c + (1 - c) rounds to 1 for every float c from 0 to 1.
    """
    up, down = 1.0, 1.0
    for nth, edge in enumerate(circle):
        own, room = chances[edge], 1.0 - chances[edge]
        up = min(up, room if nth % 2 == 0 else own)
        down = min(down, own if nth % 2 == 0 else room)
    moved = up if coin * (up + down) < down else -down
    for nth, edge in enumerate(circle):
        chances[edge] += moved if nth % 2 == 0 else -moved

"""Number orders and interleavings, and find them again by their numbers."""

from functools import cache
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Categories, Orders, Ranks
from hushrank.errors import require

MOST_ITEMS_OF_AN_INDEX = 20  # 21! does not fit in 64 bits


def rank_type(n_items: int) -> np.dtype[np.unsignedinteger[Any]]:
    """Return the smallest unsigned type that holds n_items ranks and one sentinel."""
    require(n_items < 2**16 - 1, f"expected fewer than 65,535 items, got {n_items}")
    return np.dtype(np.uint8 if n_items < 255 else np.uint16)


def lexicographic_index(orders: Orders) -> Categories:
    """Map orders (people, s) of the items 0..s-1 to their lexicographic indices (people,)."""
    n_places = orders.shape[1]
    require(n_places <= MOST_ITEMS_OF_AN_INDEX, f"expected at most 20 items, got {n_places}")
    columns: Ranks = np.asfortranarray(orders, dtype=rank_type(n_places))
    index = np.zeros(len(orders), dtype=np.intp)
    for place in range(n_places):
        smaller_later = np.zeros(len(orders), dtype=columns.dtype)
        for later in range(place + 1, n_places):
            smaller_later += columns[:, later] < columns[:, place]
        index *= n_places - place  # Horner's rule: digit d counts (s - 1 - d)!
        index += smaller_later
    return index


def orders_at(indices: Categories, n_items: int) -> Orders:
    """Map lexicographic indices (people,) to orders (people, n_items), the inverse."""
    require(n_items <= MOST_ITEMS_OF_AN_INDEX, f"expected at most 20 items, got {n_items}")
    remaining = indices.astype(np.min_scalar_type(factorial(n_items) - 1))  # short words: faster
    orders = np.empty((len(indices), n_items), dtype=np.uint8, order="F")
    for place in reversed(range(n_items)):
        without_digit = remaining // (n_items - place)  # by one number: far faster than divmod
        orders[:, place] = remaining - without_digit * (n_items - place)
        remaining = without_digit
    for place in reversed(range(n_items - 1)):  # a Lehmer digit counts the smaller items left over
        for later in range(place + 1, n_items):
            orders[:, later] += orders[:, later] >= orders[:, place]
    return orders


def inverse(permutations: Orders | Ranks) -> Ranks:
    """Map orders to ranks, or ranks to orders: (people, s) permutations of 0..s-1."""
    inverted = np.empty(permutations.shape, dtype=rank_type(permutations.shape[1]), order="F")
    for place in range(permutations.shape[1]):
        np.put_along_axis(inverted, permutations[:, place, None].astype(np.intp), place, axis=1)
    return inverted


def ranks_within(ranks: Ranks, items: tuple[int, ...], among: tuple[int, ...]) -> Ranks:
    """Return the ranks (people, len(items)) that `items` have among the items `among`."""
    within = np.empty((len(ranks), len(items)), dtype=ranks.dtype, order="F")
    others = ranks.T[list(among)]  # all at once: of one person a thousand items take milliseconds
    for column, item in enumerate(items):
        np.sum(others < ranks[:, item], axis=0, dtype=ranks.dtype, out=within[:, column])
    return within


@cache
def triplets(n_items: int) -> tuple[tuple[int, int, int], ...]:
    """Return all distinct (item, first, second) with first < second, in lexicographic order."""
    items = range(n_items)
    pairs = tuple(combinations(items, 2))
    return tuple((item, *pair) for item in items for pair in pairs if item not in pair)


def interleaving_index(places: Ranks, n_places: int) -> Categories:
    """Map the places (people, s), of n_places, that one part takes to indices (people,).

        index = sum_i C(place_i, i)      place_1 < place_2 < ... : colexicographic

    The order of the columns does not matter. One item: index = place. What is computed depends on
    the shape alone, so that no person's places can make it fail. place_i lies between i - 1 and
    i - 1 + n_places - s, as the others need room: those C(place, i) are sums of C(place, i - 1).
    """
    index = np.zeros(len(places), dtype=np.intp)
    ways = np.ones(n_places - places.shape[1] + 1, dtype=np.intp)
    ways[0] = 0
    for below, place in enumerate(np.sort(places, axis=1).T):
        np.cumsum(ways, out=ways)
        index += ways[place - below]
    return index


@cache
def interleavings(n_left: int, n_right: int) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the places of the left part (C, n_left) and of the right part (C, n_right).

    Row c is the interleaving of index c; C = (n_left + n_right)! / (n_left! n_right!).
    """
    places = range(n_left + n_right)
    colexicographic = sorted(combinations(places, n_left), key=lambda left: left[::-1])
    left = np.array(colexicographic, dtype=np.uint8).reshape(-1, n_left)
    right = np.array(
        [[at for at in places if at not in taken] for taken in map(set, colexicographic)],
        dtype=np.uint8,
    ).reshape(len(left), n_right)
    left.setflags(write=False)
    right.setflags(write=False)
    return left, right

"""Arrays of ranks: ties share the best rank, and what is not ranked holds a sentinel."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Ranks, Words
from hushrank.rankings.coding import rank_type

FEW_ITEMS = 64
"""Up to here, comparing columns beats sorting rows, where there are many."""
MANY_ROWS = 100
"""For each item, so many are many."""


def unranked(ranks: Ranks) -> int:
    """Return the sentinel that marks an item as not ranked: the largest value of the type."""
    return int(np.iinfo(ranks.dtype).max)


def competition_ranks(keys: NDArray[Any], is_ranked: NDArray[np.bool_]) -> Ranks:
    """Rank the items (people, items) by ascending key; ties share the best rank ("1224").

    Items that are not ranked get the sentinel and count for nobody.
    """
    n_rows, n_items = keys.shape
    is_quicker = n_items <= FEW_ITEMS and n_rows >= MANY_ROWS * n_items
    ranks = (_compared if is_quicker else _sorted)(keys, is_ranked)
    ranks[~is_ranked] = unranked(ranks)
    return ranks


def _compared(keys: NDArray[Any], is_ranked: NDArray[np.bool_]) -> Ranks:
    """Count for each item how many others are ranked better, a column at a time."""
    keys, is_ranked = np.asfortranarray(keys), np.asfortranarray(is_ranked)
    n_items = keys.shape[1]
    ranks = np.zeros(keys.shape, dtype=rank_type(n_items), order="F")
    for item in range(n_items):
        for other in range(n_items):
            ranks[:, item] += (keys[:, other] < keys[:, item]) & is_ranked[:, other]
    return ranks


def _sorted(keys: NDArray[Any], is_ranked: NDArray[np.bool_]) -> Ranks:
    """Sort each row, with what is not ranked last, or tied with the last: it counts for nobody."""
    n_items = keys.shape[1]
    last = np.inf if keys.dtype.kind == "f" else np.iinfo(keys.dtype).max
    keys = np.where(is_ranked, keys, last)
    order = keys.argsort(axis=1)
    in_order = np.take_along_axis(keys, order, axis=1)
    begins = np.ones(keys.shape, dtype=np.bool_)
    begins[:, 1:] = in_order[:, 1:] != in_order[:, :-1]
    places: Ranks = np.arange(n_items, dtype=rank_type(n_items))
    ranks = np.empty(keys.shape, dtype=places.dtype, order="F")
    firsts_of_ties = np.maximum.accumulate(np.where(begins, places, 0), axis=1)
    np.put_along_axis(ranks, order, firsts_of_ties, axis=1)
    return ranks


def row_words(ranks: Ranks) -> Words:
    """Pack each row into 64-bit words (rows, words) that compare as the row does."""
    big_endian = ranks.astype(ranks.dtype.newbyteorder(">"), order="C")
    in_bytes = big_endian.view(np.uint8).reshape(len(ranks), -1)
    padded = np.pad(in_bytes, ((0, 0), (0, -in_bytes.shape[1] % 8)))
    return padded.view(">u8").astype(np.uint64)

"""Arrays of ranks: ties share the best rank, and what is not ranked holds a sentinel."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Ranks, Words
from hushrank.rankings.coding import rank_type

FEW_ITEMS = 64  # up to here, comparing columns beats sorting rows


def unranked(ranks: Ranks) -> int:
    """Return the sentinel that marks an item as not ranked: the largest value of the type."""
    return int(np.iinfo(ranks.dtype).max)


def competition_ranks(keys: NDArray[Any], is_ranked: NDArray[np.bool_]) -> Ranks:
    """Rank the items (people, items) by ascending key; ties share the best rank ("1224").

    Items that are not ranked get the sentinel and count for nobody.
    """
    n_items = keys.shape[1]
    ranks = np.zeros(keys.shape, dtype=rank_type(n_items), order="F")
    if n_items <= FEW_ITEMS:
        for item in range(n_items):
            for other in range(n_items):
                ranks[:, item] += (keys[:, other] < keys[:, item]) & is_ranked[:, other]
    else:
        order = np.lexsort((keys, ~is_ranked), axis=1)
        in_order = np.take_along_axis(keys, order, axis=1)
        begins = np.ones(keys.shape, dtype=np.bool_)
        begins[:, 1:] = in_order[:, 1:] != in_order[:, :-1]
        first_of_tie = np.maximum.accumulate(np.where(begins, np.arange(n_items), 0), axis=1)
        np.put_along_axis(ranks, order, first_of_tie.astype(ranks.dtype), axis=1)
    ranks[~is_ranked] = unranked(ranks)
    return ranks


def row_words(ranks: Ranks) -> Words:
    """Pack each row into 64-bit words (rows, words) that compare as the row does."""
    big_endian = ranks.astype(ranks.dtype.newbyteorder(">"), order="C")
    in_bytes = big_endian.view(np.uint8).reshape(len(ranks), -1)
    padded = np.pad(in_bytes, ((0, 0), (0, -in_bytes.shape[1] % 8)))
    return padded.view(">u8").astype(np.uint64)

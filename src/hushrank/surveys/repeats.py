"""Drop repeated reports of one person, exactly, by a key that says whose they are.

The first reports of a key count, in the order of files and rows: as many as the survey asks of a
person, to distinct questions, and to the part of the round that the first one answers.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Indices
from hushrank.files.hashes import Salt, hashes_of

if TYPE_CHECKING:
    import pyarrow as pa


def buckets_of(keys: "pa.Array", n_buckets: int, salt: Salt) -> Indices:
    """Return the bucket (rows,) of each key, 0..n_buckets-1: the same wherever it is asked for.

    Keys are text, bytes or whole numbers. Raises HushrankError for other types.
    """
    return (hashes_of(keys, salt) % np.uint64(n_buckets)).astype(np.intp)


def first_reports(
    keys: "pa.Array", part: Indices, question: Indices, n_answers: Indices
) -> NDArray[np.bool_]:
    """Tell which rows count: the first ones of each key, n_answers[part] of distinct questions.

    part and question (rows,) of each row, in the order in which rows count. Keys are compared
    whole.   Cost: O(rows log rows).
    """
    from pyarrow import types

    plain = keys.dictionary_decode() if types.is_dictionary(keys.type) else keys
    whose = np.asarray(plain.dictionary_encode().indices)
    came_again = np.bincount(whose, minlength=1)[whose] > 1 if whose.size else np.zeros(0, np.bool_)
    is_first, rows = ~came_again, np.flatnonzero(came_again)
    is_first[rows] = _first_of_repeated(whose[rows], part[rows], question[rows], n_answers)
    return is_first


def _first_of_repeated(
    whose: Indices, part: Indices, question: Indices, n_answers: Indices
) -> NDArray[np.bool_]:
    order = np.argsort(whose, kind="stable")
    begins = np.ones(order.size, dtype=np.bool_)
    begins[1:] = whose[order][1:] != whose[order][:-1]
    first = order[np.flatnonzero(begins)][np.cumsum(begins) - 1]
    counts = part[order] == part[first]
    counts[counts] = _are_new(whose[order][counts], question[order][counts])
    before = np.cumsum(counts) - counts
    place = before - np.maximum.accumulate(np.where(begins, before, 0))
    is_first = np.zeros(order.size, dtype=np.bool_)
    is_first[order] = counts & (place < n_answers[part[first]])
    return is_first


def _are_new(whose: Indices, question: Indices) -> NDArray[np.bool_]:
    """Tell of each row, in order, whether nobody of this number was at this question before."""
    order = np.lexsort((question, whose))
    same = (whose[order][1:] == whose[order][:-1]) & (question[order][1:] == question[order][:-1])
    are_new = np.ones(whose.size, dtype=np.bool_)
    are_new[order[1:][same]] = False
    return are_new

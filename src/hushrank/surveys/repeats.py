"""Drop repeated reports of one person, exactly, by a key that says whose they are.

The first reports of a key count, in the order of files and rows: as many as the survey asks of a
person, to distinct questions, and to the part of the round that the first one answers.
"""

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Indices, Words
from hushrank.errors import require
from hushrank.kernels import kernel

if TYPE_CHECKING:
    import pyarrow as pa

Salt: TypeAlias = tuple[int, int]
"""Two random words: nobody can choose keys that all come to one bucket."""


def buckets_of(keys: "pa.Array", n_buckets: int, salt: Salt) -> Indices:
    """Return the bucket (rows,) of each key, 0..n_buckets-1: the same wherever it is asked for.

    Keys are text, bytes or whole numbers. Raises HushrankError for other types.
    """
    import pyarrow as pa
    from pyarrow import types

    keys = keys.dictionary_decode() if types.is_dictionary(keys.type) else keys
    if types.is_integer(keys.type):
        numbers = np.asarray(keys.cast(pa.int64(), safe=False).fill_null(0))
        ends = np.arange(numbers.size + 1) * 8
        return _buckets(numbers.view(np.uint8), ends, _words(salt), n_buckets)
    bytes_of = _as_bytes(keys)
    _, ends_buffer, data = bytes_of.buffers()
    first, n_rows = bytes_of.offset, len(bytes_of)
    ends = np.frombuffer(ends_buffer, dtype=np.int64)[first : first + n_rows + 1]
    held = np.frombuffer(data or b"", dtype=np.uint8)
    return _buckets(held, ends, _words(salt), n_buckets)


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


def _as_bytes(keys: Any) -> Any:
    import pyarrow as pa
    from pyarrow import types

    is_text = types.is_string(keys.type) or types.is_large_string(keys.type)
    is_bytes = types.is_binary(keys.type) or types.is_large_binary(keys.type)
    is_bytes = is_bytes or types.is_fixed_size_binary(keys.type)
    require(is_text or is_bytes, f"expected keys as text, bytes or numbers, got {keys.type}")
    return keys.cast(pa.large_binary())


def _words(salt: Salt) -> Words:
    return np.array(salt, dtype=np.uint64)


@kernel
def _buckets(held: NDArray[np.uint8], ends: Indices, salt: Words, n_buckets: int) -> Indices:
    found = np.empty(ends.size - 1, dtype=np.intp)
    for row in range(ends.size - 1):
        mixed = salt[0]
        for place in range(ends[row], ends[row + 1]):
            mixed = (mixed ^ np.uint64(held[place])) * salt[1]
            mixed ^= mixed >> np.uint64(29)
        found[row] = mixed % np.uint64(n_buckets)
    return found

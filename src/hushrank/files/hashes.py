"""Hashes of texts and numbers in Arrow arrays: with one salt, alike wherever they are asked for."""

from secrets import randbits
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Indices, Words
from hushrank.errors import require
from hushrank.files.arrow_tables import pyarrow_for
from hushrank.kernels import kernel

if TYPE_CHECKING:
    import pyarrow as pa

Salt: TypeAlias = tuple[int, int]
"""Two random words, the second one odd: nobody can choose texts whose hashes are equal."""


def hashes_of(texts: "pa.Array", salt: Salt) -> Words:
    """Return the hash (rows,) of each text, byte string or whole number.

    Raises HushrankError for other types.
    """
    pa = pyarrow_for("a Parquet file")
    from pyarrow import types

    words = np.array(salt, dtype=np.uint64)
    texts = texts.dictionary_decode() if types.is_dictionary(texts.type) else texts
    if types.is_integer(texts.type):
        plain = texts.fill_null(0) if texts.null_count else texts
        numbers = np.asarray(plain if types.is_int64(plain.type) else plain.cast(pa.int64(), False))
        return _hashes_of_numbers(numbers.view(np.uint64), words)
    bytes_of = _as_bytes(texts)
    _, ends_buffer, data = bytes_of.buffers()
    first, n_rows = bytes_of.offset, len(bytes_of)
    ends = np.frombuffer(ends_buffer, dtype=np.int64)[first : first + n_rows + 1]
    return _hashes(np.frombuffer(data or b"", dtype=np.uint8), ends, words)


def new_salt() -> Salt:
    """Draw a salt."""
    return randbits(64), randbits(64) | 1


def hash_buckets(texts: "pa.Array", n_buckets: int, salt: Salt) -> Indices:
    """Return the bucket (rows,) of each text by its hash, 0..n_buckets-1. Raises as `hashes_of`."""
    return (hashes_of(texts, salt) % np.uint64(n_buckets)).astype(np.intp)


def _as_bytes(texts: Any) -> Any:
    pa = pyarrow_for("a Parquet file")
    from pyarrow import types

    is_text = types.is_string(texts.type) or types.is_large_string(texts.type)
    is_bytes = types.is_binary(texts.type) or types.is_large_binary(texts.type)
    is_bytes = is_bytes or types.is_fixed_size_binary(texts.type)
    require(is_text or is_bytes, f"expected keys as text, bytes or numbers, got {texts.type}")
    return texts.cast(pa.large_binary())


@kernel
def _hashes(held: NDArray[np.uint8], ends: Indices, salt: Words) -> Words:
    found = np.empty(ends.size - 1, dtype=np.uint64)
    for row in range(ends.size - 1):
        mixed = salt[0]
        for place in range(ends[row], ends[row + 1]):
            mixed = (mixed ^ np.uint64(held[place])) * salt[1]
            mixed ^= mixed >> np.uint64(29)
        found[row] = mixed
    return found


@kernel
def _hashes_of_numbers(numbers: Words, salt: Words) -> Words:
    found = np.empty(numbers.size, dtype=np.uint64)
    for row in range(numbers.size):
        mixed = (numbers[row] ^ salt[0]) * salt[1]
        mixed = (mixed ^ (mixed >> np.uint64(29))) * salt[1]
        found[row] = mixed ^ (mixed >> np.uint64(32))
    return found

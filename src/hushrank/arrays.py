"""Names for the arrays that travel between the rooms, and what is none of them."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ranks: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""(people, items): how many items the person put before this one; 0 = best."""

Orders: TypeAlias = NDArray[np.integer[Any]]
"""(people, places): the item at each place, best first; the inverse of ranks."""

Order: TypeAlias = tuple[int, ...]
"""One order: items, best first."""

Categories: TypeAlias = NDArray[np.intp]
"""(people,): the answer to a question, 0..k-1."""

Answers: TypeAlias = NDArray[np.integer[Any]]
"""(people,) categories, or (people, k) rows of numbers, where an answer is a row."""

Counts: TypeAlias = NDArray[np.int64]
"""How often; the shape is said where it is used."""

Shares: TypeAlias = NDArray[np.float64]
"""(..., k): estimated or exact probabilities of the k categories."""

Words: TypeAlias = NDArray[np.uint64]
"""Uniform 64-bit words."""

Reports: TypeAlias = NDArray[Any]
"""(people, ...): what left the devices; the first axis counts people."""

Floats: TypeAlias = NDArray[np.float64]
"""Real numbers, of what and in what shape is said where they are used."""

Floats32: TypeAlias = NDArray[np.float32]
"""Real numbers of half the size, where memory is what a step waits for."""

Integers: TypeAlias = NDArray[np.int64]
"""Whole numbers that count nothing, such as costs or times."""

Integers32: TypeAlias = NDArray[np.int32]
"""Whole numbers of half the size, where memory is what a step waits for."""

Indices: TypeAlias = NDArray[np.intp]
"""Positions in another array."""

WholeNumbers: TypeAlias = NDArray[np.integer[Any]]
"""Whole numbers of any type, as callers have them."""


def is_plain(values: object) -> bool:
    """Tell an array of numpy's without a mask.

    What a mask hides is there all the same: checks pass over it, and so may noise.
    """
    return isinstance(values, np.ndarray) and not is_masked(values)


def is_masked(values: object) -> bool:
    """Tell an array of which a mask may hide a part."""
    return isinstance(values, np.ndarray) and hasattr(values, "mask")

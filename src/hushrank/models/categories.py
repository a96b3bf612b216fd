"""Draw categories: what the models of rankings are made of."""

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import Shares

FEW_CATEGORIES = 64


def sample_categories(
    shares: Shares, n_people: int, *, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Draw independent categories (people,) with probabilities `shares` (k,)."""
    ends = shares.cumsum()
    uniform = rng.random(n_people) * ends[-1]
    if len(shares) > FEW_CATEGORIES:
        found: NDArray[np.intp] = ends[:-1].searchsorted(uniform, side="right")
        return found
    categories = np.zeros(n_people, dtype=np.uint8)
    for end in ends[:-1]:  # a few sweeps of comparisons beat a binary search for each person
        categories += uniform >= end
    return categories.astype(np.intp)

"""Pair counts: the one thing that every aggregator works on."""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from hushrank.arrays import is_plain
from hushrank.errors import require
from hushrank.rankings.distances import PairCounts

Margins: TypeAlias = NDArray[np.float64]
"""margins[a, b] = how many more people put a before b than b before a; 0 = undecided."""


def pair_margins(majority: PairCounts) -> Margins:
    """Return the margins (items, items) of pair counts, exact or estimated.

    Estimated counts may be negative or fractional. A pair that nobody decided is 0 both ways.
    Raises HushrankError unless the counts are finite, square, and of two items or more.
    """
    require(is_plain(majority), "expected an array of pair counts, without a mask")
    is_square = majority.ndim == 2 and majority.shape[0] == majority.shape[1]
    require(is_square, "expected pair counts of shape (items, items)")
    require(len(majority) >= 2, f"expected at least 2 items, got {len(majority)}")
    counts = majority.astype(np.float64)
    require(np.isfinite(counts).all(), "expected finite pair counts")
    return counts - counts.T

"""What every mechanism of a curator is who adds noise to counts, and what all of them check."""

from typing import Protocol

import numpy as np

from hushrank.arrays import Counts, is_masked
from hushrank.errors import require
from hushrank.mechanisms.local import MOST_EPSILON
from hushrank.randomness import Randomness

MOST_SCALE = 2.0**50
"""The widest noise: it reaches 2^62, where counts could leave int64, with probability e^-4096."""
MOST_COUNT = 2**62


class CentralMechanism(Protocol):
    """Adds noise to whole numbers that a trusted curator holds.

    Privacy: (epsilon, delta) for the people behind the counts, as far as one of them changes the
    counts by no more than the sensitivity that the mechanism was made for.
    """

    @property
    def epsilon(self) -> float:
        """The stated privacy loss of one release, in nats; the exact loss is at most this."""

    @property
    def delta(self) -> float:
        """The probability by which the stated loss may fail; 0 for pure differential privacy."""

    def release(self, values: Counts, *, rng: Randomness) -> Counts:
        """Draw the noisy counts, int64 of the shape of `values`."""


def checked_values(values: Counts) -> Counts:
    """Return whole numbers of any type and shape as int64, before anything is drawn.

    Raises HushrankError unless they are whole and lie in -2^62..2^62.
    """
    require(not is_masked(values), "expected values without a mask")
    whole = isinstance(values, np.ndarray) and values.dtype.kind in "iu"
    require(whole, "expected an array of whole numbers")
    fits = values.size == 0 or (values.min() >= -MOST_COUNT and values.max() <= MOST_COUNT)
    require(fits, "expected values of at most 2^62, some are larger")
    return values.astype(np.int64, copy=False)


def require_epsilon(epsilon: float) -> None:
    """Raise HushrankError unless epsilon is a number in (0, 1000]."""
    require(isinstance(epsilon, int | float), "expected epsilon as a float")
    in_domain = 0 < epsilon <= MOST_EPSILON
    require(in_domain, f"expected an epsilon above 0, at most {MOST_EPSILON}, got {epsilon}")


def require_sensitivity(sensitivity: int) -> None:
    """Raise HushrankError unless the sensitivity is a whole number of 1 to 2^62."""
    require(isinstance(sensitivity, int), "expected the sensitivity as an int")
    in_domain = 1 <= sensitivity <= MOST_COUNT
    require(in_domain, f"expected a sensitivity of 1 to 2^62, got {sensitivity}")

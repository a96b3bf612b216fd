"""What counts of an event prove of the privacy loss, however the event was chosen before."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from hushrank.arrays import Floats


def at_least(hits: ArrayLike, draws: int, error: float) -> Floats:
    """Return the lower end of the one-sided interval of a probability: wrong with `error` at most.

    Source: Clopper, Pearson (Biometrika 1934), exact.
    """
    counts = np.asarray(hits, dtype=float)
    some = np.maximum(counts, 1)
    return np.where(counts > 0, betaincinv(some, draws - some + 1, error), 0.0)


def at_most(hits: ArrayLike, draws: int, error: float) -> Floats:
    """Return the upper end of the one-sided interval of a probability: wrong with `error` at most.

    Source: as `at_least`.
    """
    return 1 - at_least(draws - np.asarray(hits, dtype=float), draws, error)


def loss_at_least(
    hits: ArrayLike, others: ArrayLike, draws: int, *, delta: float, error: float
) -> Floats:
    """Return nats that the loss is at least, of an event seen `hits` and `others` times in `draws`.

        P(event | input) <= e^loss P(event | neighbour) + delta

    0 where nothing is proved. Wrong with probability `error` at most, for an event chosen before.
    """
    likely = at_least(hits, draws, error / 2) - delta
    rare = at_most(others, draws, error / 2)
    with np.errstate(divide="ignore"):
        return np.where(likely > rare, np.log(np.maximum(likely, rare) / rare), 0.0)

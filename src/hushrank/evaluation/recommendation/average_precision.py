"""How well a recommender ranks what users did, but did not show it."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.errors import require

ScoresOf: TypeAlias = Callable[[slice], NDArray[np.floating]]
"""Returns the scores (users of the slice, items) of a recommender: more is better."""

USERS_AT_ONCE = 512


def average_precisions(
    scores_of: ScoresOf, seen: csr_array, held_out: csr_array
) -> NDArray[np.float64]:
    """Return each user's average precision (users,); nan where nothing is held out.

        AP = mean over held-out items of  (held-out items down to it) / (its place),

    seen, held_out (users, items): the non-zeros say which. What a user was seen to do already is
    not ranked. Equal scores rank by number of the item.
    Raises HushrankError when the shapes differ.
    """
    expected = f"expected shapes that agree, got {seen.shape} and {held_out.shape}"
    require(seen.shape == held_out.shape, expected)
    n_users = seen.shape[0]
    starts = range(0, n_users, USERS_AT_ONCE)
    slices = (slice(start, min(start + USERS_AT_ONCE, n_users)) for start in starts)
    return np.concatenate(
        [_precisions_of(scores_of(users), seen[users], held_out[users]) for users in slices]
    )


def mean_average_precision(scores_of: ScoresOf, seen: csr_array, held_out: csr_array) -> float:
    """Return the mean of `average_precisions` over users with something held out: MAP.

    Raises HushrankError when nothing is held out of anybody.
    """
    require(held_out.nnz > 0, "expected held-out items, got none")
    return float(np.nanmean(average_precisions(scores_of, seen, held_out)))


def _precisions_of(
    scores: NDArray[np.floating], seen: csr_array, held_out: csr_array
) -> NDArray[np.float64]:
    ranked = np.array(scores, dtype=np.float64)
    ranked[seen.nonzero()] = -np.inf
    order = np.argsort(-ranked, axis=1, kind="stable")
    wanted = np.zeros(ranked.shape, dtype=np.bool_)
    wanted[held_out.nonzero()] = True
    hits = np.take_along_axis(wanted, order, axis=1)
    places = np.arange(1, hits.shape[1] + 1)
    sums = (hits * hits.cumsum(axis=1) / places).sum(axis=1)
    n_wanted = hits.sum(axis=1)
    precisions: NDArray[np.float64] = np.full(len(sums), np.nan)
    np.divide(sums, n_wanted, out=precisions, where=n_wanted > 0)
    return precisions

"""Check what a stream is given, and order it by users."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.activities.activity import Scores
from hushrank.errors import require

MOST = 2.0**53  # that a float counts exactly


def by_user(users: NDArray[np.intp]) -> Iterator[tuple[int, NDArray[np.intp]]]:
    """Yield each user with the places of his activities, in order."""
    order = np.argsort(users, kind="stable")
    starts = np.flatnonzero(np.diff(users[order], prepend=-1))
    for places in np.split(order, starts[1:]) if len(order) else []:
        yield int(users[places[0]]), places


def checked(numbers: NDArray[np.integer], bound: int) -> NDArray[np.intp]:
    """Return numbers (n,) below `bound`, of any whole type."""
    given = np.asarray(numbers)
    whole = given.ndim == 1 and (given.dtype.kind in "iu" or given.size == 0)
    require(whole, "expected users and items as whole numbers (n,)")
    known = given.size == 0 or (given.min() >= 0 and given.max() < bound)
    require(known, f"expected numbers 0..{bound - 1} of known users and items")
    return given.astype(np.intp)


def checked_history(history: "Scores | None", n_users: int, n_items: int) -> Scores:
    """Return whole counts (users, items); none by default."""
    if history is None:
        return csr_array((n_users, n_items), dtype=np.float64)
    require(history.shape == (n_users, n_items), f"expected a history of {n_users} users")
    whole = (history.data >= 0).all() and (history.data == np.floor(history.data)).all()
    whole = whole and (history.data <= MOST).all()
    require(whole, "expected whole counts of at least 0 as history")
    return history

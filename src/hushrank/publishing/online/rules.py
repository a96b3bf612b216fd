"""By which public rules a stream of activities is hidden, and what it may be given."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from hushrank.activities.activity import Scores
from hushrank.arrays import Indices, WholeNumbers
from hushrank.errors import require
from hushrank.publishing.distances.kendall import Ties

LARGEST_COUNT = 2.0**53  # that a float holds exactly


@dataclass(frozen=True)
class StreamRules:
    """How a stream hides activities; all of it may be known to everybody.

    budget: expected normalised Kendall distance of one activity, as in `ItemChannelProblem`.
    resolve_every: after so many releases of a user their channel is made anew; gap: how far that
    may be from the best. limit: nats that all releases of one user may leak, by `worst_leakage`;
    what would exceed it is withheld. counts_of: whether channels are made for what the recipient
    holds, or, as printed, for what the user did.
    """

    budget: float
    ties: Ties = "half"
    resolve_every: int = 100
    gap: float = 1e-3
    limit: float = inf
    counts_of: Literal["released", "true"] = "released"

    def __post_init__(self) -> None:
        """Check the rules."""
        require(0 <= self.budget <= 1, f"expected a budget in [0, 1], got {self.budget}")
        known = self.ties in ("half", "ignored") and self.counts_of in ("released", "true")
        require(known, "expected ties half or ignored, counts of released or true activities")
        every = self.resolve_every
        require(1 <= every < 2**63, f"expected 1 to 2^63 - 1 activities, got {every}")
        require(0 < self.gap < 1, f"expected a gap in (0, 1), got {self.gap}")
        require(self.limit >= 0, f"expected a limit of at least 0 nats, got {self.limit}")


def by_user(users: Indices) -> Iterator[tuple[int, Indices]]:
    """Yield each user of `users` (n,) with the places of their activities in it, in order."""
    order = np.argsort(users, kind="stable")
    starts = np.flatnonzero(np.diff(users[order], prepend=-1))
    for places in np.split(order, starts[1:]) if len(order) else []:
        yield int(users[places[0]]), places


def checked(numbers: WholeNumbers, bound: int) -> Indices:
    """Return numbers (n,), given in any whole type; raise HushrankError unless 0..bound - 1."""
    given = np.asarray(numbers)
    whole = given.ndim == 1 and (given.dtype.kind in "iu" or given.size == 0)
    require(whole, "expected users and items as whole numbers (n,)")
    known = given.size == 0 or (given.min() >= 0 and given.max() < bound)
    require(known, f"expected numbers 0..{bound - 1} of known users and items")
    return given.astype(np.intp)


def checked_history(history: "Scores | None", n_users: int, n_items: int) -> Scores:
    """Return counts (users, items), none by default; raise HushrankError unless whole, >= 0."""
    if history is None:
        return csr_array((n_users, n_items), dtype=np.float64)
    require(history.shape == (n_users, n_items), f"expected a history of {n_users} users")
    whole = (history.data >= 0).all() and (history.data == np.floor(history.data)).all()
    whole = whole and (history.data <= LARGEST_COUNT).all()
    require(whole, "expected whole counts of at least 0 as history")
    return history

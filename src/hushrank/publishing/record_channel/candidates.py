"""Which records may stand for a user's: the nearest ones, and some at random."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.arrays import Floats, Integers32
from hushrank.errors import require

N_NEAREST, N_RANDOM = 100, 40
USERS_AT_ONCE = 512


@dataclass(frozen=True, eq=False, repr=False)
class Candidates:
    """For each user which records may be released, and how far they are: two tables (users, c).

    The first of `members` is the user's own record, at distance 0. Where a record comes a second
    time its distance is infinite, so that it is never released by that entry.
    """

    members: Integers32
    distances: Floats


def nearest_candidates(
    records: csr_array,
    *,
    rng: np.random.Generator,
    n_nearest: int = N_NEAREST,
    n_random: int = N_RANDOM,
) -> Candidates:
    """Return each user's nearest records by cosine distance, and some drawn at random.

    records (users, features), each of length 1. All users' records where there are few.
    Cost: quadratic in users, in blocks.   Raises HushrankError when there are fewer than 2 users.
    """
    n_users = records.shape[0]
    require(n_users >= 2, f"expected at least 2 users to exchange records, got {n_users}")
    transposed = csr_array(records.T)
    starts = range(0, n_users, USERS_AT_ONCE)
    parts = [
        _of_block(
            records[start : start + USERS_AT_ONCE] @ transposed, start, n_nearest, n_random, rng
        )
        for start in starts
    ]
    members, distances = (np.concatenate(each) for each in zip(*parts, strict=True))
    return Candidates(members.astype(np.int32), distances)


def _of_block(
    likeness: csr_array, first: int, n_nearest: int, n_random: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], Floats]:
    """Return members and distances of the users from `first` on, given their inner products."""
    distances = np.maximum(1.0 - likeness.toarray(), 0.0)
    n_block, n_users = distances.shape
    own = np.arange(first, first + n_block)
    distances[np.arange(n_block), own] = -1.0  # before everybody else's
    n_near = min(n_nearest + 1, n_users)
    near = np.argpartition(distances, n_near - 1, axis=1)[:, :n_near]
    drawn = rng.integers(n_users, size=(n_block, n_random))
    members = np.concatenate([own[:, None], near, drawn], axis=1)
    found = np.take_along_axis(distances, members, axis=1)
    found[:, 0] = 0.0
    found[_repeats(members)] = np.inf
    return members, found


def _repeats(members: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Say which entries name a record that an earlier one of the row names."""
    order = np.argsort(members, axis=1, kind="stable")
    in_order = np.take_along_axis(members, order, axis=1)
    repeats = np.zeros(members.shape, dtype=np.bool_)
    later = np.zeros(members.shape, dtype=np.bool_)
    later[:, 1:] = in_order[:, 1:] == in_order[:, :-1]
    np.put_along_axis(repeats, order, later, axis=1)
    return repeats

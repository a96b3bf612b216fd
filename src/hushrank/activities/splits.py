"""Hold out a part of what users did, to see whether the rest predicts it."""

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.sparse import csr_array

from hushrank.activities.activity import Activity
from hushrank.activities.log import ActivityLog
from hushrank.errors import require


def split_activity(
    activity: Activity, *, held_out: float = 0.2, rng: Generator
) -> tuple[Activity, Activity]:
    """Split each user's items at random into a part to learn from and a part held out.

    Of n items n * held_out are held out, rounded half up, and never all of them. Both parts keep
    all users and items.
    """
    rows = np.repeat(np.arange(activity.n_users), activity.records_of_users)
    is_held_out = _held_out(rows, activity.n_users, held_out, rng.random(len(rows)))
    kept, held = (_where(activity, mask) for mask in (~is_held_out, is_held_out))
    return kept, held


def split_log(
    log: ActivityLog, *, held_out: float = 0.2, rng: Generator
) -> tuple[ActivityLog, ActivityLog]:
    """Split each user's records at random, as `split_activity`; a pair may be in both parts."""
    keys = rng.random(log.n_records)
    return _parts(log, _held_out(log.user_codes, log.n_users, held_out, keys))


def split_latest(log: ActivityLog, *, held_out: float = 0.2) -> tuple[ActivityLog, ActivityLog]:
    """Hold out each user's latest records, the last ones of the file where there are no times."""
    times = np.zeros(log.n_records) if log.times is None else log.times
    keys = np.empty(log.n_records)
    keys[np.argsort(times, kind="stable")] = -np.arange(log.n_records)  # the latest come first
    return _parts(log, _held_out(log.user_codes, log.n_users, held_out, keys))


def split_users(
    n_users: int, *, share: float = 0.5, rng: Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Draw n_users * share users, rounded; return their rows and the others', both ascending.

    Raises HushrankError when one part would be empty.
    """
    _require_share(share)
    n_first = round(n_users * share)
    both = 0 < n_first < n_users
    require(both, f"expected users in both parts, got {n_first} of {n_users} in the first")
    order = rng.permutation(n_users)
    return np.sort(order[:n_first]), np.sort(order[n_first:])


def _require_share(share: float) -> None:
    require(0 < share < 1, f"expected a share between 0 and 1, got {share}")


def _held_out(
    rows: NDArray[np.integer[Any]], n_users: int, share: float, keys: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Hold out the records (records,) with each user's smallest keys."""
    _require_share(share)
    n_records = np.bincount(rows, minlength=n_users)
    n_held_out = np.minimum(np.floor(n_records * share + 0.5), np.maximum(n_records - 1, 0))
    order = np.lexsort((keys, rows))
    starts = np.cumsum(n_records) - n_records
    place = np.arange(len(rows)) - starts[rows[order]]
    is_held_out = np.empty(len(rows), dtype=np.bool_)
    is_held_out[order] = place < n_held_out[rows[order]]
    return is_held_out


def _parts(log: ActivityLog, is_held_out: NDArray[np.bool_]) -> tuple[ActivityLog, ActivityLog]:
    return log.select(~is_held_out), log.select(is_held_out)


def _where(activity: Activity, mask: NDArray[np.bool_]) -> Activity:
    scores = activity.scores
    data = np.where(mask, scores.data, 0)  # `Activity` leaves zeros out
    kept = csr_array((data, scores.indices, scores.indptr), shape=scores.shape)
    return activity.with_scores(kept)

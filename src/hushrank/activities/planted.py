"""Made-up activity that betrays a made-up attribute, for tests and demonstrations."""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hushrank.activities.attribute import Attribute
from hushrank.activities.identifiers import numbered
from hushrank.activities.log import ActivityLog
from hushrank.activities.profiles import Profiles
from hushrank.errors import require


def draw_planted(
    n_users: int,
    n_items: int,
    *,
    n_groups: int = 2,
    tilt: float = 1.0,
    mean_records: float = 20.0,
    rng: Generator,
) -> tuple[ActivityLog, Profiles]:
    """Draw users of groups that like different items; the group is the attribute `group`.

        P(item j | group g) ~ exp(tilt z_gj) / (j + 1),   z standard normal, j = 0, 1, ..

    A user has 1 + Poisson records of score 1, times uniform in [0, 1) and ascending; groups `a`,
    `b`, .. are about equally large and all users protect theirs. `tilt` 0 betrays nothing.
    `log.activity("max")` is 0/1, `log.activity()` counts.
    """
    require(n_users >= n_groups, f"expected {n_groups} or more users, got {n_users}")
    require(n_items >= 1, f"expected 1 or more items, got {n_items}")
    require(2 <= n_groups <= 26, f"expected 2..26 groups, got {n_groups}")
    require(0 <= tilt <= 100, f"expected a tilt of 0..100, got {tilt}")
    require(1 <= mean_records <= 1e6, f"expected a mean of 1 or more records, got {mean_records}")
    groups = rng.permutation(np.arange(n_users) % n_groups)
    users = rng.permutation(np.repeat(np.arange(n_users), _sizes(n_users, mean_records, rng)))
    items = _draw_items(groups[users], planted_shares(n_groups, n_items, tilt, rng), rng)
    times, scores = np.sort(rng.random(len(users))), np.ones(len(users))
    codes = users.astype(np.int32), items.astype(np.int32)
    log = ActivityLog(*codes, scores, numbered(n_users), numbered(n_items), times)
    values = tuple("abcdefghijklmnopqrstuvwxyz"[:n_groups])
    group = Attribute("group", values, groups.astype(np.int16))
    return log, Profiles.protecting_all(log.users, [group])


def planted_shares(n_groups: int, n_items: int, tilt: float, rng: Generator) -> NDArray[np.float64]:
    """Draw the shares of the items in what each group does (groups, items)."""
    keys = tilt * rng.standard_normal((n_groups, n_items)) - np.log(np.arange(n_items) + 1)
    weights = np.exp(keys - keys.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return shares


def _sizes(n_users: int, mean_records: float, rng: Generator) -> NDArray[np.int64]:
    return 1 + rng.poisson(mean_records - 1, n_users)


def _draw_items(
    groups: NDArray[np.int64], shares: NDArray[np.float64], rng: Generator
) -> NDArray[np.int64]:
    """Draw one item (records,) for each record of a user of these groups."""
    items = np.empty(len(groups), dtype=np.int64)
    for group, of_items in enumerate(shares):
        records = np.flatnonzero(groups == group)
        items[records] = rng.choice(len(of_items), size=len(records), p=of_items)
    return items

"""Users of whom enough is known that something can be held out and something hidden."""

import numpy as np

from hushrank.activities.activity import Activity
from hushrank.activities.activity_files import read_activity
from hushrank.errors import require
from hushrank.experiments.on_activity.platforms import QUICK_USERS
from hushrank.files.disk import FilePath

FEWEST_ITEMS = 10


def read_busy_users(path: FilePath) -> Activity:
    """Read the users who did 10 or more items; all items stay."""
    activity = read_activity(path)
    return busy_users(activity, None)


def busy_users(activity: Activity, quick: np.random.Generator | None) -> Activity:
    """Return the users who did 10 or more items, 300 of them where `quick`."""
    busy = np.flatnonzero(activity.records_of_users >= FEWEST_ITEMS)
    require(len(busy), f"expected users with {FEWEST_ITEMS} or more items, got none")
    if quick is not None:
        busy = np.sort(quick.choice(busy, size=min(QUICK_USERS, len(busy)), replace=False))
    return activity.select(busy)
